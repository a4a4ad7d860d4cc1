"""The figures of the two publications, as printed."""

AGENTS = ("no-bluff", "smart", "reinforcement", "anxious")  # NBAI, SAI, RLAI and AAI: 1, 2, 3 and 4 in the run orders
RUN = 300  # games behind a row of every table but two
NO_BLUFF, SMART, REINFORCEMENT, ANXIOUS = range(4)

# Table 2: games won by seat in percent, four of a kind.
SELF_PLAY = {
    "no-bluff": (44, 26, 16, 14),
    "smart": (36, 23, 19, 22),
    "reinforcement": (47, 17, 16, 20),
    "anxious": (34, 14, 24, 28),
}

# Figures 9 and 10: percent by seat.
EXPERIMENT_2 = (32, 26, 20, 22)
EXPERIMENT_3 = (49, 31, 5, 15)

# Table 3: wins of no-bluff, smart, reinforcement and anxious in 300 games of each run order.
ORDERS = {
    "1234": (107, 79, 110, 4),
    "1243": (154, 80, 66, 0),
    "1324": (119, 102, 78, 1),
    "1342": (145, 74, 80, 1),
    "1423": (167, 51, 82, 0),
    "1432": (149, 83, 68, 0),
    "2134": (103, 104, 91, 2),
    "2143": (78, 158, 64, 0),
    "2314": (97, 94, 109, 0),
    "2341": (90, 129, 80, 1),
    "2413": (87, 154, 57, 2),
    "2431": (93, 127, 79, 1),
    "3124": (113, 95, 91, 1),
    "3142": (83, 80, 137, 0),
    "3214": (85, 121, 93, 1),
    "3241": (86, 90, 121, 3),
    "3412": (98, 59, 142, 1),
    "3421": (96, 63, 139, 2),
    "4123": (99, 84, 113, 4),
    "4132": (100, 110, 86, 4),
    "4213": (114, 101, 85, 0),
    "4231": (116, 85, 98, 1),
    "4312": (110, 96, 91, 3),
    "4321": (102, 111, 87, 0),
}
ORDER_TOTALS = (2591, 2330, 2247, 32)
ORDER_PERCENT = (36, 32, 31, 1)

# Table 4: calls of each agent in 1200 games.
CALL_GAMES = 1200
TRUE_CALLS = (0, 2114, 2988, 9508)
FALSE_CALLS = (0, 1251, 1310, 3163)

# Tables 5 and 7: who sits where, and percent by seat.
EVOLUTION = {
    1: (("no-bluff", "smart", "reinforcement", "anxious"), (27, 26, 32, 15)),
    2: (("no-bluff", "smart", "reinforcement", "reinforcement"), (30, 34, 24, 12)),
    3: (("no-bluff", "smart", "reinforcement", "smart"), (24, 28, 20, 28)),
    4: (("no-bluff", "smart", "smart", "smart"), (15, 21, 20, 44)),
    5: (("smart",) * 4, None),
    6: (("mutant", "mutant", "smart", "smart", "smart", "smart"), (1, 21, 9, 22, 24, 22)),
    7: (("smart", "mutant", "smart", "smart", "smart", "smart"), (50, 3, 4, 13, 16, 15)),
    8: (("smart",) * 6, (18, 17, 19, 15, 15, 15)),
}

# Table 6: the first evolution by the replicator equation, with the average fitness the text works out.
FITNESS = (82, 79, 95, 44)
AVERAGE_FITNESS = 18.75
ABOVE_AVERAGE = (63.25, 60.25, 76.25, 25.25)
GROWTH = (15.8125, 15.0625, 19.0625, 6.3125)

# Table 8: payoffs of player X (bluff, no bluff) and player Y (challenge, no contest).
PAYOFFS = (((-3, 1), (2, 2)), ((3, -1), (-2, 2)))

# Chapter 9.
RUN_SIZE = 299

# Figure 8 of the earlier report: what a four-flush draw is worth, by how often the other calls and how often it bluffs.
FLUSH_BLUFFS = (0.00, 0.05, 0.10, 0.15, 0.20, 0.25, 0.30, 0.40, 0.60, 0.80)
FLUSH_VALUES = {
    0.0: (0.20, 0.25, 0.30, 0.35, 0.40, 0.45, 0.50, 0.60, 0.80, 1.00),
    0.1: (0.22, 0.26, 0.30, 0.34, 0.38, 0.42, 0.46, 0.54, 0.70, 0.86),
    0.2: (0.24, 0.27, 0.30, 0.33, 0.36, 0.39, 0.42, 0.48, 0.60, 0.72),
    0.3: (0.26, 0.28, 0.30, 0.32, 0.34, 0.36, 0.38, 0.42, 0.50, 0.58),
    0.4: (0.28, 0.29, 0.30, 0.31, 0.32, 0.33, 0.34, 0.36, 0.40, 0.44),
    0.5: (0.30, 0.30, 0.30, 0.30, 0.30, 0.30, 0.30, 0.30, 0.30, 0.30),
    0.6: (0.32, 0.31, 0.30, 0.29, 0.28, 0.27, 0.26, 0.24, 0.20, 0.16),
    0.7: (0.34, 0.32, 0.30, 0.28, 0.26, 0.24, 0.22, 0.18, 0.10, 0.02),
    0.8: (0.36, 0.33, 0.30, 0.27, 0.24, 0.21, 0.18, 0.12, 0.00, -0.12),
    0.9: (0.38, 0.34, 0.30, 0.26, 0.22, 0.18, 0.14, 0.06, -0.10, -0.26),
    1.0: (0.40, 0.35, 0.30, 0.25, 0.20, 0.15, 0.10, 0.00, -0.20, -0.40),
}
