"""Games whose views break the contract: Kuhn poker but for what their docstrings say."""

from dataclasses import dataclass, replace

import jax
import jax.numpy as jnp
from jax import Array

from feint.game import Rows, pytree
from feint.games.small.kuhn import HIDDEN, Kuhn


def _folded(view):
    """Whether the last move was a fold."""
    return (view.history == 1).any() & (view.history[view.moves - 1] == 0)


# ---- views


@dataclass(frozen=True)
class Leaky(Kuhn):
    """After the first move, a mirror hangs behind the other player."""

    def observe(self, state, player):
        view = super().observe(state, player)
        mirror = (state.moves > 0) & ~state.terminated & (jnp.arange(2) != player)
        return replace(view, shown=jnp.where(mirror, state.cards, view.shown))


@dataclass(frozen=True)
class Sly(Kuhn):
    """Where the last move will stand, the other player's card does until then."""

    def observe(self, state, player):
        view = super().observe(state, player)
        told = (state.moves > 0) & ~state.terminated
        return replace(
            view, history=view.history.at[-1].set(jnp.where(told, state.cards[1 - player], view.history[-1]))
        )


@dataclass(frozen=True)
class Polite(Kuhn):
    """Nobody may open against the highest card."""

    def deal(self, deal):
        return self._polite(super().deal(deal))

    def move(self, state, action):
        return self._polite(super().move(state, action))

    def redeal(self, view, key):
        return self._polite(super().redeal(view, key))

    def _polite(self, state):
        free = (state.moves > 0) | (state.cards[1] < 2)
        return replace(state, legal_action_mask=jnp.array([True, False]) | free)


@dataclass(frozen=True)
class Unnamed(Kuhn):
    """Gives a network a vector and no names."""

    def encode(self, view):
        return jnp.ones(3)


@dataclass(frozen=True)
class Unbounded(Kuhn):
    """Divides by the number of moves made."""

    def encode(self, view):
        return super().encode(view) | {"pace": 1 / view.moves}


@dataclass(frozen=True)
class Rowless(Kuhn):
    """Calls a sequence what has no rows."""

    def encode(self, view):
        return super().encode(view) | {"history": Rows(view.history)}


@dataclass(frozen=True)
class Unsorted(Kuhn):
    """Tells something of nobody in particular."""

    def tells(self, view):
        return {"moves": view.moves.astype(jnp.float32)}


@dataclass(frozen=True)
class Boastful(Kuhn):
    """Divides by the number of bets."""

    def tells(self, view):
        return {"bold": jnp.full(self.players, 1 / (view.history == 1).sum())}


@dataclass(frozen=True)
class Careless(Kuhn):
    """Dealt anew after the first move, everybody has the same card."""

    def redeal(self, view, key):
        state = super().redeal(view, key)
        return replace(state, cards=jnp.where((view.moves > 0) & ~state.terminated, view.card, state.cards))


@pytree
class Wink:
    cards: Array  # int32[players]
    wink: Array  # int32


@dataclass(frozen=True)
class Forgetful(Kuhn):
    """While the second player thinks after a check, the first one sees who winks, and has forgotten it when it moves again."""

    def draw(self, key):
        return Wink(super().draw(key).cards, self._wink(key))

    def deals(self):
        deals, chances = super().deals()
        twice = [jnp.concatenate([each, each]) for each in (deals.cards, chances / 2)]
        return Wink(twice[0], jnp.repeat(jnp.arange(2), len(chances))), twice[1]

    def deal(self, deal):
        state = super().deal(deal)
        return replace(state, opened=-1 - deal.wink) if isinstance(deal, Wink) else state

    def observe(self, state, player):
        view = super().observe(state, player)
        seen = self._seen(player, state.moves) & (state.opened < 0)
        return replace(view, history=view.history.at[-1].set(jnp.where(seen, -1 - state.opened, view.history[-1])))

    def redeal(self, view, key):
        state = super().redeal(view, key)
        wink = jnp.where(self._seen(view.seat, view.moves), view.history[-1], self._wink(key))
        return replace(state, opened=jnp.where(state.opened < 0, -1 - wink, state.opened))

    def _seen(self, player, moves):
        return (player == 0) & (moves == 1)

    def _wink(self, key):
        return jax.random.bernoulli(jax.random.fold_in(key, 1)).astype(jnp.int32)


@dataclass(frozen=True)
class Peeping(Kuhn):
    """Spectators look over the first player's shoulder."""

    def spectate(self, state):
        return replace(super().spectate(state), card=state.cards[0])


@dataclass(frozen=True)
class Tattling(Kuhn):
    """Spectators are shown a folded card at the end."""

    def spectate(self, state):
        return replace(super().spectate(state), card=jnp.where(state.terminated, state.cards[0], HIDDEN))


@dataclass(frozen=True)
class Seated(Kuhn):
    """Spectators sit down in the first seat."""

    def spectate(self, state):
        return replace(super().spectate(state), seat=jnp.int32(0))


# ---- finished games


@dataclass(frozen=True)
class Showing(Kuhn):
    """Players see at the end what was folded, which nobody is shown."""

    def observe(self, state, player):
        view = super().observe(state, player)
        return replace(view, shown=jnp.where(state.terminated, state.cards, view.shown))


@dataclass(frozen=True)
class Revived(Kuhn):
    """A game that ended with a fold is on again when it is dealt anew."""

    def redeal(self, view, key):
        state = super().redeal(view, key)
        return replace(state, terminated=state.terminated & ~_folded(view))


@dataclass(frozen=True)
class Worn(Kuhn):
    """A game that ended with a fold has the same card twice when it is dealt anew."""

    def redeal(self, view, key):
        state = super().redeal(view, key)
        return replace(state, cards=jnp.where(_folded(view), view.card, state.cards))


@dataclass(frozen=True)
class Secretive(Kuhn):
    """Cards are never shown, but decide what is paid."""

    def spectate(self, state):
        return replace(super().spectate(state), shown=jnp.full(self.players, HIDDEN))


@dataclass(frozen=True)
class Hindsight(Kuhn):
    """All moves are taken back, one's own too."""

    def rewound(self, state, key):
        return self.deal(self.deal_of(state))


@dataclass(frozen=True)
class Discerning(Kuhn):
    """The other's move is taken back where a jack is behind it."""

    def rewound(self, state, key):
        start = self.deal(self.deal_of(state))
        weak = (state.current_player == 1) & (state.cards[0] == 0)
        return jax.tree.map(lambda one, other: jnp.where(weak, one, other), start, state)
