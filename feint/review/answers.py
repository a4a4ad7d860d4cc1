"""How likely each action was to an agent at its own moves: as it says itself, or as it does when it is asked again and again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from feint import chance
from feint.agent import Agent, is_heavy, tells_chances, thinks_long
from feint.arena.statistics import LEVEL, Interval, win_rate
from feint.errors import UserError
from feint.game import Game
from feint.review.agents import compiled_agent
from feint.review.data import Answer, Likely
from feint.review.played import Moment, Played
from feint.words import narration

ASKED = 256  # times, where an agent does not say how likely it takes each action
ASKED_HEAVY = 64  # times, where it takes long to answer


def told(played: Played, seats: Sequence[int]) -> list[Answer]:
    """What agents that tell their chances say of their moves; they tell those of a first game, and so nothing is said of who remembers another."""
    found = [
        _answer(played, moment, [Interval(*[float(each)] * 3) for each in _told(agent, moment.view, moment.legal)], 0)
        for seat, agent in _compiled(played, seats)
        if tells_chances(agent) and not _looks_back(agent, played)
        for moment in _choices(played, seat)
    ]
    return in_order(found)


def sampled(played: Played, seats: Sequence[int], seed: int) -> list[Answer]:
    """What the others do when they are asked again at their moves. Left out is whoever thinks for long, and whoever remembers an earlier game."""
    found: list[Answer] = []
    for seat, agent in _compiled(played, seats):
        if tells_chances(agent) or thinks_long(agent) or _looks_back(agent, played):
            continue
        own = [moment for moment in played.moments if moment.player == seat]
        asked = _asked_again(played.game, agent, own, [played.actions[each.move] for each in own], seed)
        for moment, actions in zip(own, asked.T, strict=True):
            if moment.legal.sum() > 1:
                often = np.bincount(actions, minlength=played.game.actions)
                shares = [win_rate(int(count), len(actions), LEVEL) for count in often]
                found.append(_answer(played, moment, shares, len(actions)))
    return found


def in_order(*answers: Iterable[Answer]) -> list[Answer]:
    """All of them, in the order of moves."""
    return sorted((each for some in answers for each in some), key=lambda each: each.move)


def advised(played: Played, answer: Answer) -> Answer:
    """The same with what the agent had to go on: in Okey that takes up to a second."""
    view = played.moments[answer.move].view
    return replace(answer, advice=narration(played.game, played.names, answer.seat).advice(view))


def chances(game: Game[Any, Any], agent: Agent, moment: Moment, seed: int) -> np.ndarray:
    """How likely an agent that remembers nothing takes each action at a moment, float[actions]: what it says, or how often it does if asked again
    and again."""
    if tells_chances(agent):
        return np.asarray(_told(agent, moment.view, moment.legal))
    asked = _asked_again(game, agent, [moment], [0], seed)
    return np.bincount(asked[:, 0], minlength=game.actions) / len(asked)


def _compiled(played: Played, seats: Sequence[int]) -> Iterator[tuple[int, Agent]]:
    """The agents in some seats, as far as they can be had."""
    for seat in seats:
        try:
            yield seat, compiled_agent(played.specs[seat], played.game)
        except UserError:
            continue


def _choices(played: Played, seat: int) -> list[Moment]:
    return [moment for moment in played.moments if moment.player == seat and moment.legal.sum() > 1]


def _answer(played: Played, moment: Moment, shares: Sequence[Interval], asked: int) -> Answer:
    words = narration(played.game, played.names)
    likely = [
        Likely(action, words.game.describe(moment.view, action), share.estimate, share.low, share.high)
        for action, share in enumerate(shares)
        if moment.legal[action]
    ]
    likely.sort(key=lambda each: -each.chance)
    return Answer(moment.move, moment.player, played.actions[moment.move], "", likely, asked)


def _looks_back(agent: Agent, played: Played) -> bool:
    """Whether an agent may remember games before this one."""
    if played.first:
        return False
    begun = jax.eval_shape(lambda: agent.begin(played.game, jnp.int32(0), chance.key(0)))
    return bool(jax.tree.leaves(begun))


@jax.jit
def _told(agent: Any, view: Any, legal: Array) -> Array:
    return agent.probabilities(view, legal)


def _asked_again(
    game: Game[Any, Any], agent: Agent, own: Sequence[Moment], did: Sequence[int], seed: int
) -> np.ndarray:
    """What an agent does at each of its moves when it is asked again, int[times, moves]."""
    size = 1 << (len(own) - 1).bit_length()  # few sizes are compiled; what is more is the last one again
    padded = [own[min(nth, len(own) - 1)] for nth in range(size)]
    views = jax.tree.map(lambda *leaves: np.stack(leaves), *(each.view for each in padded))
    legals = np.stack([each.legal for each in padded])
    given = (views, legals, np.resize(np.asarray(did, np.int32), size), np.int32(seed))
    asked = _ask(game, agent, *given, times=ASKED_HEAVY if is_heavy(agent) else ASKED)
    return np.asarray(asked)[:, : len(own)]


@partial(jax.jit, static_argnames=("times",))
def _ask(
    game: Game[Any, Any], agent: Agent, views: Any, legals: Array, did: Array, seed: Array, *, times: int
) -> Array:
    """Many that play alike go through the game; of what they remember, only that of those goes on who did what was done."""
    keys = jax.random.split(chance.key(seed), times)
    seat = views.seat[0]

    def move(memories: Any, at: Any) -> tuple[Any, Array]:
        view, legal, done, number = at

        def ask(memory: Any, key: chance.Key) -> tuple[Array, Any]:
            action, after = agent.act(memory, view, legal, chance.move_key(key, number))
            action = jnp.asarray(action, jnp.int32)
            return jnp.where(legal[action], action, chance.first(legal)), after

        actions, after = jax.vmap(ask)(memories, keys)
        same = actions == done
        (those,) = jnp.nonzero(same, size=times, fill_value=0)
        nth = jnp.arange(times)
        going_on = jnp.where(same.any(), those[nth % jnp.maximum(same.sum(), 1)], nth)
        return jax.tree.map(lambda leaf: leaf[going_on], after), actions

    begun = jax.vmap(lambda key: agent.begin(game, seat, chance.begin_key(key, seat)))(keys)
    _, asked = jax.lax.scan(move, begun, (views, legals, did, jnp.arange(len(did))))
    return asked.T
