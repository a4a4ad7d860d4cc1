"""docs/games and docs/agents.md name everything there is."""

import re
from dataclasses import fields, is_dataclass

import jax
import pytest

import feint
from feint import catalogue, chance, registry
from tests.docs.examples import ROOT


def section(page: str, title: str) -> str:
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    found = re.search(rf"^## {title}$(.*?)(?=^## |\Z)", text, re.M | re.S)
    assert found, f"docs/{page} has no section {title}"
    return found[1]


@pytest.mark.parametrize("name", catalogue.GAMES)
def test_every_option_and_field_of_a_game_is_explained(name):
    game = feint.make(name)
    text = (ROOT / "docs" / "games" / f"{name}.md").read_text(encoding="utf-8")
    view = jax.eval_shape(lambda: game.observe(game.init(chance.key(0)), 0))
    parts = [view, *(each for each in vars(view).values() if is_dataclass(each))]
    seen = {field.name for part in parts for field in fields(part)} - {"seat"}
    missing = {word for word in {*game.options(), *seen} if f"`{word}`" not in text}
    assert not missing


@pytest.mark.parametrize("name", [name for name in catalogue.AGENTS if name.startswith("bluff.")])
def test_every_bluff_agent_is_explained_with_its_settings(name):
    agent = name.removeprefix("bluff.")
    rows = re.findall(rf"^\| `{agent}` \|.*$", section("agents.md", "The agents of Bluff"), re.M)
    assert len(rows) == 1
    settings = registry.agent_settings(registry.agent_class(agent, "bluff"))
    assert not [setting for setting in settings if f"`{setting}`" not in rows[0] + section("agents.md", "Settings")]
