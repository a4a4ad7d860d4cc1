"""What luck leaves to skill in Okey: racks that race alone, and how often such a racer would finish before three greedy ones.

python -m benchmarks.races --deals 512 --racers greedy seer          # `ahead` takes 3 seconds of a core for a deal
python -m benchmarks.races --ends --deals 1536                       # when each of four `greedy` finishes, in two minutes

Four tiles of the centre go by in a round: two that others draw and discard, the discard that may be taken, and the one that may be drawn instead.
`seer` knows which tiles will come, and keeps the best 48 racks that it could have by then.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from math import comb
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

import feint
from feint import chance
from feint.games.okey.ahead import Ahead, first, mean
from feint.games.okey.counting import STEP
from feint.games.okey.evaluation import choices, helped
from feint.games.okey.nearest import ranking
from feint.games.okey.tiles import HAND, KINDS, counts, okey_of, one, shuffled

ROUNDS = 12  # of four tiles, until the centre is empty
KEPT = 48  # racks
NOW = jnp.int16(0)  # a turn, of which `ahead` takes no notice
GAME = feint.make("okey")
Racer = Callable[
    [Array, Array, Array, Array], Array
]  # rack, what is unseen, okey, centre -> tiles missing after each round, [ROUNDS]


def alone(takes: Callable[..., Array], discards: Callable[..., tuple[Array, Array]]) -> Racer:
    """Somebody who says of a rack whether to take the discard, and which tile to discard."""

    def race(rack: Array, unseen: Array, okey: Array, centre: Array) -> Array:
        def turn(carry: tuple[Array, Array], tiles: Array) -> tuple[tuple[Array, Array], Array]:
            rack, unseen = carry
            unseen = unseen - counts(tiles[:3])
            taken = takes(rack, unseen, okey, tiles[2])
            rack += one(jnp.where(taken, tiles[2], tiles[3]))
            unseen -= jnp.where(taken, 0, one(tiles[3]))
            kind, away = discards(rack, unseen, okey)
            return (rack - one(kind), unseen), away

        return jax.lax.scan(turn, (rack, unseen), centre)[1]

    return race


def greedy() -> Racer:
    def worth(rack: Array, unseen: Array, okey: Array, always: Array | int) -> tuple[Array, Array, Array]:
        seen = choices(GAME.solver, rack, okey)
        helps = helped(GAME.solver, seen, jnp.int8(always), unseen, okey)
        kept = (seen.kind == okey) | (seen.kind == KINDS)
        return jnp.where(kept, -jnp.inf, -STEP * seen.melds + helps), seen.kind, seen.melds

    def takes(rack: Array, unseen: Array, okey: Array, offered: Array) -> Array:
        found, kinds, away = worth(rack + one(offered), unseen, okey, offered)
        return away[jnp.argmax(found)] < away[jnp.argmax(kinds == offered)]

    def discards(rack: Array, unseen: Array, okey: Array) -> tuple[Array, Array]:
        found, kinds, away = worth(rack, unseen, okey, -1)
        best = jnp.argmax(found)
        return kinds[best], away[best]

    return alone(takes, discards)


def ahead() -> Racer:
    agent = Ahead(game=GAME)

    def promised(rack: Array, unseen: Array, okey: Array) -> Array:
        return mean(agent.after(rack, unseen, okey, NOW), unseen)

    def takes(rack: Array, unseen: Array, okey: Array, offered: Array) -> Array:
        after = agent.after(rack, unseen, okey, NOW)
        return after[offered] > mean(after, unseen)

    def discards(rack: Array, unseen: Array, okey: Array) -> tuple[Array, Array]:
        seen = first(GAME.solver, rack, unseen, okey, agent.looks)
        best = jnp.argmax(jax.vmap(lambda kind: promised(rack - one(kind), unseen, okey))(seen.kind))
        return seen.kind[best], seen.melds[best]

    return alone(takes, discards)


def seer() -> Racer:
    mixed = jnp.asarray(np.random.default_rng(0).integers(1, 2**31 - 1, KINDS), jnp.uint32)

    def race(rack: Array, unseen: Array, okey: Array, centre: Array) -> Array:
        def grown(rack: Array, there: Array, tile: Array) -> tuple[Array, Array, Array]:
            full = rack + one(tile)
            seen = choices(GAME.solver, full, okey)
            worth = jnp.where(there, ranking(seen, full, unseen, okey), -jnp.inf)
            return full - one(seen.kind), worth, jnp.where(there, seen.melds.astype(jnp.int32), HAND)

        def turn(carry: tuple[Array, Array], tiles: Array) -> tuple[tuple[Array, Array], Array]:
            each_tile = jax.vmap(grown, (None, None, 0))
            racks, worth, away = jax.vmap(each_tile, (0, 0, None))(*carry, tiles[2:])
            racks, worth = racks.reshape(-1, KINDS), worth.ravel()
            mark = (racks.astype(jnp.uint32) * mixed).sum(axis=1)
            order = jnp.argsort(mark)
            again = jnp.zeros(len(mark), bool).at[order[1:]].set(mark[order[1:]] == mark[order[:-1]])
            best, place = jax.lax.top_k(jnp.where(again, -jnp.inf, worth), KEPT)
            return (racks[place], best > -jnp.inf), away.min()

        racks = jnp.broadcast_to(rack, (KEPT, KINDS))
        return jax.lax.scan(turn, (racks, jnp.arange(KEPT) == 0), centre)[1]

    return race


def finished(racer: Racer, deals: int, batch_size: int = 32) -> np.ndarray:
    """The round in which it finishes each deal, ROUNDS + 1 if never."""

    def one_deal(key: chance.Key) -> Array:
        order = shuffled(key)
        rack, centre = counts(order[1 : HAND + 1]), order[HAND + 1 :][: 4 * ROUNDS]
        return racer(rack, 2 - one(order[0]) - rack, okey_of(order[0]), centre.reshape(ROUNDS, 4))

    race = jax.jit(jax.vmap(one_deal))
    keys = jax.random.split(chance.key(5), deals)
    away = np.concatenate([np.asarray(race(keys[start : start + batch_size])) for start in range(0, deals, batch_size)])
    return np.where((away == 0).any(axis=1), (away == 0).argmax(axis=1) + 1, ROUNDS + 1)


def chances(rounds: np.ndarray, of_others: np.ndarray) -> np.ndarray:
    """How likely whoever finishes in a round is before three others, by when these finish; in the same round, everybody's seat is as likely."""
    share = np.bincount(of_others, minlength=ROUNDS + 2) / len(of_others)
    later = 1 - np.cumsum(share)
    wins = sum(comb(3, ties) * share**ties * later ** (3 - ties) / (ties + 1) for ties in range(4))
    return np.where(rounds > ROUNDS, 0, np.asarray(wins)[rounds])


