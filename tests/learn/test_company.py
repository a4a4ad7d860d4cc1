"""Who sits with a learner by how much is left to learn: bars that weigh tables, exploiters that join past selves."""

from dataclasses import replace
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import feint
from feint import chance, workers
from feint.arena.statistics import Interval
from feint.errors import UserError
from feint.learn.bars import Bar, read_bars, weights
from feint.learn.evaluate import Evaluation, Score
from feint.learn.experiment import Experiment
from feint.learn.league import League
from feint.learn.tables import make_tables
from feint.learn.train import CHECKPOINT, Run
from tests.learn.learning import share_of_best

EVEN = {"learning_rate": 1e-12, "final_learning_rate": 1e-12}  # a learner that stays as it began
SMALL = {"num_envs": 16, "num_steps": 8, "width": 16, "total_timesteps": 4 * 128, "league_size": 2, **EVEN}
KUHN = {"game": "kuhn", "algorithm": "ppo", "settings": SMALL, "tables": ["2*random", "past"], "bars": ["1"]}
ATTACKED = KUHN | {"exploiters": 1, "exploiter_steps": 40 * 1024, "evaluations": 1, "games": 2000}
ATTACKED |= {"settings": SMALL | {"bfloat16": True}}  # an exploiter computes in float32, as does whom it attacks


def found(**rates):
    """An evaluation in which so much was won at tables beside one other."""
    return Evaluation(
        tuple(Score((name, "me"), 100, Interval(rate, 0, 1), Interval(0, -1, 1)) for name, rate in rates.items())
    )


def test_half_of_all_games_are_played_where_a_bar_is_missed_by_how_far():
    rows = [("a", "me"), ("b", "me"), ("c", "me"), ("past", "me")]
    bars = (Bar(50.0), Bar(90.0, ("a", "me")))
    drawn = weights(rows, bars, found(a=0.8, b=0.45, c=0.6))  # 10, 5 and 0 points are missing
    np.testing.assert_allclose(drawn, [1 / 8 + 1 / 3, 1 / 8 + 1 / 6, 1 / 8, 1 / 8])
    np.testing.assert_allclose(weights(rows, bars, found(a=0.95, b=0.5, c=0.6)), [0.25] * 4)
    np.testing.assert_allclose(weights(rows, bars, None), [0.25] * 4)


def test_tables_are_drawn_by_weight():
    tables = make_tables(feint.make("kuhn"), [("random",), ("past",), ("me", "me")], seats="given")
    weighed = jax.tree.map(lambda leaf: leaf, tables)
    weighed = Experiment.of(KUHN | {"tables": ["random", "past", "me,me"]}).weighted(weighed, found(random=-1.0))
    np.testing.assert_allclose(weighed.weights, [2 / 3, 1 / 6, 1 / 6], rtol=1e-6)
    keys = jax.random.split(chance.key(0), 3000)
    first = jax.vmap(lambda key: jnp.all(weighed.draw(key) == weighed.seatings[0]))(keys).mean()
    assert abs(first - 2 / 3) < 0.04


def test_bars_and_exploiters_are_part_of_what_is_written_down():
    experiment = Experiment.of(ATTACKED | {"bars": ["1", "0.5@random"]})
    assert experiment.bars == read_bars(["1", "0.5@random"]) == (Bar(1.0), Bar(0.5, ("random",)))
    assert Experiment.of(experiment.as_dict()) == experiment
    assert "--bar 1 --bar 0.5@random" in experiment.command()
    assert "--exploiters 1 --exploiter-steps 40960" in experiment.command()
    assert "--exploiter-delay 2" in Experiment.of(ATTACKED | {"exploiter_delay": 2}).command()


@pytest.fixture(scope="module")
def attacked(tmp_path_factory):
    run = Run.start(Experiment.of(ATTACKED), tmp_path_factory.mktemp("attacked") / "run")
    assert run.train(lambda _: None, lambda: False)
    return run


def test_an_exploiter_that_wins_joins_the_past_selves(attacked):
    (attack,) = [news.metrics for news in attacked.news if "exploiter" in news.metrics]
    worth = share_of_best(attacked.agent(), "kuhn", "random")[1]  # the learner is as even as random is
    assert attack["joined"] == 1
    assert worth < attack["exploiter"] < 2.5 * worth  # twice, since what one earns the other pays
    networks = attacked.learner.league.policy.weight
    assert not np.allclose(networks[0], networks[1])


