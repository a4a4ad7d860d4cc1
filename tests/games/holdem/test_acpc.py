"""The ACPC's logs and definitions: read, played again and written, every character and every value the same."""

from pathlib import Path

import jax
import numpy as np
import pytest

import feint
from feint.errors import UserError
from feint.games.holdem import acpc, cards, definition
from feint.games.holdem.game import Holdem
from tests.games.holdem.positions import THREE, TWO, dealt, play, seen

LOGS = Path(__file__).parents[2] / "data" / "acpc"


@pytest.mark.parametrize("rules", [TWO, THREE], ids=["2p", "3p"])
def test_every_hand_of_a_dealers_log_is_played_again(rules):
    path = LOGS / f"{rules.players}p.limit.h1000.r0.log"
    log = acpc.read_log(path)
    assert len(log.hands) == 1000
    assert str(log) == path.read_text()
    states = acpc.replay(rules, log.hands)
    assert states.terminated.all()
    np.testing.assert_array_equal(states.rewards, [hand.values for hand in log.hands])
    for index, hand in enumerate(log.hands):
        state = jax.tree.map(lambda leaf: leaf[index], states)  # noqa: B023
        assert str(acpc.hand_of(rules, state, hand.number, hand.names)) == str(hand)
    by_seat = [np.roll(hand.values, hand.number) for hand in log.hands]  # position = (seat - hand) mod players
    assert tuple(np.sum(by_seat, axis=0)) == log.score


def test_what_a_position_is_sent():
    state = play(THREE, dealt(THREE, "AsAd|KsKd|QsQd"), "rcf/c")
    line = "MATCHSTATE:0:7:rcf/c:AsAd||/2c7d9h"
    assert acpc.hand_of(THREE, seen(THREE, state, 0), 7).seen_by(0) == line
    position, hand = acpc.read_seen(f"{line}\r\n")
    again = jax.tree.map(lambda leaf: leaf[0], acpc.replay(THREE, [hand]))
    view = seen(THREE, again, position)  # hidden cards are others there, and the view is the same
    jax.tree.map(np.testing.assert_array_equal, view, seen(THREE, state, 0))
    over = play(THREE, state, "c/cc/cc")
    assert acpc.hand_of(THREE, seen(THREE, over, 1), 7).seen_by(1) == (
        "MATCHSTATE:1:7:rcf/cc/cc/cc:AsAd|KsKd|QsQd/2c7d9h/Js/Kc"
    )


def test_values_are_printed_as_the_dealer_does():
    assert [acpc.value_text(value) for value in (0.0, -5.0, 100.0, 2.5, 100 / 3)] == [
        "0",
        "-5",
        "100",
        "2.5",
        "33.333333",
    ]


GOOD = "STATE:0:cc/cc/cc/cc:AsAd|KsKd/2c7d9h/Js/Kc:-10|10:a|b"


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("STATE:0:cx:AsAd|KsKd:-10|10:a|b", "go on as lines of the ACPC's protocol do"),
        (GOOD.replace("Kc", "Kx"), "cannot be read as cards"),
        (GOOD.replace("AsAd", "As"), "two cards for each position"),
        (GOOD.replace("-10|", "ten|"), "not numbers"),
        (GOOD.replace(":a|b", ":a"), "for each position"),
        (GOOD.replace("Kc", "As"), "a card twice"),
        (GOOD.replace("/Kc", ""), "the board of its round"),
        (GOOD.replace("|KsKd", "|KsKd|QsQd").replace("-10|10:a|b", "0|0|0:a|b|c"), "3 positions"),
        (GOOD.replace("cc/cc/cc/cc", "cc/cf/cc/cc"), "cannot be bet there"),
        (GOOD.replace("cc/cc/cc/cc", "ccc/c/cc/cc"), "cannot be bet there"),
        (GOOD.replace("cc/cc/cc/cc", "cc/cc/cc/ccc"), "cannot be bet there"),
        (GOOD.replace("cc/cc/cc/cc", "cc/cc/cc/" + "c" * 99), "cannot be bet there"),
        (GOOD.replace("cc/cc/cc/cc", "rrrrc/cc/cc/cc"), "cannot be bet there"),
    ],
)
def test_lines_that_are_refused(line, says):
    with pytest.raises(UserError, match=says):
        acpc.replay(TWO, [acpc.read_hand(line)])


def test_no_hands_cannot_be_played():
    with pytest.raises(UserError, match="no hands"):
        acpc.replay(TWO, [])


def test_a_file_that_is_no_log(tmp_path):
    for name, content in (("text", b"hello\n"), ("bytes", b"\xff\xfe")):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(UserError, match="is not a log of an ACPC dealer"):
            acpc.read_log(tmp_path / name)


# ---- definitions


@pytest.mark.parametrize(
    "rules", [TWO, THREE, Holdem(players=6), Holdem(players=2, blinds=(3, 7), first=(1, 2, 1, 1))], ids=str
)
def test_a_definition_written_and_read_is_the_same_game(rules):
    other = Holdem(**definition.options(definition.written(rules)))
    for each in ("players", "posted", "openers", "bets", "raises", "board"):
        assert getattr(other, each) == getattr(rules, each)


def test_a_definition_file_is_a_game(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("Three.game").write_text("# a comment\n" + definition.written(THREE).replace("limit", "LIMIT"))
    assert feint.make("holdem:Three.game").posted == (5, 10, 0)
    with pytest.raises(UserError, match=r"There is no file Two\.game"):
        feint.make("holdem:Two.game")
    with pytest.raises(UserError, match="no preset called 'thesis'"):
        feint.make("holdem:thesis")


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("limit", "nolimit", "only limit games"),
        ("END GAMEDEF", "", "is not a game definition"),
        ("limit", "=", "'=' is not a line of a limit game"),
        ("numRounds = 4", "numRounds = 999999999", "raisesize must have 999999999 numbers, not 4"),
        ("numHoleCards = 2", "numHoleCards = 4", "numholecards must be 2"),
        ("blind = 10 5", "", "has no blind"),
        ("blind = 10 5", "blind = 10", "blind must have 2 numbers"),
        ("blind = 10 5", "blind = ten five", "is not a line of a limit game"),
        ("blind = 10 5", "blind = 10 5\nstack = 200 1000", "nobody is ever all-in"),
        ("maxRaises = 3 4 4 4", "maxRaises = 3 4", "maxraises must have 4 numbers"),
    ],
)
def test_definitions_that_are_refused(old, new, says):
    with pytest.raises(UserError, match=says):
        definition.options(definition.written(TWO).replace(old, new, 1))


def test_cards_are_read_and_written():
    assert cards.read("2cAs") == [0, 51]
    assert cards.written([0, 51]) == "2cAs"
