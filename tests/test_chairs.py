"""A match has chairs, a game has positions: whoever remembers an opponent finds it again, wherever the match is played.

`Suspicious` remembers what the player so many places clockwise did, and stays only as long as that is the same in every game. Two of them
sit beside somebody who leaves earlier: were the memory of one handed to the other, or opponents counted from the wrong place, it would
leave at once, and pay less than it does here.
"""

from itertools import permutations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from feint import chance
from feint.arena import hosted, rollout
from feint.arena.match import match
from feint.arena.storage import as_json
from feint.game import pytree
from feint.learn import trajectories
from feint.learn.tables import LEARNER, Tables
from feint.table import Table
from tests.toys import PlainSuspicious, PlainUntil, Stay, Suspicious, Until

LENGTH = 5
SEATING = [0, 0, 1]  # two who remember, and one who leaves after the first round
SHORT, LONG = Stay(), Stay(stakes=(1, 2, 1))  # whole games at once, and games that are looked at on the way


def as_expected(rewards, cost):
    """The third chair pays 1 and the first round in every game; of the others one pays nothing, the other all that two rounds cost."""
    assert (rewards[..., 2] == -2).all()
    assert (rewards[..., :2].max(axis=-1) == 0).all()
    assert (rewards[..., :2].min(axis=-1) == cost).all()


@pytest.mark.parametrize(("game", "rounds", "cost"), [(SHORT, 2, -4), (LONG, 3, -5)], ids=["whole", "renewing"])
def test_in_the_arena(game, rounds, cost):
    agents = [Suspicious(rounds), Until(1)]
    outcomes, memories = rollout.play(game, agents, SEATING, seed=1, first=0, matches=12, length=LENGTH, lanes=4)
    as_expected(np.asarray(outcomes.rewards), cost)
    mine = jax.device_get(memories[0])
    assert not mine["deceived"].any()
    assert (mine["seat"] == [(chair - LENGTH + 1) % 3 for chair in (0, 1)]).all()  # where each sat in the last game


@pytest.mark.parametrize(("game", "rounds"), [(SHORT, 2), (LONG, 3)], ids=["whole", "renewing"])
@pytest.mark.parametrize("duplicate", [False, True])
def test_few_matches_of_many_seatings_are_played_at_once(monkeypatch, game, rounds, duplicate):
    """Whoever is at the next table, in other chairs, the match is the same as where every seating is played by itself."""
    agents, seatings = [Suspicious(rounds), Until(1), Suspicious(1)], [*permutations(range(3)), (0, 0, 1), (2, 0, 0)]

    def played(few, **how):
        monkeypatch.setattr("feint.arena.match.FEW", few)
        return match(game, agents, seatings, 24 * LENGTH, seed=4, length=LENGTH, duplicate=duplicate, **how)

    together, apart = played(4), played(0)
    assert as_json(together) == as_json(apart)
    told = []
    cut = played(4, part=(0, LENGTH), progress=told.append)
    assert told == [8 * LENGTH]
    assert as_json(cut.merge(played(4, part=(LENGTH, 2 * LENGTH)))) == as_json(together)


@pytree
class Turncoat:
    """Stays in one round of the first game, and in none later."""

    def begin(self, game, seat, key):
        return jnp.int32(1)

    def act(self, memory, view, legal, key):
        return Until(memory).act((), view, legal, key)[0], memory

    def finish(self, memory, view, rewards, key):
        return jnp.int32(0)


def test_an_opponent_who_changes_is_noticed():
    """What the other tests rely on."""
    agents = [Suspicious(2), Turncoat()]
    outcomes, memories = rollout.play(SHORT, agents, SEATING, seed=1, first=0, matches=4, length=LENGTH, lanes=4)
    assert np.asarray(memories[0]["deceived"]).all()
    assert (np.asarray(outcomes.rewards)[:, 2:, :2] == -1).all()


@pytest.mark.parametrize("kinds", [(Suspicious, Until), (PlainSuspicious, PlainUntil)], ids=["compiled", "plain"])
def test_at_a_table(kinds):
    remembers, leaves = kinds
    table = Table(SHORT, [remembers(2), remembers(2), leaves(1)], seed=1, table=3)
    paid = []
    for number in range(LENGTH):
        assert [table.chair(position) for position in range(3)] == [(position + number) % 3 for position in range(3)]
        while not table.over:
            table.act()
        before = table.scores.copy()
        table.next_game()
        paid.append(table.scores - before)
    as_expected(np.array(paid), -4)
    outcomes, _ = rollout.play(
        SHORT, [Suspicious(2), Until(1)], SEATING, seed=1, first=3, matches=1, length=LENGTH, lanes=4
    )
    assert (np.array(paid) == outcomes.rewards[0]).all()  # the arena's third match


@pytest.mark.parametrize(
    "agents",
    [[PlainSuspicious(2), PlainUntil(1)], [Suspicious(2), PlainUntil(1)], [PlainSuspicious(2), Until(1)]],
    ids=["all outside", "remembered inside", "remembered outside"],
)
def test_hosted(agents):
    found = hosted.play(SHORT, agents, ["a", "b"], SEATING, seed=1, first=0, matches=6, length=LENGTH)
    as_expected(found.rewards, -4)
    outcomes, _ = rollout.play(
        SHORT, [Suspicious(2), Until(1)], SEATING, seed=1, first=0, matches=6, length=LENGTH, lanes=4
    )
    for one, other in zip(jax.tree.leaves(found), jax.tree.leaves(outcomes), strict=True):
        assert np.array_equal(one, other)


def test_where_somebody_learns():
    """The learner has the third chair, and leaves after the first round."""
    tables = Tables((Suspicious(2),), jnp.array([[1, 1, LEARNER]], jnp.int32), SHORT, seats="rotations", length=LENGTH)

    def leave(turn):
        return jnp.where(turn.view.stayed[turn.view.seat] < 1, 1, 0), turn.view.seat

    @jax.jit
    def learned(tables, key):
        envs = trajectories.begin(tables, 4, key, 8)
        return trajectories.collect(tables, envs, leave, 24, 8)

    envs, steps = jax.device_get(learned(tables, chance.key(0)))
    assert not envs.memories[0]["deceived"][:, :2].any()  # there is room for a third, whom nobody is
    assert len(set(steps.noted[steps.acted].tolist())) == 3  # it has had every position
    assert steps.ended.sum() > 4 * LENGTH  # matches ended, too
    paid = np.sort(steps.rewards[steps.ended], axis=-1)
    assert (paid == [-4, -2, 0]).all()
