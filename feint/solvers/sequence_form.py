"""A tree as solvers use it: for each player its own tree of decisions, and what each combination of last actions pays.

A player's sequence is one of its actions together with all of its own before it. A node's probability is the product of what
chance and each player contribute, and a player contributes by its last sequence alone; so of the whole tree only the
ends matter, and those with the same sequences can be added up.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from feint.solvers.infosets import NONE
from feint.solvers.packed_views import distinct
from feint.solvers.tree import Tree

Policy = np.ndarray  # float64[information sets, actions]: of all players, each row sums to one over legal actions


@dataclass(frozen=True)
class Decisions:
    """One player's tree of decisions. Sequence s = set * actions + action, counted from its first set; the last is the empty one."""

    first: int  # of its information sets, among all players'
    levels: np.ndarray  # int64[depth + 1]: where the sets with so many earlier actions begin, and the end
    parent: np.ndarray  # int64[sets]: the sequence that leads to each
    legal: np.ndarray  # bool[sets, actions]

    @property
    def sets(self) -> int:
        return len(self.parent)

    @property
    def actions(self) -> int:
        return self.legal.shape[1]

    @property
    def sequences(self) -> int:
        return self.legal.size + 1

    @property
    def rows(self) -> slice:
        """Its part of a policy of all players."""
        return slice(self.first, self.first + self.sets)

    def steps(self) -> list[slice]:
        """The sets of each depth, from the first decision on."""
        return [slice(a, b) for a, b in zip(self.levels, self.levels[1:], strict=False)]

    def plan(self, policy: Policy) -> np.ndarray:
        """How likely a player's own choices are to lead along each sequence, float64[sequences]."""
        out = np.ones(self.sequences)
        chosen = policy[self.rows]
        by_set = out[:-1].reshape(self.sets, self.actions)
        for step in self.steps():
            by_set[step] = out[self.parent[step], None] * chosen[step]
        return out

    def policy(self, plan: np.ndarray) -> np.ndarray:
        """The choices that make a plan, float64[sets, actions]: Kuhn's theorem; even where the plan never comes."""
        by_set = plan[:-1].reshape(self.sets, self.actions)
        total = by_set.sum(axis=1, keepdims=True)
        even = self.legal / self.legal.sum(axis=1, keepdims=True)
        return np.where(total > 0, by_set / np.where(total > 0, total, 1), even)


@dataclass(frozen=True)
class SequenceForm:
    tree: Tree
    players: list[Decisions]
    ends: np.ndarray  # int64[ends, players]: the last sequence of each
    payoffs: np.ndarray  # float64[ends, players]: times how likely the deal is

    @classmethod
    def of(cls, tree: Tree) -> SequenceForm:
        sets, actions = tree.infosets, tree.game.actions
        players = []
        for player in range(tree.game.players):
            own = np.flatnonzero(sets.player == player)
            first = int(own[0]) if len(own) else 0
            depths = np.arange(sets.depth[own].max(initial=-1) + 2)
            parent = sets.parent[own]
            empty = len(own) * actions
            players.append(
                Decisions(
                    first=first,
                    levels=np.searchsorted(sets.depth[own], depths),
                    parent=np.where(parent == NONE, empty, parent - first * actions),
                    legal=sets.legal[own],
                )
            )
        firsts = np.array([own.first * actions for own in players])
        empties = np.array([own.sequences - 1 for own in players])
        ends = np.where(tree.ends == NONE, empties, tree.ends - firsts)
        weighed = tree.payoffs * tree.chance[tree.terminal, None]
        kept, kind = distinct(ends.view(np.uint8).reshape(len(ends), -1))
        payoffs = np.stack([np.bincount(kind, own) for own in weighed.T], axis=1)
        return cls(tree, players, ends[kept], payoffs)

    def plans(self, policy: Policy) -> list[np.ndarray]:
        return [own.plan(policy) for own in self.players]

    def uniform(self) -> Policy:
        """Every legal action as likely as the others."""
        legal = self.tree.infosets.legal
        return legal / legal.sum(axis=1, keepdims=True)

    def gradient(self, player: int, plans: list[np.ndarray]) -> np.ndarray:
        """What each sequence of a player earns where it is the last, against the others' plans, float64[sequences]."""
        others = np.prod([plans[i][self.ends[:, i]] for i in range(len(plans)) if i != player], axis=0)
        return np.bincount(self.ends[:, player], self.payoffs[:, player] * others, self.players[player].sequences)
