"""Agents that are not compiled, hosted by the arena: the same results as their compiled twins, asked in bulk, told of matches, and named where they err."""

import time

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import feint
from feint.agent import Memoryless, Random, is_compiled
from feint.arena import hosted, rollout
from feint.arena.match import match
from feint.errors import UserError
from feint.game import pytree
from feint.outside import IllegalAction, TooLate

KUHN = feint.make("kuhn", players=3)
BLUFF = feint.make("bluff")


@pytree
class High(Memoryless):
    """Bets with a high card."""

    def act(self, memory, view, legal, key):
        return jnp.where(view.card > 1, 1, 0), memory


class PlainHigh:
    """The same in plain Python."""

    def act(self, view, legal):
        assert isinstance(legal, np.ndarray)
        return int(view.card > 1)


class Bulk(PlainHigh):
    """Likes to be asked in bulk."""

    def __init__(self):
        self.asked = []

    def act_many(self, views, legals):
        self.asked.append(len(views))
        return [self.act(view, legal) for view, legal in zip(views, legals, strict=True)]


@pytest.mark.parametrize("twin", [PlainHigh, Bulk])
def test_a_plain_agent_gives_the_result_of_its_compiled_twin(twin):
    seatings = [(0, 1, 2), (2, 0, 1), (0, 0, 1)]
    ours = match(KUHN, [High(), "random", "random"], seatings, games=120, seed=3)
    theirs = match(KUHN, [twin(), "random", "random"], seatings, games=120, seed=3)
    for name in ("wins", "draws", "moves", "payoff_sum"):
        assert getattr(ours, name).tolist() == getattr(theirs, name).tolist()
    assert theirs.agents[0] == twin.__name__


def test_more_matches_than_tables_and_any_first_match(monkeypatch):
    monkeypatch.setattr(hosted, "LANES", 4)
    found = hosted.play(KUHN, [PlainHigh(), Random()], ["a", "b"], [0, 1, 1], seed=3, first=5, matches=11, length=2)
    like, _ = rollout.play(KUHN, [High(), Random()], [0, 1, 1], seed=3, first=5, matches=11, length=2, lanes=4)
    for one, other in zip(jax.tree.leaves(found), jax.tree.leaves(like), strict=True):
        assert np.array_equal(one, other)


class First:
    """Always the first legal action, which in Bluff is one of a turn that takes several."""

    def act(self, view, legal):
        return int(np.argmax(legal))


@pytree
class CompiledFirst(Memoryless):
    def act(self, memory, view, legal, key):
        return jnp.argmax(legal).astype(jnp.int32), memory


@pytest.mark.slow
def test_games_with_events_and_turns_of_several_moves():
    agents = ["no-bluff", "smart", "dump"]
    ours = match(BLUFF, [CompiledFirst(), *agents], games=6, seed=2)
    theirs = match(BLUFF, [First(), *agents], games=6, seed=2)
    assert ours.moves.tolist() == theirs.moves.tolist()
    assert {name: counted.tolist() for name, counted in ours.counters.items()} == {
        name: counted.tolist() for name, counted in theirs.counters.items()
    }


def test_questions_are_put_in_bulk():
    bulk = Bulk()
    match(KUHN, [bulk, "random", "random"], games=40, seed=3)
    assert bulk.asked[0] == 40  # it moves first at all tables
    assert len(bulk.asked) <= KUHN.max_moves


class Diary:
    """Writes down what it is told: a plain agent with the three methods that compiled ones have."""

    diaries: list["Diary"] = []  # noqa: RUF012

    def begin(self, game, seat):
        if self not in self.diaries:
            self.diaries.append(self)
            self.told = []
        self.told.append(("begin", seat))

    def act(self, view, legal):
        self.told.append(("act", int(view.seat)))
        return 0

    def finish(self, view, rewards):
        assert rewards.shape == (3,)
        self.told.append(("finish", int(view.seat), float(rewards[view.seat])))


