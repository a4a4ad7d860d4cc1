from dataclasses import dataclass

import numpy as np
import pytest

from feint.arena import tournament as arena
from feint.arena.result import Result

STRENGTH = {"strong": 4.0, "good": 2.0, "fair": 1.0, "fair too": 1.0, "weak": 0.5, "weakest": 0.25}


@dataclass(frozen=True)
class Table:
    """As much of a game as a schedule asks for."""

    players: int


def exact_play(game, agents, seatings, games, seed):
    """A game won in proportion to strength: wins are the exact expectations, rounded, so that the cross-table is known."""
    power = np.array([STRENGTH[agent] for agent in agents])[np.array(seatings)]
    wins = np.floor(games * power / power.sum(axis=1, keepdims=True)).astype(int)
    played = np.full(len(seatings), games)
    return Result.from_totals(
        game="toy",
        options={"players": game.players},
        agents=agents,
        seatings=seatings,
        seeds=[seed],
        games=played,
        draws=played - wins.sum(axis=1),
        moves=played,
        wins=wins,
        payoff_sum=wins,
        payoff_square_sum=wins,
    )


def test_the_cross_table_is_everybody_against_everybody():
    agents = list(STRENGTH)
    found = arena.tournament(exact_play, Table(3), agents, games=2000)
    assert found.result.played == 2000 * 20 * 6
    for one in agents:
        for other in agents:
            if one != other:
                expected = STRENGTH[one] / (
                    STRENGTH[one] + STRENGTH[other]
                )  # by independence of irrelevant alternatives
                assert found.against(one, other).estimate == pytest.approx(expected, abs=0.002)
                assert found.against(one, other).holds(expected)
    assert found.against("fair", "fair too").estimate == 0.5


def test_a_tournament_prints_standings_cross_table_and_ratings():
    agents = list(STRENGTH)
    found = arena.tournament(exact_play, Table(2), agents, games=300, order="rotations")
    text = str(found)
    assert max(map(len, text.splitlines())) <= 80
    assert "66.6*" in text or "66.7*" in text  # strong against good
    assert text.count("50.0 ") >= 2  # the two fair ones, unmarked
    assert [each.agent for each in found.ratings().ratings][:2] == ["strong", "good"]
    assert "Ratings" in text
