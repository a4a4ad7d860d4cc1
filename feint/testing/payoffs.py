"""Checks of what a game pays, and to whom."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np

from feint.testing.complaint import ConformanceError, require
from feint.testing.random_play import Played

NEAR = 1e-5  # sums of float32


def check_payoffs(played: Played) -> str:
    """Payoffs are numbers, within the range and with the sum that are promised, and paid when it is said."""
    game = played.game
    if not np.isfinite(played.paid).all():
        raise ConformanceError("A payoff is not a number.")
    if not game.pays_early:
        require(~played.early, "something is paid before the end, and pays_early does not say so")
    least, most = game.payoff_range
    inside = (played.paid >= least - NEAR) & (played.paid <= most + NEAR)
    require(inside.all(axis=1), f"payoffs leave the range from {least:g} to {most:g}")
    if game.payoff_sum is None:
        return f"between {least:g} and {most:g}; no sum promised"
    sums = played.paid.sum(axis=1)
    require(np.isclose(sums, game.payoff_sum, atol=NEAR), f"payoffs do not sum to {game.payoff_sum}")
    return f"to {game.payoff_sum:g} in every game, between {least:g} and {most:g} each"


def check_winners(played: Played) -> str:
    """Who won is said for each player, and nobody who did not win is paid more than somebody who did."""
    winners = played.mapped(lambda game, state, paid: game.winners(state, paid))
    won = np.asarray(winners(played.last, jnp.asarray(played.paid, jnp.float32)))
    if won.shape != played.paid.shape or won.dtype != bool:
        raise ConformanceError(f"winners gives {won.dtype}{list(won.shape[1:])}, not bool[{played.game.players}].")
    poorest = np.where(won, played.paid, np.inf).min(axis=1)
    richest = np.where(won, -np.inf, played.paid).max(axis=1)
    require(richest <= poorest + NEAR, "somebody who did not win is paid more than somebody who did")
    return f"{won.any(axis=1).sum()} of {len(won)} games have {won.sum(axis=1).max()} winners at the most"
