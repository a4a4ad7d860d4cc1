from dataclasses import dataclass
from itertools import permutations

import numpy as np
import pytest

from feint.arena import tournament as arena
from feint.arena.result import Result
from feint.errors import UserError

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


def test_the_24_orders_of_four_and_their_rotations():
    assert arena.orders(range(4)) == list(permutations(range(4)))
    assert arena.rotations([0, 1, 2]) == [(0, 1, 2), (1, 2, 0), (2, 0, 1)]
    assert arena.orders([7, 7]) == [(7, 7)]
    assert arena.rotations([1, 2, 1, 2]) == [(1, 2, 1, 2), (2, 1, 2, 1)]


def test_a_round_robin_seats_every_choice_and_balances_every_seat():
    seatings = arena.round_robin(5, 3)
    assert len(seatings) == 10 * 6
    assert len(set(seatings)) == 60
    for seat in range(3):
        assert np.bincount([seating[seat] for seating in seatings]).tolist() == [12] * 5
    assert len(arena.round_robin(5, 3, "rotations")) == 30
    assert arena.round_robin(4, 4, "given") == [(0, 1, 2, 3)]


@pytest.mark.parametrize("bad", [(2, 3, "all"), (3, 0, "all"), (3, 2, "some")])
def test_impossible_schedules_are_told_so(bad):
    with pytest.raises(UserError):
        arena.round_robin(*bad)


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
