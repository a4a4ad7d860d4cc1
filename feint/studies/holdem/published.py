"""The figures of the paper on risk dominance in poker, as printed."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

HANDS = 3000  # of the tournament behind tables 4 to 6
CORRECT = 81.66  # percent: what its network foretold of its test data
HIDDEN_UNITS = 12

# Table 1: what a player is paid, by its own action and the other's; both players alike.
GAMES = {"game 1": np.array([[8.0, 4.0], [3.0, 6.0]]), "game 2": np.array([[8.0, 0.0], [4.0, 6.0]])}
RATIOS = {"game 1": 2.5, "game 2": 0.67}  # of which R is the logarithm

# Table 3: how often "marv" did what, and how likely it is therefore.
OPPONENT_CALLS, OPPONENT_RAISES = 2_410_512, 5_110_788
AFTER_RAISE = {"raise": (749_287, 0.1466089), "call": (3_552_636, 0.6951249), "fold": (808_865, 0.1582662)}
AFTER_CALL = {"raise": (1_754_272, 0.7277591), "call": (656_240, 0.2722409), "fold": (0, 0.0)}


class Details(NamedTuple):
    """A row of table 4: shares, and chips."""

    raises: float
    different: float
    folded_to: float
    success: float
    payoff: int


DETAILS = {
    "tanh": Details(0.273, 0.0, 0.0428, 0.5130, 398),
    "risk-s": Details(0.235, 0.0713, 0.0991, 0.8704, 554),
    "risk-g": Details(0.249, 0.1125, 0.1007, 0.2698, -428),
}

# Tables 5 and 6: percent of all decisions, by what was done (fold, call, raise) and what was foretold.
CONFUSION = {
    "risk-g": np.array([[12.25, 0.16, 0.41], [3.50, 47.65, 10.28], [2.37, 7.15, 16.22]]),
    "risk-s": np.array([[19.66, 0.25, 0.20], [1.96, 52.31, 11.39], [0.05, 2.18, 12.00]]),
}
ACCURACY = {"risk-g": 76.12, "risk-s": 83.97}
