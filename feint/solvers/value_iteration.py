"""Value iteration for one player whose opponents are fixed: exact models, and models counted from play.

A model is a finite decision process: states and actions by number, what an action pays on average, and where it leads. Games end:
what is missing from an action's probabilities to one is the chance that nothing more comes.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy.sparse import csr_array

from feint.errors import UserError
from feint.solvers.best_response import check_policy
from feint.solvers.sequence_form import Policy, SequenceForm


@dataclass(frozen=True)
class Model:
    """A finite decision process; row s * actions + a of the transitions is where action a leads from state s."""

    rewards: np.ndarray  # float64[states, actions]: paid on average
    legal: np.ndarray  # bool[states, actions]; a state without any is an end
    transitions: csr_array  # float64[states * actions, states]

    @classmethod
    def of(cls, rewards: np.ndarray, transitions: np.ndarray | csr_array, legal: np.ndarray | None = None) -> Model:
        """From rewards [states, actions] and transitions [states, actions, states], or sparse [states * actions, states]."""
        rewards = np.asarray(rewards, float)
        if rewards.ndim != 2:
            raise UserError(f"Rewards are an array [states, actions], not {list(rewards.shape)}.")
        states, actions = rewards.shape
        if not isinstance(transitions, csr_array):
            transitions = csr_array(np.asarray(transitions, float).reshape(-1, np.shape(transitions)[-1]))
        if transitions.shape != (states * actions, states):
            raise UserError(
                f"{states} states with {actions} actions have {states * actions} rows of transitions to {states} states, "
                f"not {transitions.shape[0]} to {transitions.shape[1]}."
            )
        if transitions.data.size and (transitions.data.min() < 0 or transitions.sum(axis=1).max() > 1 + 1e-9):
            raise UserError("Transition probabilities are not negative and sum to one at most.")
        allowed = np.ones(rewards.shape, bool) if legal is None else np.asarray(legal, bool)
        return cls(rewards, allowed, transitions)

    def action_values(self, values: np.ndarray, discount: float = 1.0) -> np.ndarray:
        """What each action is worth when states are worth `values`, float64[states, actions]; -inf where illegal."""
        later = (self.transitions @ values).reshape(self.rewards.shape)
        return np.where(self.legal, self.rewards + discount * later, -np.inf)


@dataclass(frozen=True)
class Solution:
    values: np.ndarray  # float64[states]
    action_values: np.ndarray  # float64[states, actions], -inf where illegal
    sweeps: int

    def best(self, tolerance: float = 1e-12) -> np.ndarray:
        """All actions that are as good as the best, bool[states, actions]."""
        top = self.action_values.max(axis=1, keepdims=True)
        return np.isfinite(self.action_values) & (self.action_values >= top - tolerance)

    def policy(self) -> np.ndarray:
        """The first of the best actions, int64[states]."""
        return self.action_values.argmax(axis=1)


def value_iteration(
    model: Model, discount: float = 1.0, tolerance: float = 1e-12, most_sweeps: int = 100_000
) -> Solution:
    """The best values and actions: sweeps until no value changes by more than the tolerance."""
    if not 0 < discount <= 1:
        raise UserError(f"A discount must be above 0 and at most 1, not {discount:g}.")
    values = np.zeros(len(model.rewards))
    end = ~model.legal.any(axis=1)
    for sweep in range(1, most_sweeps + 1):
        worth = model.action_values(values, discount)
        new = np.where(end, 0.0, worth.max(axis=1))
        change = np.abs(new - values).max(initial=0)
        values = new
        if change <= tolerance:
            return Solution(values, model.action_values(values, discount), sweep)
    raise UserError(
        f"Values still change by {change:.2g} after {most_sweeps:,} sweeps: without a discount every game must end."
    )


class Counts:
    """A model learned from play by maximum likelihood: every action's average reward and the share of times it led somewhere."""

    def __init__(self, states: int, actions: int) -> None:
        self.states, self.actions = states, actions
        self.tried = np.zeros((states, actions))
        self._reward = np.zeros((states, actions))
        self._led = csr_array((states * actions, states))

    def add(self, state: np.ndarray, action: np.ndarray, reward: np.ndarray, after: np.ndarray) -> None:
        """Steps that were seen, any number at once; `after` is the next state, or -1 where the game ended."""
        state, action, after = np.asarray(state), np.asarray(action), np.asarray(after)
        np.add.at(self.tried, (state, action), 1)
        np.add.at(self._reward, (state, action), reward)
        on = after >= 0
        row = (state * self.actions + action)[on]
        self._led = self._led + csr_array((np.ones(len(row)), (row, after[on])), self._led.shape)

    def model(self, unseen: float | None = None) -> Model:
        """The likeliest model. An action never tried in a state pays `unseen` and ends the game there; by default it is not
        considered, and a state in which nothing was tried is an end."""
        seen = self.tried > 0
        times = np.where(seen, self.tried, 1)
        rewards = self._reward / times
        share = csr_array(self._led.multiply(1 / times.reshape(-1, 1)))
        if unseen is None:
            return Model(rewards, seen, share)
        return Model(np.where(seen, rewards, unseen), np.ones_like(seen), share)


def model_against(form: SequenceForm, policy: Policy, player: int) -> tuple[Model, np.ndarray]:
    """The exact decision process of one player against the others' policies, its states being its own information sets, and how
    likely each is to come first, float64[states]. Its best value is the best response's."""
    policy = check_policy(form, policy)
    tree, own = form.tree, form.players[player]
    # How likely chance and the others lead to each node, the player's own choices aside.
    others = np.ones(len(tree.parent))
    for start, end in pairwise(tree.levels[1:]):
        before, action = tree.parent[start:end], tree.action[start:end]
        chosen = np.where(tree.player[before] == player, 1.0, policy[tree.infoset[before], action])
        others[start:end] = others[before] * chosen
    mine = np.flatnonzero(tree.player == player)
    reach = np.bincount(tree.infoset[mine] - own.first, (tree.chance * others)[mine], own.sets)
    sure = np.where(reach > 0, reach, 1)
    rewards = form.gradient(player, form.plans(policy))[:-1].reshape(own.legal.shape) / sure[:, None]
    first = own.parent == own.sequences - 1
    later = np.flatnonzero(~first)
    share = reach[later] / sure[own.parent[later] // own.actions]
    transitions = csr_array((share, (own.parent[later], later)), (own.legal.size, own.sets))
    return Model(rewards, own.legal, transitions), np.where(first, reach, 0.0)
