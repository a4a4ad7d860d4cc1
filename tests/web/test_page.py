"""The page of the lab in a real browser, with the small games: the others are among the slow checks."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from feint.files import write_whole
from feint.registry import study_names
from feint.studies.data import as_data
from feint.studies.report import Cell, Figure, Report, Row, Section, Table, Text, Verdict
from tests.web.browsing import DESKTOP, PHONE, chromium, ended, is_over, play_now, play_on, serious, visitor
from tests.web.served import Served, serving

GAMES = "kuhn,leduc,liars-dice,stay"


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The small games, and one that somebody else's package adds, which has no words and no pictures of its own."""
    package = tmp_path_factory.mktemp("package")
    about = package / "feint_stay-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: feint-stay\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[feint.games]\nstay = tests.toys:Stay\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(package), prepend=os.pathsep)
        folder = tmp_path_factory.mktemp("lab")
        keep_report(folder / "jobs" / "abc")
        with serving(folder, games=GAMES) as served:
            yield served


def keep_report(folder: Path) -> None:
    """An experiment that was run before: a study of somebody else's, whose words would be markup and code if they were taken for such."""
    cells = (Cell.share(0.44, 300, 8100, 20_000), Cell.share(0.6, 300, 5000, 20_000), "<b>words</b>")
    rows = (Row("<script>alert(1)</script>", cells), Row("`code`", ("", Cell.exact(18.75, 75.0), "")))
    figure = Figure(
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 9 9'><path d='M1 1h7'/></svg>", "A <i>line</i>"
    )
    blocks = (
        Text("One.\n\nTwo."),
        Table("Seats", ("", "first", "second", "more"), rows),
        figure,
        Verdict("partly", "So."),
    )
    made = Report(
        "toy", "A toy", "About it.", "Nobody.", "feint study toy", "1", (("seats", Section("Seats", blocks)),)
    )
    write_whole(folder / "report" / "toy.json", json.dumps(as_data(made)), "The report")
    write_whole(
        folder / "job.json",
        json.dumps({"words": ["study", "toy"], "status": "done", "created": 1.0, "ended": 2.0}),
        "It",
    )


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as started:
        yield started


@pytest.mark.parametrize(
    ("game", "size"),
    [("kuhn", PHONE), ("leduc", DESKTOP), ("liars-dice", PHONE), ("stay", PHONE)],
    ids=["kuhn", "leduc", "liars-dice", "somebody else's"],
)
def test_a_game_is_played_to_the_end_by_clicking(
    lab: Served, browser: Browser, game: str, size: dict[str, int]
) -> None:
    with visitor(browser, lab.address, size) as page:
        play_now(page, game)
        play_on(page, game)
        assert "Again" in ended(page)
        page.click("#again")
        page.wait_for_selector(".your-turn")
        assert not is_over(page)


def test_the_keyboard_alone_is_enough(lab: Served, browser: Browser) -> None:
    with visitor(browser, lab.address) as page:
        page.wait_for_selector(".game-card")
        for _ in range(60):
            page.keyboard.press("Tab")
            if page.evaluate("document.activeElement.getAttribute('aria-label')") == "Play Kuhn poker now":
                break
        page.keyboard.press("Enter")
        for _ in range(5):
            page.wait_for_selector(".your-turn, .end")
            if is_over(page):
                break
            page.keyboard.press(page.locator(".buttons kbd").first.inner_text().lower())
        for _ in range(60):
            page.keyboard.press("Tab")
            if page.evaluate("document.activeElement.id") == "again":
                break
        page.keyboard.press("Enter")
        page.wait_for_selector(".your-turn")


def test_a_reload_in_the_middle_changes_nothing(lab: Served, browser: Browser) -> None:
    with visitor(browser, lab.address) as page:
        play_now(page, "leduc")
        before = _seen(page)
        page.reload()
        page.wait_for_selector(".your-turn")
        assert _seen(page) == before
        page.goto(lab.address)  # and the lobby leads back
        page.get_by_role("link", name="Go on").first.click()
        page.wait_for_selector(".your-turn")
        assert _seen(page) == before


def _seen(page: Page) -> list[str]:
    return [page.inner_text("#question"), page.locator(".hand").get_by_role("img").get_attribute("aria-label") or ""]


