"""Okey as one player meets it: tiles come and go, and others finish by chance. What is learned of that is played here too."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from feint.chance import Key
from feint.game import Worth, pytree
from feint.games.okey.ahead import Looking, mean
from feint.games.okey.evaluation import Choices
from feint.games.okey.hand import pairs_away
from feint.games.okey.rules import Rules
from feint.games.okey.tiles import (
    FACES,
    HAND,
    KIND_OF_TILE,
    NUMBERS,
    TILES,
    counts,
    listed,
    okey_of,
    one,
    shuffled,
    split,
)
from feint.games.okey.view import View

# How likely somebody who has not finished does so in its first, second, ... turn: of four `greedy`, by `python -m benchmarks.races --ends`.
FINISHES = (0.0, 0.002, 0.006, 0.015, 0.029, 0.049, 0.066, 0.083, 0.108, 0.135, 0.13, 0.14, 0.16, 0.17)
TAKEN = 0.2  # what share of tiles is drawn from the discards: the centre lasts longer by these
LOOKS, THEN = 6, 5  # discards that are thought over at the table, now and after the next draw,
WEIGHED = 3  # and while learning, which takes most of its time for them
FAR, PAIRS, ROUNDS = 8, 7, 14  # tiles missing for melds and for pairs, and rounds: more are told as so many


@pytree
class Left:
    """What a player has after its turn."""

    rack: Array  # int8[53]: its 14 tiles
    unseen: Array  # int8[53]: tiles that may be anywhere
    okey: Array  # int8
    turn: Array  # int16: turns of everybody before the one that left it


@dataclass(frozen=True)
class Alone:
    """One player's part of a game: between two of its turns tiles are seen of which it may take the last, and one of the others may finish."""

    game: Rules

    @property
    def last(self) -> int:
        """The turn at which the centre will be empty, about."""
        return round(self.game.centre * (1 + TAKEN))

    def begin(self, key: Key) -> Left:
        of_tiles, of_seat = jax.random.split(key)
        order = shuffled(of_tiles)
        rack, players = counts(order[1 : HAND + 1]), self.game.players
        seat = jax.random.randint(of_seat, (), 1 - players, 1, jnp.int16)
        return Left(rack, 2 - one(order[0]) - rack, okey_of(order[0]), seat)

    def read(self, left: Left) -> tuple[Array, Array]:
        faces, jokers = split(left.rack, left.okey)
        melds, pairs = self.game.solver.melds_away(faces, jokers), pairs_away(faces, jokers)
        return self.inputs(Choices(left.okey, faces, jokers, melds, pairs), left.unseen, left.okey, left.turn)

    def inputs(self, left: Choices, unseen: Array, okey: Array, turn: Array) -> tuple[Array, Array]:
        """What a network reads of 14 tiles, those of a single choice: of each colour 13 faces, float32[4, 13 * 6], and the rest, float32[47]."""
        there, wild = split(unseen, okey)
        helps = self.game.solver.helps(left.faces, left.jokers, left.melds)
        total = jnp.maximum(unseen.sum(dtype=jnp.int32), 1)
        hope = ((helps * there).sum(dtype=jnp.int32) + wild) / total
        often, held = there * (FACES / total), (left.faces > 0).astype(jnp.float32)
        told = [held, left.faces > 1, often, held.sum(axis=0) - held, often.sum(axis=0) - often, helps * often]
        away = jax.nn.one_hot(jnp.minimum(left.melds, FAR), FAR + 1)
        rest = [
            jax.nn.one_hot(left.jokers, 3),
            away,
            away * hope * 4,  # about 1 while one is far from finished
            jax.nn.one_hot(jnp.minimum(left.pairs, PAIRS), PAIRS + 1),
            jax.nn.one_hot(jnp.clip(turn // self.game.players, 0, ROUNDS - 1), ROUNDS),
            jnp.stack([wild * FACES / total, turn / self.last, hope * 4, 1 - (1 - hope) ** 2]),
        ]
        return jnp.stack(told, axis=-1).reshape(-1, NUMBERS * len(told)), jnp.concatenate(rest)

    def turn(self, worth: Worth, left: Left, epsilon: float, key: Key) -> tuple[Array, Left]:
        of_tiles, of_others, of_choice, of_chance, of_game = jax.random.split(key, 5)
        order = jax.lax.top_k(jnp.where(listed(left.unseen), jax.random.uniform(of_tiles, (TILES,)), -1.0), 4)[1]
        # The discards of the players before, of which the last may be taken, and the tile of the centre that may be drawn in its place.
        *gone, offered, drawn = jnp.asarray(KIND_OF_TILE)[order][4 - self.game.players :]
        unseen = left.unseen - sum(map(one, gone), jnp.zeros_like(left.unseen))
        turn = left.turn + self.game.players
        player = Foresight(LOOKS, WEIGHED, self.game, worth)
        weighed, kinds = player.weighed(left.rack, unseen, left.okey, turn)
        after = weighed.max(axis=1)
        unfinished = self.others_unfinished(left.turn)
        value = jnp.where(turn < self.last, unfinished * offered_too(after, unseen), 0.0)

        unseen -= one(offered)
        takes = after[offered] > mean(after, unseen)
        got = jnp.where(takes, offered, drawn)
        strays = (jax.random.uniform(of_chance) < epsilon) & (after[got] < 1)
        place = jnp.where(strays, jax.random.randint(of_choice, (), 0, WEIGHED), jnp.argmax(weighed[got]))
        rack = left.rack + one(got) - one(kinds[got, place])
        over = (weighed[got, place] >= 1) | (turn >= self.last) | (jax.random.uniform(of_others) > unfinished)
        then = replace(left, rack=rack, unseen=unseen - jnp.where(takes, 0, one(drawn)), turn=turn)
        return value, jax.tree.map(lambda new, old: jnp.where(over, new, old), self.begin(of_game), then)

    def others_unfinished(self, turn: Array) -> Array:
        """How likely nobody else finishes before one's next turn, float32."""
        players = self.game.players
        rounds = (turn + jnp.arange(1, players)) // players
        return (1 - jnp.asarray(FINISHES)[jnp.clip(rounds, 0, len(FINISHES) - 1)]).prod()

    def act(self, worth: Worth, view: View, legal: Array, key: Key) -> Array:
        return Foresight(LOOKS, THEN, self.game, worth).act((), view, legal, key)[0]


@pytree
class Foresight(Looking):
    """Weighs what may come by how likely it is to win with that, as somebody says."""

    worth: Any = None  # a `Worth`: given

    def value(self, left: Choices, unseen: Array, okey: Array, turn: Array) -> Array:
        by_pairs = (left.pairs == 0) & (self.game.pairs == "open")
        worth = self.worth(*Alone(self.game).inputs(left, unseen, okey, turn))
        return jnp.where((left.melds == 0) | by_pairs, 1.0, worth)

    def promised(self, view: View, after: Array) -> Array:
        return offered_too(after, view.unseen)


def offered_too(after: Array, unseen: Array) -> Array:
    """What a turn is worth in which one tile is offered and another may be drawn in its place, each kind being worth so much, float32."""
    return mean(jnp.maximum(after, mean(after, unseen)), unseen)
