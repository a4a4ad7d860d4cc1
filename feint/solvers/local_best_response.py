"""Local best response: what somebody wins who knows how an agent plays, and looks no further than the next bet.

It keeps in mind how likely the agent holds each hand, by all that it has done, and takes whichever of folding, calling and raising
would earn most if the agent answered a raise as it does and everybody then checked to the end. What it wins is a lower bound of what a
best response does, in games too large for those. (Lisý and Bowling, 2017.)
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from feint import chance
from feint.agent import Agent, tells_chances
from feint.chance import Key
from feint.errors import UserError
from feint.game import pytree
from feint.solvers.betting import CALL, FOLD, RAISE, Bets

BATCH_SIZE = 64  # hands
DRAWS = 16  # by which an agent is known that does not tell its probabilities


@pytree
class _Hand:
    """A hand in play."""

    state: Any
    weights: Array  # float32[holdings]: how likely the agent does what it did with each
    key: Key


def winnings(bets: Bets, agent: Agent, first: int, hands: int, seed: int) -> Array:
    """What a local best response wins in each of so many hands from number `first` on, float32[hands]: in turn in the first seat and
    in the second with the same cards. Cards of the agent are averaged over, as likely as they then are."""
    if bets.game.players != 2:
        raise UserError(f"A local best response is known for 2 players, not for {bets.game.players}.")
    return _winnings(bets, agent, jnp.arange(first, first + hands), chance.key(seed))


@jax.jit
def _winnings(bets: Bets, agent: Agent, numbers: Array, key: Key) -> Array:
    def one(number: Array) -> Array:
        return _played(bets, agent, jnp.int32(number % 2), jax.random.fold_in(key, number // 2))

    return jax.lax.map(one, numbers, batch_size=BATCH_SIZE)


def _played(bets: Bets, agent: Agent, seat: Array, key: Key) -> Array:
    """What it wins in one hand."""
    game = bets.game
    start = _Hand(game.init(key), jnp.ones(bets.holdings), key)
    memory = agent.begin(game, 1 - seat, key)

    def move(hand: _Hand) -> _Hand:
        state, here = hand.state, jax.random.fold_in(hand.key, 1)
        mine = state.current_player == seat
        raised = game.step(state, jnp.int32(RAISE))
        asked = jax.tree.map(lambda then, now: jnp.where(mine, then, now), raised, state)
        view, legal = game.observe(asked, 1 - seat), asked.legal_action_mask
        informed = bets.informed(agent, view)
        answers = jax.vmap(lambda holding: likely(informed, memory, bets.held(view, holding), legal, here))(
            jnp.arange(bets.holdings)
        )
        best = _best(bets, game.observe(state, seat), state.legal_action_mask, hand.weights, answers[:, FOLD], here)
        theirs = agent.act(memory, game.observe(state, 1 - seat), state.legal_action_mask, here)[0]
        action = jnp.where(mine, best, jnp.asarray(theirs, jnp.int32))
        weights = jnp.where(mine, hand.weights, hand.weights * answers[:, action])
        return _Hand(game.step(state, action), weights, here)

    over = jax.lax.while_loop(lambda hand: ~hand.state.terminated, move, start)
    state, view = over.state, game.observe(over.state, seat)
    shown = ~state.folded.any()
    won = (_shares(bets, view, over.weights) * bets.beats(view, over.key)).sum() * state.paid.sum() - state.paid[seat]
    return jnp.where(shown, won, state.rewards[seat])


def _best(bets: Bets, view: Any, legal: Array, weights: Array, folds: Array, key: Key) -> Array:
    """What earns most where each holding folds to a raise so likely, beside folding, which earns nothing."""
    shares, wins = _shares(bets, view, weights), bets.beats(view, key)
    pot, owed, bet = view.paid.sum(), view.paid.max() - view.paid[view.seat], bets.bet(view)
    called = wins * pot - (1 - wins) * owed
    raised = folds * pot + (1 - folds) * (wins * (pot + bet) - (1 - wins) * (owed + bet))
    earns = jnp.zeros(len(legal)).at[CALL].set((shares * called).sum()).at[RAISE].set((shares * raised).sum())
    return jnp.argmax(jnp.where(legal, earns, -jnp.inf)).astype(jnp.int32)


def _shares(bets: Bets, view: Any, weights: Array) -> Array:
    """How likely the agent holds each hand, float32[holdings]."""
    possible = bets.unseen(view)
    likely = jnp.where((weights * possible).sum() > 0, weights * possible, possible)
    return likely / likely.sum()


def likely(agent: Any, memory: Any, view: Any, legal: Array, key: Key) -> Array:
    """How likely an agent takes each action, float32[actions]: by its word, or by what it draws."""
    if tells_chances(agent):
        return agent.probabilities(view, legal)
    drawn = jax.vmap(lambda number: agent.act(memory, view, legal, jax.random.fold_in(key, number))[0])(
        jnp.arange(DRAWS)
    )
    return jax.nn.one_hot(drawn, len(legal)).mean(axis=0)
