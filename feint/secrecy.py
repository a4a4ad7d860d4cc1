"""Chance for games with something at stake: keys of 256 bits from the operating system, and ChaCha20 (RFC 8439) to draw from them.

`feint.chance` is for simulation: its keys have 64 bits, seeds 31, and whoever holds a hand of cards can find a seed by trying. A key from here
is an ordinary JAX key, so that `Game.draw` takes it as it takes any other.
"""

from __future__ import annotations

import hashlib
import secrets
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.extend.random import define_prng_impl

from feint.chance import Key

BYTES = 32  # of a secret
_CONSTANTS = np.frombuffer(b"expand 32-byte k", "<u4")
_DRAW, _FOLD, _SPLIT, _SEED = range(4)  # the uses of a key, as the first word of the nonce: no two of them meet
# A column round works on rows of four words as they stand; rows turned by their number make a diagonal round of it.
_DOUBLE_ROUNDS = 10


def block(key: Array, counter: Array, nonce: Array) -> Array:
    """The ChaCha20 block function, uint32[16], of a key, uint32[8], a counter, uint32, and a nonce, uint32[3]."""
    words = jnp.concatenate([jnp.asarray(_CONSTANTS), key, jnp.asarray(counter, jnp.uint32)[None], nonce])

    def double_round(_: int, rows: tuple[Array, ...]) -> tuple[Array, ...]:
        rows = _quarter_rounds(*rows)
        turned = _quarter_rounds(*(jnp.roll(row, -number) for number, row in enumerate(rows)))
        return tuple(jnp.roll(row, number) for number, row in enumerate(turned))

    mixed = jax.lax.fori_loop(0, _DOUBLE_ROUNDS, double_round, tuple(words.reshape(4, 4)))
    return jnp.concatenate(mixed) + words


def _quarter_rounds(a: Array, b: Array, c: Array, d: Array) -> tuple[Array, Array, Array, Array]:
    """Four quarter rounds side by side, each row uint32[4]."""
    for left, right in ((16, 12), (8, 7)):
        a = a + b
        d = _turn(d ^ a, left)
        c = c + d
        b = _turn(b ^ c, right)
    return a, b, c, d


def _turn(word: Array, by: int) -> Array:
    return (word << by) | (word >> (32 - by))


def _blocks(key: Array, use: int, counters: Array) -> Array:
    nonce = jnp.array([use, 0, 0], jnp.uint32)
    return jax.vmap(lambda counter: block(key, counter, nonce))(counters)  # uint32[counters, 16]


@partial(jax.jit, static_argnums=(1, 2))
def _random_bits(key: Array, bit_width: int, shape: tuple[int, ...]) -> Array:
    size = int(np.prod(shape, dtype=np.int64)) * (2 if bit_width == 64 else 1)
    words = _blocks(key, _DRAW, jax.lax.iota(jnp.uint32, -(-size // 16))).reshape(-1)[:size]
    if bit_width == 64:
        high, low = words.reshape(2, -1).astype(jnp.uint64)
        return ((high << 32) | low).reshape(shape)
    return words.astype(f"uint{bit_width}").reshape(shape)


@jax.jit
def _fold_in(key: Array, data: Array) -> Array:
    return _blocks(key, _FOLD, jnp.asarray(data).astype(jnp.uint32)[None])[0, :8]


@partial(jax.jit, static_argnums=1)
def _split(key: Array, shape: tuple[int, ...]) -> Array:
    size = int(np.prod(shape, dtype=np.int64))
    return _blocks(key, _SPLIT, jax.lax.iota(jnp.uint32, size))[:, :8].reshape(*shape, 8)


@jax.jit
def _seed(seed: Array) -> Array:
    return _blocks(jnp.zeros(8, jnp.uint32), _SEED, jnp.asarray(seed).astype(jnp.uint32)[None])[0, :8]


_GENERATOR = define_prng_impl(
    key_shape=(8,), seed=_seed, split=_split, random_bits=_random_bits, fold_in=_fold_in, name="secret", tag="secret"
)


def secret() -> bytes:
    """32 bytes that nobody can guess."""
    return secrets.token_bytes(BYTES)


def derived(secret: bytes, use: str) -> bytes:
    """32 bytes for one use of a secret: those of other uses tell nothing about them."""
    return hashlib.blake2b(use.encode(), key=secret, digest_size=BYTES).digest()


def key(secret: bytes) -> Key:
    """A key to draw a deal with, of all 256 bits of a secret."""
    return jax.random.wrap_key_data(jnp.asarray(np.frombuffer(secret, "<u4")), impl=_GENERATOR)
