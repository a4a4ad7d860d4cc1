"""Fields of dataclasses in the reference say what their comments say: shapes, units, meanings."""

import re

import griffe

COMMENT = re.compile(r"\s{2}# (?P<text>.*)$")


class Comments(griffe.Extension):
    """Takes the comment behind a field for its docstring."""

    def on_attribute_instance(self, *, attr: griffe.Attribute, **_: object) -> None:
        if attr.docstring is None and attr.lineno is not None:
            lines = attr.lines_collection[attr.filepath]
            if found := COMMENT.search(lines[(attr.endlineno or attr.lineno) - 1]):
                attr.docstring = griffe.Docstring(found["text"], parent=attr)
