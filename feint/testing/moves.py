"""Checks of steps: in finished games, however they are compiled, of every action, and in words."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from feint.hashing import digest
from feint.testing.complaint import ConformanceError, at, first_difference, require_same
from feint.testing.random_play import Played, deal, step
from feint.testing.worlds import AnyGame


def check_finished(played: Played) -> str:
    """A step in a finished game changes nothing and pays nothing."""
    after = played.programs.step(played.last, np.zeros(played.games, np.int32))
    if np.asarray(after.rewards).any():
        raise ConformanceError("A step in a finished game pays again.")
    different = first_difference(replace(played.last, rewards=after.rewards), after)
    if different:
        raise ConformanceError(f"A step in a finished game changes {different}.")
    return "and pays nothing more"


def check_deterministic(played: Played) -> str:
    """The same deal and step compiled twice, mapped over games, and run without compilation."""
    game, positions, keys, first = played.game, played.positions, played.keys(1), played.programs
    actions = np.argmax(positions.legal_action_mask, axis=1).astype(np.int32)
    require_same(first.deal(keys), played.mapped(deal)(keys), "init differs between two compilations")
    mapped = first.step(positions, actions)
    require_same(mapped, played.mapped(step)(positions, actions), "step differs between two compilations")
    require_same(mapped, first.step(positions, actions), "step differs between two runs")
    single = jax.jit(step)
    for i in range(3):
        state, action = at(positions, i), jnp.asarray(actions[i])
        require_same(at(mapped, i), single(game, state, action), "step differs under vmap")
        require_same(at(mapped, i), game.step(state, action), "step differs under jit")
    return "compiled, mapped and plain give the same"


def check_mask(played: Played) -> str:
    """Every legal action leads on, soundly, and no two of them to the same state; an illegal one becomes the first legal one."""
    game, positions = played.game, played.positions
    legal = np.asarray(positions.legal_action_mask)
    if legal.shape[1:] != (game.actions,):
        raise ConformanceError(f"The mask has shape {legal.shape[1:]}; the game has {game.actions} actions.")
    hashes, own, valid = jax.device_get(jax.jit(_try_all)(game, positions))
    tried, before = (each.view(np.uint64)[..., 0] for each in (hashes, own))  # [positions, actions], [positions]
    for i, mask in enumerate(legal):
        allowed, refused = np.flatnonzero(mask), np.flatnonzero(~mask)
        for action in allowed:
            if not valid[i, action]:
                raise ConformanceError(f"Legal action {action} leads to a state that is not valid.")
            if tried[i, action] == before[i]:
                raise ConformanceError(f"Legal action {action} changes nothing.")
        if len(set(tried[i, allowed])) < len(allowed):
            raise ConformanceError(f"Two of the legal actions {allowed.tolist()} lead to the same state.")
        if (tried[i, refused] != tried[i, allowed[0]]).any():
            raise ConformanceError("step does not replace an illegal action by the first legal one.")
    return f"{legal.sum()} legal and {(~legal).sum()} illegal actions tried"


def _try_all(game: AnyGame, states: Any) -> tuple[Array, Array, Array]:
    """Of each state: what every action leads to and what it is itself, as hashes, and whether what it leads to is valid.

    One state after the other, since thousands of actions in all of them at once may be more than a machine can hold.
    """

    def of_one(state: Any) -> tuple[Array, Array, Array]:
        after = jax.vmap(game.step, (None, 0))(state, jnp.arange(game.actions))
        return jax.vmap(digest)(after), digest(state), jax.vmap(game.is_valid)(after)

    return jax.lax.map(of_one, states)


def check_words(played: Played) -> str:
    """Every legal action has words, and no two the same."""
    game = played.game
    for i in range(4):
        state = at(played.positions, i)
        view = at(played.worlds.view, (i, int(state.current_player)))
        words = [game.describe(view, int(action)) for action in np.flatnonzero(state.legal_action_mask)]
        if not all(words) or len(set(words)) < len(words):
            raise ConformanceError(f"describe gives two legal actions the same words, or none: {words}.")
    return "and no two the same"