def test_a_server_that_was_killed_comes_back_with_the_game(lab: Served, browser: Browser) -> None:
    with visitor(browser, lab.address) as page:
        play_now(page, "leduc")
        before = _seen(page)
        lab.kill()
        expect(page.locator(".banner")).to_contain_text("connection is lost")
        lab.start(lab.port)
        page.wait_for_selector(".banner", state="hidden")
        page.wait_for_selector(".your-turn")
        assert _seen(page) == before
        play_on(page, "leduc")
        ended(page)


def test_two_browsers_at_one_table_and_somebody_who_watches(lab: Served, browser: Browser) -> None:
    with visitor(browser, lab.address) as ann:
        ann.locator('[data-game="kuhn"]').get_by_role("button", name="friends").click()
        ann.get_by_role("button", name="Make the table").click()
        expect(ann.locator(".waiting")).to_contain_text("Waiting for")
        link = ann.locator(".invites input").input_value()
        with visitor(browser, link, PHONE, name="") as ben:
            ben.get_by_label("Your name").fill("Ben <b>")
            ben.get_by_role("button", name="Sit down").click()
            expect(ann.locator(".plate")).to_contain_text("Ben <b>")
            with visitor(browser, f"{lab.address}/watch/{link.split('/')[-1].split('#')[0]}") as watcher:
                expect(watcher.locator("#question")).to_contain_text("You watch")
                assert not watcher.locator(".held-card").count()
                for nth in range(6):
                    if is_over(ann):
                        break
                    turn = ann if ann.locator(".your-turn").count() else ben
                    turn.wait_for_selector(".your-turn")
                    number = len(watcher.locator(".told li").all())
                    turn.locator(".buttons button").nth(nth % 2).click()
                    expect(watcher.locator(".told li")).to_have_count(number + 1)
                    ann.wait_for_selector(".your-turn, .end, .plate.acts")
                for page in (ann, ben):
                    ended(page)
        expect(ann.locator(".plate.away")).to_have_count(1)  # Ben's page is closed


def test_the_end_leads_to_the_costliest_decision(lab: Served, browser: Browser) -> None:
    """The analysis is made up here: working one out takes minutes, and in most games of Kuhn poker there is nothing to find."""
    with visitor(browser, lab.address) as page:
        interval = {"estimate": 0.4, "low": 0.3, "high": 0.5}
        told = {
            "finished": True,
            "done": 1,
            "work": 1,
            "unit": "antes",
            "level": 0.99,
            "agent": "random",
        }
        told |= {"names": ["Ann", "Ben"], "turns": [], "curve": [], "answers": [], "costliest": [1, 0, 2]}
        choice = {"action": 0, "label": "check", "value": interval, "likely": 1.0}
        decisions = [
            {"move": move, "seat": seat, "chosen": 0, "cost": interval, "mistake": mistake, "choices": [choice]}
            | {"question": "?", "games": 8}
            for move, seat, mistake in ((0, 0, True), (1, 1, True), (2, 0, False))
        ]
        asked: list[str] = []

        def answer(route: Route) -> None:
            asked.append(route.request.url)
            known = "begin=false" not in route.request.url
            route.fulfill(json=told | {"decisions": decisions, "finished": known, "done": int(known)})

        page.route("**/api/reviews/**", answer)
        play_now(page, "kuhn")
        play_on(page, "kuhn")
        ended(page)
        assert [url.endswith("begin=false") for url in asked] == [True]  # nothing is begun before somebody asks
        page.click("#costliest")
        expect(page.locator(".end-cost a")).to_have_text("move 1, −0.4 antes")
        assert serious(page) == []
        page.locator(".end-cost a").click()
        page.wait_for_url("**/review/**#move-0")
        expect(page.locator(".review-decision")).to_contain_text("move 1")


def test_a_deal_that_was_changed_is_found_out(lab: Served, browser: Browser) -> None:
    with visitor(browser, lab.address) as page:
        check = """async (deal) => (await (await import('/static/js/commitment.js')).checked(
            'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad', {deal, nonce: 'c'})).well"""
        assert page.evaluate(check, "ab") is True  # the SHA-256 of abc, as it is published
        assert page.evaluate(check, "ac") is False


