"""The figures of the paper, as printed. Its box plots have no numbers."""

SCENARIOS = {
    "2 coins, static": (2, 0.0),
    "2 coins, changing": (2, 0.02),
    "10 coins, static": (10, 0.0),
    "10 coins, changing": (10, 0.02),
}
RUNS, LENGTH = 100, 1000  # of each scenario, and games of a run

# Figure 2: both opponents' strategies; the first sums to 0.90 as printed.
SECOND, THIRD = (0.20, 0.55, 0.15), (0.40, 0.15, 0.45)
ESTIMATED = 500  # games

# Ten players with fifty coins: percent of games won, "more than".
VALUE_ITERATION, DEEP_Q = 34.0, 22.0

# Figure 6: with 9 of 9 coins among 4 players, "four-ninths to be precise".
FIGURE_6 = ((9, 4, 9), 4)  # (coins, players, coins left), bid