def test_a_run_with_exploiters_under_way_goes_on_to_the_same_numbers(tmp_path, monkeypatch):
    begun = []
    monkeypatch.setattr(workers, "meanwhile", lambda do, update: begun.append(update) or partial(do, update))
    delayed = Experiment.of(ATTACKED | {"exploiters": 1, "exploiter_delay": 2})
    straight, run = (Run.start(delayed, tmp_path / name) for name in ("straight", "run"))
    assert straight.train(lambda _: None, lambda: False)
    assert not run.train(lambda _: None, lambda: run.updates == 2)
    assert [path.name for path in run.folder.glob("attacked-*")] == ["attacked-1.npz"]
    assert begun == [1, 1]  # at once, however late they sit down
    resumed = Run.resume(run.folder)
    np.testing.assert_array_equal(resumed.tables.weights, run.tables.weights)
    assert resumed.train(lambda _: None, lambda: False)
    assert [news.updates for news in resumed.news if "exploiter" in news.metrics] == [3]
    assert (run.folder / CHECKPOINT).read_bytes() == (straight.folder / CHECKPOINT).read_bytes()
    assert begun == [1, 1, 1]
    assert not list(run.folder.glob("attacked-*"))


def test_all_exploiters_sit_down_before_the_end(tmp_path):
    longer = {"settings": SMALL | {"total_timesteps": 100 * 128}, "exploiters": 3}
    at_once = League(Experiment.of(ATTACKED | longer), tmp_path)
    assert (at_once.begins, at_once.joins) == ({25, 50, 75}, {25, 50, 75})
    delayed = League(Experiment.of(ATTACKED | longer | {"exploiter_delay": 40}), tmp_path)
    assert (delayed.begins, delayed.joins) == ({15, 30, 45}, {55, 70, 85})


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"bars": ["high"]}, "'high' is not a bar: write a number, or a number and a table"),
        ({"bars": ["1@zoo:kuhn-1"]}, "The bar 1@zoo:kuhn-1 is of no table where the learner trains with named agents"),
        ({"bars": ["1"], "tables": ["me,me"]}, "The bar 1 is of no table where the learner trains with named agents"),
        ({"bars": "1"}, "bars must be a list of texts"),
        ({"exploiters": 1, "tables": ["random"]}, "Exploiters take seats of past selves"),
        ({"exploiters": 1, "exploiter_delay": 4}, "4 updates after they are begun never do in a run of 4."),
        ({"exploiters": 1, "algorithm": "q-learning", "settings": {}}, "train by ppo or mmd, at a table with past"),
    ],
)
def test_bad_input_is_one_clear_sentence(wrong, says):
    with pytest.raises(UserError, match=says):
        Experiment.of(KUHN | wrong)


SIZES = KUHN | {"also": ["players=3"], "tables": ["2*random,...", "past,..."], "bars": ["0.5@random,...", "-1"]}


def test_at_several_sizes_the_tables_of_each_are_weighed_by_themselves():
    experiment = Experiment.of(SIZES)
    assert Experiment.of(experiment.as_dict()) == experiment
    missed, even = [5 / 12, 5 / 12, 1 / 6], [1 / 3] * 3
    for reached, drawn in (
        ((0.5, -0.5), (even, missed)),
        ((-0.5, 0.5), (missed, even)),
        ((-0.5, -0.1), (missed, missed)),
    ):
        two, three = (found(random=rate).scores[0] for rate in reached)
        told = Evaluation((two, replace(three, table=("random", "random", "me"))))
        weighed = experiment.weighted(experiment.training_tables(), told)
        for each, expected in zip(weighed.each, drawn, strict=True):
            np.testing.assert_allclose(each.weights, expected, rtol=1e-6)


def test_two_sizes_with_as_many_players_are_weighed_each_by_its_own_scores():
    purses = {"game": "bidding", "options": {"players": 3, "coins": 10}, "also": ["players=3,coins=5", "players=4"]}
    tables = ["uniform,uniform", "random,random"]
    experiment = Experiment.of(purses | {"algorithm": "ppo", "tables": tables, "bars": ["50@uniform,uniform"]})
    rates = (0.3, 0.9, 0.6, 0.1, 0.5)  # at both tables with ten coins, at both with five, and at that for four
    asked = [(*table, "me") for table in experiment.tables] * 2 + [("composition", "share", "composition", "me")]
    scores = [replace(found(random=rate).scores[0], table=at) for rate, at in zip(rates, asked, strict=True)]
    told = Evaluation(tuple(scores))
    ten, five, four = experiment.weighted(experiment.training_tables(), told).each
    np.testing.assert_allclose(ten.weights, [0.75, 0.25])
    np.testing.assert_allclose(five.weights, [0.5, 0.5])
    assert four.weights is None  # there it has every seat


def test_exploiters_learn_at_every_size_with_past_selves_in_turn(tmp_path, monkeypatch):
    sizes = []
    at_once = workers.meanwhile
    monkeypatch.setattr(
        workers, "meanwhile", lambda do, update: sizes.append(do.agent.game.players) or at_once(do, update)
    )
    brief = {"exploiters": 3, "exploiter_steps": 1024, "evaluations": 1, "games": 20}
    run = Run.start(Experiment.of(SIZES | brief), tmp_path / "run")
    assert run.train(lambda _: None, lambda: False)
    assert sizes == [2, 3, 2]
    assert ["exploiter" in news.metrics for news in run.news].count(True) == 3
    some = Experiment.of(SIZES | brief | {"tables": ["random,...", "past,past"]})
    assert [game.players for game in some.attacked] == [3]
