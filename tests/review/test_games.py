"""Every game of the contract can be reviewed, whatever it hides and however it is played faster."""

import json

import jax
import numpy as np
import pytest

import feint
from feint import catalogue, chance
from feint.games.bluff.game import Bluff
from feint.record import Record
from feint.review import analysis, hint, review, reviewing, worlds
from feint.review.playouts import FREE, Player
from feint.table import Table
from feint.ways import Resuming
from tests.toys import Stay, Until

PLAYOUTS = 200


@pytest.fixture(autouse=True, scope="module")
def few_worlds():
    """Tests compile without optimising, and what they run is slow."""
    with pytest.MonkeyPatch.context() as patch:
        for name, few in {"CANDIDATES": 256, "BATCH": 64, "ENOUGH": 128, "FEWEST": 10}.items():
            patch.setattr(worlds, name, few)
        patch.setattr(analysis, "CANDIDATES", 256)
        yield


def played(game, seats: list, seed: int = 0, moves: int | None = None) -> Record:
    """A game in which people do as agents would, up to so many moves."""
    table = Table(game, seats, seed=seed)
    while not table.over and table.moves != moves:
        if table.person:
            table.play(table.advice("random"))
        else:
            table.act()
    return Record.of(table)


def looks_right(found, seats: set[int]) -> None:
    """What holds of every review."""
    assert found.finished
    assert {decision.seat for decision in found.decisions} <= seats
    assert [point.move for point in found.curve] == sorted({point.move for point in found.curve})
    assert sorted(found.costliest) == list(range(len(found.decisions)))
    mistakes = [found.decisions[number].mistake for number in found.costliest]
    assert mistakes == sorted(mistakes, reverse=True)
    for decision in found.decisions:
        assert decision.chosen in {choice.action for choice in decision.choices}
        assert len(decision.choices) > 1
        assert sum(choice.likely for choice in decision.choices) == pytest.approx(1, abs=1e-3)
        for choice in decision.choices:
            assert choice.value.low <= choice.value.estimate <= choice.value.high
            assert choice.label
        assert decision.mistake <= (decision.cost.low > 0)
        assert not (decision.mistake and decision.how == "alike" and decision.move > 4)  # a first turn is no longer
    if found.unit == "chance":
        for point in found.curve[:-1]:
            assert sum(value.estimate for value in point.values) <= 1 + 1e-6
    assert json.loads(json.dumps(found.as_data())) == json.loads(json.dumps(found.as_data()))


@pytest.fixture(scope="module")
def bluff() -> Record:
    """A short game, 23 moves."""
    return played(feint.make("bluff", players=2, ranks=4, suits=2), ["me:Ann", "smart"], seed=5)


@pytest.mark.slow
def test_bluff(bluff):
    *_, half, _, found = reviewing(bluff, "smart", PLAYOUTS)
    looks_right(found, {0})
    assert any(turn.lie for turn in found.turns)
    assert {decision.how for decision in found.decisions} == {"played", "alike"}
    assert half.decisions == found.decisions[:-1]  # whoever stops has what was done
    assert half.done == found.done - 2  # the last piece is what agents had to go on
    assert found == review(bluff, "smart", PLAYOUTS)  # to the last digit


class Slow(Bluff):
    """Bluff by single steps alone."""

    def ways(self, agents):
        return None


@pytest.mark.slow
def test_what_is_played_by_whole_turns_is_what_single_steps_play():
    options = {"players": 2, "ranks": 4, "suits": 2}
    agent = feint.make_agent("smart", Bluff(**options))
    assert isinstance(Bluff(**options).ways([agent]), Resuming)
    starts = jax.tree.map(np.asarray, jax.vmap(Bluff(**options).init)(jax.random.split(chance.key(1), 40)))
    quick, slow = (
        Player(kind(**options), agent, PLAYOUTS, seed=3).results(0, starts, np.arange(40), [FREE, 0, 1])
        for kind in (Bluff, Slow)
    )
    assert 0 < quick.wins.mean() < 1
    assert (quick.wins == slow.wins).all()
    assert (quick.payoffs == slow.payoffs).all()


@pytest.mark.parametrize(
    ("name", "options", "agent", "others"),
    [
        ("bidding", {}, "share", ["share", "uniform"]),
        pytest.param("liars-dice", {}, "random", ["random"], marks=pytest.mark.slow),
        ("holdem", {}, "always-call", ["always-call"]),
        pytest.param("okey", {"players": 2, "cap": 6}, "computer", ["computer"], marks=pytest.mark.slow),
        pytest.param("bluff", {}, "smart", ["smart", "anxious", "counter"], marks=pytest.mark.slow),
    ],
)
def test_games(name, options, agent, others):
    record = played(feint.make(name, **options), ["me:Ann", *others], seed=2)
    looks_right(review(record, agent, PLAYOUTS), {0})


def test_a_game_of_another_package(monkeypatch):
    monkeypatch.setitem(catalogue.GAMES, "stay", "tests.toys:Stay")
    monkeypatch.setitem(catalogue.AGENTS, "stay.until", "tests.toys:Until")
    record = played(Stay(), ["me:Ann", *["until(2)"] * (Stay().players - 1)], seed=2)
    looks_right(review(record, Until(2), PLAYOUTS), {0})


@pytest.mark.slow  # hints in smaller games are compared with what is known of them, in test_by_hand.py
def test_a_hint_in_the_middle_of_bluff(bluff):
    """Of a game that is on, and with no more than the seat knows."""
    record = played(bluff.made(), ["me:Ann", "smart"], seed=5, moves=8)
    found = hint(record, "smart", PLAYOUTS)
    assert found.chosen is None
    assert not found.mistake
    assert sum(choice.likely for choice in found.choices) == pytest.approx(1)
