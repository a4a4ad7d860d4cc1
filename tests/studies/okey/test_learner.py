"""The thesis' learner: what is paid and remembered, worked out by hand; and episodes that are the game's own."""

from dataclasses import replace
from itertools import pairwise

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import feint
from feint import chance, registry
from feint.games.okey.arranging import left_to_right
from feint.games.okey.tiles import okey_of
from feint.studies.okey import learner
from feint.studies.okey.episodes import Episode, Policy, Turn, play
from feint.studies.okey.learner import Setup, Thesis

GAME = feint.make("okey:thesis")
THESIS = Thesis(memories=50, batch=4, trainings=3, draw_hidden=8, hidden=8, episodes_at_once=4)


def setup(**given) -> Setup:
    usual = {"greedy": False, "seed": 0, "end": False, "rate": 1e-3, "renewed": False, "arranged": True}
    return Setup(**{name: jnp.asarray(value) for name, value in (usual | given).items()})


def episode(result: int) -> Episode:
    """Three turns and the draw that finished, or the opponent's turn that did; the starter begins without a draw."""
    turns = Turn(
        drew=jnp.array([False, True, True, True, False]),
        seen=jnp.zeros((5, 107), jnp.int8),
        draw=jnp.zeros(5, jnp.int8),
        draw_reward=jnp.array([0.0, 10.0, 0.0, 15.0, 0.0]),
        discarded=jnp.array([True, True, True, False, False]),
        hand=jnp.arange(5, dtype=jnp.int8)[:, None] * jnp.ones((5, 53), jnp.int8),
        discard=jnp.array([1, 2, 3, 4, 0], jnp.int8),
        discard_reward=jnp.array([5.0, -10.0, 5.0, 0.0, 0.0]),
    )
    return Episode(turns, jnp.int8(result))


def test_a_discard_is_paid_for_the_draw_after_it_too():
    lessons = learner.discards(episode(1).turns)
    assert lessons.reward[:3].tolist() == [15.0, -10.0, 20.0]
    assert lessons.there.tolist() == [True, True, True, False, False]
    assert lessons.last[:3].tolist() == [False, False, True]
    assert lessons.next_hand[:2, 0].tolist() == [1, 2]


@pytest.mark.parametrize("result", [1, 0, -1])
def test_rewards_at_the_end_are_for_the_last_decisions(result):
    turns = learner.rewarded(setup(end=True), episode(result))
    assert turns.draw_reward.tolist() == [0, 0, 0, 100.0 * result, 0]
    assert turns.discard_reward.tolist() == [0, 0, 100.0 * result, 0, 0]
    as_it_was = learner.rewarded(setup(), episode(result))
    assert as_it_was.draw_reward.tolist() == episode(result).turns.draw_reward.tolist()


def test_the_oldest_memories_go():
    memory = jax.tree.map(lambda leaf: leaf[0], learner.memories(replace(THESIS, memories=7), 1))
    lessons = learner.discards(episode(1).turns)
    for number in range(3):
        memory = learner.remembered(memory, replace(lessons, error=jnp.full(5, -1.0 - number)))
    # Nine were to be kept, in seven places: those of the second and third time, and one of the first.
    assert memory.priority.tolist() == [3, 3, 1, 2, 2, 2, 3]
    assert memory.lessons.action.tolist() == [2, 3, 3, 1, 2, 3, 1]
    assert int(memory.kept) == 9


SETUPS = jax.tree.map(lambda *leaves: jnp.stack(leaves), setup(greedy=True), setup(seed=1, arranged=False))
HASTY = jax.jit(left_to_right)
KEYS = jax.vmap(lambda seed: jax.vmap(lambda number: chance.game_key(seed, 0, number))(jnp.arange(4)))(jnp.arange(2))


@pytest.fixture(scope="module")
def episodes() -> Episode:
    """Four episodes of two runs, of which one chooses greedily and has its hand arranged."""
    runs = learner.begin(THESIS, SETUPS)
    actors = jax.tree.map(lambda leaf: leaf[:, 0], runs.judges)
    policies = Policy(runs.draw, actors, SETUPS.greedy, SETUPS.arranged)
    opponents = (registry.make_agent("arranger", GAME),)
    found = jax.jit(play, static_argnums=2)(GAME, opponents, (0, 0), policies, KEYS, jnp.arange(4) % 2 == 0)
    return jax.tree.map(np.asarray, found)


