"""The rules against pokerkit's fixed-limit Hold'em, move by move."""

from dataclasses import replace

import numpy as np
import pytest

pokerkit = pytest.importorskip("pokerkit")

from feint.games.holdem import cards  # noqa: E402
from feint.games.holdem.acpc import values_of  # noqa: E402
from feint.games.holdem.game import Holdem  # noqa: E402
from feint.games.holdem.state import CALL, FOLD, RAISE  # noqa: E402
from feint.table import Table  # noqa: E402

BY_HAND = ("HOLE_DEALING", "BOARD_DEALING", "CARD_BURNING")
AUTOMATIC = tuple(each for each in pokerkit.Automation if each.name not in BY_HAND)


def theirs(rules: Holdem, deal: dict[str, list]) -> object:
    """pokerkit's table with the same cards, and the ACPC's three raises before the flop."""
    game = pokerkit.FixedLimitTexasHoldem(AUTOMATIC, False, 0, rules.blinds, rules.bets[0], rules.bets[-1])
    game.streets = tuple(
        replace(street, max_completion_betting_or_raising_count=most)
        for street, most in zip(game.streets, rules.raises, strict=True)
    )
    state = game(100_000, rules.players)
    for hole in deal["hole"]:
        state.deal_hole(cards.written(hole))
    return state


@pytest.mark.parametrize("players", [2, 3, 6])
def test_random_hands_are_the_same(players):
    rules = Holdem(players=players)
    table = Table(rules, ["random"] * players, seed=players)
    for _ in range(60 // players):
        other, deal = theirs(rules, table.deal()), table.deal()
        shown = 0
        while not table.over:
            assert other.actor_index == table.player
            assert other.can_complete_bet_or_raise_to() == table.legal[RAISE]
            assert (other.checking_or_calling_amount > 0) == table.legal[FOLD]
            before = int(table.view(table.player).round)
            action = table.act()
            {FOLD: other.fold, CALL: other.check_or_call, RAISE: other.complete_bet_or_raise_to}[action]()
            if not table.over and int(table.spectate().round) > before:
                new = rules.board[before + 1]
                other.burn_card("??")
                other.deal_board(cards.written(deal["board"][shown : shown + new]))
                shown += new
        assert not other.status
        values = values_of(table.state())
        np.testing.assert_allclose(values, other.payoffs, atol=1 - 1e-9, rtol=0)  # odd chips go to one of the winners
        np.testing.assert_array_equal(np.sign(values), np.sign(other.payoffs))
        table.next_game()
