"""Bluff as the thesis built it, an object for each player, in plain Python: the baseline the arena is measured against.

Written for speed within that design: ranks only, a count of each rank beside the hand, no logging. It is also an independent second
opinion on rules and agents, which a test compares with feint's.
"""

from __future__ import annotations

import random
from typing import ClassVar

RANKS, COPIES = 13, 4


class Player:
    """No-bluff: all true cards, else the first; believes everybody."""

    def __init__(self, rng: random.Random, players: int) -> None:
        self.random = rng.random
        self.rng = rng
        self.farthest = [[(due - players * k) % RANKS for k in range(1, 9)] for due in range(RANKS)]

    def deal(self, hand: list[int]) -> None:
        self.hand = hand
        self.count = [0] * RANKS
        for rank in hand:
            self.count[rank] += 1

    def take(self, pile: list[int]) -> None:
        self.hand += pile
        for rank in pile:
            self.count[rank] += 1

    def play(self, due: int) -> list[int]:
        held = self.count[due]
        if held:
            self.hand = [rank for rank in self.hand if rank != due]
            self.count[due] = 0
            return [due] * held
        rank = self.choose(due)
        self.hand.remove(rank)
        self.count[rank] -= 1
        return [rank]

    def choose(self, due: int) -> int:
        return self.hand[0]

    def calls(self, due: int, left: int) -> bool:
        return False


class Smart(Player):
    """All true cards, else one needed last; calls by the count rule."""

    def choose(self, due: int) -> int:
        count = self.count
        for rank in self.farthest[due]:
            if count[rank]:
                return rank
        return self.hand[0]

    def calls(self, due: int, left: int) -> bool:
        held = self.count[due]
        if held < 2:
            return False
        return held == COPIES or self.random() < (0.25 if held == 2 else 0.75)


class Anxious(Smart):
    def calls(self, due: int, left: int) -> bool:
        return left < 3 or super().calls(due, left)


class Reinforcement(Smart):
    """Looks its rewards up: the best rank in hand for the rank due."""

    rewards: ClassVar[list[list[float]]] = []

    def play(self, due: int) -> list[int]:
        count, row = self.count, self.rewards[due]
        best = max((rank for rank in range(RANKS) if count[rank]), key=row.__getitem__)
        if row[best] <= 0:
            best = self.rng.choice(self.hand)
        elif best == due:
            return super().play(due)
        self.hand.remove(best)
        count[best] -= 1
        return [best]


KINDS = {"no-bluff": Player, "smart": Smart, "anxious": Anxious, "reinforcement": Reinforcement}


def play_games(names: list[str], games: int, seed: int = 0, cap: int = 2000) -> tuple[list[int], int]:
    """Wins by seat and decisions (plays and answers) of so many games."""
    rng = random.Random(seed)
    players = [KINDS[name](rng, len(names)) for name in names]
    deck = list(range(RANKS)) * COPIES
    share = len(deck) // len(players)
    wins, decisions = [0] * len(players), 0
    for _ in range(games):
        rng.shuffle(deck)
        for seat, player in enumerate(players):
            player.deal(deck[seat * share : (seat + 1) * share])
        winner, count = play_game(players, cap)
        decisions += count
        if winner >= 0:
            wins[winner] += 1
    return wins, decisions


def play_game(players: list[Player], cap: int) -> tuple[int, int]:
    """Who wins (-1: nobody) and how many decisions it took."""
    seats, pile, decisions = len(players), [], 0
    for turn in range(cap):
        seat, due = turn % seats, turn % RANKS
        player = players[seat]
        laid = player.play(due)
        pile += laid
        left = len(player.hand)
        decisions += 1
        for k in range(1, seats):
            caller = players[(seat + k) % seats]
            decisions += 1
            if caller.calls(due, left):
                honest = all(rank == due for rank in laid)
                (caller if honest else player).take(pile)
                pile = []
                break
        if not player.hand:
            return seat, decisions
    return -1, decisions