@pytest.fixture(scope="module")
def rounds(episodes):
    """The two runs, the first with a memory, before and after they learned from these episodes twice."""
    found = [(learner.begin(THESIS, SETUPS), learner.memories(THESIS, 1), None)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(learner, "play", lambda *_: jax.tree.map(jnp.asarray, episodes))
        step = jax.jit(lambda *given: learner.advance(THESIS, (0, 0), GAME, (), *given))
        for _ in range(2):
            found.append(step(*found[-1][:2]))
    return found


@pytest.mark.slow
def test_episodes_are_played_and_paid_by_the_rules(episodes):
    """Turn by turn: what was discarded is the tile of that number, what was drawn is the tile that lay there or one from the centre."""
    looked_at = 0
    dealt = jax.jit(lambda game, keys: jax.vmap(jax.vmap(lambda key: game.draw(chance.deal_key(key)).order))(keys))
    first_tiles = np.asarray(dealt(GAME, KEYS))[:, :, 0, 0]
    for run, number in np.ndindex(2, 2):
        turns = jax.tree.map(lambda leaf, at=(run, number): leaf[:, *at], episodes.turns)
        okey = int(okey_of(first_tiles[run, number]))
        assert turns.drew[0] == (number % 2 == 1)  # whoever starts has 15 tiles
        for turn in np.flatnonzero(turns.drew):
            seen, offered, hand = turns.seen[turn, :53], turns.seen[turn, 53:106], turns.hand[turn]
            assert (seen.sum(), offered.sum(), hand.sum()) == (14, 1, 15)
            assert (hand - seen).min() == 0
            if turns.draw[turn] == 0:
                assert (hand - seen).tolist() == offered.tolist()
            assert turns.draw_reward[turn] == points(hand) - points(seen)
        for turn in np.flatnonzero(turns.discarded[:-1] & turns.drew[1:]):
            hand, after = turns.hand[turn], turns.seen[turn + 1, :53]
            tiles, free = in_order(hand, okey, arranged=run == 0)
            gone = tiles[turns.discard[turn]]
            assert (hand - after).tolist() == [int(place == gone) for place in range(53)]
            expected = 5 if gone in free else points(after) - points(hand)
            assert turns.discard_reward[turn] == expected
            looked_at += 1
    assert looked_at > 50
    assert set(episodes.result.ravel().tolist()) <= {-1, 0, 1}


def points(hand: np.ndarray) -> int:
    return int(HASTY(hand[:52].reshape(4, 13))[1])


def in_order(hand: np.ndarray, okey: int, arranged: bool) -> tuple[list[int], set[int]]:
    """The tiles of a hand as they are counted, each by its place among the 53 numbers, and those of which one is in no meld."""
    melded = np.append(np.asarray(HASTY(hand[:52].reshape(4, 13))[0]).ravel(), 0)
    free = {int(place) for place in np.flatnonzero(hand > melded)}
    # By kind: the joker's own face is that of the false jokers, which are the last kind; a joker has the kind of that face.
    kinds = [place for place in range(52) if place != okey]
    kinds.insert(okey, 52)
    kinds.append(okey)
    first = melded if arranged else 0 * melded
    return [place for part in (first, hand - first) for place in kinds for _ in range(part[place])], free


@pytest.mark.slow
def test_runs_learn_and_say_what_they_did(rounds):
    for before, after in pairwise(rounds):
        told = after[2]
        assert (told.won + told.drawn + told.lost).tolist() == [4, 4]
        assert (told.turns > 4 * 5).all()
        assert (told.takes <= told.turns).all()
        assert (after[0].episodes - before[0].episodes).tolist() == [4, 4]
        for old, new in zip(
            jax.tree.leaves((before[0].draw, before[0].judges)),
            jax.tree.leaves((after[0].draw, after[0].judges)),
            strict=True,
        ):
            assert (np.asarray(old) != np.asarray(new)).any(axis=tuple(range(1, old.ndim))).all()
            assert np.isfinite(np.asarray(new)).all()


@pytest.mark.slow
def test_a_memory_is_filled_by_the_discards_of_its_run_alone(rounds):
    kept = int(rounds[1][1].kept[0])
    assert kept >= int(rounds[1][2].turns[0]) - 4  # whoever finishes does not discard
    memory = jax.tree.map(lambda leaf: np.asarray(leaf[0]), rounds[1][1])
    there = memory.priority >= 0
    assert there.sum() == min(kept, THESIS.memories)
    assert (memory.lessons.hand[there].sum(axis=1) == 15).all()
    assert ((memory.lessons.action >= 0) & (memory.lessons.action < 15)).all()


@pytest.mark.slow
def test_adam_takes_so_many_steps(rounds):
    """One for every episode, and with a memory `trainings` more."""
    counts = rounds[2][0].optimisers[1].count.tolist()
    assert counts == [8 * (1 + THESIS.trainings), 8]
    assert rounds[2][0].optimisers[0].count.tolist() == [8, 8]
