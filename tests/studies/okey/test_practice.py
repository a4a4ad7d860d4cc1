"""The learner that works: advantages worked out by hand, and an update that makes what paid likelier."""

from dataclasses import replace
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from feint.studies.okey import batched_episodes, practice
from feint.studies.okey.learner import Thesis
from feint.studies.okey.practice import Practice
from feint.studies.report import Table
from feint.studies.run import Settings
from tests.studies.okey import test_experiments
from tests.studies.okey.test_learner import episode

SMALL = Thesis(draw_hidden=8, hidden=8)
FEW = Practice(episodes_at_once=8, minibatches=2, epochs=2, rate=1e-2, entropy=0.0)


def student():
    return jax.tree.map(lambda leaf: leaf[0], practice.begin(SMALL, jnp.zeros(1, jnp.int32)))


def told(practice_, updates, seed, games, tell):
    """What students come to that nobody taught."""
    assert practice_.episodes_at_once % practice_.minibatches == 0
    assert min(updates, games) > 0
    tell(1.0)
    share = np.array([0.3, 0.31, 0.32]) + 0.01 * seed
    shares = {"learning": share, "won": share, "drawn": 0 * share + 0.1, "lost": 0.9 - share}
    return dict.fromkeys(practice.OPPONENTS, shares)


def test_advantages_are_those_of_the_rewards_to_come():
    """With critics that say nothing and λ = 1, what was paid from there on: discounted from turn to turn, not within one."""
    networks = jax.tree.map(jnp.zeros_like, student().networks)
    found = practice.advantages(replace(FEW, trace=1.0, discount=0.5, points=100.0), networks, episode(-1))
    last = 0.15 - 1.0  # the last draw, with which the episode was lost
    third = [0.0 + 0.5 * last, 0.0 + 0.5 * last]  # its discard was free, which pays nothing; its draw brought nothing
    second = [0.10 - 0.10 + 0.5 * third[0], -0.10 + 0.5 * third[0]]
    assert found.draw[3] == pytest.approx(last)
    assert [float(found.draw[2]), float(found.discard[2])] == pytest.approx(third)
    assert [float(found.draw[1]), float(found.discard[1])] == pytest.approx(second)
    assert float(found.discard[0]) == pytest.approx(0.5 * second[0])
    assert found.draw_value.tolist() == found.draw.tolist()  # nothing was expected


def test_an_update_makes_what_won_likelier_and_what_lost_less_so():
    """Episodes that were won if the first tile was discarded, and lost if the second was."""
    results = jnp.tile(jnp.array([1, -1], jnp.int8), 4)
    one = episode(1)
    turns = jax.tree.map(lambda leaf: jnp.stack([leaf] * 8), one.turns)
    first = jnp.where(results[:, None] > 0, 0, 1) * jnp.ones((8, 5), jnp.int32)
    played = replace(one, turns=replace(turns, discard=first.astype(jnp.int8)), result=results)
    learn = jax.jit(partial(practice._learned, FEW, 10))
    before, after = student(), student()
    for _ in range(5):
        after = learn(after, played)
    old, new = (practice._log_probs(each.networks, one.turns)[1][1] for each in (before, after))
    assert new[0] > old[0] + 0.1
    assert new[1] < old[1] - 0.1
    assert int(after.updates) == 5


def test_the_section_says_what_the_networks_reach(monkeypatch):
    monkeypatch.setattr(practice, "trained", told)
    section = practice.practised(Settings(20_000, 1), lambda _: None)
    assert [verdict.holds for verdict in section.verdicts] == ["differs"]
    assert "32.0% against arranger" in section.verdicts[0].text


@pytest.mark.parametrize(("more", "holds"), [(0.0, "holds"), (0.2, "differs")])
def test_one_at_a_time_is_compared_with_many(monkeypatch, more, holds):
    """Where many win as much, or more."""

    def tried(thesis, listed, episodes, tell):
        found = test_experiments.fabricated(thesis, listed, episodes, tell)
        random, many = np.random.default_rng(thesis.episodes_at_once), thesis.episodes_at_once
        share = random.uniform(0.29, 0.31, len(listed)) + more * (many > 1)
        return found | {"won": share * many + 0 * found["won"], "lost": (0.8 - share) * many + 0 * found["won"]}

    monkeypatch.setattr(batched_episodes, "tried", tried)
    section = batched_episodes.batched_episodes(Settings(20_000, 1), lambda _: None)
    (table,) = (block for block in section.blocks if isinstance(block, Table))
    assert [row.label for row in table.rows] == ["1 at a time", "100 at a time", "difference, points"]
    assert [verdict.holds for verdict in section.verdicts] == [holds]
