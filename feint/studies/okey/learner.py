"""The thesis' learner as it was: three networks, trained after every episode.

    draw     107 - 512 - 2          policy gradient:  -G log π(a|s), with G what draws earned from there on, discounted
    discard   53 - three - 15       actor:            -δ log π(a|s)
    critic    53 - three - 1        δ = r + γ V(s') - V(s), descends δ²

A discard's r is its own reward and that of the draw after it; s' is the hand after that draw. With prioritised replay, discards are kept, the
oldest out; after each episode the `batch` of them with the largest |δ| is learned from `trainings` times, towards what it was worth when it
was taken up.

Many runs learn side by side, and each may play several episodes with the networks as they are, before it learns from these one after
another.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import Any

import jax
import jax.numpy as jnp
import optax
from jax import Array

from feint import chance
from feint.chance import Key
from feint.game import pytree
from feint.games.okey.game import Okey
from feint.studies.okey.episodes import END, Episode, Layers, Policy, Turn, outputs, play

HAND, TILES, SEEN = 53, 15, 107
EMPTY = -1.0  # the priority where nothing is remembered yet
UNROLL = 4  # trainings in one round of a loop: a GPU begins every round anew
ADAM = optax.scale_by_adam()


@dataclass(frozen=True)
class Thesis:
    """What the thesis says of its learner, the units that it does not tell, and how many episodes are played with the same networks."""

    discount: float = 0.99
    memories: int = 20_000
    batch: int = 64
    trainings: int = 100
    draw_hidden: int = 512
    hidden: int = 64  # units in each of the three hidden layers of the discard network and its critic; not told
    episodes_at_once: int = 1  # 1 in the thesis


@pytree
class Setup:
    """How one run is set up: which experiment it is, and how to read what the thesis leaves open. Fields are stacked, [runs]."""

    greedy: Array  # bool: takes the likeliest action, in drawing and in discarding
    seed: Array  # int32: the same seed deals the same tiles
    end: Array  # bool: rewards are ±100 for winning and losing; else those for melds
    rate: Array  # float32: the learning rate of Adam, for all networks
    renewed: Array  # bool: what was learned from has a new priority; else that with which it was kept
    arranged: Array  # bool: the hand is in the order in which it was arranged, melds first; else sorted


@pytree
class Lessons:
    """Discards to learn from, [discards, ...]."""

    hand: Array  # int8[53]
    action: Array  # int8
    reward: Array  # float32
    next_hand: Array  # int8[53]
    last: Array  # bool
    error: Array  # float32: δ
    there: Array  # bool: whether there was a discard at all


@pytree
class Memories:
    """Discards that are remembered, [memories, ...]."""

    lessons: Lessons
    priority: Array  # float32: |δ|
    kept: Array  # int32, of all: how many were ever kept


@pytree
class Run:
    """One experiment under way, or several, stacked."""

    draw: Layers
    judges: Layers  # actor and critic, stacked: networks of one shape, of the critic only the first output is read
    optimisers: tuple[Any, Any]
    setup: Setup
    episodes: Array  # int32: played


@pytree
class Told:
    """What is told of episodes, summed up."""

    won: Array  # int32
    drawn: Array  # int32
    lost: Array  # int32
    draw_reward: Array  # float32: those for melds, whichever were learned from
    discard_reward: Array  # float32
    turns: Array  # int32
    takes: Array  # int32: draws that took the discard


def begin(thesis: Thesis, setups: Setup) -> Run:
    """Runs that have not played."""

    def one(setup: Setup) -> Run:
        key = chance.key(setup.seed)
        draw = layers((SEEN, thesis.draw_hidden, 2), jax.random.fold_in(key, 0))
        sizes = (HAND, *[thesis.hidden] * 3, TILES)
        judges = jax.vmap(partial(layers, sizes))(jax.random.split(jax.random.fold_in(key, 1), 2))
        return Run(draw, judges, (ADAM.init(draw), ADAM.init(judges)), setup, jnp.int32(0))

    return jax.vmap(one)(setups)


def layers(sizes: tuple[int, ...], key: Key) -> Layers:
    """A network that has not learned: Glorot's uniform weights, no biases."""
    keys = jax.random.split(key, len(sizes))
    return [
        (jax.nn.initializers.glorot_uniform()(key, size), jnp.zeros(size[1]))
        for key, size in zip(keys, pairwise(sizes), strict=False)
    ]


