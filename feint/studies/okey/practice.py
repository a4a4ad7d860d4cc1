"""What the thesis' networks reach with a learner that works: proximal policy optimisation over many episodes at a time.

The networks, what they read and the hand's order are those of the thesis; each has a critic. A decision is paid by how much the value of the
hand changes, and the last one for the end: nobody is paid for discarding free tiles, which is worth most to whoever never finishes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import Array

from feint import chance, registry
from feint.chance import Key
from feint.game import pytree
from feint.games.okey.game import Okey
from feint.studies.okey.episodes import Episode, Layers, Policy, Turn, outputs, play
from feint.studies.okey.experiments import cell
from feint.studies.okey.learner import HAND, SEEN, TILES, Thesis, layers
from feint.studies.okey.published import EPISODES, EXPERIMENTS
from feint.studies.okey.trials import OPPONENTS, PLAYED, SEEDS, save, saved, saved_name
from feint.studies.report import Row, Section, Table, Text, Verdict
from feint.studies.run import GAMES, Settings, Tell

FEW = 20  # updates at least, where fewer games are asked for
ADAM = optax.chain(optax.clip_by_global_norm(0.5), optax.scale_by_adam(eps=1e-5))


@dataclass(frozen=True)
class Practice:
    """How the learner learns."""

    episodes_at_once: int = 200
    epochs: int = 4
    minibatches: int = 5
    rate: float = 1e-3  # falls to a tenth of it
    discount: float = 0.99
    trace: float = 0.8  # lambda of generalised advantage estimation
    points: float = 20.0  # of the hand that count as much as winning
    clip: float = 0.2
    entropy: float = 0.01


@pytree
class Networks:
    draw: Layers
    discard: Layers
    draw_critic: Layers
    discard_critic: Layers


@pytree
class Student:
    """One run, or several, stacked."""

    networks: Networks
    optimiser: Any
    seed: Array  # int32
    updates: Array  # int32: made


@pytree
class Advantages:
    """What came of decisions of an episode, [turns] each, in units of what winning is worth."""

    draw: Array  # float32: how much better than expected
    discard: Array
    draw_value: Array  # float32: what their critics should have said
    discard_value: Array


def begin(thesis: Thesis, seeds: Array) -> Student:
    """Runs that have learned nothing."""

    def one(seed: Array) -> Student:
        keys = jax.random.split(chance.key(seed), 4)
        of_draw, of_discard = (SEEN, thesis.draw_hidden), (HAND, *[thesis.hidden] * 3)
        sizes = ((*of_draw, 2), (*of_discard, TILES), (*of_draw, 1), (*of_discard, 1))
        networks = Networks(*(layers(size, key) for size, key in zip(sizes, keys, strict=True)))
        return Student(networks, ADAM.init(networks), seed, jnp.int32(0))

    return jax.vmap(one)(seeds)


def played(
    which: tuple[int, ...], greedy: bool, game: Okey, opponents: tuple[Any, ...], students: Student, numbers: Array
) -> Episode:
    """The episodes of these numbers, by the networks as they are; arrays are [runs, episodes, turns, ...]."""
    keys = jax.vmap(lambda seed: jax.vmap(lambda number: chance.game_key(seed, 0, number))(numbers))(students.seed)
    runs = students.seed.shape
    policies = Policy(students.networks.draw, students.networks.discard, jnp.full(runs, greedy), jnp.full(runs, True))
    found = play(game, opponents, which, policies, keys, numbers % 2 == 0)
    return replace(found, turns=jax.tree.map(lambda leaf: jnp.moveaxis(leaf, 0, 2), found.turns))


def advance(
    practice: Practice,
    updates: int,
    which: tuple[int, ...],
    game: Okey,
    opponents: tuple[Any, ...],
    students: Student,
) -> tuple[Student, Array]:
    """Students after one update more, and what came of their episodes, int8[runs, episodes]."""
    numbers = students.updates[0] * practice.episodes_at_once + jnp.arange(practice.episodes_at_once)
    episodes = played(which, False, game, opponents, students, numbers)
    return jax.vmap(partial(_learned, practice, updates))(students, episodes), episodes.result


def _learned(practice: Practice, updates: int, student: Student, episodes: Episode) -> Student:
    found = jax.vmap(partial(advantages, practice, student.networks))(episodes)
    before = _log_probs(student.networks, episodes.turns)
    rate = practice.rate * 0.1 ** (student.updates / updates)

    def minibatch(carry: tuple[Networks, Any], rows: Array) -> tuple[tuple[Networks, Any], None]:
        batch = jax.tree.map(lambda leaf: leaf[rows], (episodes.turns, found, before))
        change, optimiser = ADAM.update(jax.grad(partial(_loss, practice))(carry[0], *batch), carry[1])
        return (jax.tree.map(lambda old, step: old - rate * step, carry[0], change), optimiser), None

    def epoch(carry: tuple[Networks, Any], key: Key) -> tuple[tuple[Networks, Any], None]:
        order = jax.random.permutation(key, practice.episodes_at_once).reshape(practice.minibatches, -1)
        return jax.lax.scan(minibatch, carry, order)

    key = jax.random.fold_in(chance.key(student.seed), student.updates)
    (networks, optimiser), _ = jax.lax.scan(
        epoch, (student.networks, student.optimiser), jax.random.split(key, practice.epochs)
    )
    return replace(student, networks=networks, optimiser=optimiser, updates=student.updates + 1)


def advantages(practice: Practice, networks: Networks, episode: Episode) -> Advantages:
    """Generalised advantages, backwards through the turns: a draw is followed by the discard of its turn, that by the next draw."""
    turns = episode.turns
    of_draw = outputs(networks.draw_critic, _seen(turns))[..., 0]
    of_discard = outputs(networks.discard_critic, turns.hand.astype(jnp.float32))[..., 0]

    def decision(carry: Any, made: Array, reward: Array, value: Array, discount: float) -> tuple[Any, Array]:
        following, advantage, last = carry
        total = reward / practice.points + jnp.where(last, episode.result, 0.0) + discount * following - value
        found = total + discount * practice.trace * advantage
        return jax.tree.map(partial(jnp.where, made), (value, found, False), carry), found

    def turn(carry: Any, row: tuple[Turn, Array, Array]) -> tuple[Any, tuple[Array, Array]]:
        turn, of_draw, of_discard = row
        broken = jnp.minimum(turn.discard_reward, 0.0)
        carry, discard = decision(carry, turn.discarded, broken, of_discard, practice.discount)
        carry, draw = decision(carry, turn.drew, turn.draw_reward, of_draw, 1.0)
        return carry, (draw, discard)

    end = (jnp.float32(0), jnp.float32(0), jnp.bool_(True))
    _, (draw, discard) = jax.lax.scan(turn, end, (turns, of_draw, of_discard), reverse=True)
    return Advantages(draw, discard, draw + of_draw, discard + of_discard)


def _seen(turns: Turn) -> Array:
    return turns.seen.astype(jnp.float32)


def _log_probs(networks: Networks, turns: Turn) -> tuple[Array, Array]:
    draw = jax.nn.log_softmax(outputs(networks.draw, _seen(turns)))
    return draw, jax.nn.log_softmax(outputs(networks.discard, turns.hand.astype(jnp.float32)))


def _loss(practice: Practice, networks: Networks, turns: Turn, found: Advantages, before: tuple[Array, Array]) -> Array:
    values = (
        outputs(networks.draw_critic, _seen(turns)),
        outputs(networks.discard_critic, turns.hand.astype(jnp.float32)),
    )
    loss = jnp.float32(0)
    for now, old, value, made, action, advantage, target in zip(
        _log_probs(networks, turns),
        before,
        values,
        (turns.drew, turns.discarded),
        (turns.draw, turns.discard),
        (found.draw, found.discard),
        (found.draw_value, found.discard_value),
        strict=True,
    ):
        taken = action[..., None].astype(jnp.int32)
        ratio = jnp.exp(jnp.take_along_axis(now - old, taken, axis=-1)[..., 0])
        spread = jnp.sqrt(_mean(advantage**2, made)) + 1e-8
        gain = (
            jnp.minimum(ratio * advantage, jnp.clip(ratio, 1 - practice.clip, 1 + practice.clip) * advantage) / spread
        )
        entropy = -(jnp.exp(now) * now).sum(axis=-1)
        loss += _mean((value[..., 0] - target) ** 2 - gain - practice.entropy * entropy, made)
    return loss


def _mean(values: Array, there: Array) -> Array:
    return jnp.where(there, values, 0.0).sum() / jnp.maximum(there.sum(), 1)


# ---- the section


def practised(settings: Settings, tell: Tell) -> Section:
    """As many episodes as the experiments have, and then games by the likeliest action alone."""
    episodes = max(1, min(EPISODES, settings.games * EPISODES // GAMES))
    practice = Practice(episodes_at_once=max(5, min(Practice.episodes_at_once, episodes // FEW // 5 * 5)))
    updates = max(1, episodes // practice.episodes_at_once)
    found = trained(practice, updates, settings.seed, settings.games, tell)
    columns = ("", "last tenth of learning: won, %", "after it: won, %", "drawn, %", "lost, %")
    rows = []
    for opponent, each in found.items():
        rows.append(Row(opponent, tuple(cell(100 * each[name]) for name in ("learning", "won", "drawn", "lost"))))
    best = max(each.won for each in EXPERIMENTS.values()) / EPISODES
    means = {opponent: 100 * float(each["won"].mean()) for opponent, each in found.items()}
    told = ", ".join(f"{mean:.1f}% against {opponent}" for opponent, mean in means.items())
    return Section(
        TITLE,
        (
            Text(
                "The draw and discard networks of the thesis, with the same inputs and outputs and a critic each, trained by proximal policy "
                f"optimisation: {practice.episodes_at_once} episodes at a time, {practice.epochs} passes, advantages with λ = {practice.trace:g}, clipping "
                f"{practice.clip:g}, Adam from {practice.rate:g} to a tenth of it. It is paid what the hand's value changes by, and for winning or losing as much as for {practice.points:g} points of it."
            ),
            Table(
                f"The same networks after {updates * practice.episodes_at_once:,} episodes",
                columns,
                tuple(rows),
                f"Means of {SEEDS} seeds with Student's intervals; after it, the likeliest action is taken in {settings.games:,} games.",
            ),
            Verdict(
                "differs" if min(means.values()) > 100 * best else "holds",
                f"That these networks can win no more than {100 * best:.1f}%, the most that is published: another learner takes them to {told} after as many episodes.",
            ),
        ),
    )


TITLE = "What the thesis' networks can do"


def trained(practice: Practice, updates: int, seed: int, games: int, tell: Tell) -> dict[str, dict[str, np.ndarray]]:
    """By opponent: the shares won by each seed in the last tenth of learning, and won, drawn and lost after it."""
    opponents = np.repeat(np.arange(len(OPPONENTS)), SEEDS)
    shares = {name: np.zeros(len(opponents)) for name in ("learning", "won", "drawn", "lost")}
    name = saved_name("practice", (*PLAYED, "practice"), practice, updates, seed, games)
    done, shares = saved(name, shares)
    if not done:
        game = registry.make("okey:thesis")
        agents = tuple(registry.make_agent(each, game) for each in OPPONENTS)
        which = tuple(opponents.tolist())
        seeds = np.tile(seed * SEEDS + np.arange(SEEDS), len(OPPONENTS))
        students = begin(Thesis(), jnp.asarray(seeds))
        step = jax.jit(partial(advance, practice, updates, which), donate_argnums=2)
        results = []
        for number in range(updates):
            students, result = step(game, agents, students)
            results.append(np.asarray(result))
            tell((number + 1) / (updates + 1))
        shares["learning"] = (np.concatenate(results[-max(1, updates // 10) :], axis=1) == 1).mean(axis=1)
        after = jax.jit(partial(played, which, True))
        first, size = updates * practice.episodes_at_once, practice.episodes_at_once
        tried = [
            np.asarray(after(game, agents, students, first + number + jnp.arange(size)).result)
            for number in range(0, games, size)
        ]
        for share, result in (("won", 1), ("drawn", 0), ("lost", -1)):
            shares[share] = (np.concatenate(tried, axis=1) == result).mean(axis=1)
        save(name, 1, shares)
    tell(1.0)
    return {
        opponent: {name: each[opponents == number] for name, each in shares.items()}
        for number, opponent in enumerate(OPPONENTS)
    }