def test_an_agent_is_told_of_its_own_match_at_every_table(monkeypatch):
    """Two chairs at each of two tables, five matches of three games."""
    monkeypatch.setattr(hosted, "LANES", 2)
    monkeypatch.setattr(Diary, "diaries", [])
    found = hosted.play(KUHN, [Diary(), Random()], ["Diary", "Random"], [0, 1, 0], seed=1, first=0, matches=5, length=3)
    assert len(Diary.diaries) == 4  # copies, since each remembers its own match
    for diary in Diary.diaries:
        begun = [told[1] for told in diary.told if told[0] == "begin"]
        finished = [told[1] for told in diary.told if told[0] == "finish"]
        (chair,) = set(begun)
        assert finished == [chair] * 3 * len(begun)
        assert {told[1] for told in diary.told if told[0] == "act"} == {chair}
        by_match = "".join(told[0][0] for told in diary.told).replace("a", "")
        assert by_match == "bfff" * len(begun)
    paid = sorted(told[2] for diary in Diary.diaries for told in diary.told if told[0] == "finish")
    assert paid == sorted(found.rewards[..., [0, 2]].ravel().tolist())


def test_one_agent_in_several_places_is_copied_if_it_remembers(monkeypatch):
    monkeypatch.setattr(Diary, "diaries", [])
    match(KUHN, [Diary()] * 3, games=2)
    assert len(Diary.diaries) == 6
    assert all({told[1] for told in diary.told} <= {diary.told[0][1]} for diary in Diary.diaries)


def test_methods_do_not_make_an_agent_compiled():
    assert not is_compiled(Diary())
    assert match(KUHN, [Diary(), "random", "random"], games=2).played == 2


class Answers:
    def __init__(self, answer):
        self.answer = answer

    def act(self, view, legal):
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


class ManyAnswers(Answers):
    def act_many(self, views, legals):
        return self.answer


@pytest.mark.parametrize(
    ("agent", "sentence"),
    [
        (Answers(7), r"Move 1: Answers \(seat 1\) may not take action 7 \(no action: they go from 0 to 1\); legal: 0 "),
        (Answers(-1), r"Answers \(seat 1\) may not take action -1"),
        (Answers("bet"), r"Answers \(seat 1\) answered 'bet'; act\(view, legal\) gives the number of an action"),
        (Answers(None), r"Answers \(seat 1\) answered None"),
        (Answers(0.5), r"Answers \(seat 1\) answered 0.5"),
        (ManyAnswers([0, "bet", 0, 0]), r"ManyAnswers \(seat 1\) answered 'bet'"),
        (ManyAnswers([0]), r"ManyAnswers \(seat 1\) gave 1 answer to 4 questions"),
        (ManyAnswers([0] * 9), r"ManyAnswers \(seat 1\) gave 9 answers to 4 questions"),
        (ManyAnswers(None), r"ManyAnswers \(seat 1\) answered None; act_many\(views, legals\) gives a list"),
    ],
    ids=lambda value: getattr(value, "answer", ""),
)
@pytest.mark.parametrize("limit", [None, 60.0])
def test_nonsense_is_refused_in_a_sentence(agent, sentence, limit):
    with pytest.raises(IllegalAction, match=sentence):
        match(KUHN, [agent, "random", "random"], games=4, limit=limit)


def test_an_illegal_action_of_bluff_is_told_in_its_words():
    with pytest.raises(IllegalAction, match=r"Move 1: Answers \(seat 1\) may not take action 13 \(lay them down\)"):
        match(BLUFF, [Answers(13), "smart", "smart", "smart"], games=2)


def test_an_agent_that_breaks_is_named():
    with pytest.raises(ZeroDivisionError) as caught:
        match(KUHN, [Answers(ZeroDivisionError()), "random", "random"], games=2)
    assert caught.value.__notes__ == ["Answers (seat 1) failed."]


class Slow(PlainHigh):
    def act(self, view, legal):
        time.sleep(0.05)
        return super().act(view, legal)


class SlowBulk(Slow):
    def act_many(self, views, legals):
        return [self.act(view, legal) for view, legal in zip(views, legals, strict=True)]


@pytest.mark.parametrize("agent", [Slow(), SlowBulk()], ids=["one by one", "in bulk"])
def test_an_answer_that_comes_too_late_is_said(agent):
    name = type(agent).__name__
    with pytest.raises(TooLate, match=rf"{name} \(seat 1\) has not answered within 0.001 s.*, which is the limit"):
        match(KUHN, [agent, "random", "random"], games=4, limit=0.001)
    # Each answer has its time: many in a row, or all of a bulk, may take as much as all of them together.
    assert match(KUHN, [agent, "random", "random"], games=24, limit=1).played == 24


def test_what_is_no_agent_is_refused():
    with pytest.raises(UserError, match="int is not an agent"):
        match(KUHN, [7, "random", "random"])
