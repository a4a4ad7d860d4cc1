"""The thesis' program as it must have run, in plain Python that shares no code with the study: one list a hand, one game at a time."""

import random

RANKS, TRAINING = 13, 25


class Program:
    """A run of games; the learners' rewards last for all of them."""

    def __init__(self, kinds, rng):
        self.kinds, self.rng, self.seats = kinds, rng, len(kinds)
        self.rewards = [[0] * RANKS for _ in range(RANKS)]

    def game(self):
        """The winning seat, or None where the game cannot end."""
        deck = list(range(52))
        self.rng.shuffle(deck)
        share = 52 // self.seats
        self.hands = [deck[seat * share : (seat + 1) * share] for seat in range(self.seats)]
        self.pile, self.learned, self.trained = [], 0, {}
        called, idle = False, 0
        for turn in range(100_000):
            player, due = turn % self.seats, turn % RANKS
            play, honest, lesson = self.play(player, due)
            for card in play:
                self.hands[player].remove(card)
            self.pile += play
            forgotten = called and player == 0
            caller = None if forgotten else self.caller(player, due)
            called = caller is not None
            if called:
                loser = caller if honest else player
                self.hands[loser] += self.pile
                self.pile = []
            if lesson is not None and (honest or not called):
                self.rewards[due][lesson] += 1
            if not self.hands[player]:
                return player
            idle = 0 if play or called else idle + 1
            if idle == 52:
                return None
        raise AssertionError("no game of these seats is so long")

    def play(self, player, due):
        """The cards laid, whether they would pass for the rank due, and what a learner in training lays."""
        hand, kind = self.hands[player], self.kinds[player]
        true = [card for card in hand if card % RANKS == due]
        if kind == "no-bluff":
            play = true or hand[:1]
        elif kind == "anxious":
            play = true[:1] or hand[:1]
        elif kind in ("smart", "late-anxious", "mutant"):
            play = true or self.late(hand, due, 8)
        elif self.learned < TRAINING:
            self.learned += 1
            play = true or self.late(hand, due, 9)
            self.trained[player] = play[0] % RANKS
            return play, bool(true), play[0] % RANKS
        else:
            self.learned += 1
            return self.looked_up(hand, due), self.trained[player] == due, None
        return play, bool(true), None

    def late(self, hand, due, candidates):
        late = [(due - self.seats * k) % RANKS for k in range(1, candidates + 1)]
        if hand[0] % RANKS in late:
            return hand[:1]
        found = [card for rank in late for card in hand if card % RANKS == rank]
        return found[:1] or hand[:1]

    def looked_up(self, hand, due):
        row = self.rewards[due]
        held = sorted({card % RANKS for card in hand})
        best = max(held, key=lambda rank: row[rank])
        if row[best] > 0:
            cards = [card for card in hand if card % RANKS == best]
            return cards if best == due else cards[:1]
        return [self.rng.choice(hand[1:])] if len(hand) > 1 else []

    def caller(self, player, due):
        left = len(self.hands[player])
        for seat, kind in enumerate(self.kinds):
            if seat == player or kind == "no-bluff":
                continue
            anxious = {"anxious": 3, "late-anxious": 3, "mutant": 2}.get(kind, 0)
            two = 0.1 if kind in ("anxious", "mutant") else 0.25
            own = sum(card % RANKS == due for card in self.hands[seat])
            chance = {2: two, 3: 0.75, 4: 1.0}.get(own, 0.0)
            if left < anxious or self.rng.random() < chance:
                return seat
        return None


def wins(kinds, runs, seed, length=300):
    """Wins by seat in so many runs."""
    rng = random.Random(seed)
    counts = [0] * len(kinds)
    for _ in range(runs):
        program = Program(kinds, rng)
        for _ in range(length):
            winner = program.game()
            if winner is not None:
                counts[winner] += 1
    return counts
