"""Bidders that look at their own coins and the number of players left, and at nothing else; they are the field that others learn."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.scipy.special import betainc, gammaln

from feint import chance
from feint.agent import Memory, Memoryless
from feint.chance import Key
from feint.errors import UserError
from feint.game import Game, option, pytree
from feint.games.bidding.rules import MOST_COINS
from feint.games.bidding.view import View

NEVER = -1e6  # stands for the logarithm of nothing, far below that of anything merely unlikely
TRIES = 6  # of a draw by rejection


class Bidder(Memoryless):
    """A base for agents that draw each bid from a distribution. With two left, all bid everything."""

    @abstractmethod
    def logits(self, coins: Array, left: Array, bids: Array) -> Array:
        """The logarithm of each bid's weight, float32[actions], for so many coins and players left; bids are 0, 1, 2, ..."""

    def act(self, memory: Memory, view: View, legal: Array, key: Key) -> tuple[Array, Memory]:
        return draw_bid(key, self._logits(view, legal), view, legal), memory

    def probabilities(self, view: View, legal: Array) -> Array:
        """How likely each bid is, float32[actions]."""
        weights = bid_weights(self._logits(view, legal), view, legal)
        return weights / weights.sum()

    def _logits(self, view: View, legal: Array) -> Array:
        return self.logits(view.coins.astype(jnp.int32), view.left, jnp.arange(legal.size))


def bid_weights(logits: Array, view: View, legal: Array) -> Array:
    """Weights of the bids one can pay, float32[actions]; where all weight lies on others, the largest of them has it."""
    bids = jnp.arange(legal.size)
    logits = jnp.where(legal, jnp.maximum(logits, NEVER + 100 * bids), -jnp.inf)
    return jnp.where(view.left == 2, bids == view.coins, jnp.exp(logits - logits.max()))


def draw_bid(key: Key, logits: Array, view: View, legal: Array) -> Array:
    """A bid by the logarithms of weights, among those one can pay."""
    weights = bid_weights(logits, view, legal)
    # Sums up to each bid; as a product with a triangle of ones, they are three times sooner there than as running sums.
    up_to = jnp.dot(weights, jnp.triu(jnp.ones((weights.size, weights.size))), precision="highest")
    return (up_to <= jax.random.uniform(key) * up_to[-1]).sum()


def chances(bidder: Bidder, players: int, coins: int) -> np.ndarray:
    """The probability of each bid, float64[players left, coins, bid]; rows for fewer than two left are empty."""
    bids = jnp.arange(coins + 1)

    def row(left: Array, purse: Array) -> Array:
        logits = jnp.maximum(bidder.logits(purse, left, bids), NEVER + 100 * bids)
        spread = jax.nn.softmax(jnp.where(bids <= purse, logits, -jnp.inf))
        return jnp.where(left == 2, (bids == purse).astype(jnp.float32), spread)

    table = jax.jit(jax.vmap(jax.vmap(row, (None, 0)), (0, None)))(jnp.arange(2, players + 1), bids)
    exact = np.asarray(table, np.float64)
    return np.concatenate([np.zeros((2, coins + 1, coins + 1)), exact / exact.sum(axis=2, keepdims=True)])


@pytree
class Uniform(Bidder):
    """Any bid it can pay, each as likely as the others."""

    def logits(self, coins: Array, left: Array, bids: Array) -> Array:
        return jnp.zeros(bids.shape)


@pytree
class Composition(Bidder):
    """Splits all its coins over the rounds to come, every split as likely as the others."""

    def logits(self, coins: Array, left: Array, bids: Array) -> Array:
        # A bid is as likely as there are ways to split the rest over the rounds after this one.
        rest, later = jnp.maximum(coins - bids, 0), left - 2
        return gammaln(rest + later) - gammaln(rest + 1.0)


