"""Checks of deals: written down, listed, and dealt anew."""

from __future__ import annotations

import json
from dataclasses import is_dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from scipy import stats

from feint import chance, deals
from feint.errors import NotSmall, UserError
from feint.testing.complaint import ConformanceError, as_bytes, at, capital, require_same
from feint.testing.random_play import Played

ALPHA = 1e-6  # a chi-square check fails a right game once in a million runs
TOO_MANY = "too many to list"


def check_written(played: Played) -> str:
    """A deal survives being written down, and deals what was drawn."""
    keys = played.keys(9)
    drawn = played.mapped(lambda game, key: game.draw(chance.deal_key(key)))(keys)
    if not is_dataclass(drawn):
        raise ConformanceError("draw(key) does not give a pytree with named fields: write @pytree above its class.")
    read = [_written_and_read(played, at(drawn, i)) for i in range(4)]
    dealt = played.mapped(lambda game, deal: game.deal(deal))(jax.tree.map(lambda *deals: np.stack(deals), *read))
    starts, _ = played.programs.deal(keys)
    for i in range(4):
        require_same(at(dealt, i), at(starts, i), "init(key) is not deal(draw(key))")
    return "and dealt again"


def _written_and_read(played: Played, deal: Any) -> Any:
    try:
        text = json.dumps(deals.written(deal))
    except TypeError:
        raise ConformanceError("A deal cannot be written down: its fields must be arrays of numbers.") from None
    try:
        return deals.read(played.game, json.loads(text))
    except UserError as refused:
        raise ConformanceError(f"A deal that was drawn is refused when it is read again: {refused}") from None


def check_deals(played: Played) -> str:
    """Draws have the probabilities of the deals that are listed."""
    try:
        every, probabilities = played.game.deals()
    except NotSmall:
        return TOO_MANY
    chances = np.asarray(probabilities, float)
    if abs(chances.sum() - 1) > 1e-5 or (chances <= 0).any():
        raise ConformanceError(
            f"The probabilities of deals() sum to {chances.sum()}, not to 1, or one is not positive."
        )
    keys = played.keys(5, max(2000, 20 * len(chances)))
    drawn = played.mapped(lambda game, key: game.draw(key))(keys)
    _require_distribution(as_bytes(every, len(chances)), chances, as_bytes(drawn, len(keys)), "draws")
    return f"{len(chances)} deals"


def check_redeals(played: Played) -> str:
    """At the start, a redeal is a draw from the deals that look the same to the player."""
    game = played.game
    try:
        every, probabilities = game.deals()
    except NotSmall:
        return TOO_MANY
    starts = played.mapped(lambda game, deal: game.deal(deal))(every)
    observe = jax.jit(lambda game, states, player: jax.vmap(lambda state: game.observe(state, player))(states))
    redeal = jax.jit(lambda game, view, keys: jax.vmap(lambda key: game.redeal(view, key))(keys))
    keys = played.keys(6, 1000)
    dealt, chances = as_bytes(starts), np.asarray(probabilities, float)
    for player in range(game.players):
        views = observe(game, starts, jnp.int32(player))
        look = as_bytes(views)
        same = np.array([each == look[0] for each in look])  # numpy would drop the zeros at the end of bytes
        given = chances[same] / chances[same].sum()
        anew = as_bytes(redeal(game, at(views, 0), keys))
        _require_distribution(dealt[same], given, anew, f"player {player}'s redeals")
    return f"for each of {game.players} players"


def _require_distribution(listed: np.ndarray, chances: np.ndarray, drawn: np.ndarray, what: str) -> None:
    index = {row: i for i, row in enumerate(listed)}
    if len(index) < len(listed):
        raise ConformanceError("deals() lists a deal twice.")
    counts = np.zeros(len(listed))
    for row in drawn:
        if row not in index:
            raise ConformanceError(f"{capital(what)} include a deal that deals() does not list.")
        counts[index[row]] += 1
    if len(listed) > 1 and stats.chisquare(counts, chances / chances.sum() * len(drawn)).pvalue < ALPHA:
        raise ConformanceError(f"{capital(what)} do not have the probabilities that deals() gives.")
