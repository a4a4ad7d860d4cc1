"""Matches through the dealer, over loopback."""

from pathlib import Path

import numpy as np
import pytest

from feint.connect.acpc import audit
from feint.connect.acpc.dealer import named_in
from feint.games.holdem import acpc
from feint.table import Table
from tests.connect.acpc.matches import NAMES, THREE, client, outsider, played


def own_log(agents: list[str], hands: int, seed: int, names: tuple[str, ...] = NAMES) -> list[str]:
    """The hands of a match at one of feint's own tables, as lines of a log."""
    table = Table(THREE, agents, seed)
    lines = []
    while table.number < hands:
        while not table.over:
            table.act()
        by_position = [names[table.chair(position)] for position in range(3)]
        lines.append(str(acpc.hand_of(THREE, table.state(), table.number, by_position)))
        table.next_game()
    return lines


def test_two_agents_and_a_program_that_knows_nothing_of_feint(tmp_path):
    check_match(tmp_path / "match.log", hands=20)


@pytest.mark.slow
def test_a_thousand_hands(tmp_path):
    check_match(tmp_path / "match.log", hands=1000)


def check_match(path: Path, hands: int) -> None:
    sitters = [client("random", seed=5), outsider(), client("always-call", game=None)]
    at, (first, _, third) = played(path, sitters, hands, seed=5)
    log = acpc.read_log(path)
    assert len(log.hands) == hands
    assert list(audit.faults(THREE, log)) == []
    assert log.names == NAMES
    np.testing.assert_allclose(log.score, at.log.sums)
    np.testing.assert_allclose([sum(first.paid), sum(third.paid)], [log.score[0], log.score[2]], atol=0.01)
    assert len(first.paid) == len(third.paid) == hands
    assert [(bot.ignored, bot.changed) for bot in at.bots.values()] == [(0, 0)] * 3


def test_a_match_is_the_one_that_feint_plays_at_its_own_table(tmp_path):
    agents = ["random", "always-raise", "random"]
    wanted = own_log(agents, 12, seed=3)
    played(tmp_path / "over ports", [client(agent, seed=3) for agent in agents], 12, seed=3)
    played(tmp_path / "within", ["random", client("always-raise"), "random"], 12, seed=3)
    for name in ("over ports", "within"):
        assert (tmp_path / name).read_text().splitlines()[1:-1] == wanted


@pytest.mark.parametrize(
    ("reply", "named"),
    [
        ("MATCHSTATE:0:7::AsAd||:c", "c"),
        ("MATCHSTATE:0:7::AsAd||:r20", "r"),
        ("MATCHSTATE:0:7::AsAd||:x", "x"),
        ("MATCHSTATE:0:7::AsAd||", "-"),
        ("MATCHSTATE:0:7::AsAd||c", "-"),
        ("MATCHSTATE:0:7::AsAd||:", "-"),
        ("MATCHSTATE:0:6::AsAd||:c", None),
        ("MATCHSTATE:0:7:c:AsAd||:c", None),
        ("# MATCHSTATE:0:7::AsAd||:c", None),
        ("", None),
    ],
)
def test_what_a_reply_names(reply, named):
    assert named_in(reply, "MATCHSTATE:0:7::AsAd||") == named
