"""A person at the page: clicks, keys, and what is to be seen."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect, sync_playwright

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PHONE, DESKTOP = {"width": 360, "height": 640}, {"width": 1280, "height": 800}
PATIENCE = 90_000  # milliseconds: the first game of a kind is compiled
MOST_TURNS = 400
READY = ".your-turn, .end"  # somebody is asked, or the game is over


@contextmanager
def chromium() -> Iterator[Browser]:
    """The browser of the system."""
    found = shutil.which("chromium")
    if not found:
        pytest.skip("there is no chromium here: make system installs it")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=FLAGS)
        yield browser
        browser.close()


@contextmanager
def visitor(
    browser: Browser, address: str, size: dict[str, int] = DESKTOP, name: str = "Ann", **how: Any
) -> Iterator[Page]:
    """A page of somebody who has not been here before, at the lobby. Whatever the page complains of fails the test."""
    context = browser.new_context(viewport=size, reduced_motion="reduce", has_touch=size == PHONE, **how)
    context.set_default_timeout(PATIENCE)
    settings = json.dumps(json.dumps({"pace": 0, "name": name}))
    context.add_init_script(f"localStorage['feint-settings'] ??= {settings}")
    page = context.new_page()
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda said: complaints.append(said.text) if "Content Security Policy" in said.text else None)
    page.goto(address)
    try:
        yield page
        assert not complaints, complaints
    finally:
        context.close()


def play_now(page: Page, game: str) -> None:
    page.locator(f'[data-game="{game}"]').get_by_role("button", name="now").click()
    page.wait_for_selector(READY)


def is_over(page: Page) -> bool:
    return page.locator(".end").count() > 0


def fits(page: Page) -> None:
    """Nothing scrolls during play, and nothing that may be clicked is cut off."""
    beyond = "[document.documentElement.scrollWidth - innerWidth, document.documentElement.scrollHeight - innerHeight]"
    assert page.evaluate(beyond) == [0, 0]
    cut = """[...document.querySelectorAll('.own button, .own input, .felt button')].filter((each) => {
        const box = each.getBoundingClientRect();
        return box.width && (box.left < -1 || box.right > innerWidth + 1 || box.top < -1 || box.bottom > innerHeight + 1);
    }).map((each) => each.id || each.textContent)"""
    assert (cut_off := page.evaluate(cut)) == [], cut_off


def take_turn(page: Page, game: str, nth: int) -> None:
    """One decision by clicking, whatever is asked: now this, now that."""
    asked = page.inner_text("#question")
    if game == "bluff" and "call bluff" not in asked:
        true_cards = page.locator(".fan-card.true-card")
        (true_cards if true_cards.count() else page.locator(".fan-card")).first.click(position={"x": 8, "y": 20})
    if game == "okey" and "discard a tile" in asked and not page.locator(".buttons .main:not(:disabled)").count():
        page.locator("button.tile-slot").last.click()
    choices = page.locator(".buttons button:not(:disabled), .many-choices button")
    main = page.locator(".buttons .main:not(:disabled)")
    trust = page.get_by_role("button", name="Trust")
    if trust.count() and nth % 4:
        trust.click()
    else:
        (main if main.count() else choices).first.click()


def play_on(page: Page, game: str, turns: int = MOST_TURNS) -> int:
    """Play until the game is over, or for so many turns; how many there were."""
    for nth in range(turns):
        page.wait_for_selector(READY)
        if is_over(page):
            return nth
        fits(page)
        take_turn(page, game, nth)
    return turns


def ended(page: Page) -> str:
    """What is told at the end, the check of the deal included."""
    expect(page.locator(".proof")).to_contain_text("promised at the start: checked")
    return page.inner_text(".end")


def serious(page: Page) -> list[str]:
    """What axe finds of level serious or critical, and where."""
    found = Axe().run(page).response["violations"]
    return [
        f"{each['id']}: {[node['target'] for node in each['nodes']]}"
        for each in found
        if each["impact"] in ("serious", "critical")
    ]
