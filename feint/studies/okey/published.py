"""The figures of the thesis, as printed; and what was measured of its game before feint."""

from __future__ import annotations

from typing import NamedTuple

EPISODES = 100_000  # of every experiment


class Experiment(NamedTuple):
    """One of its four runs: games of 100,000, and rewards an episode."""

    won: int
    drawn: int
    lost: int
    draw_reward: float
    discard_reward: float


# By number: whether the learner discards greedily, and whether it replays memories by priority.
HOW = {1: (True, True), 2: (False, True), 3: (True, False), 4: (False, False)}
EXPERIMENTS = {
    1: Experiment(16, 68_436, 31_548, 73.4, 133.7),
    2: Experiment(2_337, 65_471, 32_192, 68.3, 145.9),
    3: Experiment(5_937, 48_983, 45_080, 117.9, 407.4),
    4: Experiment(1_356, 54_417, 44_227, 133.9, 390.7),
}
OPPONENT_WON = 38.2  # percent of all episodes, as its text has it

# Measured before feint by a program of another make, 20,000 games: percent won, drawn and lost by an agent. They are no published figures.
# Against an opponent that discards what an exact arrangement leaves over:
EXACT_BEFORE = {
    "random": (0.01, 1.0, 99.0),
    "computer": (50.0, 0.02, 50.0),
    "greedy": (84.3, 0.0, 15.7),
    "greedy(wide=true)": (85.9, 0.0, 14.1),
}
# And against one that discards any tile in no complete meld:
LITERAL_BEFORE = {"greedy": (87.5, 0.0, 12.5)}
# Four players with runs of five: percent won in the first seat, and drawn.
FOUR_BEFORE = {
    ("computer", "computer"): (22.7, 8.2),
    ("greedy", "computer"): (67.0, 3.1),
    ("greedy(wide=true)", "computer"): (71.6, 1.3),
    ("greedy", "greedy"): (24.3, 0.8),
}
