"""Agents for three players, where only the first bids are a choice: they estimate both opponents' strategies and answer them.

With three players the median bid wins and ties are split, so against known strategies each bid has a known value. The value of a mixed
answer is linear in its probabilities: the linear programme over them has a pure solution, which is the bid of the largest value.
"""

from __future__ import annotations

from typing import ClassVar

import jax
import jax.numpy as jnp
from jax import Array

from feint import chance
from feint.chance import Key
from feint.errors import UserError
from feint.game import Game, option, pytree
from feint.games.bidding.bidders import Drawn, Drifting
from feint.games.bidding.view import View


def payoffs(coins: int) -> Array:
    """One's chance to win, float32[own bid, another's, the third's]: that of the median, shared by those who made it."""
    x, y, z = jnp.ix_(*[jnp.arange(coins + 1)] * 3)
    same = (x == y).astype(int) + (x == z)
    return jnp.where(same > 0, 1 / (1.0 + same), (x - y) * (x - z) < 0)


def utilities(beliefs: Array) -> Array:
    """What each bid is worth, float32[coins + 1], against two strategies, float32[2, coins + 1]: eq. (1) of the paper."""
    return jnp.einsum("xyz,y,z->x", payoffs(beliefs.shape[-1] - 1), beliefs[0], beliefs[1], precision="highest")


def best_bid(values: Array, view: View, legal: Array, key: Key) -> Array:
    """The first bid of the largest value, by lot among equals; then all that is left."""
    best = legal & (values >= jnp.max(jnp.where(legal, values, -jnp.inf)) - 1e-6)
    return jnp.where(view.left == 2, view.coins, chance.choice(key, best))


def likelihood(view: View, coins: int) -> Array:
    """The chance of what was seen in a finished game for each pair of the others' first bids, float32[coins + 1, coins + 1],
    those of the next seat and of the one after."""
    bid = jnp.arange(coins + 1)
    seats = (view.seat + jnp.arange(3)) % 3  # one's own first
    pairs = jnp.broadcast_arrays(view.bids[0].astype(jnp.int32), bid[:, None], bid[None, :])
    bids = jnp.stack(pairs)  # int32[3, coins + 1, coins + 1]
    first_out, second_out = seats == view.out[0], seats == view.out[1]  # bool[3]

    def seen(made: Array, lowest: Array, out: Array) -> Array:
        least = made.min(axis=0)
        fits = (least == lowest) & (jnp.where(out[:, None, None], made, lowest) == lowest).all(axis=0)
        return fits / (made == least).sum(axis=0)

    all_in = jnp.where(first_out[:, None, None], coins + 1, coins - bids)
    return seen(bids, view.lowest[0], first_out) * seen(all_in, view.lowest[1], second_out)


def one_purse(name: str, game: Game) -> None:
    """Refuse a game whose purse is drawn anew: what is counted of the bids of one says nothing of another."""
    if game.drawn:
        raise UserError(
            f"{name} learns how others bid with one purse, and coins are drawn anew for every game here: name tables of one purse for it."
        )


def _check(name: str, game: Game) -> None:
    if game.players != 3 or getattr(game, "final", "") != "all-in":
        raise UserError(f"{name} plays bidding with players=3 and final=all-in, not {game}.")
    one_purse(name, game)


@pytree
class Optim:
    """Estimates the strategies of both opponents and answers them; the paper's OptimAgent.

    After each game every bid that an opponent can have made gets an equal share of one count, and beliefs move towards it by `alpha`.
    With `expected` the shares are the bids' probabilities by what is believed so far.
    """

    alpha: float = option(0.01, "how far beliefs move after a game", least=0, most=1)
    expected: bool = option(False, "share counts by what is believed so far")

    def begin(self, game: Game, seat: Array, key: Key) -> Array:
        _check("optim", game)
        return jnp.full((2, game.actions), 1 / game.actions)

    def act(self, memory: Array, view: View, legal: Array, key: Key) -> tuple[Array, Array]:
        return best_bid(utilities(memory), view, legal, key), memory

    def finish(self, memory: Array, view: View, rewards: Array, key: Key) -> Array:
        seen = likelihood(view, memory.shape[-1] - 1)
        counts = jnp.where(self.expected, expected_counts(memory, seen)[0], possible_counts(seen))
        return memory + self.alpha * (counts - memory)


def possible_counts(seen: Array) -> Array:
    """An equal share for each bid that each opponent can have made, float32[2, coins + 1]."""
    possible = jnp.stack([(seen > 0).any(axis=1), (seen > 0).any(axis=0)])
    return possible / possible.sum(axis=1, keepdims=True)


