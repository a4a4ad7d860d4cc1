"""Games of betting for a pot: everybody sees every bet, and what may be bet does not depend on the cards.

So the betting is one tree for all deals, and a player knows its place there and a bucket of hands in which its own lies, one for each
round. Kuhn, Leduc and Limit Hold'em are such games. When a round begins, some of what was bet may be forgotten: places that
are then alike are one, which makes of ten million decisions of Hold'em for three some twenty thousand.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from feint import chance
from feint.chance import Key
from feint.errors import UserError
from feint.game import Game, pytree, static

FEW, CHUNK = 2**10, 2**16  # positions stepped at once, at least and at most
NOBODY = -1
FOLD, CALL, RAISE = range(3)  # in every game of betting; a call with nothing to pay is a check
MOST = 10_000_000  # decisions, unless more are allowed
ROOM = 10**9  # bytes that the positions listed at a time may take


@pytree
class Bets:
    """How a game of betting is read: by the round of a state, what hands are worth, and in which bucket they lie.

    A game names its class as `Game.betting`.
    """

    game: Game[Any, Any]

    @classmethod
    @abstractmethod
    def of(cls, game: Game[Any, Any], buckets: int | None) -> Bets:
        """With so many buckets a round where that can be chosen; as usual where None."""

    @classmethod
    @abstractmethod
    def blank(cls, game: Game[Any, Any], sizes: Sequence[int]) -> Bets:
        """With so many buckets of each round and any numbers, for those of a file to take their place."""

    @property
    @abstractmethod
    def sizes(self) -> tuple[int, ...]:
        """Buckets of each round."""

    @abstractmethod
    def round(self, state: Any) -> Array:
        """The round of a state, int32."""

    @abstractmethod
    def strengths(self, deal: Any) -> Array:
        """What everybody's cards are worth at the end, int32[players]: of those still in, the highest take the pot."""

    @abstractmethod
    def buckets(self, deal: Any) -> Array:
        """In which bucket everybody's hand lies, int32[rounds, players]."""

    @abstractmethod
    def bucket(self, view: Any) -> Array:
        """In which bucket the hand of the player that acts lies, int32."""

    @abstractmethod
    def moves(self, view: Any) -> Array:
        """All bets so far in order, int[moves], and NOBODY for those that were not made, wherever they stand."""

    @abstractmethod
    def remembered(self, state: Any) -> Array:
        """What is not forgotten of the betting when a round begins, int[size]; among it must be all that payoffs and legal bets depend on."""

    # Hands one by one, which a local best response (feint.solvers.local_best_response) asks for.

    @property
    @abstractmethod
    def holdings(self) -> int:
        """How many hands there are that a player can hold."""

    @abstractmethod
    def held(self, view: Any, holding: Array) -> Any:
        """The view if its player held that hand."""

    @abstractmethod
    def unseen(self, view: Any) -> Array:
        """In how many ways somebody else can hold each hand, by the cards that are seen, float32[holdings]."""

    @abstractmethod
    def beats(self, view: Any, key: Key) -> Array:
        """How likely the player wins against each hand if nobody bets any more, a tie counted half, float32[holdings]."""

    @abstractmethod
    def bet(self, view: Any) -> Array:
        """What a bet or a raise is now, int32."""

    def informed(self, agent: Any, view: Any) -> Any:
        """The agent, with what it looks up for every hand worked out for all of them at once, where that is quicker."""
        return agent


@pytree
class Entries:
    """The bets that lead into a round, in the order of where they lead."""

    parent: Array  # int32[entries]: the decision of the round before
    action: Array  # int32[entries]
    to: Array  # int32[entries]: which of the places where the round begins


@pytree
class BettingTree:
    """All that can be bet. Decisions are numbered by round and by how many of the round came before; ends come after them, and then one that
    stands for what is not legal."""

    children: Array  # int32[decisions, actions]: what an action leads to
    parent: Array  # int32[decisions]: within the round; of those with which a round begins, themselves
    action: Array  # int32[decisions]: the action that led there
    player: Array  # int32[decisions]: who acts
    round: Array  # int32[decisions]
    legal: Array  # bool[decisions, actions]
    paid: Array  # int32[ends, players]: into the pot
    folded: Array  # bool[ends, players]
    entries: tuple[Entries, ...]  # into each round but the first
    levels: tuple[int, ...] = static()  # the first decision of each level, and how many there are in all
    ends: tuple[int, ...] = (
        static()
    )  # the first end that the decisions of each level lead to, and how many there are in all
    rounds: tuple[int, ...] = static()  # the level with which each round begins, and how many there are in all

    @property
    def decisions(self) -> int:
        return self.levels[-1]


def betting_tree(bets: Bets, most: int = MOST, told: Callable[[int], None] = lambda _: None) -> BettingTree:
    """The tree of a game, found by its own rules; refused where it has more decisions than `most`. `told` hears how many there are so far."""
    listed = _Listed(bets, most, told)
    starts = jax.tree.map(lambda leaf: np.asarray(leaf)[None], bets.game.init(chance.key(0)))
    while len(starts.terminated):
        starts = listed.list_round(starts)
    return listed.tree()


