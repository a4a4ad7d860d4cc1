import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest
from scipy import stats

from feint.errors import UserError
from feint.studies import figures
from feint.studies.data import as_data
from feint.studies.html import html
from feint.studies.markdown import figure_files, markdown
from feint.studies.report import Cell, Report, Row, Section, Table, Text, Verdict, from_json, to_json


def shares(published, wins, of=300, label="row"):
    games = sum(wins)
    return Row(label, tuple(Cell.share(p, of, w, games) for p, w in zip(published, wins, strict=True)))


def table(*rows, **more):
    return Table("A table", ("", *(f"seat {i + 1}" for i in range(len(rows[0].cells)))), rows, **more)


def test_a_share_is_compared_as_two_samples():
    cell = Cell.share(0.44, 300, 8100, 20_000)
    assert (cell.published, cell.measured) == (44, 40.5)
    assert cell.low < 40.5 < cell.high
    assert cell.p == pytest.approx(stats.fisher_exact([[132, 168], [8100, 11900]]).pvalue)
    # The published 44 lies outside the interval of 20,000 games, and yet 300 games may well give it.
    assert cell.high < 44
    assert table(Row("", (cell,))).agreement() == [[True]]
    assert table(Row("", (Cell.share(0.60, 300, 8100, 20_000),))).agreement() == [[False]]


def test_a_mean_is_given_the_spread_that_was_measured():
    near, far = Cell.mean(2.1, 1200, 2.0, 1.5, 20_000), Cell.mean(3.0, 1200, 2.0, 1.5, 20_000)
    assert near.p == pytest.approx(2 * stats.norm.sf(0.1 / (1.5 * (1 / 1200 + 1 / 20_000) ** 0.5)))
    assert table(Row("", (near, far))).agreement() == [[True, False]]


def test_calculated_figures_agree_to_the_places_shown():
    cells = (Cell.exact(18.75, 75.0), Cell.exact(0.333, 1 / 3, 3), Cell.exact(0.334, 1 / 3, 3), Cell.exact(None, 2.0))
    assert table(Row("", cells)).agreement() == [[False, True, False, None]]
    assert table(Row("", cells)).counted() == (1, 3)


def test_a_table_where_all_agree_rarely_shows_a_disagreement():
    rng = np.random.default_rng(0)
    truth = [0.36, 0.32, 0.31, 0.01]
    wrong = 0
    for _ in range(40):
        rows = [shares(rng.multinomial(300, truth) / 300, rng.multinomial(5000, truth)) for _ in range(4)]
        wrong += table(*rows).counted() != (16, 16)
    assert wrong <= 3  # each at most 1%: four of 40 has probability 6e-4


def test_corrections_are_over_the_cells_of_the_table():
    doubtful = Cell.share(0.33, 300, 2500, 10_000)  # p = 0.002
    assert doubtful.p < 0.01
    assert table(Row("", (doubtful,))).agreement() == [[False]]
    others = tuple(Cell.share(0.25, 300, 2500, 10_000) for _ in range(9))
    assert table(Row("", (doubtful, *others))).agreement()[0][0] is True


def test_rows_of_shares_are_judged_as_a_whole():
    fits, fits_not = (
        shares([0.44, 0.26, 0.16, 0.14], [8100, 5340, 3780, 2780]),
        shares([0.47, 0.17, 0.16, 0.20], [5600, 5200, 4900, 4300]),
    )
    found = table(fits, fits_not, shares=True).row_p()
    assert found[0] > 0.1
    assert found[1] < 1e-6
    expected = stats.chi2_contingency([[132, 78, 48, 42], [8100, 5340, 3780, 2780]], correction=False).pvalue
    assert found[0] == pytest.approx(expected)
    assert table(fits).row_p() == [None]


def test_mistakes_of_a_study_are_told():
    with pytest.raises(UserError, match="0 to 1"):
        Cell.share(44, 300, 1, 2)
    with pytest.raises(UserError, match="has 1 cells for 2"):
        Table("T", ("", "a", "b"), (Row("r", ("x",)),))


@pytest.fixture(scope="module")
def report():
    rows = (
        shares([0.44, 0.26, 0.16, 0.14], [8100, 5340, 3780, 2780], label="<no> & bluff"),
        shares([0.6, 0.2, 0.1, 0.1], [5000] * 4),
    )
    words = Row(
        "a | b", ("as printed", Cell.exact(18.75, 75.0), Cell.mean(None, 0, 2.0, 1.0, 100), Cell.share(None, 0, 5, 10))
    )
    picture = figures.draw(lambda axes: axes.bar(range(4), [each.measured for each in rows[0].cells]), "Wins by seat")
    first = Section(
        "Seats",
        (
            Text("One.\n\nTwo <b>, `a & b`."),
            table(*rows, words, shares=True, note="Noted."),
            picture,
            Verdict("partly", "So & so."),
        ),
    )
    second = Section("More", (picture, Verdict("holds", "Yes."), Verdict("differs", "No.")))
    return Report(
        "toy", "A “toy”", "About it.", "Somebody, 2017.", "feint study toy", "1.0", (("seats", first), ("more", second))
    )


