"""One game as text, everything shown, so that any change of rules or views shows as a diff."""

from __future__ import annotations

from functools import partial
from textwrap import wrap
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from feint import chance
from feint.game import Game

IN_FULL = 24  # moves told with every view; the rest by their numbers alone


def playthrough_text(game: Game[Any, Any], seed: int = 0) -> str:
    """The random game of a seed: the first moves with what becomes different for everybody, then the moves alone, then the end."""
    key = chance.game_key(seed, 0, 0)
    rules = type(game)  # whose functions take the game as an argument: its tables may be large
    step, observe, init = (partial(jax.jit(each), game) for each in (rules.step, rules.observe, rules.init))
    choose = jax.jit(lambda mask, move: chance.choice(chance.move_key(key, move), mask))
    state = init(chance.deal_key(key))
    lines, later, move = [f"{game}, seed {seed}"], [], 0
    shown: list[list[str]] = [[] for _ in range(game.players)]  # each player's fields as last told
    while not state.terminated:
        action = int(choose(state.legal_action_mask, jnp.int32(move)))
        if move < IN_FULL:
            view = observe(state, state.current_player)
            legal = [
                f"{each} {game.describe(view, each)}" for each in map(int, np.flatnonzero(state.legal_action_mask))
            ]
            lines += ["", f"move {move}, player {int(state.current_player)}: {game.describe(view, action)}"]
            lines += wrap(", ".join(legal), 110, initial_indent="  of: ", subsequent_indent="      ")
            for player in range(game.players):
                fields = _fields(observe(state, jnp.int32(player)))
                changed = [field for field in fields if field not in shown[player]]
                lines += [f"  player {player} sees", *changed] if changed else []
                shown[player] = fields
        else:
            later.append(str(action))
        state = step(state, jnp.int32(action))
        move += 1
    if later:
        lines += ["", f"moves {IN_FULL} to {move - 1}:", *wrap(" ".join(later), 110)]
    payoffs = ", ".join(f"{payoff:g}" for payoff in np.asarray(state.rewards))
    return "\n".join([*lines, "", f"over after {move} moves: {payoffs}", ""])


def _fields(view: Any) -> list[str]:
    named, _ = jax.tree_util.tree_flatten_with_path(view)
    return [f"    {jax.tree_util.keystr(path)[1:]}: {_compact(np.asarray(leaf))}" for path, leaf in named]


def _compact(values: np.ndarray) -> str:
    """Rows separated by slashes; flags without blanks; -1 as a dot."""
    if values.ndim > 1:
        return " / ".join(_compact(row) for row in values)
    if values.dtype == bool:
        return "".join("x" if value else "." for value in np.atleast_1d(values))
    return " ".join("." if value == -1 else f"{value:g}" for value in np.atleast_1d(values))
