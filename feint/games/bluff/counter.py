"""The agent that watches every card: it works out what others can hold, and weighs what a lie or a call puts at stake."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import Array

from feint.chance import Key
from feint.game import option, pytree
from feint.games.bluff.agents import Laying, latest_cards
from feint.games.bluff.beliefs import Beliefs, beliefs
from feint.games.bluff.view import View


@pytree
class Counter(Laying):
    """Locates cards, counts the rest, and lays and calls by the odds and what is at stake.

    The settings were found by the cross-entropy method, for the mean win rate beside no-bluff, smart and reinforcement, beside
    the same with sharp callers, and beside anxious, smart and reinforcement (60%, 55% and 42%). Found for the first of
    these tables alone, loss=0.18, win=63, call_two=0.43, call_three=0.52, sharp=0.03, wary=0.013, lies=0.036, growth=0.14, share=0.12,
    stop=0.31, cleared=0.59 wins 91% there.
    """

    # Laying: the worth of a play is (1 - p)(cards + win) - p loss (pile + cards), p being the chance to be caught.
    loss: float = option(1.04, "what a card taken costs", least=0, most=1000)
    win: float = option(0.41, "what laying the last cards is worth", least=0, most=1000)
    # How others are expected to call: the thesis' count rule, and by how much they are feared to be sharper than it.
    call_two: float = option(0.24, "chance of a call of whoever holds two of the rank claimed", least=0, most=1)
    call_three: float = option(0.69, "chance of a call of whoever holds three", least=0, most=1)
    sharp: float = option(0.28, "chance that somebody who can prove a bluff calls it", least=0, most=1)
    wary: float = option(0.01, "chance of a call for no reason, from each player", least=0, most=1)
    # Calling: lies of one card, and of each card more, weighed against the truth; what taking the pile costs oneself
    # against what it costs the liar; and how much of a player's cards count once it is through with the rank due.
    lies: float = option(0.01, "weight of a lie of one card", least=0, most=1000)
    growth: float = option(0.1, "by how much that grows with each card more", least=0, most=1000)
    share: float = option(0.35, "what the pile costs the liar, beside what it costs oneself", least=0, most=1000)
    stop: float = option(
        0.27, "what catching a player is worth beyond the pile, shared over the cards it has left", least=0, most=1000
    )
    cleared: float = option(0.8, "weight of a claim of a rank the player was through with", least=0, most=1)

    def cards(self, view: View, key: Key) -> Array:
        known = beliefs(view)
        counts = jnp.arange(1, view.room + 1)
        own, true = view.held.sum(), jnp.minimum(view.true_cards, view.most)
        caught = jax.vmap(lambda count: self._caught(view, known, count))(counts)
        risk = jnp.where(counts <= true, 0.0, caught)
        rest = own - counts
        gain = counts + jnp.where(rest == 0, self.win, 0.0)
        worth = (1 - risk) * gain - risk * self.loss * (view.pile_size + counts)
        possible = (counts >= true) & (counts <= jnp.minimum(own, view.most))
        best = jnp.argmax(jnp.where(possible, worth, -jnp.inf)) + 1
        return latest_cards(view, best)

    def _caught(self, view: View, known: Beliefs, count: Array) -> Array:
        """The chance that somebody calls a false play of so many cards."""
        held = jnp.arange(known.chances.shape[1]) + known.known[:, None]  # float32[players, copies + 1]
        by_count = jnp.where(
            held >= view.copies, 1.0, jnp.where(held >= 3, self.call_three, jnp.where(held >= 2, self.call_two, 0.0))
        )
        proven = jnp.where(held + count > view.copies, self.sharp, 0.0)
        calls = 1 - (1 - by_count) * (1 - proven) * (1 - self.wary)
        trusted = 1 - (known.chances * calls).sum(axis=1)
        return 1 - jnp.where(jnp.arange(view.players) == view.seat, 1.0, trusted).prod()

    def calls(self, view: View, key: Key) -> Array:
        left = view.sizes[view.player]
        possible = self._possible(view)
        lying = self.lies * self.growth ** (view.claim - 1.0) * (1 - possible)
        truth = possible / jnp.maximum(possible + lying, 1e-9)
        pile = view.pile_size
        gain = self.share * pile + self.stop / (left + 1.0)
        # A true play of somebody's last cards wins whether it is called or not.
        cost = jnp.where(left == 0, 0.0, pile)
        return (1 - truth) * gain > truth * cost

    def _possible(self, view: View) -> Array:
        """The chance that the player had the cards it claims."""
        known = beliefs(view)
        passed = (view.cleared[view.player] & view.is_due).any()
        weight = jnp.where(passed, self.cleared, 1.0)
        return weight * known.at_least(view.claim)[view.player]
