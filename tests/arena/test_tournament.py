from dataclasses import dataclass
from math import comb

import numpy as np
import pytest

import feint
from feint.arena import tournament as arena
from feint.arena.match import match
from tests.arena.made import result, seated, winners_of

STRENGTH = {"strong": 4.0, "good": 2.0, "fair": 1.0, "fair too": 1.0, "weak": 0.5, "weakest": 0.25}


@dataclass(frozen=True)
class Table:
    """As much of a game as a schedule asks for."""

    players: int


def exact_play(_, agents, seatings, games, seed):
    """A game won in proportion to strength: wins are the exact expectations, rounded, so that the cross-table is known."""
    games //= len(seatings)
    power = np.array([STRENGTH[agent] for agent in agents])[np.array(seatings)]
    wins = np.floor(games * power / power.sum(axis=1, keepdims=True)).astype(int)
    parts = [
        seated(seating, winners_of(won, games - won.sum()), seed=seed)
        for seating, won in zip(seatings, wins, strict=True)
    ]
    return result(agents, parts)


def test_the_cross_table_is_everybody_against_everybody():
    agents = list(STRENGTH)
    found = arena.tournament(Table(3), agents, games=2000 * 20 * 6, play=exact_play)
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
    found = arena.tournament(Table(2), agents, games=300 * 30, order="rotations", play=exact_play)
    text = str(found)
    assert max(map(len, text.splitlines())) <= 80
    assert "66.6*" in text or "66.7*" in text  # strong against good
    assert text.count("50.0 ") >= 2  # the two fair ones, unmarked
    assert [each.agent for each in found.ratings().ratings][:2] == ["strong", "good"]
    assert "Ratings" in text


@pytest.mark.parametrize("measure", ["wins", "payoff"])
def test_whoever_has_not_played_yet_has_a_dash(measure):
    """As when a tournament is stopped early."""
    stopped = result(["a", "b", "c"], [seated((0, 1), {"10": 30, "01": 20})], measure=measure)
    text = str(arena.Tournament(stopped))
    assert "nan" not in text
    standing, rating = (line.split() for line in text.splitlines() if line.split()[:1] == ["c"])
    assert standing == (["c", "0", "0", "-", "-"] if measure == "wins" else ["c", "0", "-", "0", "-"])
    assert rating == ["c", "-", "0"]
    assert text.rindex("\n b ") < text.rindex("\n c "), "last of all"


def test_only_games_that_one_of_the_two_won_count_between_them():
    """Of 100 games both won 50, the first alone 30 and the second alone 10."""
    both = result(["a", "b", "c"], [seated((0, 1, 2), {"001": 10, "010": 10, "100": 30, "110": 50})])
    assert arena.Tournament(both).against("a", "b").estimate == 30 / 40
    assert arena.Tournament(both).against("b", "c").estimate == 60 / 70
    (test,) = (each.test for each in both.comparisons() if (each.better, each.worse) == (0, 1))
    assert test.p == pytest.approx(2 * sum(comb(40, k) for k in range(11)) / 2**40)


def test_games_measured_by_payoff_have_a_cross_table_of_payoffs():
    played = match(feint.make("leduc", players=3), ["random"] * 3, [(0, 1, 2), (2, 0, 1)], 200)
    found = arena.Tournament(played)
    apart = played.payoff("random #1").estimate - played.payoff("random #2").estimate
    assert found.against("random #1", "random #2").estimate == pytest.approx(apart)
    assert found.against("random #1", "random #2", by="wins").holds(0.5)
    text = str(found)
    assert "in antes" in text
    assert "paired t-test over games" in text
    assert "whoever was paid more" in text
    assert max(map(len, text.splitlines())) <= 80
