"""A report as one HTML file that needs nothing else: readable on a phone, in the dark and on paper."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape

from feint.studies.markdown import WORDS
from feint.studies.report import Block, Cell, Figure, Holds, Report, Section, Table, Text, Verdict

MARKS: dict[Holds, str] = {"holds": "✓", "partly": "≈", "differs": "✗", "open": "?"}

CSS = """
:root { --ink: #1b1f24; --soft: #5b6470; --line: #dfe3e8; --paper: #ffffff; --tint: #f5f7f9; --link: #1f5fae;
  --holds: #1a7f4b; --partly: #96690b; --differs: #b3372f; --open: #5b6470; color-scheme: light dark; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e7eb; --soft: #9aa4b0; --line: #323a44; --paper: #14181d; --tint: #1c2229;
  --link: #7db2f0; --holds: #55c48b; --partly: #dcae4d; --differs: #f08a80; --open: #9aa4b0; } }
* { box-sizing: border-box; }
html { scroll-behavior: smooth; scroll-padding-top: 1rem; -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 16px/1.6 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
.page { max-width: 76rem; margin: 0 auto; padding: 1.5rem 1.1rem 4rem; }
a { color: var(--link); text-decoration: none; } a:hover { text-decoration: underline; }
h1 { font-size: clamp(1.6rem, 5vw, 2.3rem); line-height: 1.2; margin: .5rem 0 .6rem; letter-spacing: -.015em; }
h2 { font-size: 1.35rem; line-height: 1.3; margin: 0 0 .6rem; letter-spacing: -.01em; }
p { margin: .6rem 0; max-width: 46rem; }
.lead { font-size: 1.1rem; } .soft { color: var(--soft); font-size: .9rem; }
code { font: .88em/1.4 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; background: var(--tint); border: 1px solid var(--line);
  border-radius: .3rem; padding: .08rem .35rem; overflow-wrap: anywhere; }
main > section { border-top: 1px solid var(--line); padding-top: 1.6rem; margin-top: 2.4rem; }
nav h2 { font-size: .8rem; text-transform: uppercase; letter-spacing: .07em; color: var(--soft); margin: 0 0 .4rem; }
nav ol { list-style: none; margin: 0; padding: 0; font-size: .92rem; line-height: 1.35; }
nav li { margin: .4rem 0; padding-left: 1.5rem; position: relative; }
nav .mark { position: absolute; left: 0; }
.mark { font-weight: 700; } .holds { color: var(--holds); } .partly { color: var(--partly); }
.differs { color: var(--differs); } .open { color: var(--open); }
nav .count { color: var(--soft); white-space: nowrap; }
.verdict { border-left: 4px solid; background: var(--tint); padding: .7rem 1rem; border-radius: 0 .4rem .4rem 0; margin: 1rem 0;
  max-width: 46rem; }
.verdict strong { display: block; font-size: .82rem; letter-spacing: .02em; } .verdict span { color: var(--ink); }
.summary { display: grid; gap: .5rem; margin: 1.2rem 0; padding: 0; list-style: none; }
.summary li { display: grid; grid-template-columns: 1.6rem 1fr; } .summary p { margin: 0; }
.legend { background: var(--tint); border: 1px solid var(--line); border-radius: .5rem; padding: .8rem 1rem; max-width: 46rem; }
.legend p { margin: .3rem 0; }
h3 { font-size: 1rem; margin: 1.6rem 0 .5rem; }
.scroll { overflow-x: auto; -webkit-overflow-scrolling: touch; border: 1px solid var(--line); border-radius: .5rem; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; font-size: .92rem; line-height: 1.35; }
th, td { padding: .5rem .7rem; text-align: right; vertical-align: top; border-bottom: 1px solid var(--line); white-space: nowrap; }
tbody tr:last-child > * { border-bottom: 0; }
thead th { background: var(--tint); font-weight: 600; vertical-align: bottom; white-space: normal; }
th:first-child, .words { text-align: left; } td.words { white-space: normal; min-width: 9rem; }
tbody th { font-weight: 600; position: sticky; left: 0; background: var(--paper); white-space: normal; min-width: 6.5rem; }
thead th:first-child { position: sticky; left: 0; }
td .measured { font-weight: 600; } td small { display: block; color: var(--soft); font-size: .8rem; }
td .agree { color: var(--holds); } td .disagree { color: var(--differs); }
td.off { background: color-mix(in srgb, var(--differs) 9%, transparent); }
figure { margin: 1.3rem 0; } figure svg { width: 100%; height: auto; max-width: 46rem; display: block; }
figcaption { color: var(--soft); font-size: .9rem; max-width: 46rem; }
@media (min-width: 66rem) {
  .columns { display: grid; grid-template-columns: 15rem minmax(0, 1fr); gap: 3rem; align-items: start; }
  nav { position: sticky; top: 1.5rem; max-height: calc(100vh - 3rem); overflow-y: auto; }
}
@media (max-width: 65.99rem) { nav { background: var(--tint); border: 1px solid var(--line); border-radius: .5rem; padding: .8rem 1rem;
  margin: 1.5rem 0; } }
@media print { nav { display: none; } .columns { display: block; } main > section { break-inside: avoid; } }
"""

LEGEND = """
<div class="legend"><p><strong>How to read the tables.</strong> In each cell: what was <span class="measured">measured</span>
and its confidence interval; below it, what was published.
<span class="holds">✓</span> they agree, <span class="differs">✗</span> they do not.</p>
<p class="soft">A published figure is itself a sample, often a small one, so the two are compared as samples (Fisher's exact test for
shares), and the cells of a table share one error rate (Holm's correction): if all truly agreed, a table would show even one ✗
in at most 1% of cases. Whole rows of shares are also judged together (chi-square, Holm over the rows).</p></div>
"""


def html(report: Report) -> str:
    """The whole report."""
    return "\n".join(_page(report))


def _page(report: Report) -> Iterator[str]:
    yield '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<title>{escape(report.title)}</title>\n<style>{CSS}</style>\n</head>\n<body>\n<div class='page'>"
    yield f"<header><h1>{escape(report.title)}</h1><p class='lead'>{escape(report.about)}</p>"
    made = f"<code>{escape(report.command)}</code> with feint {escape(report.version)}"
    yield f"<p class='soft'>Published: {escape(report.source)}<br>Made by {made}</p></header>"
    yield "<div class='columns'><nav><h2>Contents</h2><ol>"
    yield from (_entry(key, section) for key, section in report.sections)
    yield "</ol></nav><main><section id='in-short'><h2>In short</h2><ul class='summary'>"
    yield from (_short(key, section) for key, section in report.sections)
    yield f"</ul>{LEGEND}</section>"
    for key, section in report.sections:
        yield f"<section id='{escape(key)}'><h2>{_words(section.title)}</h2>"
        yield from map(_block, section.blocks)
        yield "</section>"
    yield "</main></div></div>\n</body>\n</html>"


def _words(text: str) -> str:
    """Text of a report, what is between backquotes as code."""
    return re.sub("`([^`]+)`", r"<code>\1</code>", escape(text))


def _entry(key: str, section: Section) -> str:
    agree, of = section.counted()
    count = f" <span class='count'>{agree}/{of}</span>" if of else ""
    kind = section.holds
    mark = f"<span class='mark {kind}' title='{WORDS[kind]}'>{MARKS[kind]}</span>"
    return f"<li>{mark}<a href='#{escape(key)}'>{_words(section.title)}</a>{count}</li>"


def _short(key: str, section: Section) -> str:
    said = " ".join(_words(verdict.text) for verdict in section.verdicts)
    kind = section.holds
    mark = f"<span class='mark {kind}' title='{WORDS[kind]}'>{MARKS[kind]}</span>"
    return f"<li>{mark}<p><a href='#{escape(key)}'>{_words(section.title)}</a>. {said}</p></li>"


def _block(block: Block) -> str:
    if isinstance(block, Text):
        return "".join(f"<p>{_words(part.strip())}</p>" for part in block.text.strip().split("\n\n"))
    if isinstance(block, Figure):
        return f"<figure role='img' aria-label='{escape(block.caption)}'>{block.svg}<figcaption>{_words(block.caption)}</figcaption></figure>"
    if isinstance(block, Verdict):
        word = f"{MARKS[block.holds]} {WORDS[block.holds]}"
        return f"<div class='verdict {block.holds}'><strong>{word}</strong><span>{_words(block.text)}</span></div>"
    return "".join(_table(block))


def _table(table: Table) -> Iterator[str]:
    row_p = table.row_p()
    whole = any(p is not None for p in row_p)
    yield f"<h3>{_words(table.title)}</h3><div class='scroll'><table><thead><tr>"
    for number, column in enumerate(table.columns):
        words = number and all(isinstance(row.cells[number - 1], str) for row in table.rows)
        yield f"<th scope='col'{' class=words' if words else ''}>{_words(column)}</th>"
    yield "<th scope='col'>whole row</th>" if whole else ""
    yield "</tr></thead><tbody>"
    for row, agreement, p in zip(table.rows, table.agreement(), row_p, strict=True):
        yield f"<tr><th scope='row'>{_words(row.label)}</th>"
        yield from (_cell(cell, agrees) for cell, agrees in zip(row.cells, agreement, strict=True))
        yield _row_cell(p, table.level) if whole else ""
        yield "</tr>"
    yield "</tbody></table></div>"
    if said := " ".join(filter(None, (table.agreed, table.basis, table.note))):
        yield f"<p class='soft'>{_words(said)}</p>"


def _cell(cell: Cell | str, agrees: bool | None) -> str:
    if isinstance(cell, str):
        return f"<td class='words'>{_words(cell)}</td>"
    places = cell.places
    mark = {
        None: "",
        True: " <span class='agree' title='agrees'>✓</span>",
        False: " <span class='disagree' title='does not agree'>✗</span>",
    }
    around = "" if cell.low is None else f"<small>{cell.low:.{places}f} to {cell.high:.{places}f}</small>"
    published = "" if cell.published is None else f"<small>published {cell.printed}{cell.unit}</small>"
    shade = " class='off'" if agrees is False else ""
    return f"<td{shade}><span class='measured'>{cell.measured:.{places}f}{cell.unit}</span>{mark[agrees]}{around}{published}</td>"


def _row_cell(p: float | None, level: float) -> str:
    if p is None:
        return "<td></td>"
    agrees = p >= 1 - level
    mark = "<span class='agree'>✓</span>" if agrees else "<span class='disagree'>✗</span>"
    shown = "p &lt; 0.001" if p < 0.001 else f"p = {p:.3f}"
    shade = "" if agrees else " class='off'"
    return f"<td{shade}>{mark}<small>{shown}</small></td>"
