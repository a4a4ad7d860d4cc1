"""Every game passes the conformance suite, and broken games fail it for the right reason."""

import random
from dataclasses import dataclass, replace

import jax.numpy as jnp
import pytest

import feint
from feint.game import Rows
from feint.games.small.kuhn import Kuhn, View
from feint.registry import GAMES
from feint.testing import ConformanceError, check_game

VARIANTS = [
    *((name, {}) for name in GAMES),
    ("kuhn", {"players": 3}),
    ("bluff", {"players": 2}),
    ("bluff", {"players": 3, "remainder": "unused"}),
    ("bluff", {"players": 5}),
    ("bluff", {"players": 8, "most": 2}),
]


@pytest.mark.parametrize(("name", "options"), VARIANTS, ids=str)
def test_game_keeps_the_contract(name, options):
    report = check_game(feint.make(name, **options))
    assert len(report.passed) == 10
    assert name in str(report)


@pytest.mark.slow
def test_two_decks_keep_the_contract():
    check_game(feint.make("bluff", decks=2, players=12))


@dataclass(frozen=True)
class Leaky(Kuhn):
    """A mirror hangs behind the next player."""

    def observe(self, state, player):
        return replace(super().observe(state, player), card=state.cards[(player + 1) % self.players])


@dataclass(frozen=True)
class SlyLeak(Kuhn):
    """Only the encoding leaks, through the number of moves."""

    def init(self, key):
        return self._marked(super().init(key))

    def redeal(self, view, key):
        return self._marked(super().redeal(view, key))

    def _marked(self, state):
        return replace(state, opened=jnp.where(state.opened < 0, -1 - state.cards[1], state.opened))

    def observe(self, state, player):
        return replace(super().observe(state, player), moves=state.moves + 10 * state.opened)


@dataclass(frozen=True)
class Dicey(Kuhn):
    """Throws dice in the middle of the game."""

    def move(self, state, action):
        after = super().move(state, action)
        return replace(after, history=after.history.at[-1].set(random.randint(0, 9**9)))


@dataclass(frozen=True)
class Forgetful(Kuhn):
    """Does not show who bet."""

    def observe(self, state, player):
        view = super().observe(state, player)
        return replace(view, history=jnp.where(state.moves % 3 == player, -1, view.history))

    def redeal(self, view, key):
        return super().redeal(View(view.seat, view.card, jnp.int32(0), view.history), key)


@dataclass(frozen=True)
class Generous(Kuhn):
    def _payoffs(self, cards, bets):
        return super()._payoffs(cards, bets) + 1.0


@dataclass(frozen=True)
class Endless(Kuhn):
    def move(self, state, action):
        after = super().move(state, action)
        return replace(after, terminated=jnp.bool_(False), moves=after.moves % self.longest)


@dataclass(frozen=True)
class Redundant(Kuhn):
    def move(self, state, action):
        return super().move(state, jnp.zeros_like(action))


@dataclass(frozen=True)
class Unfair(Kuhn):
    def init(self, key):
        state = super().init(key)
        return replace(state, cards=jnp.sort(state.cards))


@dataclass(frozen=True)
class Unsure(Kuhn):
    def deals(self):
        deals, chances = super().deals()
        return deals, chances * 0.9


@pytest.mark.parametrize(
    ("broken", "complaint"),
    [
        (Leaky(), "leaks"),
        (SlyLeak(), "leaks"),
        (Dicey(), "differs"),
        (Generous(), "do not sum to"),
        (Endless(), "not over after"),
        (Redundant(), "lead to the same state"),
        (Unfair(), "probabilities"),
        (Unsure(), "sum to"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_broken_game_fails(broken, complaint):
    with pytest.raises(ConformanceError, match=complaint):
        check_game(broken, games=16)


def test_forgetful_views_fail_recall():
    from feint.testing.conformance import _check_recall

    with pytest.raises(ConformanceError, match="own moves are the same"):
        _check_recall(Forgetful(players=3), seed=0)


@dataclass(frozen=True)
class Nameless(Kuhn):
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


@pytest.mark.parametrize(
    ("broken", "complaint"),
    [
        (Nameless(), "must give named pieces"),
        (Unbounded(), "its piece pace is not finite"),
        (Rowless(), r"the sequence history as float32\[rows, width\]"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_inputs_that_no_network_could_read_fail(broken, complaint):
    with pytest.raises(ConformanceError, match=complaint):
        check_game(broken, games=16)
