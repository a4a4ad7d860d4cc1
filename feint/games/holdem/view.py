"""What a player of Hold'em sees: its own cards, the board so far, and all betting."""

from __future__ import annotations

from jax import Array

from feint import game
from feint.game import pytree

NONE = -1  # nobody, or no action


@pytree
class View(game.View):
    cards: Array  # int8[2]: one's own, HIDDEN from spectators
    board: Array  # int8[board]: HIDDEN where a card is not turned up yet
    player: Array  # int32: who acts
    round: Array  # int32: 0 before the flop
    bet: Array  # int32: what a bet or a raise is in this round
    paid: Array  # int32[players]: chips in the pot
    folded: Array  # bool[players]
    raises: Array  # int32: bets and raises in this round, blinds not counted
    waiting: Array  # int32: how many have yet to act in this round unless somebody raises, whoever acts among them
    moves: Array  # int32: actions in this round
    history: Array  # int8[rounds, moves of a round]: every action, NONE for those to come
    actors: Array  # int8[rounds, moves of a round]: whose it was, NONE for those to come
    over: Array  # bool
    shown: Array  # int8[players, 2]: the cards shown at the end, HIDDEN where none are

    @property
    def players(self) -> int:
        return self.paid.shape[-1]

    @property
    def pot(self) -> Array:
        """All chips in the pot, int32."""
        return self.paid.sum()

    @property
    def to_call(self) -> Array:
        """What whoever acts has to pay to stay in, int32."""
        return self.paid.max() - self.paid[self.player]

    @property
    def live(self) -> Array:
        """Who is still in, bool[players]."""
        return ~self.folded
