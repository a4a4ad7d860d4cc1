"""Decisions worked out by hand: what each choice is worth against agents whose chances are known, by their exact posterior."""

import jax.numpy as jnp
import pytest

import feint
from feint import chance
from feint.agent import Memoryless
from feint.game import pytree
from feint.games.small.leduc import CALL, FOLD, HIDDEN, RAISE
from feint.record import Record
from feint.review import hint, review
from feint.table import Table

JACK, QUEEN, KING = range(3)
PASS, BET = 0, 1
PLAYOUTS = 4000


@pytree
class KnownKuhn(Memoryless):
    """Bets with a jack 0.6 unless told, a king 0.9; after a check with a jack 1/3, a king always; calls with a queen 0.4, a king always."""

    jack: float = 0.6

    def probabilities(self, view, legal):
        first, after_check, facing = jnp.array([[self.jack, 0, 0.9], [1 / 3, 0, 1], [0, 0.4, 1]])[:, view.card]
        bets = jnp.where((view.history == BET).any(), facing, jnp.where(view.moves > 0, after_check, first))
        return jnp.stack([1 - bets, bets])

    def act(self, memory, view, legal, key):
        return chance.drawn(key, self.probabilities(view, legal)), memory


@pytree
class KnownLeduc(Memoryless):
    """Raises first with a jack 0.1, a queen 0.4, a king 0.8; else calls, but for a jack without a pair facing a bet in the second round."""

    def probabilities(self, view, legal):
        raises = jnp.where((view.public == HIDDEN) & (view.raises == 0), jnp.array([0.1, 0.4, 0.8])[view.card], 0)
        owes = view.paid.max() > view.paid[view.player]
        folds = (view.public != HIDDEN) & owes & (view.card == JACK) & (view.public != JACK)
        return jnp.where(folds, jnp.array([1.0, 0, 0]), jnp.stack([0 * raises, 1 - raises, raises]))

    def act(self, memory, view, legal, key):
        return chance.drawn(key, self.probabilities(view, legal)), memory


def played(name: str, cards: list[int], actions: list[int]) -> Record:
    """A game of people with these cards."""
    table = Table(feint.make(name), ["me:Ann", "me:Ben"], deal={"cards": cards})
    for action in actions:
        table.play(action)
    return Record.of(table)


def values(decision) -> dict:
    return {choice.action: choice.value for choice in decision.choices}


@pytest.mark.parametrize(
    ("game", "agent", "cards", "actions", "expected"),
    [
        # A queen at the start. Checked: a jack bets 1/3, is called 0.4 for +2, else -1; checks for +1. A king bets, which costs 1.4.
        # Bet: a jack folds, a king calls.
        ("kuhn", KnownKuhn(), [QUEEN, KING], [], {PASS: ((0.4 * 2 - 0.6) / 3 + 2 / 3 - 1.4) / 2, BET: (1 - 2) / 2}),
        # A queen facing a bet: of a jack with 0.6 / 1.5.
        ("kuhn", KnownKuhn(), [KING, QUEEN], [BET], {PASS: -1, BET: 0.4 * 2 - 0.6 * 2}),
        # A jack facing a bet cannot win; a king cannot lose.
        ("kuhn", KnownKuhn(), [QUEEN, JACK], [BET], {PASS: -1, BET: -2}),
        ("kuhn", KnownKuhn(), [JACK, KING], [BET], {PASS: -1, BET: 2}),
        # A king after its check was met by a bet, of a jack with a third or never of a queen.
        ("kuhn", KnownKuhn(), [KING, JACK], [PASS, BET], {PASS: -1, BET: 2}),
        # A queen facing a raise: jack, queen and king 1, 2 and 8 of 11. With a board to come it gains 1/2, 0 and -1/2 of the stake.
        ("leduc", KnownLeduc(), [KING, QUEEN, KING], [RAISE], {FOLD: -1, CALL: -3.5 / 11 * 3, RAISE: -3.5 / 11 * 5}),
        # Called, and a king turned up: now 1, 2 and 4 of 7. To a bet a jack folds.
        ("leduc", KnownLeduc(), [JACK, QUEEN, KING], [RAISE, CALL, CALL], {CALL: (3 - 12) / 7, RAISE: (3 - 28) / 7}),
    ],
)
def test_choices_are_worth_what_they_are_by_hand(game, agent, cards, actions, expected):
    found = hint(played(game, cards, actions), agent, PLAYOUTS)
    assert found.how == "weighted"
    assert {action: interval.holds(expected[action]) for action, interval in values(found).items()} == dict.fromkeys(
        expected, True
    ), (values(found), expected)
    assert all(interval.high - interval.low < 0.7 for interval in values(found).values())
    assert found.choices[0].action == max(expected, key=expected.__getitem__)


def test_a_mistake_is_named_and_what_it_cost():
    """Ben folds a queen to a bet, which calling would have made 0.6 better."""
    found = review(played("kuhn", [JACK, QUEEN], [BET, PASS]), KnownKuhn(), PLAYOUTS)
    mistake = found.decisions[found.costliest[0]]
    assert (mistake.seat, mistake.move, mistake.chosen, mistake.mistake) == (1, 1, PASS, True)
    assert mistake.cost.holds(0.6)
    assert mistake.cost.low > 0
    assert found.finished
    assert found.winners == [0]
    assert found.payoffs == [1, -1]
    assert [point.move for point in found.curve] == [0, 1, 2]
    # A jack bets 0.6, which a queen calls 0.4; else it checks, and a queen checks.
    assert found.curve[0].values[0].holds(0.6 * (0.4 * -2 + 0.6) - 0.4)
    assert found.curve[-1].values[0].estimate == 1


def test_equal_choices_are_no_mistake():
    """Facing a bet that is a jack's once for three of a king's, a queen is as well off folding."""
    found = review(played("kuhn", [JACK, QUEEN], [BET, PASS]), KnownKuhn(jack=0.3), PLAYOUTS, seats=[1])
    assert not found.decisions[0].mistake
    assert values(found.decisions[0])[BET].holds(-1)


def test_a_hint_rests_on_what_the_seat_knows():
    """Whatever the other holds, the answer is the same to the last digit."""
    with_jack, with_king = (hint(played("kuhn", [card, QUEEN], [BET]), KnownKuhn(), PLAYOUTS) for card in (JACK, KING))
    assert with_jack == with_king