def expected_counts(beliefs: Array, seen: Array) -> tuple[Array, Array]:
    """The probability of each bid of each opponent given what was seen, float32[2, coins + 1], and how likely that was."""
    joint = beliefs[0][:, None] * beliefs[1][None, :] * seen
    total = joint.sum()
    return jnp.stack([joint.sum(axis=1), joint.sum(axis=0)]) / jnp.maximum(total, 1e-30), total


@pytree
class Oracle:
    """Knows the strategies of the drifting bidders of its world, game by game, and answers them: nobody can do better."""

    concentration: float = option(1.0, "how even strategies are", least=1e-4, most=1e4)
    change: float = option(0.0, "chance of a new strategy after a game", least=0, most=1)
    world: int = option(0, "whose bidders it knows", least=0, most=2**31 - 1)

    @property
    def _others(self) -> Drifting:
        return Drifting(self.concentration, self.change, self.world)

    def begin(self, game: Game, seat: Array, key: Key) -> Drawn:
        _check("oracle", game)
        if isinstance(self.world, int) and self.world < 0:
            raise UserError(
                "An oracle knows the bidders of one world, a number from 0; without one each is on its own."
            )
        return jax.vmap(lambda step: self._others.begin(game, (seat + step) % 3, key))(jnp.arange(1, 3))

    def act(self, memory: Drawn, view: View, legal: Array, key: Key) -> tuple[Array, Drawn]:
        return best_bid(utilities(jnp.exp(memory.logs)), view, legal, key), memory

    def finish(self, memory: Drawn, view: View, rewards: Array, key: Key) -> Drawn:
        return jax.vmap(lambda one: self._others.finish(one, view, rewards, key))(memory)


@pytree
class Beliefs:
    """Several estimates of both opponents' strategies, begun at different times."""

    strategies: Array  # float32[estimates, 2, coins + 1]
    weights: Array  # float32[estimates]: how likely each is to have begun when the opponents last changed
    seen: Array  # float32[estimates]: games since it was begun
    doubt: Array  # float32[estimates]: games that the even strategy counts for, with which it was begun
    games: Array  # int32


@pytree
class Estimates:
    """Estimates both opponents' strategies although they may change at any time, and answers them.

    Each estimate holds what was seen since it was begun; after every game the least likely one is begun anew, half of them ready to
    believe in a narrow strategy. The answer is best against all of them, each by how likely it made what was seen.
    """

    heavy: ClassVar[bool] = True  # every estimate is held against all pairs of bids

    change: float = option(0.02, "how likely a change is after a game", least=0, most=1)
    estimates: int = option(16, "kept at once", least=2, most=1000, static=True)

    def begin(self, game: Game, seat: Array, key: Key) -> Beliefs:
        one_purse("estimates", game)
        count, actions = self.estimates, game.actions
        return Beliefs(
            strategies=jnp.full((count, 2, actions), 1 / actions),
            weights=jnp.full(count, 1 / count),
            seen=jnp.zeros(count),
            doubt=_doubt(jnp.arange(count), actions),
            games=jnp.int32(0),
        )

    def act(self, memory: Beliefs, view: View, legal: Array, key: Key) -> tuple[Array, Beliefs]:
        values = memory.weights @ jax.vmap(utilities)(memory.strategies)
        return best_bid(values, view, legal, key), memory

    def finish(self, memory: Beliefs, view: View, rewards: Array, key: Key) -> Beliefs:
        actions = memory.strategies.shape[-1]
        counts, likely = jax.vmap(expected_counts, (0, None))(memory.strategies, likelihood(view, actions - 1))
        rate = 1 / (memory.seen + 1 + memory.doubt)
        learned = memory.strategies + rate[:, None, None] * (counts - memory.strategies)
        weights = memory.weights * likely
        weights = (1 - self.change) * weights / weights.sum()
        anew = jnp.arange(len(weights)) == jnp.argmin(weights)
        weights = jnp.where(anew, self.change, weights)
        return Beliefs(
            strategies=jnp.where(anew[:, None, None], 1 / actions, learned),
            weights=weights / weights.sum(),
            seen=jnp.where(anew, 0, memory.seen + 1),
            doubt=jnp.where(anew, _doubt(memory.games, actions), memory.doubt),
            games=memory.games + 1,
        )


def _doubt(number: Array, actions: int) -> Array:
    """Every other estimate is begun with the doubt that suits strategies spread over all bids, the rest with that of narrow ones."""
    return jnp.where(number % 2 == 0, float(actions), 1.0)
