"""Hands in the PHH format: written and read by pokerkit, and the same log after it."""

from dataclasses import replace
from pathlib import Path

import pytest

from feint.connect import phh
from feint.errors import UserError
from feint.games.holdem import acpc
from feint.games.holdem.acpc import Log
from feint.games.holdem.game import Holdem
from feint.games.holdem.state import Deal
from feint.table import Table
from tests.commands.typed import typed

pytest.importorskip("pokerkit")

LOGS = Path(__file__).parents[1] / "data" / "acpc"


def check_there_and_back(players: int, hands: int, folder: Path) -> None:
    whole = acpc.read_log(LOGS / f"{players}p.limit.h1000.r0.log")
    log = Log(whole.hands[:hands])
    phh.write(folder / "hands.phhs", Holdem(players=players), log)
    rules, back = phh.read(folder / "hands.phhs")
    usual = Holdem(players=players)
    assert (rules.posted, rules.bets, rules.openers) == (usual.posted, usual.bets, usual.openers)
    assert list(map(str, back.hands)) == list(map(str, log.hands))
    assert back.names == tuple(f"p{seat + 1}" for seat in range(players))
    if hands == len(whole.hands):
        assert back.score == whole.score


@pytest.mark.parametrize("players", [2, 3])
def test_a_log_there_and_back(players, tmp_path):
    check_there_and_back(players, 25, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("players", [2, 3])
def test_whole_logs_there_and_back(players, tmp_path):
    check_there_and_back(players, 1000, tmp_path)


HAND = """variant = 'FT'
antes = [0, 0]
blinds_or_straddles = [5, 10]
small_bet = 10
big_bet = 20
starting_stacks = [1000, 1000]
actions = ['d dh p1 5d5c', 'd dh p2 9hQd', 'p2 cbr 20', 'p1 f']
"""


def test_a_hand_that_somebody_else_wrote(tmp_path):
    (tmp_path / "hand.phh").write_text(HAND)
    done = typed("acpc", "phh", tmp_path / "hand.phh", "--out", tmp_path / "hand.log")
    assert done.code == 0, done.stderr
    assert (tmp_path / "hand.log").read_text() == "STATE:0:rf:5d5c|9hQd:-10|10:p1|p2\nSCORE:-10|10:p1|p2\n"
    done = typed("acpc", "phh", tmp_path / "hand.log", "--out", tmp_path / "again.phh")
    assert done.code == 0, done.stderr
    assert phh.read(tmp_path / "again.phh")[1] == acpc.read_log(tmp_path / "hand.log")


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("'FT'", "'NT'", "no file of poker hands|another game than fixed-limit"),
        ("antes = [0, 0]", "antes = [1, 1]", "another game than fixed-limit"),
        ("[1000, 1000]", "[1000, 100]", "somebody may be all-in"),
        ("9hQd", "????", "does not tell all cards"),
        ("9hQd", "5dQd", "would play|a card twice"),
        ("'p1 f'", "'p2 f'", "would play"),
        (", 'p1 f'", "", "by the rules|not over"),
        ("'p2 cbr 20', 'p1 f'", "'p2 cbr 20', 'p1 cbr 30', 'p2 cbr 40', 'p1 cbr 50', 'p2 f'", "cannot be bet there"),
        ("variant", "variety", "not a file of poker hands"),
    ],
)
def test_hands_that_are_refused(tmp_path, old, new, says):
    assert old in HAND
    (tmp_path / "hand.phh").write_text(HAND.replace(old, new))
    with pytest.raises(UserError, match=says):
        phh.read(tmp_path / "hand.phh")


def test_games_that_the_format_does_not_know(tmp_path):
    log = Log(acpc.read_log(LOGS / "2p.limit.h1000.r0.log").hands[:1])
    for game in (
        Holdem(bets=(10, 20, 20, 20)),
        Holdem(raises=(5, 4, 4, 4)),
        Holdem(first=(1, 1, 1, 1)),
        Holdem(board=(0, 3), bets=(10, 10), raises=(3, 4), first=(0, 1)),
    ):
        with pytest.raises(UserError, match="is another game"):
            phh.write(tmp_path / "x.phh", game, log)
    with pytest.raises(UserError, match=r"must end in \.phhs"):
        phh.write(tmp_path / "x.txt", Holdem(), log)
    hand = replace(log.hands[0], betting=((1, 1), (1,)))
    with pytest.raises(UserError, match="not one that pokerkit would play"):
        phh.write(tmp_path / "x.phh", Holdem(), Log((hand,)))


@pytest.mark.parametrize("players", [2, 3])
def test_pokerkit_has_a_dealer_send_the_lines_that_are_sent_here(players):
    import pokerkit

    game = pokerkit.FixedLimitTexasHoldem((), False, 0, (5, 10), 10, 20)
    rules = Holdem(players=players)
    hands = acpc.read_log(LOGS / f"{players}p.limit.h1000.r0.log").hands[:4]
    for hand, history in zip(
        hands, pokerkit.HandHistory.from_acpc_protocol(game, 10_000, "\n".join(map(str, hands))), strict=True
    ):
        table = Table(rules, ["me"] * players, deal=_deal(rules, hand))
        sent: list[list[str]] = [[] for _ in range(players)]
        for action in [action for part in hand.betting for action in part]:
            for position, lines in enumerate(sent):
                lines.append(acpc.hand_of(rules, table.view(position), hand.number).seen_by(position))
            table.play(action)
        for position, lines in enumerate(sent):
            exchange = history.to_acpc_protocol(position)
            theirs = [line.strip() for whose, line in exchange if whose == "S->"]
            assert (
                theirs[: len(lines)] == lines
            )  # the last one, after the end, has fewer cards there: hands that lose are not shown


def _deal(rules: Holdem, hand: acpc.Hand) -> Deal:
    return Deal(*acpc.completed(rules, hand))
