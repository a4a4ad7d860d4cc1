"""A hidden world of Bidding Elimination consistent with what one player knows."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import Array

from feint import chance
from feint.games.bidding.rules import Rules, State
from feint.games.bidding.view import NONE, View


def redeal(rules: Rules, view: View, key: chance.Key) -> State:
    """The others' bids and the draws for ties anew.

    Whoever stayed in bid at least the lowest of each round, whoever went out exactly that; what each has beyond is spread over its
    bids and its purse, every such spread as likely as the others.
    """
    coins_key, ties_key = jax.random.split(key)
    bids = _bids(rules, view, coins_key)
    return rules.ready(
        State(
            coins=(view.purse - jnp.maximum(bids, 0).sum(axis=0)).astype(jnp.int16),
            bids=bids,
            lowest=view.lowest,
            out=view.out,
            alive=view.alive,
            ties=_ties(rules, view, bids, ties_key),
            round=view.round,
            current_player=view.turn,
            legal_action_mask=jnp.zeros(rules.actions, bool),
            rewards=jnp.where((view.round == rules.rounds) & view.alive, 1.0, 0.0),
            terminated=view.round == rules.rounds,
        )
    )


def _bids(rules: Rules, view: View, key: chance.Key) -> Array:
    """Bids of everybody, one's own as they are, int16[rounds, players]."""
    rounds, seats = jnp.arange(rules.rounds), jnp.arange(rules.players)
    # The round in which each went out, int[players]; `rounds` for those still in.
    left_in = jnp.min(jnp.where(view.out[:, None] == seats, rounds[:, None], rules.rounds), axis=0)
    settled = (rounds[:, None] < view.round) & (rounds[:, None] <= left_in)
    sealed = (rounds[:, None] == view.round) & view.alive & (seats < view.turn)
    least = jnp.where(settled, view.lowest[:, None], 0).astype(jnp.int32)

    # Where a spare coin may be, bool[rounds + 1, players], the purse last. Whoever has made the all-in bid has an empty purse.
    made_final = (settled | sealed)[-1] & (rules.final == "all-in")
    places = jnp.vstack([(settled & (rounds[:, None] < left_in)) | sealed, ~made_final])
    spare = view.purse - least.sum(axis=0)
    spread = jax.vmap(_spread, (0, 0, 1, None), 1)(jax.random.split(key, rules.players), spare, places, rules.coins)
    bids = jnp.where(settled | sealed, least + spread[:-1], NONE).astype(jnp.int16)
    return jnp.where(seats == view.seat, view.bids[:, None], bids)


def _spread(key: chance.Key, coins: Array, places: Array, most: int) -> Array:
    """So many coins, at most `most`, over the places that are true, every way as likely as the others, int32[places]."""
    share_key, coin_key = jax.random.split(key)
    # Shares drawn evenly and coins thrown by them: that is a uniform draw among all ways.
    shares = jnp.cumsum(jnp.where(places, jax.random.exponential(share_key, places.shape), 0))
    thrown = jax.random.uniform(coin_key, (most, 1)) * shares[-1]
    # A coin beyond all shares, as where they are all nothing, falls on the last place there is.
    last = jnp.arange(places.size) == jnp.where(places, jnp.arange(places.size), 0).max()
    place = jnp.argmax((places & (shares > thrown)) | last, axis=1)
    return jnp.zeros(places.shape, jnp.int32).at[place].add(jnp.arange(most) < coins)


def _ties(rules: Rules, view: View, bids: Array, key: chance.Key) -> Array:
    """Draws by which whoever went out did, and any draw for rounds to come, int32[rounds]."""
    draws = jnp.asarray(rules.draws)
    any_draw = jax.random.randint(key, draws.shape, 0, draws)
    tied = (bids == view.lowest[:, None]) & (bids != NONE)
    count = jnp.maximum(tied.sum(axis=1), 1)
    seats = jnp.arange(rules.players)
    place = (tied & (seats < view.out[:, None])).sum(axis=1)
    fitting = any_draw - any_draw % count + place
    fitting = jnp.where(fitting < draws, fitting, fitting - count)
    return jnp.where(jnp.arange(rules.rounds) < view.round, fitting, any_draw).astype(jnp.int32)
