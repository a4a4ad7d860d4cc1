"""Symmetric games: the median game of three bidders, whose equilibria are known, and the derivative behind the search."""

import numpy as np
import pytest

from feint.errors import UserError
from feint.solvers.normal_form import gains, gambit_equilibria
from feint.solvers.symmetric import SymmetricGame, opponent_counts, symmetric_equilibria


def median_game(bids: int) -> np.ndarray:
    """Three choose a number; the median wins, ties share: float64[3, bids, bids, bids]."""
    chosen = np.stack(np.meshgrid(*[np.arange(bids)] * 3, indexing="ij"))
    wins = chosen == np.median(chosen, axis=0)
    return wins / wins.sum(axis=0)


@pytest.mark.parametrize("bids", [3, 5, 7])
def test_the_median_game_has_every_pure_and_every_neighbouring_half_half_equilibrium(bids):
    found = symmetric_equilibria(SymmetricGame.of_tensor(median_game(bids)))
    pure = [np.eye(bids)[x] for x in range(bids)]
    halves = [(pure[x] + pure[x + 1]) / 2 for x in range(bids - 1)]
    assert np.array(found) == pytest.approx(np.array(pure + halves), abs=1e-9)
    assert all(gains(median_game(bids), [mixed] * 3).max() < 1e-9 for mixed in found)


def test_values_and_slopes_agree_with_the_whole_payoff_tensor():
    game, tensor = SymmetricGame.of_tensor(median_game(4)), median_game(4)[0]
    mixed = np.array([0.1, 0.2, 0.3, 0.4])
    assert game.values(mixed) == pytest.approx(tensor @ mixed @ mixed)
    assert game.slopes(mixed) == pytest.approx(2 * tensor @ mixed)


def test_many_players_by_counts():
    """Nine share a road that is worth 1 less a tenth for each other on it, or stay away for a half."""
    game = SymmetricGame.of_function(
        9, 2, lambda others: np.stack([1 - others[:, 0] / 10, np.full(len(others), 0.5)], 1)
    )
    found = symmetric_equilibria(game)
    assert [mixed[0] for mixed in found] == pytest.approx([5 / 8])


def test_counts_are_all_compositions():
    counts = opponent_counts(5, 3)
    assert len({tuple(row) for row in counts}) == len(counts) == 15
    assert (counts.sum(axis=1) == 4).all()


def test_gambit_finds_the_same_symmetric_equilibria():
    pytest.importorskip("pygambit")
    theirs = [p for p in gambit_equilibria(median_game(3)) if max(np.ptp(np.stack(p), axis=0)) < 1e-6]
    assert len(theirs) == len(symmetric_equilibria(SymmetricGame.of_tensor(median_game(3)))) == 5


def test_bad_input_is_one_clear_sentence():
    with pytest.raises(UserError, match="who is who"):
        SymmetricGame.of_tensor(np.arange(16.0).reshape(2, 2, 4)[:, :, :2])
    with pytest.raises(UserError, match="same actions"):
        SymmetricGame.of_tensor(np.zeros((2, 2, 3)))
    with pytest.raises(UserError, match="too many"):
        opponent_counts(300, 51)
    with pytest.raises(UserError, match="At most 16 actions"):
        symmetric_equilibria(SymmetricGame.of_tensor(np.zeros((2, 17, 17))))
