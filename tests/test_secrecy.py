"""Keys nobody can guess: ChaCha20 as RFC 8439 has it, and deals drawn from it."""

import jax
import jax.numpy as jnp
import numpy as np

from feint import registry, secrecy


def test_a_block_is_that_of_rfc_8439():
    """Section 2.3.2: its key, counter and nonce, and the block that comes of them."""
    key = np.frombuffer(bytes(range(32)), "<u4")
    nonce = np.frombuffer(bytes.fromhex("000000090000004a00000000"), "<u4")
    block = np.asarray(secrecy.block(jnp.asarray(key), jnp.uint32(1), jnp.asarray(nonce)))
    assert block.astype("<u4").tobytes().hex() == (
        "10f1e7e4d13b5915500fdd1fa32071c4c7d1f4c733c068030422aa9ac3d46c4e"
        "d2826446079faa0914c2d705d98b02a2b5129cd1de164eb9cbd083e8a2503c4e"
    )


def test_draws_of_every_width_and_shape_are_uniform_and_differ_between_keys():
    keys = [secrecy.key(secrecy.secret()) for _ in range(2)]
    words = [np.asarray(jax.random.bits(key, (1000, 3))) for key in keys]
    assert not (words[0] == words[1]).any()
    shares = np.unpackbits(words[0].view(np.uint8)).mean()
    assert abs(shares - 0.5) < 6 * 0.5 / np.sqrt(96_000)
    parts = [*jax.random.split(keys[0], 3), jax.random.fold_in(keys[0], 0), jax.random.fold_in(keys[0], 1), keys[0]]
    assert len({int(jax.random.bits(part, (), jnp.uint32)) for part in parts}) == len(parts)
    assert np.asarray(jax.random.bits(keys[0], (5,), jnp.uint8)).shape == (5,)
    assert 0 <= float(jax.random.uniform(keys[0])) < 1


def test_what_is_derived_from_a_secret_differs_by_use_and_is_the_same_again():
    root = secrecy.secret()
    assert secrecy.derived(root, "deal") == secrecy.derived(root, "deal") != secrecy.derived(root, "move 0")
    assert len(root) == len(secrecy.derived(root, "deal")) == secrecy.BYTES


def test_a_game_deals_from_such_a_key():
    kuhn = registry.make("kuhn")
    draw = jax.jit(kuhn.draw)
    cards = {tuple(np.asarray(draw(secrecy.key(secrecy.secret())).cards).tolist()) for _ in range(200)}
    assert cards == {(a, b) for a in range(3) for b in range(3) if a != b}
