"""What a player could not know, dealt anew: many hidden worlds, each as likely as an agent would have made the moves seen in it.

Where everybody sees all moves and a state tells its deal (`Game.deal_of`), every world is followed from its deal on, and has as weight how
likely the agent's moves were in it. Elsewhere worlds are dealt as the player could think them some decisions earlier, and the agent plays on from
there in the other seats: those in which the player then sees what it saw are kept. Where too few are left, the worlds are those of
`Game.redeal`, all alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from feint import chance
from feint.agent import Agent
from feint.game import Game
from feint.program_cache import CachedProgram
from feint.steps import begun, choose
from feint.think.worlds import everywhere, log_likelihood, tells_deals
from feint.ways import where

CANDIDATES = 4096  # worlds that are dealt
BATCH = CANDIDATES // 4  # of these, played on at a time
ENOUGH = CANDIDATES // 2  # worlds that fit: no more are looked for
FEWEST = 50  # worlds, or as many as their weights are worth, below which all are taken alike
BACK = (1, 2, 4, 8)  # by how many decisions of one's own earlier worlds are dealt
DEAL = -1  # the number of the deal among decisions
How = Literal["weighted", "played", "alike"]


@dataclass(frozen=True)
class Worlds:
    """Hidden worlds at a decision, and how likely each is."""

    states: Any  # State[worlds]
    weights: np.ndarray  # float64[worlds], adding up to 1
    # weighted: by how likely the agent's moves were in them; played: the agent came to what was seen; alike: as the rules alone have it
    how: How
    since: int  # the number of the move from which on what was seen counts

    @property
    def effective(self) -> float:
        """How many worlds of equal weight would tell as much."""
        return float(1 / (self.weights**2).sum())

    def picked(self, count: int) -> np.ndarray:
        """So many of the worlds, each as often as its weight says, to less than one, int[count]."""
        places = (np.arange(count) + 0.5) / count
        return np.minimum(np.searchsorted(np.cumsum(self.weights), places), len(self.weights) - 1)


@dataclass(frozen=True)
class Past:
    """A game as one seat has seen it: what it saw at each of its moves, and what it did.

    `actions` are everybody's, of which only those are looked at that all have seen.
    """

    seat: int
    dealt: Any  # what it saw before the first move
    views: Sequence[Any]  # at each of its own moves
    own: Sequence[int]  # what it then did, one fewer where it has yet to move
    at: Sequence[int]  # how many moves had been made
    actions: Sequence[int]


@dataclass(frozen=True)
class Dealer:
    """Deals worlds for one agent; one program serves all decisions of a game."""

    game: Game[Any, Any]
    agent: Agent
    seed: int

    def worlds(self, past: Past, decision: int) -> Worlds:
        """Worlds at one of a seat's own moves."""
        return self._weighted(past, decision) or self._played(past, decision) or self._alike(past, decision)

    def _weighted(self, past: Past, decision: int) -> Worlds | None:
        """By the moves since the deal; None where states do not tell the deal, or hardly any world can have led here."""
        if not tells_deals(self.game):
            return None
        moves = past.at[decision]
        actions = _padded(np.asarray(past.actions[:moves], np.int32), self.game.max_moves)
        given = (actions, np.int32(moves), np.int32(self.seed), np.int32(moves))
        states, logs = _cached_weigh(self.game, self.agent, past.views[decision], *given, candidates=CANDIDATES)
        if np.max(logs) == -np.inf:
            return None
        weights = np.exp(np.asarray(logs, float) - np.max(logs))
        worlds = Worlds(states, weights / weights.sum(), "weighted", 0)
        return worlds if worlds.effective >= FEWEST else None

    def _played(self, past: Past, decision: int) -> Worlds | None:
        """From as far back as enough worlds come to what was seen; None where others did nothing since, or too few do."""
        best = None
        for start in sorted({max(decision - back, DEAL) for back in BACK}, reverse=True):
            since, own = (past.at[start] if start != DEAL else 0), decision - max(start, 0)
            if past.at[decision] - since == own:
                continue  # nobody else has moved
            found = self._play(past, start, decision)
            if found is None:
                break
            best = Worlds(*found, "played", since)
        return best

    def _alike(self, past: Past, decision: int) -> Worlds:
        found = self._play(past, decision, decision)
        if found is None:
            raise RuntimeError(
                f"Worlds of {self.game} that are dealt anew do not look as the one they were dealt from."
            )
        return Worlds(*found, "alike", past.at[decision])

    def _play(self, past: Past, start: int, end: int) -> tuple[Any, np.ndarray] | None:
        """Worlds dealt at one decision, or at the deal, that came to what was seen at another, and their weights; None for too few."""
        first = max(start, 0)
        seen = [past.views[min(first + nth, end)] for nth in range(BACK[-1] + 1)]
        views = jax.tree.map(lambda *leaves: np.stack(leaves), *seen)
        own = _padded(np.asarray(past.own[first:end], np.int32), BACK[-1] + 1)
        dealt_at = past.views[start] if start != DEAL else past.dealt
        given = (self.game, self.agent, dealt_at, views, own, np.int32(end - first), np.int32(self.seed))
        parts, count = [], 0
        for batch in range(CANDIDATES // BATCH):
            states, fits = _cached_play(*given, np.int32(past.at[end]), np.int32(batch), candidates=BATCH)
            where_fit = np.flatnonzero(fits)
            parts.append(jax.tree.map(lambda leaf: np.asarray(leaf)[where_fit], states))  # noqa: B023
            count += len(where_fit)
            if count >= ENOUGH or count * CANDIDATES < FEWEST * BATCH * (batch + 1):
                break
        if count < FEWEST:
            return None
        worlds = jax.tree.map(lambda *leaves: _repeated(np.concatenate(leaves)), *parts)
        return worlds, np.where(np.arange(CANDIDATES) < count, 1 / min(count, CANDIDATES), 0)


def _repeated(rows: np.ndarray) -> np.ndarray:
    """As many rows as there are candidates, the same again where there are fewer."""
    return rows[np.arange(CANDIDATES) % len(rows)]


def _padded(values: np.ndarray, size: int) -> np.ndarray:
    return np.concatenate([values, np.zeros(size - len(values), np.int32)])


def _keys(seed: Array, number: Array, batch: Array | int, candidates: int) -> Array:
    """Of the candidates in a batch at a decision of a number."""
    return jax.random.split(chance.game_key(seed, number, batch), candidates)


@partial(jax.jit, static_argnames=("candidates",))
def _weigh(
    game: Game[Any, Any],
    agent: Agent,
    view: Any,
    actions: Array,
    moves: Array,
    seed: Array,
    number: Array,
    *,
    candidates: int,
) -> tuple[Any, Array]:
    """Worlds that fit a view, State[candidates], and the logarithm of how likely the agent's moves were in each, float32[candidates]."""

    def one(key: chance.Key) -> tuple[Any, Array]:
        world = game.redeal(view, key)
        return world, log_likelihood(game, agent, world, view.seat, actions, moves, key)

    return jax.vmap(one)(_keys(seed, number, 0, candidates))


@partial(jax.jit, static_argnames=("candidates",))
def _play_to(
    game: Game[Any, Any],
    agent: Agent,
    start: Any,
    views: Any,
    own: Array,
    end: Array,
    seed: Array,
    number: Array,
    batch: Array,
    *,
    candidates: int,
) -> tuple[Any, Array]:
    """Worlds that fit a view, played on to view number `end`, State[candidates], and in which of them all views were as they were, bool[candidates]."""
    seats = everywhere(game)
    seat = start.seat

    def one(key: chance.Key) -> tuple[Any, Array]:
        deal_key, play_key = jax.random.split(key)
        world = game.redeal(start, deal_key)

        def is_seen(state: Any, decision: Array) -> Array:
            """Whether the seat is asked, and sees what it saw."""
            view = game.observe(state, seat)
            same = jax.tree.map(lambda now, then: (now == then[decision]).all(), view, views)
            return jnp.stack([*jax.tree.leaves(same), ~state.terminated]).all()

        def on(carry: Any) -> Array:
            state, _, decision, _ = carry
            asked = state.current_player == seat
            return ~state.terminated & (~asked | ((decision < end) & is_seen(state, decision)))

        def advance(carry: Any) -> Any:
            state, memories, decision, move = carry
            asked = state.current_player == seat
            action, after = choose(game, (agent,), seats, memories, state, chance.move_key(play_key, move))
            action = jnp.where(asked, own[decision], action)
            return game.step(state, action), where(asked, memories, after), decision + asked, move + 1

        begin = (world, begun(game, (agent,), seats, play_key), jnp.int32(0), jnp.int32(0))
        state, _, decision, _ = jax.lax.while_loop(on, advance, begin)
        return state, (decision == end) & is_seen(state, decision)

    return jax.vmap(one)(_keys(seed, number, batch, candidates))


_cached_weigh, _cached_play = CachedProgram(_weigh), CachedProgram(_play_to)
