"""A game of OpenSpiel written out: every state that it can come to, as arrays for compiled code to look up, and the words that go with them.

feint has all chance of a game in its deal, OpenSpiel has it wherever it falls. So it is drawn beforehand: for the first, the second, ... thing that
chance decides in a game, the unit interval is cut wherever any chance node of that number has a boundary, and a deal is one piece of each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyspiel
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from feint.connect.listing_walk import NOBODY, Node, Walk

BITS = 20  # the number of an information set as networks read it, where OpenSpiel has nothing better
EXACT = 12  # decimals by which two boundaries are told apart


@dataclass(frozen=True, eq=False)
class Listing:
    """All states of a game. States in which somebody moves, or all is over, come first; chance nodes are numbered on from there."""

    game: Any  # the pyspiel.Game
    is_open: bool  # whether it has no secrets
    tables: dict[str, np.ndarray]
    max_moves: int
    in_a_row: int  # chance nodes that may follow each other
    likely: list[np.ndarray]  # float64[pieces] of each thing that chance decides
    texts: list[str]  # of each information set: what whoever is in it knows
    all_know: np.ndarray  # bool[sets]: whether whoever is in it knows the last move
    paths: list[tuple[int, int]]  # of each state: the one before, and the action or outcome that led on

    def state(self, number: int) -> Any:
        """A state as OpenSpiel has it."""
        history = []
        while self.paths[number][0] != NOBODY:
            number, action = self.paths[number]
            history.append(action)
        return played(self.game, history[::-1])

    def name(self, information: int, action: int) -> str:
        """What may be done in an information set, in words, each choice in others."""
        state = self.state(self._first(information))
        legal = [] if state.is_terminal() else state.legal_actions()
        if action not in legal:
            return f"action {action}"
        words = {each: state.action_to_string(each).strip() or str(each) for each in legal}
        alone = list(words.values()).count(words[action]) == 1
        return words[action] if alone else f"{words[action]} ({action})"

    def last_move(self, information: int) -> tuple[int, str]:
        """Who moved last, and how, where whoever is in an information set knows that; else nobody."""
        before, action = self.paths[self._first(information)]
        while before >= len(self.tables["player"]):  # as long as chance decides
            before, action = self.paths[before]
        if before == NOBODY or not self.all_know[information]:
            return NOBODY, ""
        player = int(self.tables["player"][before])
        return player, self.name(int(self.tables["sets"][before, player]), action)

    def _first(self, information: int) -> int:
        return int(self.tables["member"][self.tables["begin"][information]])


def played(game: Any, history: Sequence[int]) -> Any:
    """A state as OpenSpiel has it, from all actions and outcomes before it."""
    state = game.new_initial_state()
    for action in history:
        state.apply_action(action)
    return state


def listed(game: Any, name: str) -> Listing:
    """All states of a game of OpenSpiel whose players move in turns."""
    walk = Walk(game, name)
    return _written(walk, *_sorted(walk.nodes))


def _sorted(nodes: list[Node]) -> tuple[list[Node], list[Node]]:
    """The states in which somebody moves or all is over, and the chance nodes, numbered in this order."""
    states = [node for node in nodes if node.player != pyspiel.PlayerId.CHANCE]
    by_chance = [node for node in nodes if node.player == pyspiel.PlayerId.CHANCE]
    for number, node in enumerate([*states, *by_chance]):
        node.number = number
    return states, by_chance


def _written(walk: Walk, states: list[Node], by_chance: list[Node]) -> Listing:
    after = np.zeros((len(states), walk.game.num_distinct_actions()), np.int32)
    legal = np.zeros(after.shape, bool)
    for node in states:
        for action, found in node.after:
            after[node.number, action], legal[node.number, action] = found.number, True
    sets = np.array([node.sets for node in states], np.int32)
    everybody = _common_knowledge(sets) + len(walk.texts)
    sets = np.column_stack([sets, everybody])
    members = _members(sets, np.array([node.weight for node in states]))
    begin, member = members["begin"], members["member"]
    moves = np.array([node.last_move for node in states])[member]
    all_know = (np.minimum.reduceat(moves, begin[:-1]) == np.maximum.reduceat(moves, begin[:-1])).all(axis=1)
    cuts = _cut(walk.nodes)
    return Listing(
        game=walk.game,
        is_open=walk.open,
        tables={
            "player": np.array([max(node.player, 0) for node in states], np.int32),
            "over": np.array([node.player == pyspiel.PlayerId.TERMINAL for node in states]),
            "returns": np.array([node.returns for node in states], np.float32),
            "legal": legal,
            "after": after,
            "sets": sets,
            "numbers": _numbers(walk.rows, len(walk.texts)),
            "first": np.array(walk.nodes[0].number, np.int32),
            **members,
            **_chance(walk.nodes, cuts, len(states)),
        },
        max_moves=max(node.moves for node in states),
        in_a_row=max(node.in_a_row for node in walk.nodes),
        likely=[np.diff(cut, prepend=0.0) for cut in cuts],
        texts=[
            *walk.texts,
            *(walk.texts[own] if walk.open else "" for own in sets[member[begin[len(walk.texts) : -1]], 0]),
        ],
        all_know=all_know,
        paths=[(node.before.number if node.before else NOBODY, node.action) for node in [*states, *by_chance]],
    )


def _common_knowledge(sets: np.ndarray) -> np.ndarray:
    """What everybody knows that everybody knows, int32[states]: states that some player cannot tell apart are the same, and so are those that
    are linked by such."""
    states, players = sets.shape
    row = np.repeat(np.arange(states), players)
    size = states + int(sets.max()) + 1
    linked = coo_matrix((np.ones(sets.size, bool), (row, states + sets.ravel())), (size, size))
    return np.unique(connected_components(linked, directed=False)[1][:states], return_inverse=True)[1].astype(np.int32)


def _members(sets: np.ndarray, weight: np.ndarray) -> dict[str, np.ndarray]:
    """The states of each information set, one set after another, and how much of its weight is up to each of them."""
    order = np.argsort(sets.T.ravel(), kind="stable")
    member = order % len(sets)
    begin = np.searchsorted(sets.T.ravel()[order], np.arange(sets.max() + 2))
    total = np.add.reduceat(weight[member], begin[:-1])
    running = np.cumsum(weight[member] / np.repeat(total, np.diff(begin)))
    upto = running - np.repeat(np.arange(len(total)), np.diff(begin))
    return {"member": member.astype(np.int32), "upto": upto.astype(np.float32), "begin": begin.astype(np.int32)}


def _cut(nodes: list[Node]) -> list[np.ndarray]:
    """Where the pieces of each thing that chance decides end, float64[pieces]."""
    ends: list[set[float]] = [{1.0} for _ in range(max(1, *(node.decided + bool(node.chances) for node in nodes)))]
    for node in nodes:
        if node.chances:
            ends[node.decided].update(_boundaries(node.chances))
    return [np.array(sorted(each)) for each in ends]


def _chance(nodes: list[Node], cuts: list[np.ndarray], first: int) -> dict[str, np.ndarray]:
    """Where pieces end; where each leads at a chance node, of which one number is the first; and from which to which piece a state is reached."""
    width, count = max(map(len, cuts)), len(nodes)
    outcome, thing = np.zeros((max(1, count - first), width), np.int32), np.zeros(max(1, count - first), np.int32)
    reached = np.zeros((count, len(cuts), 2), np.int16)
    own: dict[Node, tuple[int, int]] = {}
    for node in nodes:  # none is met before the one that it follows
        reached[node.number, :, 1] = [len(cut) - 1 for cut in cuts]
        if node.before:
            reached[node.number] = reached[node.before.number]
        if node in own:
            reached[node.number, node.decided - 1] = own[node]
        if node.chances:
            ends = np.searchsorted(cuts[node.decided], _boundaries(node.chances), "right")
            thing[node.number - first] = node.decided
            for (_, after), begin, end in zip(node.after, [0, *ends], ends, strict=False):
                outcome[node.number - first, begin:end] = after.number
                if after.before is node:
                    own[after] = (begin, end - 1)
    padded = np.stack([np.pad(cut, (0, width - len(cut)), constant_values=2.0) for cut in cuts])
    return {"cuts": padded.astype(np.float32), "outcome": outcome, "thing": thing, "reached": reached[:first]}


def _boundaries(chances: tuple[float, ...]) -> list[float]:
    return np.round(np.cumsum(chances) / np.sum(chances), EXACT).tolist()


def _numbers(rows: list[np.ndarray], sets: int) -> np.ndarray:
    """What networks read of each information set, and of none, float32[sets + 1, numbers]; without anything better its number, in bits."""
    if rows:
        return np.stack([*rows, np.zeros_like(rows[0])])
    return (np.arange(sets + 1)[:, None] >> np.arange(BITS) & 1).astype(np.float32)
