"""A seat at a dealer's: what its lines tell, what is answered, and what changes nothing."""

import random

import jax
import numpy as np
import pytest

from feint.connect.acpc.client import Client, Malformed
from feint.connect.acpc.following import Following
from feint.games.holdem import acpc
from feint.games.holdem.game import Holdem
from feint.table import Table
from tests.connect.acpc.matches import THREE, Recall
from tests.connect.acpc.mutants import mutant


def lines_of(agents: list, hands: int, seed: int = 0) -> list[list[str]]:
    """What each chair is told of a match at one of feint's own tables."""
    table = Table(THREE, agents, seed)
    told: list[list[str]] = [[], [], []]

    def tell() -> None:
        for position in range(3):
            hand = acpc.hand_of(THREE, table.view(position), table.number)
            told[table.chair(position)].append(hand.seen_by(position))

    while table.number < hands:
        tell()
        if table.over:
            table.next_game()
        else:
            table.act()
    return told


def test_a_line_tells_all_that_the_position_sees():
    table, following = Table(THREE, ["random"] * 3, seed=11), Following(THREE)
    while table.number < 12:
        position = table.moves % 3
        given = acpc.hand_of(THREE, table.view(position), table.number)
        step = following.told(position, given)
        view, rewards = following.seen(position, given)
        jax.tree.map(np.testing.assert_array_equal, view, table.view(position))
        assert (step.player, step.over, following.moves) == (table.player, table.over, table.moves)
        np.testing.assert_array_equal(step.legal, table.legal)
        if table.over:
            np.testing.assert_array_equal(rewards, table.rewards)
            table.next_game()
        else:
            table.act()


def test_folded_cards_that_a_dealer_shows_are_no_fault():
    told, following = "MATCHSTATE:0:0:rff:AsAd||KsKd", Following(THREE)
    position, hand = acpc.read_seen(told)
    assert following.told(position, hand).over
    assert (following.seen(position, hand)[0].shown == -1).all()


class Notes:
    """A plain agent that writes down what it is told, and calls."""

    def __init__(self):
        self.told = []

    def begin(self, game, seat):
        self.told.append((game.players, seat))

    def act(self, view, legal):
        assert legal[1]
        return 1

    def finish(self, view, rewards):
        self.told.append(rewards.tolist())


def test_a_plain_agent_is_told_of_the_match_and_of_every_hand():
    (_, told, _) = lines_of(["always-call"] * 3, 3)
    notes, table = Notes(), Table(THREE, ["always-call"] * 3)
    client = Client(notes)  # three players, as the first line says
    replies = [reply for line in told if (reply := client.hear(line))]
    assert replies
    assert all(reply.endswith(":c") for reply in replies)
    for paid in notes.told[1:]:
        while not table.over:
            table.act()
        assert paid == table.rewards.tolist()
        table.next_game()
    assert notes.told[0] == (3, 1)
    assert len(notes.told) == 4


def test_memory_and_chance_are_those_of_the_same_chair_at_feints_own_table():
    for chair, agents in enumerate(([Recall(), "random", "random"], ["random", "random", Recall()])):
        at = 2 * chair
        told = lines_of(agents, 8, seed=2)[at]
        client = Client(Recall(), THREE, seed=2)
        assert check_replies(client, told) > 10
    told = lines_of(["random"] * 3, 8, seed=2)[1]
    assert check_replies(Client("random", THREE, seed=2), told) > 10


