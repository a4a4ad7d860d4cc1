"""Limit Hold'em beside OpenSpiel's universal_poker of the same definition, move by move on random hands."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from feint.games.holdem import definition
from feint.games.holdem.game import Holdem
from feint.games.holdem.state import CALL, FOLD, RAISE

pyspiel = pytest.importorskip("pyspiel")

ODD = {"blinds": (1, 2, 4), "bets": (3, 7), "raises": (1, 2), "first": (2, 3), "board": (1, 1)}


def peer(rules: Holdem):
    """OpenSpiel's game, from what a definition file says. With more than four players it cannot load limit games (2.0.2 asks for stacks
    and does not read them): there it plays without limits, by the same blinds, turns and caps, and raises are of the size they have here."""
    limit = rules.players <= 4
    how = (
        ["betting=limit"]
        if limit
        else ["betting=nolimit", "bettingAbstraction=fullgame", f"stack={' '.join(['1000'] * rules.players)}"]
    )
    lines = [line.replace(" = ", "=") for line in definition.written(rules).splitlines()[2:-1]]
    return pyspiel.load_game(f"universal_poker({','.join([*how, *lines])})")


def same_hands(rules: Holdem, hands: int, seed: int) -> None:
    other_rules, draw = peer(rules), np.random.default_rng(seed)
    step, init = jax.jit(Holdem.step), jax.jit(lambda rules, cards: rules.deal(rules.dealt(cards)))
    for _ in range(hands):
        dealt = draw.permutation(52)[: 2 * rules.players + sum(rules.board)].astype(np.int8)
        state, other, coming = init(rules, dealt), other_rules.new_initial_state(), dealt.tolist()
        while not other.is_terminal():
            if other.is_chance_node():
                other.apply_action(coming.pop(0))
                continue
            theirs = other.legal_actions()
            size = RAISE if rules.players <= 4 else int(state.paid.max()) + rules.bets[int(state.round)]
            expected = [each for each in (FOLD, CALL) if each in theirs] + [RAISE] * (size in theirs)
            legal = np.flatnonzero(np.asarray(state.legal_action_mask)).tolist()
            assert not state.terminated
            assert (int(state.current_player), legal) == (other.current_player(), expected)
            # Folds now and then, so that hands are long and many of them come to a showdown.
            weights = np.array([0.15, 1, 1])[legal]
            action = int(draw.choice(legal, p=weights / weights.sum()))
            state = step(rules, state, jnp.int32(action))
            other.apply_action(size if action == RAISE else action)
        assert state.terminated
        assert np.asarray(state.rewards) == pytest.approx(other.returns())


@pytest.mark.parametrize("players", [2, 3, 6])
def test_same_turns_actions_and_payoffs(players):
    same_hands(Holdem(players=players), 30, seed=players)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rules", "hands"),
    [
        *((Holdem(players=players), 1000) for players in (2, 3, 6)),
        (Holdem(players=10), 150),
        (Holdem(players=3, **ODD), 1000),
    ],
    ids=str,
)
def test_same_turns_actions_and_payoffs_in_many_hands(rules, hands):
    same_hands(rules, hands, seed=rules.players)