def memories(thesis: Thesis, runs: int) -> Memories:
    """Nothing remembered yet, for so many runs."""
    size = (runs, thesis.memories)
    hand, number, nothing = jnp.zeros((*size, HAND), jnp.int8), jnp.zeros(size), jnp.zeros(size, bool)
    lessons = Lessons(hand, jnp.zeros(size, jnp.int8), number, hand, nothing, number, nothing)
    # A copy of each, since what is begun with is given away.
    lessons = jax.tree.map(jnp.copy, lessons)
    return Memories(lessons, jnp.full(size, EMPTY), jnp.zeros(runs, jnp.int32))


def advance(
    thesis: Thesis, which: tuple[int, ...], game: Okey, opponents: tuple[Any, ...], runs: Run, memory: Memories | None
) -> tuple[Run, Memories | None, Told]:
    """Runs after `episodes_at_once` more episodes, each against one of the opponents, and what is told of these, [runs]. The first runs are
    those with a memory."""
    setup, actors = runs.setup, jax.tree.map(lambda leaf: leaf[:, 0], runs.judges)
    numbers = runs.episodes[0] + jnp.arange(thesis.episodes_at_once)
    keys = jax.vmap(lambda seed: jax.vmap(lambda number: chance.game_key(seed, 0, number))(numbers))(setup.seed)
    policies = Policy(runs.draw, actors, setup.greedy, setup.arranged)
    played = play(game, opponents, which, policies, keys, numbers % 2 == 0)
    turns = jax.tree.map(lambda leaf: jnp.moveaxis(leaf, (2, 1), (0, 1)), played.turns)

    def learn(carry: tuple[Run, Memories | None], episode: Episode) -> tuple[tuple[Run, Memories | None], None]:
        return _learned(thesis, *carry, episode), None

    (runs, memory), _ = jax.lax.scan(learn, (runs, memory), Episode(turns, played.result.T))
    return replace(runs, episodes=runs.episodes + thesis.episodes_at_once), memory, _told(played)


def _told(played: Episode) -> Told:
    turns = played.turns
    result, draws = played.result, turns.drew & (turns.draw == 0)
    won, drawn, lost = ((result == which).sum(axis=1, dtype=jnp.int32) for which in (1, 0, -1))
    rewards = turns.draw_reward.sum(axis=(0, 2)), turns.discard_reward.sum(axis=(0, 2))
    counts = (each.sum(axis=(0, 2), dtype=jnp.int32) for each in (turns.drew | turns.discarded, draws))
    return Told(won, drawn, lost, *rewards, *counts)


def _learned(thesis: Thesis, runs: Run, memory: Memories | None, episode: Episode) -> tuple[Run, Memories | None]:
    """All runs after an episode of each."""
    runs, lessons = jax.vmap(partial(_from_episode, thesis))(runs, episode)
    if memory is None:
        return runs, None
    some = len(memory.kept)
    first = jax.tree.map(lambda leaf: leaf[:some], runs)
    trained, memory = jax.vmap(partial(_from_memory, thesis))(
        first, jax.tree.map(lambda leaf: leaf[:some], lessons), memory
    )
    return jax.tree.map(lambda new, old: jnp.concatenate([new, old[some:]]), trained, runs), memory


def rewarded(setup: Setup, episode: Episode) -> Turn:
    """The turns of an episode with the rewards that are learned from."""
    turns = episode.turns

    def at_the_end(made: Array) -> Array:
        last = len(made) - 1 - jnp.argmax(made[::-1])
        return jnp.where((jnp.arange(len(made)) == last) & made, END * episode.result, 0.0)

    return replace(
        turns,
        draw_reward=jnp.where(setup.end, at_the_end(turns.drew), turns.draw_reward),
        discard_reward=jnp.where(setup.end, at_the_end(turns.discarded), turns.discard_reward),
    )


def _from_episode(thesis: Thesis, run: Run, episode: Episode) -> tuple[Run, Lessons]:
    """A run that has learned from its last episode, and the discards of that with their errors before it did."""
    turns = rewarded(run.setup, episode)

    def earlier(later: Array, reward: Array) -> tuple[Array, Array]:
        total = reward + thesis.discount * later
        return total, total

    gains = jax.lax.scan(earlier, jnp.float32(0), turns.draw_reward, reverse=True)[1]

    def draw_loss(draw: Layers) -> Array:
        log_probs = jax.nn.log_softmax(outputs(draw, turns.seen.astype(jnp.float32)))
        taken = jnp.take_along_axis(log_probs, turns.draw[:, None].astype(jnp.int32), axis=1)[:, 0]
        return -_mean(taken * gains, turns.drew)

    draw, of_draw = _stepped(run.draw, jax.grad(draw_loss)(run.draw), run.optimisers[0], run.setup.rate)
    lessons = _with_errors(thesis, run.judges, discards(turns))
    judges, of_judges = _taught(run.judges, run.optimisers[1], run.setup.rate, lessons)
    return replace(run, draw=draw, judges=judges, optimisers=(of_draw, of_judges)), lessons