def check_replies(client: Client, told: list[str]) -> int:
    """That each reply is what came to pass: the line after it has that action."""
    replies = 0
    for line, after in zip(told, [*told[1:], ""], strict=True):
        if reply := client.hear(line):
            before, betting = (each.split(":")[3].replace("/", "") for each in (line, after))
            assert betting == before + reply[-1]
            replies += 1
    return replies


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("", "must begin with MATCHSTATE"),
        ("hello", "must begin with MATCHSTATE"),
        ("MATCHSTATE:0:0::AsAd||:c", "go on as lines of the ACPC's protocol do"),
        ("MATCHSTATE:3:0::AsAd||", "no position 3"),
        ("MATCHSTATE:1:0::AsAd||", "its own cards"),
        ("MATCHSTATE:0:0::AsAd|", "2 positions"),
        ("MATCHSTATE:0:0::AsAs||", "a card twice"),
        ("MATCHSTATE:0:0:fff:AsAd||", "f cannot follow ff"),
        ("MATCHSTATE:0:0:rrrr:AsAd||", "r cannot follow rrr"),
        ("MATCHSTATE:0:0:ccc:AsAd||", "The rounds of ccc are those of ccc/"),
        ("MATCHSTATE:0:0:ccc/:AsAd||", "the board of its round"),
        ("MATCHSTATE:0:0:cc/c:AsAd||/2c3c4c", "The rounds of cc/c are those of ccc/"),
        ("MATCHSTATE:0:0:ccc/ccc/ccc/ccc:AsAd||/2c3c4c/5c/6c", "not all the cards that are shown"),
    ],
)
def test_lines_that_are_passed_over(line, says):
    client = Client("always-call", THREE)
    with pytest.raises(Malformed, match=says):
        client.hear(line)
    assert client.paid == []
    assert client.hear("MATCHSTATE:2:0::||AsAd") == "MATCHSTATE:2:0::||AsAd:c"


def test_comments_and_repetitions_are_not_answered():
    client = Client("always-call", THREE)
    assert client.hear("# MATCHSTATE:2:0::||AsAd") is None
    assert client.hear("; hello") is None
    assert client.hear("MATCHSTATE:2:0::||AsAd")
    assert client.hear("MATCHSTATE:2:0::||AsAd") is None


def test_an_agent_that_errs_is_not_taken_for_a_bad_line():
    class Wrong:
        def act(self, view, legal):
            return 7

    with pytest.raises(ValueError, match=r"Wrong may not take action 7"):
        Client(Wrong(), THREE).hear("MATCHSTATE:2:0::||AsAd")


def test_other_definitions():
    game = Holdem(players=2, blinds=(1, 2), bets=(2, 4), raises=(2, 2), first=(0, 1), board=(0, 3))
    client = Client("always-raise", game)
    assert client.hear("MATCHSTATE:1:0:rr:|AsAd") == "MATCHSTATE:1:0:rr:|AsAd:c"
    with pytest.raises(Malformed, match="board of its round"):
        client.hear("MATCHSTATE:0:0:cc/cc/:AsAd|/2c3c4c/5c")


def test_lines_with_mistakes_change_nothing():
    check_mutants(lines=3_000)


@pytest.mark.slow
def test_a_hundred_thousand_lines_with_mistakes_change_nothing():
    check_mutants(lines=100_000)


def check_mutants(lines: int) -> None:
    """Lines with mistakes go to a client that nobody minds; those it passes over go between the lines of a real match, and change no reply.
    Those it takes are lines of hands that can be."""
    draw = random.Random(1)
    told = lines_of(["random", Recall(), "always-raise"], 6, seed=4)[1]
    victim, real, plain = (Client(Recall(), THREE) for _ in range(3))
    taken = []
    for line in told:
        for _ in range(lines // len(told) + 1):
            wrong = mutant(draw, draw.choice(told))
            try:
                victim.hear(wrong)
                taken.append(wrong)
            except Malformed:
                with pytest.raises(Malformed):
                    real.hear(wrong)
        assert real.hear(line) == plain.hear(line)
    assert real.paid == plain.paid
    assert len(plain.paid) == 6
    hands = [acpc.read_seen(line)[1] for line in taken if line.startswith("MATCH")]
    assert 10 < len(hands) < lines / 4
    acpc.replay(THREE, hands)  # which refuses what is not by the rules
