"""All of feint's randomness: keys folded from (seed, table, game), and a generator cheap enough to draw from at every move.

The generator is a counter hash: draw i of a key is i mixed twice with the key's 64 bits. On a CPU it costs a tenth of JAX's
default threefry, which would otherwise take longer than the moves it decides. It is an ordinary JAX generator: keys
are typed, and every function of `jax.random` takes them. It is for simulation, not for secrets.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

import jax
import jax.numpy as jnp
from jax import Array
from jax.extend.random import define_prng_impl

import feint.engine  # noqa: F401  (settles the cache before anything is compiled)
from feint.errors import UserError
from feint.hashing import mix

MOST_SEED = 2**31 - 1

F = TypeVar("F", bound=Callable[..., Array])
Key = Array  # a typed key of the generator below

# Moves are numbered from 0; these numbers, beyond any game's max_moves, mark the other uses of a game's key.
_DEAL, _BEGIN, _FINISH = 2**32 - 1, 2**32 - 2**16, 2**32 - 2**17
_THOUGHT = 2**32 - 2**18  # the same for the key of a move


def _draw(key: Array, counter: Array) -> Array:
    return mix(mix(counter ^ key[0]) + key[1])


def _compiled(*static: int) -> Callable[[F], F]:
    """Each part of the generator is compiled by itself: JAX then traces it once, and not again wherever a number is drawn.

    It stays a function of its name, by which it is found where a key is written down.
    """

    def of(function: F) -> F:
        compiled = jax.jit(function, static_argnums=static)
        return cast(F, wraps(function)(lambda *given: compiled(*given)))

    return of


@_compiled(1, 2)
def _random_bits(key: Array, bit_width: int, shape: tuple[int, ...]) -> Array:
    size = 1
    for length in shape:
        size *= length
    if bit_width == 64:
        high, low = _random_bits(key, 32, (2, size))
        return ((high.astype(jnp.uint64) << 32) | low.astype(jnp.uint64)).reshape(shape)
    bits = _draw(key, jax.lax.iota(jnp.uint32, size)).reshape(shape)
    return bits.astype(f"uint{bit_width}")


@_compiled()
def _fold_in(key: Array, data: Any) -> Array:
    # Both halves depend on all 96 bits, so keys of neighbouring tables and games have nothing in common.
    x = mix(jnp.asarray(data).astype(jnp.uint32) + jnp.uint32(0x9E3779B9))
    low = mix(mix(x ^ key[0]) + key[1])
    high = mix(mix(x + key[1]) ^ (key[0] + jnp.uint32(0x85EBCA6B)))
    return jnp.stack([low, high])


@_compiled(1)
def _split(key: Array, shape: tuple[int, ...]) -> Array:
    size = 1
    for length in shape:
        size *= length
    return jax.vmap(lambda i: _fold_in(key, i))(jax.lax.iota(jnp.uint32, size)).reshape(*shape, 2)


@_compiled()
def _seed(seed: Array) -> Array:
    low = seed.astype(jnp.uint32)
    high = (seed >> 32).astype(jnp.uint32) if seed.dtype.itemsize == 8 else jnp.uint32(0)
    return _fold_in(jnp.stack([low, high]), 0)


_GENERATOR = define_prng_impl(
    key_shape=(2,), seed=_seed, split=_split, random_bits=_random_bits, fold_in=_fold_in, name="feint", tag="feint"
)


@_compiled(1, 2)
def _few_bits(key: Array, bit_width: int, shape: tuple[int, ...]) -> Array:
    """Of every draw only the highest three bits, again and again: no bit set and all bits set are among them."""
    eighth = _random_bits(key, bit_width, shape) >> (bit_width - 3)
    repeated = sum(1 << place for place in range(bit_width - 3, -3, -3) if place >= 0)
    return eighth * jnp.asarray(repeated, eighth.dtype) | eighth


_COARSE = define_prng_impl(
    key_shape=(2,), seed=_seed, split=_split, random_bits=_few_bits, fold_in=_fold_in, name="coarse", tag="coarse"
)


def key(seed: int | Array) -> Key:
    """The key of a seed; seeds are whole numbers from 0 to 2**31 - 1."""
    check_seed(seed)
    return jax.random.key(seed, impl=_GENERATOR)


def from_bits(bits: Array) -> Key:
    """The key of 64 bits that come from elsewhere, uint32[2]."""
    return jax.random.wrap_key_data(bits, impl=_GENERATOR)


def check_seed(seed: int | Array) -> None:
    """Refuse a seed that would be taken for another one; what is being compiled is not looked at."""
    if not isinstance(seed, Array) and not 0 <= seed <= MOST_SEED:
        raise UserError(f"The seed must be a whole number from 0 to {MOST_SEED}, not {seed}.")


def game_key(seed: int | Array, table: int | Array, game: int | Array) -> Key:
    """The key of the game-th game at a table: all that is random in that game comes from it."""
    return jax.random.fold_in(jax.random.fold_in(key(seed), table), game)


def coarse(key: Key) -> Key:
    """A key like this one whose draws have eight values only, the least and the greatest among them.

    For tests: what is right with such keys does not depend on draws being distinct, or within their range.
    """
    return jax.random.wrap_key_data(jax.random.key_data(key), impl=_COARSE)


def _marked(of_game: Key, mark: int, seat: int | Array) -> Key:
    return jax.random.fold_in(of_game, jnp.uint32(mark) + jnp.asarray(seat, jnp.uint32))


def deal_key(of_game: Key) -> Key:
    """The key `Game.init` is given."""
    return _marked(of_game, _DEAL, 0)


def move_key(of_game: Key, move: int | Array) -> Key:
    """The key the agent to move is given at the move-th move of a game."""
    return jax.random.fold_in(of_game, move)


def begin_key(of_game: Key, seat: int | Array) -> Key:
    """The key the agent in a seat is given when a match begins."""
    return _marked(of_game, _BEGIN, seat)


def finish_key(of_game: Key, seat: int | Array) -> Key:
    """The key the agent in a seat is given when a game is over."""
    return _marked(of_game, _FINISH, seat)


def thought_key(of_move: Key) -> Key:
    """The key of whatever is played on in thought before a move; the move itself has its own."""
    return jax.random.fold_in(of_move, jnp.uint32(_THOUGHT))


def shuffle(key: Key, size: int) -> Array:
    """A uniformly random order of 0 .. size - 1, int32[size].

    Each entry counts the smaller ones among random numbers, which on a CPU takes a quarter of the time of a sort. The lowest
    bits tell equal numbers apart: of two entries, one comes first more often by less than one part in ten million.
    """
    # The barrier: without it all numbers are drawn anew for every pair, and JAX 0.12 compiles that for a minute.
    index = jnp.arange(size, dtype=jnp.uint32)
    low = (1 << (size - 1).bit_length()) - 1
    draws = jax.lax.optimization_barrier((jax.random.bits(key, (size,)) & ~jnp.uint32(low)) | index)
    kind = jnp.int8 if size < 128 else jnp.int32
    return (draws[:, None] < draws).sum(axis=0, dtype=kind).astype(jnp.int32)


def sample(key: Key, count: int, size: int | Array) -> Array:
    """So many distinct numbers of 0 .. size - 1, in random order, int32[count]; as likely as 24 random bits for each of them can be."""
    drawn = jax.random.bits(key, (count,)) >> 8
    among = jnp.asarray(size, jnp.uint32) - jnp.arange(count, dtype=jnp.uint32)
    places = (drawn * among >> 24).astype(jnp.int32)  # of each among what the ones before it leave; size is at most 256
    for nth in reversed(range(count - 1)):
        later = jnp.arange(count) > nth
        places = places + (later & (places >= places[nth]))
    return places


def choice(key: Key, among: Array) -> Array:
    """The index of one of the true entries of a mask, bool[size], each as likely as the others, int32."""
    nth = jnp.floor(jax.random.uniform(key) * among.sum()).astype(jnp.int32)
    return (running_sum(among.astype(jnp.int32)) <= nth).sum(dtype=jnp.int32)


def first(among: Array) -> Array:
    """The index of the first true entry of a mask, bool[size]; 0 without one, int32.

    By a sum, which compilers fuse with what is around it; `argmax` they keep apart.
    """
    before = (running_sum(among.astype(jnp.int32)) == 0).sum(dtype=jnp.int32)
    return jnp.where(before == among.size, 0, before)


def weighted_choice(key: Key, weights: Array) -> Array:
    """One entry drawn in proportion to whole weights, int[size]: true there and nowhere else, bool[size]."""
    nth = jnp.floor(jax.random.uniform(key) * weights.sum()).astype(weights.dtype)
    below = running_sum(weights) - weights
    return (below <= nth) & (nth < below + weights)


def drawn(key: Key, weights: Array) -> Array:
    """The index of an entry drawn in proportion to weights, float[size], int32: however sums are rounded, one that has weight."""
    sums, has_weight = jnp.cumsum(weights), weights > 0
    last = weights.size - 1 - jnp.argmax(has_weight[::-1])
    fits = has_weight & (sums > jax.random.uniform(key) * sums[-1])
    return jnp.where(fits.any(), jnp.argmax(fits), last).astype(jnp.int32)


def running_sum(values: Array) -> Array:
    """The sum of all entries up to each, [size]. For few entries, adding them up anew each time is faster on a CPU."""
    size = len(values)
    if size > 64:
        return jnp.cumsum(values)
    index = jnp.arange(size)
    return jnp.where(index[:, None] <= index, values[:, None], 0).sum(axis=0, dtype=values.dtype)
