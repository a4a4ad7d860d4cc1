"""Whether whoever thinks believes rightly: how often the claims of Bluff are true, and how likely that seems to whoever is asked about one.

    python -m benchmarks.beliefs zoo:bluff-10 --games 960 --worlds 512

In every game of an agent with itself one claim is looked at, the first that somebody is asked about after so many moves, which are drawn anew. Whoever is asked deals
worlds that fit what it sees, and holds, as `think` does, to those in which the agent makes the same claim again.
"""

from __future__ import annotations

import argparse
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

import feint
from feint import chance
from feint.arena.statistics import win_rate
from feint.think.agent import SLIP
from feint.think.worlds import played_on, replayed

LATEST = 160  # moves before the claim
TOGETHER = 96  # games
BINS = ((0, 0.2), (0.2, 0.5), (0.5, 0.8), (0.8, 1.001))


@partial(jax.jit, static_argnames="worlds")
@partial(jax.vmap, in_axes=(None, None, 0, None))
def looked_at(game: Any, agent: Any, key: chance.Key, worlds: int) -> tuple[Array, ...]:
    """Of a claim, whether there is one and whether it is true, bool; in which share of worlds it is, as they are dealt and
    held to, and which share of them is held to, float32."""
    before = jax.random.randint(chance.thought_key(key), (), 0, LATEST)
    start = game.init(chance.deal_key(key))
    state, moves = played_on(game, agent, start, key, lambda state, moves: (moves < before) | (state.asked == 0))
    view = game.observe(state, state.current_player)

    def dealt(key: chance.Key) -> tuple[Array, Array, Array]:
        world = game.redeal(view, key)
        again, fits = replayed(game, agent, world, view, key)
        return game.honest(world), game.honest(again), fits

    plain, again, fits = jax.vmap(dealt)(jax.random.split(chance.move_key(key, moves), worlds))
    weights = jnp.where(fits, 1.0, SLIP)
    return ~state.terminated, game.honest(state), plain.mean(), (weights * again).sum() / weights.sum(), fits.mean()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("agent")
    parser.add_argument("--games", type=int, default=960)
    parser.add_argument("--worlds", type=int, default=512)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    game = feint.make("bluff")
    agent: Any = feint.make_agent(given.agent, game)
    keys = jax.random.split(chance.key(given.seed), -(-given.games // TOGETHER) * TOGETHER).reshape(-1, TOGETHER)
    parts = [map(np.asarray, looked_at(game, agent, some, given.worlds)) for some in keys]
    there, *found = map(np.concatenate, zip(*parts, strict=True))
    true, plain, held_to, kept = (each[there] for each in found)
    told = win_rate(int(true.sum()), len(true), 0.99)
    print(
        f"Of {len(true)} claims of {given.agent}, {100 * told.estimate:.1f}% [{100 * told.low:.1f}, {100 * told.high:.1f}] are true."
    )
    for name, believed in (("as they are dealt", plain), ("held to", held_to)):
        missed = np.mean((believed - true) ** 2)
        print(f"True in {100 * believed.mean():.1f}% of worlds {name}; squared error {missed:.3f}.")
    print(f"{100 * kept.mean():.0f}% of worlds are held to.")
    print(f"Squared error of whoever knows no more than how many are true: {np.var(true):.3f}.")
    for low, high in BINS:
        these = (held_to >= low) & (held_to < high)
        if these.any():
            told = f"where {100 * low:.0f} to {min(100, 100 * high):.0f}% of worlds held to say so"
            print(f"  {int(these.sum()):5} claims {told}: {100 * true[these].mean():.1f}% are true")


if __name__ == "__main__":
    main()