def discards(turns: Turn) -> Lessons:
    """The discards of an episode: each is paid its own reward and that of the draw after it."""
    last = ~jnp.roll(turns.discarded, -1).at[-1].set(False)
    reward = turns.discard_reward + jnp.roll(turns.draw_reward, -1).at[-1].set(0.0)
    error = jnp.zeros(len(reward))
    return Lessons(turns.hand, turns.discard, reward, jnp.roll(turns.hand, -1, axis=0), last, error, turns.discarded)


def _with_errors(thesis: Thesis, judges: Layers, lessons: Lessons) -> Lessons:
    """The same lessons with the errors that the critic makes of them now."""
    critic = jax.tree.map(lambda leaf: leaf[1], judges)
    now, then = (outputs(critic, hand.astype(jnp.float32))[:, 0] for hand in (lessons.hand, lessons.next_hand))
    target = lessons.reward + jnp.where(lessons.last, 0.0, thesis.discount * then)
    return replace(lessons, error=target - now)


def _taught(judges: Layers, optimiser: Any, rate: Array, lessons: Lessons, times: int = 1) -> tuple[Layers, Any]:
    """Actor and critic after learning from the same lessons so many times: the errors stay, and so does what the critic should have said."""
    hands, action = lessons.hand.astype(jnp.float32), lessons.action[:, None].astype(jnp.int32)
    target = lessons.error + outputs(jax.tree.map(lambda leaf: leaf[1], judges), hands)[:, 0]

    def loss(judges: Layers) -> Array:
        of_actor, of_critic = jax.vmap(outputs, (0, None))(judges, hands)
        taken = jnp.take_along_axis(jax.nn.log_softmax(of_actor), action, axis=1)[:, 0]
        return _mean((target - of_critic[:, 0]) ** 2 - lessons.error * taken, lessons.there)

    def once(_: int, carry: tuple[Layers, Any]) -> tuple[Layers, Any]:
        return _stepped(carry[0], jax.grad(loss)(carry[0]), carry[1], rate)

    return jax.lax.fori_loop(0, times, once, (judges, optimiser), unroll=min(times, UNROLL))


def _mean(values: Array, there: Array) -> Array:
    return jnp.where(there, values, 0.0).sum() / jnp.maximum(there.sum(), 1)


def _stepped(network: Layers, gradient: Layers, optimiser: Any, rate: Array) -> tuple[Layers, Any]:
    step, optimiser = ADAM.update(gradient, optimiser)
    return jax.tree.map(lambda old, change: old - rate * change, network, step), optimiser


# ---- prioritised replay


def _from_memory(thesis: Thesis, run: Run, lessons: Lessons, memory: Memories) -> tuple[Run, Memories]:
    """A run that has learned from what is remembered, its last episode among it."""
    memory = remembered(memory, lessons)
    priority, rows = jax.lax.top_k(memory.priority, thesis.batch)
    drawn = replace(jax.tree.map(lambda leaf: leaf[rows], memory.lessons), there=priority > EMPTY)
    drawn = _with_errors(thesis, run.judges, drawn)
    judges, of_judges = _taught(run.judges, run.optimisers[1], run.setup.rate, drawn, thesis.trainings)
    again = jnp.where(run.setup.renewed & drawn.there, jnp.abs(_with_errors(thesis, judges, drawn).error), priority)
    memory = replace(memory, priority=memory.priority.at[rows].set(again))
    return replace(run, judges=judges, optimisers=(run.optimisers[0], of_judges)), memory


def remembered(memory: Memories, lessons: Lessons) -> Memories:
    """A memory with an episode's discards in place of the oldest."""
    size, number = len(memory.priority), jnp.cumsum(lessons.there) - 1
    place = jnp.where(lessons.there, (memory.kept + number) % size, size)

    def put(old: Array, new: Array) -> Array:
        return old.at[place].set(new, mode="drop")

    return Memories(
        jax.tree.map(put, memory.lessons, lessons),
        put(memory.priority, jnp.abs(lessons.error)),
        memory.kept + lessons.there.sum(),
    )