@pytest.mark.parametrize(("scheme", "size"), [("light", PHONE), ("dark", DESKTOP)])
def test_the_report_of_a_study_is_read_in_the_page(
    lab: Served, browser: Browser, scheme: str, size: dict[str, int]
) -> None:
    with visitor(browser, f"{lab.address}/run", size, color_scheme=scheme) as page:
        page.locator("#job-abc").get_by_role("link", name="Read the report").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("A toy")
        expect(page.locator("tbody th").first).to_have_text("<script>alert(1)</script>")
        expect(page.locator("tbody td").first).to_have_text("40.5% ✓39.6 to 41.4published 44%")
        expect(page.locator("tbody td.off")).to_have_count(2)
        expect(page.locator(".finding")).to_have_text("≈ Holds in part. So.")
        assert page.locator("img.drawing").evaluate("(drawn) => drawn.complete && drawn.naturalWidth > 0")
        assert page.get_by_role("img", name="A <i>line</i>").count() == 1
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") == 0
        assert serious(page) == []
        page.get_by_role("link", name="Seats").click()
        page.wait_for_url("**/report/abc#section-seats")
        page.goto(f"{lab.address}/report/ffff")
        expect(page.get_by_role("heading", level=1)).to_have_text("There is no report to read.")


@pytest.mark.parametrize(("scheme", "size"), [("dark", PHONE), ("light", DESKTOP)])
def test_what_an_experiment_shows_is_drawn_and_can_be_read(
    lab: Served, browser: Browser, scheme: str, size: dict[str, int]
) -> None:
    job = {"job": "def", "words": ["tournament", "kuhn", "a", "b"], "status": "done", "created": 3.0, "told": "done"}
    job |= {
        "share": 1.0,
        "left": None,
        "output": "a  +1",
        "resumable": False,
        "files": [{"name": "result.json", "href": "/x"}],
    }
    rows = [
        {"label": "<b>a</b>", "value": 60.0, "low": 55.0, "high": 65.0},
        {"label": "b", "value": 40, "low": 35, "high": 45},
    ]
    plot = {
        "title": "Games won",
        "says": "Games won, with intervals.",
        "unit": "%",
        "places": 1,
        "rows": rows,
        "usual": 50.0,
    }
    with visitor(browser, lab.address, size, color_scheme=scheme) as page:
        page.route("**/api/jobs", lambda route: route.fulfill(json={"jobs": [job], "now": 4.0}))
        page.route("**/api/jobs/def/plots", lambda route: route.fulfill(json=[plot]))
        page.goto(f"{lab.address}/run")
        expect(page.locator(".whiskers li").first).to_have_text("<b>a</b>60.0% (55.0% to 65.0%)")
        points = page.locator(".whiskers .point").evaluate_all(
            "(all) => all.map((each) => each.getBoundingClientRect().x)"
        )
        assert points[0] > points[1]
        expect(page.locator(".figure figcaption")).to_have_text("Games won, with intervals.")
        page.get_by_text("as a terminal shows it").click()
        expect(page.locator(".said")).to_have_text("a  +1")
        assert serious(page) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_stands_in_the_way_of_a_screen_reader(lab: Served, browser: Browser, scheme: str) -> None:
    with visitor(browser, lab.address, color_scheme=scheme) as page:
        page.wait_for_selector(".game-card")
        assert serious(page) == []
        page.locator('[data-game="kuhn"]').get_by_role("button", name="friends").click()
        assert serious(page) == []
        page.keyboard.press("Escape")
        play_now(page, "liars-dice")
        assert serious(page) == []
        for opens in (page.get_by_role("button", name="Menu"), page.locator(".plate button").first):
            opens.click()
            page.wait_for_selector("dialog[open]")
            assert serious(page) == []
            page.keyboard.press("Escape")
        play_on(page, "liars-dice")
        ended(page)
        assert serious(page) == []
        page.get_by_role("link", name="Review").click()
        page.wait_for_selector(".review-moves")
        assert serious(page) == []
        page.goto(f"{lab.address}/run")
        assert serious(page) == []
        page.get_by_text("Study", exact=True).click()
        expect(page.locator("#run-study option")).to_have_count(len(study_names()))
        page.goto(f"{lab.address}/table/nosuchtabl")
        page.wait_for_selector("h1")
        assert serious(page) == []
