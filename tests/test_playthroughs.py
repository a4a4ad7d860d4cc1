"""Recorded games play out as they did: a change of rules shows as a diff of tests/playthroughs."""

import pytest

import feint
from feint import catalogue
from feint.testing import playthrough_text
from tests.playthroughs import FOLDER, GAMES


@pytest.mark.parametrize("name", GAMES)
def test_playthrough_is_as_recorded(name):
    game, options = GAMES[name]
    recorded = (FOLDER / f"{name}.txt").read_text()
    assert playthrough_text(feint.make(game, **options)) == recorded, (
        "rules changed: run `make playthroughs`, read the diff"
    )


def test_every_game_is_recorded():
    assert {game.partition(":")[0] for game, _ in GAMES.values()} == set(catalogue.GAMES)
