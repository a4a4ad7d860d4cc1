"""Any agent as a tabular policy: it is asked at every information set.

An agent that offers `probabilities(view, legal)` (float[actions], for one view) is taken at its word, exactly. Any other is asked
with many keys: exact where it does not draw, else a share of draws. What it remembers within a game is carried along its
own actions, so an agent with a memory is converted too, unless its memory depends on chance beyond the actions it took.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from feint import chance
from feint.agent import is_compiled, tells_chances
from feint.errors import UserError
from feint.game import Game
from feint.solvers.best_response import joined
from feint.solvers.policy import TabularAgent, rows_for
from feint.solvers.sequence_form import Decisions, Policy, SequenceForm
from feint.solvers.tree import MOST, USUAL

CHUNK = 8192  # questions asked at once
FIRST = 64  # draws that must all agree before an agent counts as not drawing there


def policy_of(form: SequenceForm, agent: Any, seed: int = 0, draws: int = 2000) -> Policy:
    """The policy of an agent in every seat, float64[information sets, actions]."""
    if not is_compiled(agent):
        raise UserError("Only compiled agents can be asked at every information set; this one is plain Python.")
    if isinstance(agent, TabularAgent):
        return rows_for(agent, form.tree.infosets)
    if tells_chances(agent):
        return _offered(form, agent)
    return np.concatenate(
        [_Interview(form, agent, player, seed, draws).policy() for player in range(len(form.players))]
    )


def profile_of(form: SequenceForm, agents: Sequence[Any], seed: int = 0, draws: int = 2000) -> Policy:
    """The profile of one agent in all seats, or of one agent for each seat."""
    players = len(form.players)
    if len(agents) not in (1, players):
        raise UserError(f"Name one agent for all seats or one for each of the {players}, not {len(agents)}.")
    policies = [policy_of(form, agent, seed, draws) for agent in agents]
    return joined(form, policies * (players // len(agents)))


def _offered(form: SequenceForm, agent: Any) -> Policy:
    legal = form.tree.infosets.legal
    parts = []
    for start in range(0, len(legal), CHUNK):
        rows = np.minimum(np.arange(start, start + min(CHUNK, len(legal))), len(legal) - 1)
        views = jax.tree.map(lambda leaf, at=rows: leaf[at], form.tree.views)
        parts.append(np.asarray(_probabilities(agent, views, legal[rows])))
    given = np.where(legal, np.concatenate(parts)[: len(legal)].astype(float), 0)
    return given / given.sum(axis=1, keepdims=True)


@jax.jit
@partial(jax.vmap, in_axes=(None, 0, 0))
def _probabilities(agent: Any, view: Any, legal: Array) -> Array:
    return agent.probabilities(view, legal)


class _Interview:
    """One agent in one seat, asked from its first decisions to its last."""

    def __init__(self, form: SequenceForm, agent: Any, player: int, seed: int, draws: int) -> None:
        self.own: Decisions = form.players[player]
        self.views = jax.tree.map(lambda leaf: leaf[self.own.rows], form.tree.views)
        self.draws = max(draws, FIRST)
        begun = _begun(agent, form.tree.game, np.int32(seed), np.int32(player))
        self.start = jax.tree.map(np.asarray, _numbers(begun))
        self.asked = (agent, begun, np.int32(seed), np.int32(player))
        size = self.own.sequences * sum(leaf.nbytes for leaf in jax.tree.leaves(self.start))
        if size > MOST * USUAL:
            raise UserError(
                f"What the agent remembers after each of {self.own.sequences:,} actions takes {size / 1e9:,.1f} GB, more than "
                f"the {MOST * USUAL / 1e9:,.1f} GB that may be taken: choose smaller options of {form.tree.game.name}."
            )
        # The memory after each sequence, filled as they are met; all begin as at the start of a match.
        self.after = jax.tree.map(lambda leaf: np.stack([leaf] * self.own.sequences), self.start)
        self.counts = np.zeros(self.own.legal.shape)

    def policy(self) -> Policy:
        for step in self.own.steps():
            sets = np.arange(step.start, step.stop)
            self._ask(sets, range(FIRST))
            unsure = sets[(self.counts[sets] > 0).sum(axis=1) > 1]
            self._ask(unsure, range(FIRST, self.draws))
        return self.counts / self.counts.sum(axis=1, keepdims=True)

    def _ask(self, sets: np.ndarray, draws: range) -> None:
        """Ask at each of these sets once for each draw."""
        questions = len(sets) * len(draws)
        for start in range(0, questions, CHUNK):
            which, nth = np.divmod(np.arange(start, min(start + CHUNK, questions)), len(draws))
            self._put(sets[which], draws.start + nth)

    def _put(self, number: np.ndarray, draw: np.ndarray) -> None:
        """At most CHUNK questions, padded to just as many so that one compilation serves all."""
        count = len(number)
        row, nth = (np.pad(each, (0, CHUNK - count), mode="edge").astype(np.int32) for each in (number, draw))
        memory = jax.tree.map(lambda leaf: leaf[self.own.parent[row]], self.after)
        view = jax.tree.map(lambda leaf: leaf[row], self.views)
        answer, after = _answers(*self.asked, memory, view, self.own.legal[row], row, nth)
        action = np.asarray(answer)[:count]
        np.add.at(self.counts, (number, action), 1)
        if jax.tree.leaves(self.start):
            self._remember(
                number * self.own.actions + action, jax.tree.map(lambda leaf: np.asarray(leaf)[:count], after)
            )

    def _remember(self, sequence: np.ndarray, memory: Any) -> None:
        seen, first, kind = np.unique(sequence, return_index=True, return_inverse=True)
        for leaf, kept in zip(jax.tree.leaves(memory), jax.tree.leaves(self.after), strict=True):
            if (leaf != leaf[first[kind]]).any():
                raise UserError(
                    "The agent's memory depends on more than what it saw and did, so it has no exact policy."
                )
            kept[seen] = leaf[first]


# One compilation serves every seat.
@jax.jit
def _begun(agent: Any, game: Game[Any, Any], seed: Array, player: Array) -> Any:
    """What an agent remembers at the start."""
    return agent.begin(game, player, chance.begin_key(chance.game_key(seed, 0, 0), player))


@jax.jit
@partial(jax.vmap, in_axes=(None, None, None, None, 0, 0, 0, 0, 0))
def _answers(
    agent: Any, begun: Any, seed: Array, player: Array, memory: Any, view: Any, legal: Array, number: Array, draw: Array
) -> tuple[Array, Any]:
    """What an agent does at an information set, and what it remembers then."""
    key = chance.move_key(chance.game_key(seed, number, draw), player)
    action, memory = agent.act(_keys(memory, begun), view, legal, key)
    return jnp.where(legal[action], action, jnp.argmax(legal)), _numbers(memory)


def _is_key(leaf: Any) -> bool:
    return isinstance(leaf, Array) and jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key)


def _numbers(memory: Any) -> Any:
    """A memory whose keys are the numbers they consist of, which NumPy can hold."""
    return jax.tree.map(lambda leaf: jax.random.key_data(leaf) if _is_key(leaf) else leaf, memory)


def _keys(numbers: Any, like: Any) -> Any:
    """The memory again, with keys where one like it has them."""
    return jax.tree.map(
        lambda key, leaf: jax.random.wrap_key_data(leaf, impl=jax.random.key_impl(key)) if _is_key(key) else leaf,
        like,
        numbers,
    )
