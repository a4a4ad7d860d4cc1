"""Logs checked against the rules: every hand is played again, and everything that was written about it written anew."""

from __future__ import annotations

from collections.abc import Iterator

import jax
import numpy as np

from feint.games.holdem import acpc
from feint.games.holdem.acpc import Log
from feint.games.holdem.rules import Rules


def faults(rules: Rules, log: Log) -> Iterator[str]:
    """Sentences about what a log says and the rules do not; `UserError` for a hand that cannot be played at all."""
    states = acpc.replay(rules, log.hands) if log.hands else None
    for index, hand in enumerate(log.hands):
        state = jax.tree.map(lambda leaf, index=index: leaf[index], states)
        if not state.terminated:
            yield f"Hand {hand.number} is not over."
        elif (ours := acpc.hand_of(rules, state, hand.number, hand.names)) != hand and str(ours) != str(hand):
            paid, told = ("|".join(map(acpc.value_text, values)) for values in (ours.values, hand.values))
            yield f"Hand {hand.number} pays {paid} by the rules, and {told} in the log."
    if log.score and len(log.score) == rules.players:
        sums = np.sum([hand.paid for hand in log.hands], axis=0)
        if not np.allclose(sums, log.score, atol=1e-5 * max(1, len(log.hands)), rtol=0):
            paid, told = ("|".join(map(acpc.value_text, values)) for values in (sums, log.score))
            yield f"The hands add up to {paid}, and the score is {told}."


def by_player(log: Log) -> dict[str, list[float]]:
    """What every hand paid, by who was paid."""
    paid: dict[str, list[float]] = {}
    for hand in log.hands:
        for name, value in zip(hand.names, hand.values, strict=True):
            paid.setdefault(name, []).append(value)
    return paid