def test_sections_are_kept_as_json_without_loss(report):
    for _, section in report.sections:
        assert from_json(json.loads(json.dumps(to_json(section)))) == section


def test_a_report_is_data_that_is_already_judged(report):
    found = json.loads(json.dumps(as_data(report), allow_nan=False))
    assert [(each["key"], each["holds"], each["agree"], each["of"]) for each in found["sections"]] == [
        ("seats", "partly", 5, 9),
        ("more", "partly", 0, 0),
    ]
    (judged,) = (each for each in found["sections"][0]["blocks"] if each["kind"] == "table")
    seats = report.sections[0][1].blocks[1]
    assert (judged["agreement"], judged["row_p"]) == (seats.agreement(), seats.row_p())
    assert judged["said"].endswith("Noted.")
    assert judged["rows"][0]["cells"][0]["published"] == 44
    endless = Section("Endless", (table(Row("", (Cell(None, float("nan"), -float("inf"), 1.0),))),))
    (cell,) = as_data(replace(report, sections=(("endless", endless),)))["sections"][0]["blocks"][0]["rows"][0]["cells"]
    assert (cell["measured"], cell["low"], cell["high"]) == (None, None, 1.0)


class Page(HTMLParser):
    """Checks that every tag is closed, and collects what the page names and links to."""

    def __init__(self, text):
        super().__init__()
        self.stack, self.ids, self.links, self.text = [], [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        if tag not in ("meta", "br"):
            self.stack.append(tag)
        self.note(attrs)

    def handle_startendtag(self, tag, attrs):
        self.note(attrs)

    def note(self, attrs):
        self.ids += [value for name, value in attrs if name == "id"]
        self.links += [value for name, value in attrs if name in ("href", "src", "xlink:href")]

    def handle_endtag(self, tag):
        assert self.stack.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


def test_the_page_is_whole_and_needs_nothing_else(report):
    text = html(report)
    page = Page(text)
    assert page.stack == []
    own = [each for each in page.ids if not re.match(r"f[0-9a-f]{8}-", each)]
    assert len(set(own)) == len(own)
    assert all(link.startswith("#") and link[1:] in page.ids for link in page.links)
    assert not re.search(r"@import|url\((?!#)|<script|<link|<img", text)
    seen = " ".join(page.text)
    for words in ("<no> & bluff", "40.5%", "published 44%", "published cells agree", "Noted.", "So & so.", "p < 0.001"):
        assert words in seen
    assert "<code>a &amp; b</code>" in text
    assert "currentColor" in text
    assert figures.INK not in text


def test_the_same_figure_twice_is_the_same_text_and_other_figures_share_no_names():
    one, again = (figures.draw(lambda axes: axes.plot([1, 2]), "c").svg for _ in range(2))
    other = figures.draw(lambda axes: axes.plot([2, 1]), "c").svg
    assert one == again
    assert not set(re.findall(r'id="([^"]+)"', one)) & set(re.findall(r'id="([^"]+)"', other))


def test_several_panels_are_drawn_on_several_axes():
    svg = figures.draw(
        lambda axes: [each.set_title(f"panel {i}") for i, each in enumerate(axes.flat)], "c", panels=(1, 2)
    ).svg
    assert "panel 0" in svg
    assert "panel 1" in svg


def test_the_summary_has_every_cell_and_verdict(report):
    text = markdown(report)
    assert "44 → **40.5** [39.6, 41.4] ✓" in text
    assert "18.75 → **75.00** ✗" in text
    assert "**Holds in part.** So & so." in text
    assert "a \\| b" in text
    lines = [line for line in text.splitlines() if line.startswith("|")]
    assert {len(re.findall(r"(?<!\\)\|", line)) for line in lines} == {7}


def test_the_summary_links_to_its_figures_which_any_page_can_show(report):
    text, files = markdown(report), figure_files(report)
    assert files
    assert set(re.findall(r"\]\((figures/\S+\.svg)\)", text)) == set(files)
    assert all(svg.startswith("<svg") and "currentColor" not in svg for svg in files.values())
