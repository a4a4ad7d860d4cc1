"""Positions of Okey written down by hand, and deals in which random play finishes."""

from dataclasses import dataclass, replace
from itertools import chain

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from feint import chance
from feint.games.okey.game import Okey
from feint.games.okey.state import Deal, LongDeal, State
from feint.games.okey.tiles import FALSE_JOKER, KIND_OF_TILE, KINDS, TILES

COLOURS = "YBKR"


def kind(name: str) -> int:
    """The kind of a tile such as "R7" or "K13", "F" for the false joker."""
    return FALSE_JOKER if name == "F" else COLOURS.index(name[0]) * 13 + int(name[1:]) - 1


def tiles(text: str) -> np.ndarray:
    """How many of each kind a text names, int8[53]: "R7 R8 Y1 F"; "R7-9" is three of them."""
    rack = np.zeros(KINDS, np.int8)
    for name in text.split():
        first, _, last = name.partition("-")
        for number in range(kind(first), kind(f"{name[0]}{last}" if last else first) + 1):
            rack[number] += 1
    return rack


def filled(rules: Okey, indicator: str, *racks: str, centre: str = "") -> np.ndarray:
    """A deal of one hand, int8[106]: the starter's 15 tiles, the others' 14, the first of the centre. What is not named is filled up
    with what is left, spread so that nothing fits."""
    sizes = [15, *[14] * (rules.players - 1)]
    named = [list(np.repeat(np.arange(KINDS), tiles(rack))) for rack in racks]
    drawn = [kind(name) for name in centre.split()]
    left = 2 - np.bincount([kind(indicator), *chain(*named), *drawn], minlength=KINDS)
    assert (left >= 0).all(), "a tile is there three times"
    spare = [tile for copy in (1, 0) for tile in sorted(np.flatnonzero(left > copy), key=lambda tile: tile * 5 % KINDS)]
    for seat, size in enumerate(sizes):
        if seat == len(named):
            named.append([])
        while len(named[seat]) < size:
            named[seat].append(spare.pop())
    return np.array([kind(indicator), *chain(*named), *drawn, *spare], np.int8)


@jax.jit
def _started(rules: Okey, order: Array) -> State:
    deal = Deal(jnp.tile(order, (rules.dealt, 1)))
    return rules.deal(deal if rules.exhausted != "reshuffle" else LongDeal(deal.order, rules.draw(chance.key(0)).again))


def started(rules: Okey, order: np.ndarray) -> State:
    """The start of a game in which every hand is dealt so."""
    return jax.device_get(_started(rules, order))


step = jax.jit(Okey.step)


def play(rules: Okey, state: State, *actions: int) -> State:
    """The state after actions, each of which is legal."""
    for action in actions:
        assert state.legal_action_mask[action], f"{action} of {np.flatnonzero(state.legal_action_mask)}"
        state = jax.device_get(step(rules, state, np.int32(action)))
    return state


@dataclass(frozen=True)
class Rigged(Okey):
    """Okey in which everybody is dealt seven pairs, in one deal of two, or runs that are nearly a finished hand: random play finishes."""

    def draw(self, key: chance.Key) -> Deal:
        deal = super().draw(key)
        keys = jax.random.split(jax.random.fold_in(key, 1), self.dealt)
        return replace(deal, order=jax.vmap(self._rigged)(deal.order, keys))

    def _rigged(self, order: Array, key: chance.Key) -> Array:
        colour_key, pair_key, which = jax.random.split(key, 3)
        # Tiles by a random order of colours, copies and numbers; or by a random order of kinds, two of each side by side.
        suit = chance.shuffle(colour_key, 10)
        kinds = jnp.asarray(KIND_OF_TILE)
        copy = jnp.arange(TILES) % 2
        runs = suit[kinds // 13 * 2 + copy] * 13 + kinds % 13
        pairs = chance.shuffle(pair_key, KINDS)[kinds]
        rank = jnp.where(jax.random.bernoulli(which), runs, pairs)
        # The indicator stays first.
        rank = jnp.where((kinds == order[0]) & (copy == 0), -1, rank)
        return kinds[jnp.argsort(rank)].astype(jnp.int8)
