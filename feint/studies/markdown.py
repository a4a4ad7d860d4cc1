"""A report as Markdown: every table and verdict, with the figures as files beside it."""

from __future__ import annotations

from collections.abc import Iterator

from feint.studies.figures import on_any_page
from feint.studies.report import Cell, Figure, Report, Section, Table, Text, Verdict

WORDS = {"holds": "Holds", "partly": "Holds in part", "differs": "Does not hold", "open": "Open"}
HOW = (
    "Each cell is *published* → **measured** [interval]. ✓ agrees, ✗ does not: published figures are samples too, so both are compared "
    "as samples, with Holm's correction over the cells of each table."
)


def markdown(report: Report) -> str:
    """The whole report."""
    return "\n\n".join(_parts(report)) + "\n"


def figure_files(report: Report) -> dict[str, str]:
    """The figures that the report links to: their paths beside it, and what is in them."""
    return {
        _figure_path(report, key, block): on_any_page(block)
        for key, section in report.sections
        for block in section.blocks
        if isinstance(block, Figure)
    }


def _figure_path(report: Report, key: str, figure: Figure) -> str:
    """Figures are numbered within their section, so that those of others keep their names."""
    own = [block for block in dict(report.sections)[key].blocks if isinstance(block, Figure)]
    return f"figures/{report.name}-{key}-{own.index(figure) + 1}.svg"


def _parts(report: Report) -> Iterator[str]:
    yield f"# {report.title}"
    yield report.about
    yield f"Published: {report.source}"
    yield f"Made by `{report.command}` with feint {report.version}."
    yield "## In short"
    yield "\n".join(_short(section) for _, section in report.sections)
    yield HOW
    for key, section in report.sections:
        yield f"## {section.title}"
        for block in section.blocks:
            if isinstance(block, Text):
                yield block.text.strip()
            elif isinstance(block, Verdict):
                yield f"**{WORDS[block.holds]}.** {block.text}"
            elif isinstance(block, Table):
                yield _table(block)
            elif isinstance(block, Figure):
                yield f"![{block.caption}]({_figure_path(report, key, block)})\n\n*{block.caption}*"


def _short(section: Section) -> str:
    agree, of = section.counted()
    cells = f" ({agree} of {of} published cells agree)" if of else ""
    said = " ".join(f"{WORDS[each.holds]}: {each.text}" for each in section.verdicts)
    return f"- **{section.title}**{cells}. {said}".rstrip()


def _table(table: Table) -> str:
    row_p = table.row_p()
    extra = ["whole row, p"] if any(p is not None for p in row_p) else []
    lines = [_line([*table.columns, *extra]), _line(["---"] * (len(table.columns) + len(extra)))]
    for row, agreement, p in zip(table.rows, table.agreement(), row_p, strict=True):
        cells = [_cell(cell, agrees) for cell, agrees in zip(row.cells, agreement, strict=True)]
        lines.append(_line([row.label, *cells, *(["" if p is None else f"{p:.2g}"] if extra else [])]))
    note = " ".join(filter(None, (table.agreed, table.basis, table.note)))
    return f"**{table.title}**\n\n" + "\n".join(lines) + (f"\n\n{note}" if note else "")


def _line(cells: list[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"


def _cell(cell: Cell | str, agrees: bool | None) -> str:
    if isinstance(cell, str):
        return cell
    places = cell.places
    around = "" if cell.low is None else f" [{cell.low:.{places}f}, {cell.high:.{places}f}]"
    published = "" if cell.published is None else f"{cell.printed} → "
    mark = {None: "", True: " ✓", False: " ✗"}[agrees]
    return f"{published}**{cell.measured:.{places}f}**{around}{mark}"