def last_turns(deals: int, batch_size: int = 128) -> np.ndarray:
    """Of games among four greedy, the turn in which somebody finished, -1 where nobody did."""
    greedy = feint.make_agent("greedy", GAME)

    @jax.jit
    @partial(jax.vmap, in_axes=(None, None, 0))
    def last_turn(game: Any, agent: Any, key: chance.Key) -> Array:
        def move(state: Any) -> Any:
            view = game.observe(state, state.current_player)
            return game.step(state, agent.act((), view, state.legal_action_mask, key)[0])

        over = jax.lax.while_loop(lambda state: ~state.terminated, move, game.init(key))
        return jnp.where((over.rewards != 0).any(), game.observe(over, 0).turn, -1)

    keys = jax.random.split(chance.key(6), deals)
    return np.concatenate(
        [np.asarray(last_turn(GAME, greedy, keys[start : start + batch_size])) for start in range(0, deals, batch_size)]
    )


def show_ends(turns: np.ndarray) -> None:
    """How likely whoever has not finished does so in its first, second, ... turn."""
    for number in range(turns.max() // GAME.players + 1):
        turn = number * GAME.players + np.arange(GAME.players)
        there = sum(int(((turns >= each) | (turns < 0)).sum()) for each in turn)
        ended = int(np.isin(turns, turn).sum())
        print(f"turn {number + 1}: {ended / there:.3f} ({ended} of {there})")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--deals", type=int, default=512)
    parser.add_argument("--racers", nargs="+", choices=["greedy", "seer", "ahead"], default=["greedy", "seer"])
    parser.add_argument("--ends", action="store_true", help="when each of four greedy finishes, instead")
    args = parser.parse_args()
    if args.ends:
        show_ends(last_turns(args.deals))
        return
    others = finished(greedy(), args.deals)
    rounds = {"greedy": others, "greedy, a turn sooner": np.maximum(others - 1, 1)}
    rounds |= {
        name: finished({"seer": seer, "ahead": ahead}[name](), args.deals) for name in args.racers if name != "greedy"
    }
    for name, each in rounds.items():
        won = chances(each, others)
        sooner = won - chances(others, others)
        print(
            f"{name}: finishes in round {each.mean():.2f}, before three greedy in {won.mean():.1%} of deals, "
            f"{sooner.mean():+.1%} (standard error {sooner.std() / np.sqrt(len(each)):.1%})"
        )


if __name__ == "__main__":
    main()
