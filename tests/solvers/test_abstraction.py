"""Abstractions: what they forget is not told apart, what they keep is, and policies play through them by name."""

from dataclasses import dataclass, replace

import jax.numpy as jnp
import numpy as np
import pytest

import feint
from feint.arena.rollout import play
from feint.commands.solve import solve
from feint.errors import UserError
from feint.games.small.kuhn import Kuhn
from feint.registry import make_agent
from feint.solvers.best_response import exploit, values
from feint.solvers.mccfr import Sampler, SamplingSettings
from feint.solvers.policy import SavedPolicy
from feint.solvers.sequence_form import SequenceForm
from feint.solvers.tabular import policy_of
from feint.solvers.tree import build
from tests.solvers.openspiel import form

SUITED = feint.make("leduc", suits=True)
MINI = feint.make("bluff", players=2, ranks=2, suits=2, cap=3)


def sampled(game, iterations, abstraction="", batch=256):
    sampler = Sampler(game, SamplingSettings(batch, 0, abstraction))
    sampler.run(iterations)
    return sampler


def exploitability(sampler, whole):
    return exploit(whole, sampler.average_on(whole.tree.infosets)).exploitability


@pytest.mark.slow
def test_to_forget_suits_loses_nothing_at_leduc():
    whole = form("leduc", suits=True)
    apart, together = sampled(SUITED, 40), sampled(SUITED, 40, "ranks")
    assert (len(apart.sets), len(together.sets)) == (936, 288)
    assert exploitability(together, whole) < 1.1 * exploitability(apart, whole) < 0.4


def test_cards_that_are_forgotten_are_played_alike():
    whole = form("leduc", suits=True)
    policy = sampled(SUITED, 2, "ranks").average_on(whole.tree.infosets)
    ranks = SUITED.abstractions()["ranks"](whole.tree.views)
    alike = {}
    for row, chances in enumerate(policy):
        key = tuple(np.ravel(leaf[row]).tobytes() for leaf in vars(ranks).values())
        np.testing.assert_array_equal(chances, alike.setdefault(key, chances))
    assert len(alike) == 288


@pytest.mark.slow
def test_counts_are_enough_for_mini_bluff():
    whole = SequenceForm.of(build(MINI))
    few = sampled(MINI, 12, "counts")
    assert len(few.sets) * 4 < len(whole.tree.infosets)
    assert exploitability(few, whole) < 0.05


@dataclass(frozen=True)
class Blind(Kuhn):
    """Kuhn poker for solvers that may forget their card, or all but their card."""

    def abstractions(self):
        return {"nothing": lambda _: {}, "card": lambda view: view.card}


def test_what_may_be_done_is_always_told_apart_and_the_past_is_forgotten():
    assert len(sampled(Blind(), 3, "nothing").sets) == 1
    sampler = sampled(Blind(), 3, "card")
    assert len(sampler.sets) == 3, "neither seats nor bets"
    sets, policy = sampler.average()
    assert policy.shape == (3, 2)
    assert (sets.depth == 0).all()


@pytest.mark.parametrize(
    ("game", "name"), [(SUITED, "ranks"), pytest.param(MINI, "counts", marks=pytest.mark.slow)], ids=["leduc", "bluff"]
)
def test_the_agent_plays_through_the_same_abstraction(tmp_path, game, name):
    whole = SequenceForm.of(build(game))
    sampler = sampled(game, 3, name)
    path = tmp_path / "policy.npz"
    SavedPolicy.of(game, *sampler.average(), {}, abstraction=name).save(path)
    read = SavedPolicy.load(path)
    assert (read.abstraction, read.by_view) == (name, True)
    agent = make_agent(f"policy:{path}", game)
    policy = sampler.average_on(whole.tree.infosets)
    np.testing.assert_allclose(policy_of(whole, agent), policy, atol=1e-6)
    outcomes, _ = play(game, [agent], [0, 0], seed=5, first=0, matches=20_000, lanes=1024)
    rewards = np.asarray(outcomes.rewards)[:, 0, 0]
    assert abs(rewards.mean() - values(whole, policy)[0]) < 4 * rewards.std() / len(rewards) ** 0.5


def test_a_run_is_saved_goes_on_and_says_its_abstraction(tmp_path, capsys):
    path = tmp_path / "leduc.npz"
    assert solve(SUITED, "mccfr", iterations=2, out=path, batch=64, abstraction="ranks") == 0
    assert SavedPolicy.load(path).made["command"] == (
        "feint solve leduc -o suits=true --algorithm mccfr --batch 64 --seed 0 --abstraction ranks --iterations 2"
    )
    assert solve(SUITED, "mccfr", iterations=4, out=path, batch=64, abstraction="ranks") == 0
    assert "Going on from" in capsys.readouterr().out
    np.testing.assert_array_equal(SavedPolicy.load(path).chances, sampled(SUITED, 4, "ranks", batch=64).average()[1])
    with pytest.raises(UserError, match="was made with abstraction ranks: --fresh begins anew"):
        solve(SUITED, "mccfr", iterations=6, out=path, batch=64)
    solve(SUITED, "mccfr", iterations=1, out=path, batch=64, fresh=True)
    with pytest.raises(UserError, match="was made with abstraction none"):
        solve(SUITED, "mccfr", iterations=6, out=path, batch=64, abstraction="ranks")


def test_what_is_no_abstraction_is_refused_in_one_sentence(tmp_path):
    with pytest.raises(UserError) as wrong:
        solve(SUITED, "mccfr", iterations=1, out=tmp_path / "p.npz", abstraction="rank")
    assert str(wrong.value) == "leduc(players=2, suits=True) has no abstraction 'rank'; there are: ranks."
    with pytest.raises(UserError) as wrong:
        solve(feint.make("kuhn"), "mccfr", iterations=1, out=tmp_path / "p.npz", abstraction="ranks")
    assert str(wrong.value) == "kuhn(players=2) has no abstraction 'ranks'; it offers none."
    with pytest.raises(UserError) as wrong:
        solve(SUITED, "dcfr", iterations=1, out=tmp_path / "p.npz", abstraction="ranks")
    assert str(wrong.value) == "--abstraction is for mccfr; dcfr tells everything apart."


def test_a_policy_whose_abstraction_is_gone_is_refused():
    saved = SavedPolicy.of(SUITED, *sampled(SUITED, 1, "ranks", batch=8).average(), {}, abstraction="ranks")
    with pytest.raises(UserError, match="has no abstraction 'suits'; there are: ranks"):
        replace(saved, abstraction="suits").agent_for(SUITED)


def test_leducs_ranks_keep_what_is_hidden_hidden():
    ranks = SUITED.abstractions()["ranks"]
    view = SUITED.observe(SUITED.init(feint.chance.key(0)), jnp.int32(0))
    assert (int(ranks(view).public), int(ranks(view).card)) == (-1, int(view.card) // 2)
    assert "ranks" not in feint.make("leduc").abstractions()
