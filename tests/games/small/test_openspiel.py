"""Kuhn, Leduc and Liar's Dice beside OpenSpiel's, move by move on random games."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import feint
from feint.games.small import kuhn, leduc, liars_dice

pyspiel = pytest.importorskip("pyspiel")


def deal_kuhn(game, draw):
    """Random cards: the deal here, and OpenSpiel's chance moves before the first action and before the second round."""
    cards = draw.permutation(game.players + 1)[: game.players]
    return game.deal(kuhn.Deal(jnp.asarray(cards, jnp.int32))), [int(card) for card in cards]


def deal_leduc(game, draw):
    cards = draw.permutation(2 * game.ranks)[: game.players + 1]
    return game.deal(leduc.Deal(game._kind(jnp.asarray(cards, jnp.int32)))), [int(card) for card in cards]


def deal_dice(game, draw):
    faces = draw.integers(0, game.sides, (game.players, game.dice))
    hands = (faces[:, :, None] == np.arange(game.sides)).sum(axis=1)
    return game.deal(liars_dice.Deal(jnp.asarray(hands, jnp.int32))), [int(face) for face in faces.ravel()]


GAMES = [
    ("kuhn", {}, "kuhn_poker", deal_kuhn),
    ("kuhn", {"players": 4}, "kuhn_poker(players=4)", deal_kuhn),
    ("leduc", {"suits": True}, "leduc_poker", deal_leduc),
    ("leduc", {}, "leduc_poker", deal_leduc),
    ("leduc", {"players": 3}, "leduc_poker(players=3)", deal_leduc),
    ("leduc", {"players": 5}, "leduc_poker(players=5)", deal_leduc),
    ("liars-dice", {}, "liars_dice", deal_dice),
    ("liars-dice", {"dice": 2, "sides": 4}, "liars_dice(numdice=2,dice_sides=4)", deal_dice),
]


@pytest.mark.parametrize(("name", "options", "theirs", "deal"), GAMES)
def test_same_turns_actions_and_payoffs(name, options, theirs, deal):
    game, peer = feint.make(name, **options), pyspiel.load_game(theirs)
    step = jax.jit(game.step)
    draw = np.random.default_rng(7)
    for _ in range(60):
        state, chance_moves = deal(game, draw)
        other = peer.new_initial_state()
        while not other.is_terminal():
            if other.is_chance_node():
                other.apply_action(chance_moves.pop(0))
                continue
            legal = np.flatnonzero(np.asarray(state.legal_action_mask)).tolist()
            assert not state.terminated
            assert (int(state.current_player), legal) == (other.current_player(), other.legal_actions())
            # Long games too: liar, fold and the highest bids only now and then.
            action = int(draw.choice(legal, p=_rarely_last(len(legal))))
            state = step(state, jnp.int32(action))
            other.apply_action(action)
        assert state.terminated
        assert np.asarray(state.rewards) == pytest.approx(other.returns())


def _rarely_last(size):
    weights = 0.6 ** np.arange(size)
    return weights / weights.sum()


def test_suits_change_nothing_but_names():
    plain, suited = feint.make("leduc"), feint.make("leduc", suits=True)
    cards = jnp.array([1, 4, 0])
    states = [suited.deal(leduc.Deal(cards)), plain.deal(leduc.Deal(cards // 2))]
    for action in (1, 2, 1, 1, 2, 2, 1):
        states = [game.step(state, jnp.int32(action)) for game, state in zip((suited, plain), states, strict=True)]
        np.testing.assert_array_equal(states[0].legal_action_mask, states[1].legal_action_mask)
    assert bool(states[0].terminated)
    np.testing.assert_array_equal(states[0].rewards, states[1].rewards)
