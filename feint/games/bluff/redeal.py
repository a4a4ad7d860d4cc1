"""A hidden world of Bluff consistent with what one player knows, every such world as likely as the others."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import Array

from feint import chance
from feint.games.bluff.rules import Rules, State
from feint.games.bluff.view import NOBODY, View


def redeal(rules: Rules, view: View, key: chance.Key) -> State:
    """Cards one cannot place change places with each other; those located with a player stay with that player.

    If somebody else is picking cards this turn, none are picked yet in the world returned. What others know is the least
    they must: their own cards.
    """
    won = (view.asked == 0) & (view.sizes == 0).any()
    own = (view.hand | view.buried).ravel()
    slot_place, slot_stamp, slot_owner = _slots(rules, view)
    slot_of_card = _assign(rules, view, slot_owner, key)
    place = jnp.where(own, _own_place(rules, view), slot_place[slot_of_card]).astype(jnp.int8)
    stamp = jnp.where(own, view.stamp.ravel(), slot_stamp[slot_of_card]).astype(view.stamp.dtype)

    seats = jnp.arange(rules.players, dtype=jnp.int8)[:, None]
    theirs = (place == seats) | (place == rules.players + seats) | ((place == rules.in_claim) & (view.player == seats))
    located = jnp.where(theirs, seats, jnp.int8(NOBODY)).at[view.seat].set(view.located.ravel())
    return rules.ready(
        State(
            place=place,
            stamp=stamp,
            laid=view.laid,
            turn=view.turn,
            asked=view.asked,
            located=located,
            cleared=view.cleared,
            answers=view.answers,
            log=view.log,
            current_player=jnp.int32(0),
            legal_action_mask=jnp.zeros(rules.actions, bool),
            rewards=jnp.where(won, rules.payoffs((view.turn - 1) % rules.players), 0.0),
            terminated=won | ((view.asked == 0) & (view.turn == rules.cap)),
        )
    )


def _own_place(rules: Rules, view: View) -> Array:
    """Where one's own cards are, int[cards]; meaningless for other cards."""
    hand, picked = view.hand.ravel(), view.picked.ravel()
    claimed = (view.player == view.seat) & (view.stamp.ravel() >= rules.cards + view.laid - view.claim)
    in_pile = jnp.where(claimed & (view.asked > 0), rules.in_claim, rules.players + view.seat)
    return jnp.where(hand, view.seat, jnp.where(picked, rules.in_claim, in_pile))


def _slots(rules: Rules, view: View) -> tuple[Array, Array, Array]:
    """The places that other players' cards fill: place, stamp and owner of each, int[2 * cards].

    The first half are hands, the second half the pile; the owner is NOBODY for a slot that does not exist or is one's own,
    and `players` for cards out of play.
    """
    index = jnp.arange(rules.cards)
    sizes = view.sizes.at[view.seat].set(0).astype(jnp.int32)
    out = rules.cards % rules.players if rules.remainder == "unused" else 0
    ends = jnp.cumsum(jnp.append(sizes, out))
    holder = (index[:, None] >= ends).sum(axis=1)  # int[cards]: whose hand slot this is, players + 1 for none
    exists = holder <= rules.players
    hand_place = jnp.where(holder == rules.players, rules.out_of_play, holder)
    hand_owner = jnp.where(exists, holder, NOBODY)
    # Hands in the order of a deal: an even share for each, then one more card each; those out of play last.
    share = rules.cards // rules.players
    nth = index - jnp.append(0, ends)[holder]
    later = jnp.where(holder < rules.players, holder + (nth - share) * rules.players, nth)
    in_share = (holder < rules.players) & (nth < share)
    hand_stamp = jnp.where(in_share, holder * share + nth, share * rules.players + later)

    size = view.pile_size
    claimed = index >= size - view.claim
    pile_place = jnp.where(claimed, rules.in_claim, rules.players + view.pile)
    pile_owner = jnp.where(view.pile == view.seat, NOBODY, view.pile)
    pile_stamp = rules.cards + view.laid - size + index
    return (
        jnp.concatenate([hand_place, pile_place]),
        jnp.concatenate([hand_stamp, pile_stamp]),
        jnp.concatenate([hand_owner, pile_owner]),
    )


def _assign(rules: Rules, view: View, slot_owner: Array, key: chance.Key) -> Array:
    """A slot for each card that is not one's own, int[cards], uniformly among those where it may be."""
    slot_key, card_key = jax.random.split(key)
    chance_of_slot = jax.random.uniform(slot_key, slot_owner.shape)
    # Places in a random order, not the draws themselves: of two cards that drew the same, one comes first.
    chance_of_card = jnp.argsort(jnp.argsort(jax.random.uniform(card_key, (rules.cards,))))
    own = (view.hand | view.buried).ravel()
    located = jnp.where(own, NOBODY, view.located.ravel())

    # First the located cards: the j-th with an owner takes the j-th of that owner's slots, both in random order.
    slots = jnp.lexsort((chance_of_slot, slot_owner))
    first = jnp.searchsorted(slot_owner[slots], jnp.arange(rules.players))
    before = (located[None, :] == located[:, None]) & (chance_of_card[None, :] < chance_of_card[:, None])
    located_slot = slots[first[located] + before.sum(axis=1)]
    is_located = located != NOBODY

    # Then all others fill what is left, again in random order.
    used = (
        jnp.zeros(slot_owner.shape, bool)
        .at[jnp.where(is_located, located_slot, slot_owner.size)]
        .set(True, mode="drop")
    )
    free = jnp.lexsort((chance_of_slot, used | (slot_owner == NOBODY)))
    waiting = jnp.lexsort((chance_of_card, own | is_located))
    others_slot = jnp.zeros(rules.cards, int).at[waiting].set(free[: rules.cards])
    return jnp.where(is_located, located_slot, others_slot)
