"""What the discards of Okey tell: which unseen tiles are in the centre, and which the next player wants. Counted in games among four `greedy`.

python -m benchmarks.whereabouts --games 1280          # four and a half minutes on two cores

Both are foretold by the log-odds of a weighted sum of what lies on the table, is unseen and was discarded by the next player beside a tile: one or two numbers away
in its colour, or its number in another colour, as it is and times the turn. Weights are fitted to nine games of ten, and judged by the tenth.
"""

from __future__ import annotations

import argparse
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from scipy.optimize import minimize

import feint
from feint import chance
from feint.game import pytree
from feint.games.okey.tiles import FACES, HAND, NUMBERS, one, split
from feint.games.okey.view import View, happened

GAME = feint.make("okey")
MOVES = 110  # of a game, at which nearly all are over
LATE = 40.0  # turns
NAMES = ("itself", "one away", "two away", "its number")


@pytree
class Seen:
    """A discard that somebody is to make, and what it cannot see; arrays by face, [52]."""

    beside: Array  # float32[52, 12]: what is beside each face
    turn: Array  # float32
    share: Array  # float32: of the unseen tiles, those in the centre
    unseen: Array  # int8[52]
    centre: Array  # int8[52]: of these, in the centre
    held: Array  # bool[52]
    wanted: Array  # bool[52]: what would bring the next player nearer
    there: Array  # bool: whether there is such a decision


def beside(counts: Array) -> Array:
    """How many tiles are itself, one away, two away or of its number, of counts [4, 13], float32[52, 4]; a 1 may follow a 13."""
    row = jnp.pad(jnp.concatenate([counts, counts[:, :1]], axis=1), ((0, 0), (2, 2)))
    near = [row[:, 2 + step : 2 + step + NUMBERS] for step in (-2, -1, 1, 2)]
    told = [counts, near[1] + near[2], near[0] + near[3], counts.sum(axis=0) - counts]
    return jnp.stack(told, axis=-1).reshape(FACES, -1).astype(jnp.float32)


def looked_at(game: Any, state: Any, view: View) -> Seen:
    after = (state.current_player + 1) % game.players
    theirs: View = game.observe(state, after)

    def faces(counts: Array) -> Array:
        return split(counts, view.okey)[0]

    rack, jokers = split(theirs.rack, view.okey)
    wanted = game.solver.helps(rack, jokers, game.solver.melds_away(rack, jokers))
    centre = jnp.where(jnp.arange(game.centre) >= state.drawn, state.centre, -1)
    return Seen(
        jnp.concatenate([beside(faces(each)) for each in (view.lying, view.unseen, happened(view)[0][after])], axis=1),
        view.turn / LATE,
        view.centre / jnp.maximum(view.unseen.sum(dtype=jnp.int32), 1),
        faces(view.unseen).ravel(),
        faces(one(centre).sum(axis=0, dtype=jnp.int8)).ravel(),
        faces(view.rack).ravel() > 0,
        wanted.ravel(),
        ~view.drawing & ~state.terminated & (view.rack.sum() > HAND),
    )


@jax.jit
@partial(jax.vmap, in_axes=(None, None, 0))
def played(game: Any, agent: Any, key: chance.Key) -> Seen:
    """All decisions of a game, [MOVES, ...]."""

    def move(state: Any, _: None) -> tuple[Any, Seen]:
        view = game.observe(state, state.current_player)
        then = game.step(state, agent.act((), view, state.legal_action_mask, key)[0])
        return jax.tree.map(lambda old, new: jnp.where(state.terminated, old, new), state, then), looked_at(
            game, state, view
        )

    return jax.lax.scan(move, game.init(key), length=MOVES)[1]


def fitted(told: np.ndarray, base: np.ndarray, hits: np.ndarray, tries: np.ndarray) -> np.ndarray:
    """The weights, beside given log-odds, under which so many hits of so many tries were likeliest."""

    def surprise(weights: np.ndarray) -> tuple[float, np.ndarray]:
        odds = base + told @ weights
        loss = (tries * np.logaddexp(0, odds) - hits * odds).sum()
        return loss / tries.sum(), told.T @ (tries / (1 + np.exp(-odds)) - hits) / tries.sum()

    return minimize(surprise, np.zeros(told.shape[1]), jac=True, method="L-BFGS-B").x


def show(name: str, about: Any, columns: range, base: np.ndarray, hits: np.ndarray, tries: np.ndarray) -> None:
    """How well something is foretold of tiles by some of what is beside them: how often it is so, by fifths of how likely it seemed."""
    turn = np.broadcast_to(about.turn[:, None], tries.shape)[..., None]
    near = about.beside[:, :, columns]
    told = np.concatenate([np.ones_like(turn), turn, near, near * turn], axis=-1)
    some, early = tries > 0, np.arange(len(tries))[:, None] < 0.9 * len(tries)
    weights = fitted(told[some & early], base[some & early], hits[some & early], tries[some & early])
    names = [f"{what} {where}" for what in ("lying", "unseen", "thrown") for where in NAMES]
    for each, (plain, late) in zip(columns, zip(*np.split(weights[2:], 2), strict=True), strict=True):
        print(f"  {names[each]:20} {plain:+.2f} {late:+.2f} by turn {LATE:.0f}")
    odds = base + told @ weights
    for first, last in ((0, 8), (8, 16), (16, 24), (24, 32), (32, 44)):
        now = some & ~early & (turn[..., 0] * LATE >= first - 0.5) & (turn[..., 0] * LATE < last - 0.5)
        order = np.argsort(odds[now])
        fifths = [hits[now][part].sum() / tries[now][part].sum() for part in np.array_split(order, 5)]
        print(f"{name}, turns {first} to {last - 1}: " + ", ".join(f"{each:.1%}" for each in fifths))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=1280)
    keys = jax.random.split(chance.key(7), parser.parse_args().games)
    agent = feint.make_agent("greedy", GAME)
    parts = [jax.device_get(played(GAME, agent, keys[start : start + 128])) for start in range(0, len(keys), 128)]
    about: Any = jax.tree.map(lambda *each: np.concatenate(each), *parts)
    about = jax.tree.map(lambda each: each[about.there], about)
    share = np.clip(about.share, 0.01, 0.99)
    base = np.broadcast_to(np.log(share / (1 - share))[:, None], about.unseen.shape)
    show("Unseen tiles that are in the centre", about, range(8), base, about.centre, about.unseen)
    held = about.held.astype(np.int8)
    show("Held tiles that the next player wants", about, range(12), 0 * base, about.wanted * held, held)


if __name__ == "__main__":
    main()
