"""Best responses, and how far a profile of policies is from equilibrium: exact, in double precision."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from feint.errors import UserError
from feint.solvers.sequence_form import Policy, SequenceForm


@dataclass(frozen=True)
class Exploitation:
    """What a profile pays, and what each player could gain by the best change of its own policy."""

    values: np.ndarray  # float64[players]: what the profile pays
    best: np.ndarray  # float64[players]: what a best response to the others pays

    @property
    def gains(self) -> np.ndarray:
        return self.best - self.values

    @property
    def nash_conv(self) -> float:
        """The sum of gains; zero in equilibrium."""
        return float(self.gains.sum())

    @property
    def exploitability(self) -> float:
        """The mean gain. With two players and opposed interests: what a profile loses to its best responses, on average of the seats."""
        return self.nash_conv / len(self.values)


def check_policy(form: SequenceForm, policy: Policy) -> Policy:
    """A policy as float64[information sets, actions], refused where it is none."""
    policy = np.asarray(policy, float)
    legal = form.tree.infosets.legal
    if policy.shape != legal.shape:
        raise UserError(f"A policy of {form.tree.game} is an array {list(legal.shape)}, not {list(policy.shape)}.")
    if not (policy[~legal] == 0).all() or not (policy >= 0).all() or np.abs(policy.sum(axis=1) - 1).max() > 1e-6:
        raise UserError(
            "A policy gives probabilities to legal actions alone, and they sum to one at every information set."
        )
    return policy


def values(form: SequenceForm, policy: Policy) -> np.ndarray:
    """What a profile pays each player, float64[players]."""
    reach = np.prod([plan[ends] for plan, ends in zip(form.plans(policy), form.ends.T, strict=True)], axis=0)
    return reach @ form.payoffs


def best_response(form: SequenceForm, policy: Policy, player: int) -> tuple[float, Policy]:
    """What the best policy of one player against the others' pays, and the profile with it in that player's place."""
    own = form.players[player]
    earns = form.gradient(player, form.plans(policy))
    by_set = earns[:-1].reshape(own.sets, own.actions)
    choice = np.zeros(own.sets, int)
    for step in reversed(own.steps()):
        reachable = np.where(own.legal[step], by_set[step], -np.inf)
        choice[step] = reachable.argmax(axis=1)
        earns += np.bincount(own.parent[step], reachable.max(axis=1), own.sequences)
    out = np.array(policy, float)
    out[own.rows] = np.eye(own.actions)[choice]
    return float(earns[-1]), out


def exploit(form: SequenceForm, policy: Policy) -> Exploitation:
    """The value of a profile and of each player's best response to it."""
    best = [best_response(form, policy, player)[0] for player in range(len(form.players))]
    return Exploitation(values(form, policy), np.array(best))


def mixture(form: SequenceForm, policies: Sequence[Policy], weights: Sequence[float]) -> Policy:
    """The policy that plays as one of several, drawn before the game, each player for itself."""
    chances = np.asarray(weights, float)
    if len(chances) != len(policies) or (chances < 0).any() or abs(chances.sum() - 1) > 1e-6:
        raise UserError(f"A mixture of {len(policies)} policies has as many weights, not negative, that sum to one.")
    out = np.empty_like(np.asarray(policies[0], float))
    for own in form.players:
        plans = [weight * own.plan(policy) for weight, policy in zip(chances, policies, strict=True)]
        out[own.rows] = own.policy(np.sum(plans, axis=0))
    return out


def joined(form: SequenceForm, policies: Sequence[Policy]) -> Policy:
    """The profile in which each player follows its own of several policies, one for each seat."""
    if len(policies) != len(form.players):
        raise UserError(f"{len(form.players)} players need as many policies, not {len(policies)}.")
    out = np.empty_like(np.asarray(policies[0], float))
    for own, policy in zip(form.players, policies, strict=True):
        out[own.rows] = policy[own.rows]
    return out