@pytree
class Share(Bidder):
    """Anything up to twice an even share of its coins over the rounds to come."""

    def logits(self, coins: Array, left: Array, bids: Array) -> Array:
        return jnp.where(bids <= 2 * coins // (left - 1), 0.0, NEVER)


@pytree
class Split(Bidder):
    """Splits its coins over the rounds to come by shares from a Dirichlet distribution, rounded; more concentrated, more even."""

    concentration: float = option(5.0, "how even the shares are", least=1e-4, most=1e4)

    def act(self, memory: Memory, view: View, legal: Array, key: Key) -> tuple[Array, Memory]:
        now, later = jax.random.split(key)
        even = self.concentration
        share = jax.nn.sigmoid(_log_gamma_draw(now, even) - _log_gamma_draw(later, even * self._later(view.left)))
        bid = jnp.rint(share * view.coins).astype(jnp.int32)
        return jnp.where(view.left == 2, view.coins, bid), memory

    def logits(self, coins: Array, left: Array, bids: Array) -> Array:
        # The share that is rounded to a bid lies within half a coin of it.
        edges = jnp.clip((jnp.arange(bids.size + 1) - 0.5) / jnp.maximum(coins, 1), 0, 1)
        below = betainc(self.concentration, self.concentration * self._later(left), edges)
        return jnp.log(jnp.maximum(jnp.diff(below), 1e-30))

    def _later(self, left: Array) -> Array:
        return jnp.maximum(left - 2, 1)


def _log_gamma_draw(key: Key, shape: Array | float) -> Array:
    """The logarithm of a draw from a gamma distribution, by the method of Marsaglia and Tsang.

    jax.random's draws again until all games at once have one, in loops that a GPU waits for. Here every game has its tries at the same time;
    each is taken at least 19 times in 20, so that none is at most once in fifty million draws, and then the first is.
    """
    normal, uniform, boost = jax.random.split(key, 3)
    middle = jnp.where(shape < 1, shape + 1, shape) - 1 / 3  # below one it draws of one more, and then comes down
    x = jax.random.normal(normal, (TRIES,))
    cube = (1 + x / jnp.sqrt(9 * middle)) ** 3
    log_cube = jnp.log(jnp.maximum(cube, 1e-30))
    taken = (cube > 0) & (jnp.log(jax.random.uniform(uniform, (TRIES,))) < x**2 / 2 + middle * (1 - cube + log_cube))
    down = jnp.where(shape < 1, jnp.log(jax.random.uniform(boost, minval=1e-38)) / shape, 0.0)
    return jnp.log(middle) + log_cube[jnp.argmax(taken)] + down


@pytree
class Fraction(Bidder):
    """Always the same fraction of the purse everybody began with."""

    fraction: float = option(0.5, "of the first purse", least=0, most=1)

    def logits(self, coins: Array, left: Array, bids: Array) -> Array:
        return self._always(coins, bids, bids.size - 1)

    def _logits(self, view: View, legal: Array) -> Array:
        return self._always(view.coins, jnp.arange(legal.size), view.purse)

    def _always(self, coins: Array, bids: Array, purse: int | Array) -> Array:
        return jnp.where(bids == jnp.minimum(jnp.floor(self.fraction * purse), coins), 0.0, NEVER)


@pytree
class Convention(Bidder):
    """A fixed bid for each round; whoever cannot pay it bids all."""

    bids: Array  # int32[rounds]

    def logits(self, coins: Array, left: Array, bids: Array) -> Array:
        bid = self.bids[self.bids.shape[-1] + 1 - left]
        return jnp.where(bids == jnp.minimum(bid, coins), 0.0, NEVER)

    def begin(self, game: Game, seat: Array, key: Key) -> Memory:
        if self.bids.shape[-1] != game.players - 1:
            raise UserError(
                f"A convention of {game.players} players has {game.players - 1} bids, one a round, not {self.bids.shape[-1]}."
            )
        return ()


def convention(bids: Sequence[int]) -> Convention:
    """Everybody's bids by agreement: `convention([4, 3, 3])` is for four players and ten coins."""
    if not _numbers(bids) or any(not 0 <= bid <= MOST_COINS or bid != int(bid) for bid in bids):
        raise UserError(
            f"A convention must be a list of whole numbers of coins, 0 to {MOST_COINS}, such as [4, 3, 3], not {bids!r}."
        )
    return Convention(jnp.array(bids, jnp.int32))


@pytree
class Mixed(Bidder):
    """One mixed strategy for every round, over the bids it can still pay."""

    logs: Array  # float32[actions]: the logarithms of the probabilities

    def logits(self, coins: Array, left: Array, bids: Array) -> Array:
        return self.logs

    def begin(self, game: Game, seat: Array, key: Key) -> Memory:
        if self.logs.shape[-1] != game.actions:
            raise UserError(
                f"A strategy for {game.actions - 1} coins has {game.actions} probabilities, from bidding 0 to bidding "
                f"{game.actions - 1}, not {self.logs.shape[-1]}."
            )
        return ()


def mixed(strategy: Sequence[float]) -> Mixed:
    """The same mixed strategy for ever: `mixed([0.2, 0.55, 0.25])` bids 0, 1 or 2 with these probabilities."""
    if not _numbers(strategy) or any(not 0 <= chance <= 1 for chance in strategy):
        raise UserError(
            f"A strategy must be a list of probabilities of bidding 0, 1, 2, ... coins, such as [0.2, 0.55, 0.25], not {strategy!r}."
        )
    if abs(sum(strategy) - 1) > 1e-6:
        raise UserError(f"A strategy's probabilities sum to 1; those of {list(strategy)} sum to {sum(strategy):g}.")
    with np.errstate(divide="ignore"):
        return Mixed(jnp.asarray(np.log(np.asarray(strategy, float)), jnp.float32))


def _numbers(given: object) -> bool:
    return (
        isinstance(given, Sequence)
        and not isinstance(given, str)
        and len(given) > 0
        and all(isinstance(each, int | float) and not isinstance(each, bool) for each in given)
    )


@pytree
class Drawn:
    """The strategy that a drifting bidder plays now, and what its next ones come from."""

    logs: Array  # float32[actions]
    own: Key  # strategies come from it
    clock: Key  # times of change come from it
    games: Array  # int32: games played


@pytree
class Drifting(Memoryless):
    """A mixed strategy drawn from a Dirichlet distribution; after each game it is drawn anew with probability `change`.

    Bidders of one `world`, a number from 0, change theirs together, and that world's oracle knows them. Without one, each is on its own.
    """

    concentration: float = option(1.0, "how even strategies are", least=1e-4, most=1e4)
    change: float = option(0.0, "chance of a new strategy after a game", least=0, most=1)
    world: int = option(-1, "whose bidders change together; -1: on its own", least=-1, most=2**31 - 1)

    def begin(self, game: Game, seat: Array, key: Key) -> Drawn:
        shared = chance.key(jnp.maximum(self.world, 0))
        own = jnp.where(self.world < 0, key, jax.random.fold_in(shared, 1 + seat))
        clock = jnp.where(self.world < 0, key, jax.random.fold_in(shared, 0))
        return Drawn(self._draw(own, game.actions, jnp.int32(0)), own, clock, jnp.int32(0))

    def act(self, memory: Drawn, view: View, legal: Array, key: Key) -> tuple[Array, Drawn]:
        return draw_bid(key, memory.logs, view, legal), memory

    def finish(self, memory: Drawn, view: View, rewards: Array, key: Key) -> Drawn:
        games = memory.games + 1
        if isinstance(self.change, float) and not self.change:  # known to be so when compiled: spares drawing in vain
            return replace(memory, games=games)
        anew = jax.random.uniform(jax.random.fold_in(memory.clock, games)) < self.change
        logs = jnp.where(anew, self._draw(memory.own, memory.logs.size, games), memory.logs)
        return Drawn(logs, memory.own, memory.clock, games)

    def _draw(self, key: Key, actions: int, games: Array) -> Array:
        # As logarithms: with a small concentration most probabilities are too small to be written otherwise.
        logs = jax.random.loggamma(
            jax.random.fold_in(jax.random.fold_in(key, games), 1), self.concentration, (actions,)
        )
        return jax.nn.log_softmax(logs)
