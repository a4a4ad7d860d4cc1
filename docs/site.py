"""What MkDocs is told about these pages: the words after `console` are for the tests that run the examples, not for readers."""

import re


def on_page_markdown(markdown: str, **_: object) -> str:
    return re.sub(r"^(```\w+) .*$", r"\1", markdown, flags=re.M)
