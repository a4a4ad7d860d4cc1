"""Every game in a real browser, to its end, on a phone and on a desktop: long, for the agents are compiled as users have them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.web.browsing import DESKTOP, PHONE, chromium, ended, play_now, play_on, serious, visitor
from tests.web.served import Served, serving

pytestmark = pytest.mark.slow
LANDSCAPE = {"width": 640, "height": 360}


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(Path(tmp_path_factory.mktemp("lab"))) as served:
        yield served


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as started:
        yield started


@pytest.mark.parametrize("size", [PHONE, DESKTOP], ids=["phone", "desktop"])
@pytest.mark.parametrize("game", ["bluff", "holdem", "okey", "bidding", "kuhn", "leduc", "liars-dice"])
def test_every_game_is_played_to_the_end_by_clicking(
    lab: Served, browser: Browser, game: str, size: dict[str, int]
) -> None:
    with visitor(browser, lab.address, size) as page:
        play_now(page, game)
        assert play_on(page, game) > 0
        assert "Again" in ended(page)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("game", ["bluff", "holdem", "okey", "bidding"])
def test_tables_can_be_read_by_everybody(lab: Served, browser: Browser, game: str, scheme: str) -> None:
    with visitor(browser, lab.address, PHONE, color_scheme=scheme) as page:
        play_now(page, game)
        assert serious(page) == []
        page.set_viewport_size(DESKTOP)
        assert serious(page) == []


@pytest.mark.parametrize("game", ["bluff", "holdem", "okey", "bidding"])
def test_a_phone_on_its_side_shows_the_whole_table(lab: Served, browser: Browser, game: str) -> None:
    with visitor(browser, lab.address, LANDSCAPE) as page:
        play_now(page, game)
        play_on(page, game, turns=3)


def test_the_moment_of_the_call(lab: Served, browser: Browser) -> None:
    """Who calls, the cards, the verdict; and the same in the log."""
    with visitor(browser, lab.address) as page:
        page.evaluate("localStorage['feint-settings'] = JSON.stringify({pace: 0.8, level: 'easy'})")
        page.reload()
        play_now(page, "bluff")
        for _ in range(40):
            page.wait_for_selector(".your-turn, .call-scene")
            if page.locator(".call-scene").count():
                break
            page.keyboard.press("c")
            if "lay" in page.inner_text("#question"):
                page.locator(".fan-card").first.click(position={"x": 8, "y": 20})
                page.keyboard.press("Enter")
            page.wait_for_timeout(150)
        expect(page.locator(".verdict")).to_contain_text("takes" if "You" not in page.inner_text(".caller") else "take")
        verdict = "a lie" if "lie" in page.inner_text(".verdict").lower() else "the truth"
        expect(page.locator(".told")).to_contain_text(verdict)


def test_tiles_are_dragged_along_the_rack(lab: Served, browser: Browser) -> None:
    with visitor(browser, lab.address) as page:
        play_now(page, "okey")
        tile = page.locator("button.tile-slot").first
        named = tile.get_attribute("aria-label")
        start, target = tile.bounding_box(), page.locator(".tile-slot.vacant").last.bounding_box()
        assert start is not None
        assert target is not None
        page.mouse.move(start["x"] + 10, start["y"] + 10)
        page.mouse.down()
        page.mouse.move(target["x"] + 12, target["y"] + 12, steps=6)
        page.mouse.up()
        assert page.locator("button.tile-slot").last.get_attribute("aria-label") == named
        page.get_by_role("button", name="Arrange").click()
        assert page.locator("button.tile-slot").first.get_attribute("aria-label") == named


def test_agents_are_watched_at_any_pace(lab: Served, browser: Browser) -> None:
    with visitor(browser, lab.address) as page:
        page.locator('[data-game="bluff"]').get_by_role("button", name="Watch").click()
        expect(page.locator(".told li").first).to_be_visible()
        page.get_by_role("button", name="Menu").click()
        page.locator("#pace").fill("0")
        page.keyboard.press("Escape")
        page.wait_for_selector(".end")
        assert page.locator(".hand > *").count() == 0


def test_an_experiment_is_run_and_another_cancelled(lab: Served, browser: Browser) -> None:
    with visitor(browser, f"{lab.address}/run") as page:
        page.select_option("#run-game", "kuhn")
        page.select_option("#add-agent", "random")
        page.select_option("#add-agent", "random")
        page.fill("#run-games", "500")
        assert page.inner_text(".command").startswith("feint match kuhn random random --games 500 --seed 0")
        page.click("#run")
        expect(page.locator(".job").first).to_have_attribute("data-status", "done", timeout=60_000)
        expect(page.locator(".job pre").first).to_contain_text("99% interval")
        expect(page.locator(".job .plots")).to_be_visible()  # of the newest nobody has to ask for it
        page.fill("#run-games", "9000000")
        page.click("#run")
        expect(page.locator(".job").first).to_have_attribute("data-status", "running", timeout=60_000)
        page.get_by_role("button", name="Cancel").click()
        expect(page.locator(".job").first).to_have_attribute("data-status", "stopped", timeout=60_000)
        assert serious(page) == []


def test_a_review_says_what_decisions_were_worth(lab: Served, browser: Browser) -> None:
    with visitor(browser, lab.address) as page:
        play_now(page, "kuhn")
        play_on(page, "kuhn")
        page.click("#costliest")
        expect(page.locator(".end-cost")).to_contain_text(re.compile("of yours|costliest decision"), timeout=240_000)
        page.get_by_role("link", name="Review").click()
        expect(page.locator(".chart.curve")).to_be_visible(timeout=90_000)
        page.keyboard.press("Home")  # the first decision is the person's, and shown as soon as it is worked out
        expect(page.locator(".bars .chosen")).to_be_visible(timeout=90_000)
        assert serious(page) == []
