"""Hidden worlds of Bluff that fit all that a player has seen, where its last view alone has forgotten some of it.

A pile that somebody takes carries cards from hand to hand, how many from whom everybody knows. So who holds which card is followed
from taking to taking: a world fits if the cards can have come to where it has them by ways on which nobody laid more or fewer than were seen,
and every card was where it was seen. What is not made use of is the order of others' hands: that of several cards of a rank they lay
the one they have had longest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import jax
import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_array

from feint import chance
from feint.errors import UserError
from feint.games.bluff.redeal import redeal
from feint.games.bluff.rules import Rules, State
from feint.games.bluff.view import NOBODY, View

BATCH_SIZE, TRIES = 256, 1000  # worlds drawn at once, and how often before it is given up
FOUND, IMPOSSIBLE = 0, 2  # what `milp` answers
NOT_ONE_GAME = "These are not the views that one player had at all of its moves in a game of Bluff, in their order."


@jax.jit
def _redeals(rules: Rules, view: View, key: chance.Key) -> State:
    """Worlds that fit one view, State[BATCH_SIZE]."""
    return jax.vmap(lambda key: redeal(rules, view, key))(jax.random.split(key, BATCH_SIZE))


def redeal_history(rules: Rules, views: Sequence[View], key: chance.Key) -> State:
    """A world that fits every view a player has had, at its own moves at least, each such world as likely as the others.

    Worlds that fit the last view are drawn until one of them fits all.
    """
    seen = Seen.of(rules, views)
    for number in range(TRIES):
        worlds = _redeals(rules, views[-1], jax.random.fold_in(key, number))
        holders = seen.holders(worlds)
        for index in np.flatnonzero(seen.may_hold(holders)):
            if seen.way_to(holders[index]) is not None:
                return jax.tree.map(lambda leaf: leaf[index], worlds)  # noqa: B023
    raise UserError(NOT_ONE_GAME)


@dataclass(frozen=True)
class Seen:
    """What a player has seen of who laid and took how much, and of which cards. A stretch of turns ends where a pile is taken."""

    rules: Rules
    takers: np.ndarray  # int[stretches]: who took the pile at the end of each
    unseen: np.ndarray  # int[stretches, players]: how many cards each has laid in it that the player has not seen
    laid: np.ndarray  # int[stretches, cards]: who laid a card in it that the player has seen, NOBODY for others
    own: np.ndarray  # bool[stretches + 1, cards]: the player's own cards at the start of each, and of the turns since
    seat: int

    @classmethod
    def of(cls, rules: Rules, views: Sequence[View]) -> Seen:
        if not views:
            raise UserError(NOT_ONE_GAME)
        views = [jax.device_get(view) for view in views]
        counts, takers, laid = _turns(rules, views)
        turns = len(counts)
        stretch = np.cumsum([0, *(turn in takers for turn in range(turns))])  # int[turns + 1]
        seat, ends = int(views[-1].seat), len(takers)
        by = np.full((ends + 1, rules.cards), NOBODY)
        unseen = np.zeros((ends + 1, rules.players), int)
        np.add.at(unseen, (stretch[:-1], np.arange(turns) % rules.players), counts)
        for card, turn in laid:
            by[stretch[turn], card] = turn % rules.players
            unseen[stretch[turn], turn % rules.players] -= 1
        own: dict[int, np.ndarray] = {}
        for view in views:
            own[int(stretch[view.turn])] = np.asarray(view.hand | view.buried).ravel()
        # Where the player had no view it neither laid nor took anything: its cards are those it has next.
        kept = [own[min(each for each in own if each >= number)] for number in range(ends + 1)]
        known = [takers[turn] for turn in sorted(takers)]
        return cls(rules, np.array(known, int), unseen[:-1], by[:-1], np.array(kept), seat)

    def holders(self, worlds: State) -> np.ndarray:
        """Who held each card when the pile was last empty, int[..., cards]: `players` for cards out of play."""
        place, players = np.asarray(worlds.place).astype(int), self.rules.players
        laying = (np.asarray(worlds.turn) % players)[..., None]
        hand = np.where(place < players, place, np.where(place == self.rules.out_of_play, players, place - players))
        return np.where(place == self.rules.in_claim, laying, hand)

    def may_hold(self, holders: np.ndarray) -> np.ndarray:
        """Whether each card alone can have come to where it is, bool[...], for holders, int[..., cards]."""
        return self._may[-1][np.arange(self.rules.cards), holders].all(axis=-1)

    def way_to(self, holders: np.ndarray) -> np.ndarray | None:
        """Who held each card at the start of every stretch, int[stretches + 1, cards], if all was as seen and led to these holders,
        int[cards]; None where nothing can have led there."""
        if not self.may_hold(holders):
            return None
        may = self._may.copy()
        may[-1] = holders[:, None] == np.arange(self.rules.players + 1)
        found = milp(np.zeros(may.size), constraints=self._flow, integrality=1, bounds=Bounds(0, may.ravel()))
        if found.status not in (FOUND, IMPOSSIBLE):
            raise RuntimeError(found.message)
        return np.argmax(found.x.reshape(may.shape), axis=2) if found.status == FOUND else None

    @cached_property
    def _may(self) -> np.ndarray:
        """Who may have held each card alone, bool[stretches + 1, cards, players + 1]."""
        everybody = np.arange(self.rules.players + 1)
        may = self.own[..., None] == (everybody == self.seat)
        for number, (taker, laid) in enumerate(zip(self.takers, self.laid, strict=True)):
            seen, now, later = (laid != NOBODY)[:, None], may[number], may[number + 1]
            now &= ~seen | (laid[:, None] == everybody)
            gives = np.append(self.unseen[number] > 0, False)
            comes = (now & gives).any(axis=1, keepdims=True) | now[:, [taker]]
            later &= np.where(everybody == taker, seen | comes, ~seen & now)
        return may

    @cached_property
    def _flow(self) -> list[LinearConstraint]:
        """What every way of the cards keeps, in numbers that are 1 where a card is held: [stretches + 1, cards, players + 1]."""
        stretches, cards, holders = len(self.takers), self.rules.cards, self.rules.players + 1
        index = np.arange((stretches + 1) * cards * holders).reshape(stretches + 1, cards, holders)
        constraints = [LinearConstraint(_ones(index.reshape(-1, holders)), 1, 1)]  # every card is somewhere
        stretch, holder = np.nonzero(np.arange(holders) != self.takers[:, None])
        left = [
            (number, who, np.flatnonzero(self.laid[number] == NOBODY))
            for number, who in zip(stretch, holder, strict=True)
        ]
        if left:
            # Whoever does not take the pile gains no card, and loses as many that were not seen as it has laid.
            before = np.concatenate([index[number, unknown, who] for number, who, unknown in left])
            after = np.concatenate([index[number + 1, unknown, who] for number, who, unknown in left])
            row = np.repeat(np.arange(len(left)), [len(unknown) for *_, unknown in left])
            signs = np.concatenate([np.ones(len(before)), -np.ones(len(after))])
            columns, size = np.concatenate([before, after]), index.size
            gained = csr_array((signs, (np.tile(np.arange(len(before)), 2), columns)), (len(before), size))
            lost = csr_array((signs, (np.tile(row, 2), columns)), (len(left), size))
            count = np.array([self.unseen[number, who] if who < self.rules.players else 0 for number, who, _ in left])
            constraints += [LinearConstraint(gained, 0, np.inf), LinearConstraint(lost, count, count)]
        return constraints


def _ones(columns: np.ndarray) -> csr_array:
    """A row for each, with ones in these columns of it, int[rows, columns]."""
    rows = np.repeat(np.arange(len(columns)), columns.shape[1])
    return csr_array((np.ones(columns.size), (rows, columns.ravel())), (len(columns), columns.size))


def _turns(rules: Rules, views: Sequence[View]) -> tuple[list[int], dict[int, int], set[tuple[int, int]]]:
    """Of every turn how many cards were laid; who took the pile, by turn; and which cards were seen to be laid in which turn."""
    counts: dict[int, int] = {}
    takers: dict[int, int] = {}
    laid: set[tuple[int, int]] = set()
    for view in views:
        log, newest = view.log, int(view.turn) - int(view.asked == 0)
        for back in np.flatnonzero(log.player != NOBODY).tolist():
            turn = newest - back
            counts[turn] = int(log.count[back])
            if log.caller[back] != NOBODY:
                takers[turn] = int(log.caller[back] if log.honest[back] else log.player[back])
                laid |= {(int(card), turn) for card in log.shown[back] if card != NOBODY}
    if sorted(counts) != list(range(len(counts))) or len({int(view.seat) for view in views}) > 1:
        raise UserError(NOT_ONE_GAME)
    ordered = [counts[turn] for turn in range(len(counts))]
    # One's own cards tell by their stamps when they were laid last, by whomever.
    ends = np.cumsum(ordered)
    for view in views:
        own, stamp = (view.hand | view.buried).ravel(), view.stamp.ravel()
        for card in np.flatnonzero(own & (stamp >= rules.cards)).tolist():
            turn = int(np.searchsorted(ends, stamp[card] - rules.cards, side="right"))
            if turn < len(ordered):
                laid.add((card, turn))
    return ordered, takers, laid
