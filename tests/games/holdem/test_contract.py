"""Hold'em keeps the contract with every number of players and with odd options; the conformance suite plays the usual game."""

import pytest

from feint.games.holdem.game import Holdem
from feint.testing import check_game
from tests.games.holdem.test_openspiel import ODD


@pytest.mark.slow
@pytest.mark.parametrize(
    "rules",
    [
        *(Holdem(players=players) for players in (3, 6, 10)),
        Holdem(players=3, **ODD),
        Holdem(players=5, blinds=(1, 1, 1, 1, 1), raises=(0, 1, 20, 4), first=(5, 4, 3, 2)),
    ],
    ids=str,
)
def test_holdem_keeps_the_contract(rules):
    check_game(rules, games=64)