class _Listed:
    """What is listed of a tree so far, round by round."""

    def __init__(self, bets: Bets, most: int, told: Callable[[int], None]) -> None:
        self.bets, self.most, self.told = bets, most, told
        self.levels, self.ends, self.rounds = [0], [0], list[int]()
        self.decisions, self.last, self.entries = list[Any](), list[Any](), list[Any]()

    def list_round(self, states: Any) -> Any:
        """List a round that begins with these states; the states with which the next one does."""
        self.rounds.append(len(self.levels) - 1)
        parent = np.arange(len(states.terminated)) + self.levels[-1]
        action = np.zeros_like(parent)
        onward = list[Any]()
        while len(parent):
            legal = states.legal_action_mask
            self.decisions.append(
                (parent, action, states.current_player, np.full(len(parent), len(self.rounds) - 1), legal)
            )
            row, action = np.nonzero(legal)
            parent = row + self.levels[-1]
            self.levels.append(self.levels[-1] + len(legal))
            self.told(self.levels[-1])
            if self.levels[-1] > self.most:
                raise UserError(
                    f"{self.bets.game} has more than {self.most:,} decisions of betting: choose smaller options."
                )
            taken = (len(row) + sum(len(each[-1]) for each in onward)) * _size(states)
            if taken > ROOM:
                raise UserError(
                    f"To list the betting of {self.bets.game} takes {taken / 1e9:,.1f} GB at least, where {ROOM / 1e9:,.1f} are allowed: "
                    "choose smaller options."
                )
            states, remembered, goes_on = _after(self.bets, states, row, action)
            over = states.terminated
            self.last.append((states.paid[over], states.folded[over], parent[over], action[over]))
            self.ends.append(self.ends[-1] + int(over.sum()))
            onward.append(_rows((states, remembered, parent, action), goes_on))
            states, parent, action = _rows((states, parent, action), ~over & ~goes_on)
        return self._merged(*jax.tree.map(lambda *parts: np.concatenate(parts), *onward))

    def _merged(self, states: Any, remembered: np.ndarray, parent: np.ndarray, action: np.ndarray) -> Any:
        """One state for all that are alike in what is remembered."""
        _, first, to = np.unique(remembered, axis=0, return_index=True, return_inverse=True)
        order = np.argsort(to, kind="stable")
        if len(order):
            self.entries.append((parent[order], action[order], to[order]))
        return _rows(states, first)

    def tree(self) -> BettingTree:
        parent, action, player, rounds, legal = (np.concatenate(parts) for parts in zip(*self.decisions, strict=True))
        paid, folded, led, end_by = (np.concatenate(parts) for parts in zip(*self.last, strict=True))
        children = np.full(legal.shape, len(legal) + len(paid), np.int32)
        numbers = np.arange(len(legal))
        inside = parent != numbers
        children[parent[inside], action[inside]] = numbers[inside]
        children[led, end_by] = len(legal) + np.arange(len(paid))
        for begins, (entered, by, to) in zip(self.rounds[1:], self.entries, strict=True):
            children[entered, by] = self.levels[begins] + to
        whole = lambda numbers: jnp.asarray(numbers, jnp.int32)  # noqa: E731
        return BettingTree(
            children=whole(children),
            parent=whole(parent),
            action=whole(action),
            player=whole(player),
            round=whole(rounds),
            legal=jnp.asarray(legal),
            paid=whole(paid),
            folded=jnp.asarray(folded),
            entries=tuple(Entries(*map(whole, each)) for each in self.entries),
            levels=tuple(self.levels),
            ends=tuple(self.ends),
            rounds=(*self.rounds, len(self.levels) - 1),
        )


@jax.jit
def _stepped(bets: Bets, states: Any, actions: Array) -> tuple[Any, Array, Array]:
    """States after an action each, what is remembered of them, and whether a round begins."""

    def one(state: Any, action: Array) -> tuple[Any, Array, Array]:
        after = bets.game.step(state, action)
        return after, bets.remembered(after), ~after.terminated & (bets.round(after) != bets.round(state))

    return jax.vmap(one)(states, actions)


def _size(states: Any) -> int:
    """The bytes of one of them."""
    return sum(leaf[0].nbytes for leaf in jax.tree.leaves(states))


def _rows(tree: Any, which: np.ndarray) -> Any:
    return jax.tree.map(lambda leaf: np.asarray(leaf)[which], tree)


def _after(bets: Bets, states: Any, row: np.ndarray, action: np.ndarray) -> Any:
    """What the actions lead to, so many at once that the number of programs stays small."""
    parts = []
    for start in range(0, len(row), CHUNK):
        at, chosen = row[start : start + CHUNK], action[start : start + CHUNK]
        fill = 0, max(1 << (len(at) - 1).bit_length(), FEW) - len(at)
        after = _stepped(bets, _rows(states, np.pad(at, fill)), np.pad(chosen, fill).astype(np.int32))
        parts.append(_rows(after, np.arange(len(at))))
    return jax.tree.map(lambda *leaves: np.concatenate(leaves), *parts)


def payoffs(tree: BettingTree, strengths: Array) -> Array:
    """What every end pays, float32[ends, players], when hands are worth so much, int32[players]."""
    worth = jnp.where(tree.folded, NOBODY, strengths)
    takes = worth == worth.max(axis=1, keepdims=True)
    pot = tree.paid.sum(axis=1, keepdims=True)
    return jnp.where(takes, pot / takes.sum(axis=1, keepdims=True), 0.0) - tree.paid
