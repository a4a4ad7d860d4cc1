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

    A view does not keep everything that was seen: a card located with somebody who laid unseen cards into a pile that another took is with
    one of these two, and the view says only that it cannot be told. So some of these worlds contradict the history: half of them at a
    table of the thesis' four agents, measured every 40 moves. `history.redeal_history` draws worlds that fit all of it.
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
    # Orders, not draws: no two are the same.
    slot_order = chance.shuffle(slot_key, slot_owner.size)
    card_order = chance.shuffle(card_key, rules.cards)
    own = (view.hand | view.buried).ravel()
    located = jnp.where(own, NOBODY, view.located.ravel())

    # First the located cards: the j-th with an owner takes the j-th of that owner's slots, both in random order.
    by_owner = _paired(located, card_order, slot_owner, slot_order) & (located != NOBODY)[:, None]
    # Then all others fill what is left, again in random order.
    waiting = ~own & (located == NOBODY)
    free = (slot_owner != NOBODY) & ~by_owner.any(axis=0)
    by_chance = _paired(waiting, card_order, free, slot_order) & waiting[:, None]
    return jnp.argmax(by_owner | by_chance, axis=1)


def _paired(card_group: Array, card_order: Array, slot_group: Array, slot_order: Array) -> Array:
    """Which slot goes with which card, bool[cards, slots]: the j-th of a group with the j-th of that group, by the order of each."""

    def nth(group: Array, order: Array) -> Array:
        before = (group[:, None] == group) & (order < order[:, None])
        return before.sum(axis=1, dtype=jnp.int16)  # far faster than sorting, which compilers do not fuse

    same = card_group[:, None] == slot_group
    return same & (nth(card_group, card_order)[:, None] == nth(slot_group, slot_order))
