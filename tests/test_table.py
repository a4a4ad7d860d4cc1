"""The table plays the game the arena plays, and refuses what the rules do not allow."""

import jax
import numpy as np
import pytest

import feint
from feint import chance
from feint.agent import Random
from feint.errors import UserError
from feint.outside import IllegalAction
from feint.seating import Person, names_of
from feint.table import Table, fingerprint
from tests.arena.playthrough import playthrough

BLUFF = feint.make("bluff")
KUHN = feint.make("kuhn")


def played(table: Table) -> Table:
    while not table.over:
        table.act()
    return table


@pytest.mark.parametrize(
    "seats",
    [
        ["no-bluff", "tit-for-tat", "dump", "no-bluff"],  # deterministic
        ["smart", "dump", "no-bluff", "tit-for-tat"],  # the first draws at random
        pytest.param(["no-bluff", "smart", "anxious(2)", "tit-for-tat"], marks=pytest.mark.slow),
    ],
)
def test_table_and_compiled_play_are_the_same_game(seats):
    agents = [feint.make_agent(seat, BLUFF) for seat in seats]
    keys = jax.vmap(lambda game: chance.game_key(7, 3, game))(np.arange(100))
    compiled = jax.device_get(jax.jit(jax.vmap(playthrough(BLUFF, agents, 2000)))(keys))
    for game in range(100):
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
        (["random", "random"], -1, "The seed is a whole number from 0"),
        (["random", "random"], 2**31, "The seed is a whole number from 0"),
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


def test_a_compiled_agent_that_is_no_pytree_plays_alike():
    for seed in range(5):
        plain, known = Table(KUHN, [NoPytree(), NoPytree()], seed), Table(KUHN, [Random(), Random()], seed)
        assert played(plain).actions == played(known).actions


def test_names_are_told_apart():
    assert names_of(["me", "smart", "no-bluff", "anxious(2)"]) == ["Player 1", "Smart", "No-Bluff", "Anxious(2)"]
    assert names_of(["me:Ann", "smart", "smart", "me:Ann"]) == ["Ann 1", "Smart 1", "Smart 2", "Ann 2"]
    assert str(Person("Ann")) == "me:Ann"
    assert str(Person()) == "me"
