"""The table plays the game the arena plays, and refuses what the rules do not allow."""

import time
from dataclasses import dataclass
from typing import ClassVar

import jax
import numpy as np
import pytest

import feint
from feint import chance
from feint.errors import UserError
from feint.outside import IllegalAction
from feint.seating import Person, names_of
from feint.table import Table, fingerprint
from tests.arena.playthrough import playthrough

BLUFF = feint.make("bluff")
KUHN = feint.make("kuhn")
GAMES = 25  # of Bluff, some hundred moves each


def played(table: Table) -> Table:
    while not table.over:
        table.act()
    return table


@pytest.mark.parametrize(
    "seats",
    [
        ["no-bluff", "tit-for-tat", "dump", "no-bluff"],  # deterministic
        pytest.param(["smart", "dump", "no-bluff", "tit-for-tat"], marks=pytest.mark.slow),  # the first draws at random
        pytest.param(["no-bluff", "smart", "anxious(2)", "tit-for-tat"], marks=pytest.mark.slow),
    ],
)
def test_table_and_compiled_play_are_the_same_game(seats):
    agents = [feint.make_agent(seat, BLUFF) for seat in seats]
    keys = jax.vmap(lambda game: chance.game_key(7, 3, game))(np.arange(GAMES))
    compiled = jax.device_get(jax.jit(jax.vmap(playthrough(BLUFF, agents, 2000)))(keys))
    for game in range(GAMES):
        table = played(Table(BLUFF, seats, seed=7, table=3, number=game))
        assert table.actions == compiled.actions[game, : compiled.moves[game]].tolist()
        last = jax.tree.map(lambda leaf, game=game: leaf[game], compiled.state)
        assert table.fingerprint == fingerprint(last)


def test_people_agents_and_plain_python_sit_together():
    asked = []

    class Caller:
        def act(self, view, legal):
            asked.append(view)
            assert isinstance(legal, np.ndarray)
            return 1

    table = Table(feint.make("kuhn", players=3), ["me:Ann", Caller(), "random"], seed=5)
    assert table.person
    assert table.names == ["Ann", "Caller", "Random"]
    table.play(1)
    table.act()
    assert int(asked[0].seat) == 1
    table.act()
    assert table.over
    assert table.actions[:2] == [1, 1]
    assert table.rewards.sum() == 0


def test_an_illegal_action_is_refused_by_name_with_what_was_legal():
    table = Table(BLUFF, ["me:Ann", "smart", "smart", "smart"], seed=1)
    before = table.fingerprint
    with pytest.raises(
        IllegalAction, match=r"Move 1: Ann may not take action 13 \(lay them down\); legal: 0 \(pick an ace\), "
    ):
        table.play(13)
    with pytest.raises(IllegalAction, match=r"99 .no action: they go from 0 to 15"):
        table.play(99)
    with pytest.raises(IllegalAction):
        table.play(-1)
    assert table.fingerprint == before
    assert table.moves == 0


class Gives:
    def __init__(self, answer):
        self.answer = answer

    def act(self, view, legal):
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


def test_a_plain_agent_that_errs_is_named():
    with pytest.raises(IllegalAction, match="Gives may not take action 7"):
        Table(KUHN, [Gives(7), "random"]).act()
    with pytest.raises(IllegalAction, match=r"Gives \(seat 1\) answered 'bet'"):
        Table(KUHN, [Gives("bet"), "random"]).act()
    with pytest.raises(ZeroDivisionError) as caught:
        Table(KUHN, [Gives(ZeroDivisionError()), "random"]).act()
    assert caught.value.__notes__ == ["Gives (seat 1) failed at move 1."]


def test_a_person_is_not_asked_like_an_agent_and_a_finished_game_takes_no_move():
    table = Table(KUHN, ["me", "random"])
    with pytest.raises(UserError, match="Player 1 is a person"):
        table.act()
    table.play(0)
    while not table.over:
        table.play(0)
    with pytest.raises(IllegalAction, match="over"):
        table.play(0)


@pytest.mark.parametrize(
    ("seats", "seed", "wrong"),
    [
        (["random"], 0, "has 2 seats, not 1"),
        (["random", "randon"], 0, "Did you mean random"),
        (["random", "random"], -1, "The seed must be a whole number from 0"),
        (["random", "random"], 2**31, "The seed must be a whole number from 0"),
    ],
)
def test_what_cannot_be_a_table_is_said(seats, seed, wrong):
    with pytest.raises(UserError, match=wrong):
        Table(KUHN, seats, seed)


class NoPytree:
    """A compiled agent whose author left out @pytree."""

    def begin(self, game, seat, key):
        return ()

    def act(self, memory, view, legal, key):
        return chance.choice(key, legal), memory

    def finish(self, memory, view, rewards, key):
        return memory


