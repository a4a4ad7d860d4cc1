"""Games whose play, payoffs or steps break the contract: Kuhn poker but for what their docstrings say."""

import random
from dataclasses import dataclass, replace

import jax
import jax.numpy as jnp

from feint.games.small.kuhn import Deal, Kuhn

# ---- random play


@dataclass(frozen=True)
class Endless(Kuhn):
    def move(self, state, action):
        after = super().move(state, action)
        return replace(after, terminated=jnp.bool_(False), moves=after.moves % self.max_moves)


@dataclass(frozen=True)
class Misdealt(Kuhn):
    """Deals the same card to everybody."""

    def draw(self, key):
        return Deal(jnp.zeros(self.players, jnp.int32))


@dataclass(frozen=True)
class Sleeve(Kuhn):
    """A card goes up a sleeve when somebody bets."""

    def move(self, state, action):
        after = super().move(state, action)
        return replace(after, cards=jnp.where(action == 1, after.cards[0], after.cards))


@dataclass(frozen=True)
class Stuck(Kuhn):
    """After a bet there is nothing to do."""

    def move(self, state, action):
        after = super().move(state, action)
        return replace(after, legal_action_mask=after.legal_action_mask & (action == 0))


# ---- payoffs


@dataclass(frozen=True)
class Generous(Kuhn):
    @property
    def payoff_range(self):
        return -1.0, 3.0

    def _payoffs(self, cards, bets):
        return super()._payoffs(cards, bets) + 1.0


@dataclass(frozen=True)
class Boundless(Kuhn):
    def _payoffs(self, cards, bets):
        return super()._payoffs(cards, bets) * jnp.inf


@dataclass(frozen=True)
class Hasty(Kuhn):
    """The first player is paid a coin for its move, and gives it back at the end."""

    def move(self, state, action):
        after = super().move(state, action)
        coin = jnp.array([1.0, -1.0])
        return replace(after, rewards=after.rewards + coin * (state.moves == 0) - coin * after.terminated)


@dataclass(frozen=True)
class Modest(Kuhn):
    """Does not own up to what it pays after a call."""

    @property
    def payoff_range(self):
        return -1.0, 1.0


# ---- winners


@dataclass(frozen=True)
class Alone(Kuhn):
    """Names one winner, by number."""

    def winners(self, state, payoffs):
        return jnp.argmax(payoffs)


@dataclass(frozen=True)
class Counted(Kuhn):
    """Says for each player how often it won."""

    def winners(self, state, payoffs):
        return super().winners(state, payoffs).astype(jnp.int32)


@dataclass(frozen=True)
class Upside(Kuhn):
    """Calls the loser the winner."""

    def winners(self, state, payoffs):
        return payoffs == payoffs.min()


# ---- steps


@dataclass(frozen=True)
class PaysAgain(Kuhn):
    """Asked to go on after its end, pays once more."""

    def step(self, state, action):
        after = super().step(state, action)
        return replace(
            after, rewards=jnp.where(state.terminated, self._payoffs(state.cards, state.bets), after.rewards)
        )


@dataclass(frozen=True)
class GoesOn(Kuhn):
    """Asked to go on after its end, counts a move."""

    def step(self, state, action):
        after = super().step(state, action)
        return replace(after, moves=after.moves + state.terminated)


@dataclass(frozen=True)
class Dicey(Kuhn):
    """Throws dice in the middle of the game."""

    def move(self, state, action):
        after = super().move(state, action)
        return replace(after, opened=jnp.where(after.terminated, random.randint(0, 9**9), after.opened))


@dataclass(frozen=True)
class Redundant(Kuhn):
    """Whatever one does is a check."""

    def move(self, state, action):
        return super().move(state, jnp.zeros_like(action))


@dataclass(frozen=True)
class Idle(Kuhn):
    """A third action does nothing."""

    @property
    def actions(self):
        return 3

    @property
    def max_moves(self):
        return 100  # nobody idles for as long

    def move(self, state, action):
        return jax.tree.map(lambda idle, on: jnp.where(action == 2, idle, on), state, super().move(state, action))

    def describe(self, view, action):
        return "wait" if action == 2 else super().describe(view, action)


@dataclass(frozen=True)
class ShortMask(Kuhn):
    """Speaks of three actions, and has a mask of two."""

    @property
    def actions(self):
        return 3

    def deal(self, deal):
        return replace(super().deal(deal), legal_action_mask=jnp.ones(2, bool))


@dataclass(frozen=True)
class Lax(Kuhn):
    """The first player may not bet, but does if it tries."""

    def deal(self, deal):
        return replace(super().deal(deal), legal_action_mask=jnp.array([True, False]))

    def move(self, state, action):
        return replace(super().move(state, action), legal_action_mask=jnp.ones(2, bool))

    def step(self, state, action):
        return super().step(replace(state, legal_action_mask=jnp.ones(2, bool)), action)


@dataclass(frozen=True)
class Mumbling(Kuhn):
    def describe(self, view, action):
        return "move"
