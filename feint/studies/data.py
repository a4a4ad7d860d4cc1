"""A report as plain data for pages and programs: every figure with how it was judged, so that nobody has to judge it again."""

from __future__ import annotations

from math import isfinite
from typing import Any

from feint.studies.report import Report, Section, Table, to_json

FORMAT = 1


def as_data(report: Report) -> dict[str, Any]:
    """The whole report: `{"format", "name", "title", "about", "source", "command", "version", "sections": [...]}`. What is no number is null."""
    told = {name: getattr(report, name) for name in ("name", "title", "about", "source", "command", "version")}
    sections = [{"key": key} | _section(section) for key, section in report.sections]
    return {"format": FORMAT} | told | {"sections": _finite(sections)}


def _section(section: Section) -> dict[str, Any]:
    agree, of = section.counted()
    told = to_json(section)
    blocks = [
        each | _judged(block) if isinstance(block, Table) else each
        for each, block in zip(told["blocks"], section.blocks, strict=True)
    ]
    return told | {"holds": section.holds, "agree": agree, "of": of, "blocks": blocks}


def _judged(table: Table) -> dict[str, Any]:
    """What is known of a table besides its cells: which agree, how likely whole rows are, and both in words."""
    return {
        "agreement": table.agreement(),
        "row_p": table.row_p(),
        "said": " ".join(filter(None, (table.agreed, table.basis, table.note))),
    }


def _finite(value: Any) -> Any:
    """JSON of browsers has no infinities."""
    if isinstance(value, dict):
        return {name: _finite(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(each) for each in value]
    return None if isinstance(value, float) and not isfinite(value) else value