def test_an_agent_written_to_be_compiled_that_is_no_pytree_is_refused():
    """What an agent is decides how it is asked, not which methods it has."""
    with pytest.raises(UserError, match=r"NoPytree is not a pytree: write @feint\.game\.pytree above its class"):
        Table(KUHN, [NoPytree(), "random"])
    with pytest.raises(UserError, match="int is not an agent"):
        Table(KUHN, [7, "random"])


class Diary:
    """A plain agent that writes down what it is told."""

    def __init__(self):
        self.told = []

    def begin(self, game, seat):
        self.told.append(("begin", game.name, seat))

    def act(self, view, legal):
        self.told.append(("act", int(view.seat)))
        return int(np.argmax(legal))

    def finish(self, view, rewards):
        self.told.append(("finish", int(view.seat), rewards.tolist()))


@dataclass(frozen=True)
class Turning(type(KUHN)):
    """Kuhn whose first player changes from game to game."""

    name: ClassVar[str] = "turning"
    rotates: ClassVar[bool] = True


def test_a_match_goes_on_from_game_to_game_and_chairs_keep_their_people():
    diary = Diary()
    table = Table(Turning(players=3), ["me:Ann", diary, "random"], seed=4)
    assert table.names == ["Ann", "Diary", "Random"]
    with pytest.raises(UserError, match="still on"):
        table.next_game()
    paid = np.zeros(3)
    for game in range(4):
        assert table.number == game
        assert table.chair(0) == game % 3  # positions move one chair on
        while not table.over:
            table.play(1) if table.person else table.act()
        by_chair = [table.chair(position) for position in range(3)]
        paid[by_chair] += table.rewards
        table.next_game()
    assert table.names == ["Diary", "Random", "Ann"]
    assert np.allclose(table.scores, paid)
    assert table.wins.sum() == 4
    assert diary.told[0] == ("begin", "turning", 1)
    assert [told[:2] for told in diary.told if told[0] == "finish"] == [("finish", seat) for seat in (1, 0, 2, 1)]


def test_an_agent_that_remembers_is_another_in_every_chair():
    diary, first = Diary(), Gives(0)
    table = Table(feint.make("kuhn", players=3), [diary, diary, first])
    assert table.chairs[0] is diary
    played(table).next_game()
    assert [each.told[0][2] for each in table.chairs[:2]] == [0, 1]
    assert Table(KUHN, [first, first]).chairs == [first, first]


def test_somebody_else_may_take_a_chair():
    table = Table(KUHN, ["random", Diary()], seed=1)
    table.replace(1, "me:Ben")
    assert table.names == ["Random", "Ben"]
    table.act()
    assert table.person
    with pytest.raises(UserError, match="no chair 2"):
        table.replace(2, "random")


def test_a_deal_can_be_written_down_and_dealt():
    table = Table(KUHN, ["me", "me"], deal={"cards": [2, 0]})
    assert [int(table.view(seat).card) for seat in (0, 1)] == [2, 0]
    assert table.deal() == {"cards": [2, 0]}
    for wrong in (
        {"cards": [1, 1]},
        {"cards": [0, 3]},
        {"cards": [0]},
        {"cards": [0.5, 1]},
        {"deck": [0, 1]},
        {"cards": "K"},
    ):
        with pytest.raises(UserError, match="is not a deal of kuhn"):
            Table(KUHN, ["me", "me"], deal=wrong)


class Slow:
    def act(self, view, legal):
        time.sleep(5)
        return 0


def test_an_answer_that_comes_too_late_is_said():
    with pytest.raises(UserError, match=r"Slow \(seat 1\) has not answered within 0.05 s"):
        Table(KUHN, [Slow(), "random"], limit=0.05).act()


def test_spectators_see_what_everybody_knows():
    table = Table(KUHN, ["me", "me"], deal={"cards": [2, 0]})
    assert (int(table.spectate().seat), int(table.spectate().card)) == (-1, -1)
    table.play(1)
    table.play(1)
    assert table.spectate().shown.tolist() == [2, 0]


def test_names_are_told_apart():
    assert names_of(["me", "smart", "no-bluff", "anxious(2)"]) == ["Player 1", "Smart", "No-Bluff", "Anxious(2)"]
    assert names_of(["think(zoo:holdem-2p-2, worlds=64)", "policy:runs/best.npz"]) == ["Think(holdem-2p-2)", "Best"]
    assert names_of(["me:Ann", "smart", "smart", "me:Ann"]) == ["Ann 1", "Smart 1", "Smart 2", "Ann 2"]
    assert str(Person("Ann")) == "me:Ann"
    assert str(Person()) == "me"
