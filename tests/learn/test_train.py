"""Runs: stopped and resumed they come out the same to the last bit, and what they leave behind can be read."""

import shutil
from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import feint
from feint.arena.statistics import Interval
from feint.errors import UserError
from feint.learn import checkpoint, settings
from feint.learn.evaluate import Evaluation, Score
from feint.learn.experiment import Experiment, by_todays_names, overridden
from feint.learn.policy_file import PolicyFile
from feint.learn.renamed import SETTINGS, todays_command
from feint.learn.train import BEST, CHECKPOINT, METRICS, POLICY, RESTARTED, RUN, News, Run, read_news

SMALL = {"num_envs": 16, "num_steps": 8, "width": 16, "total_timesteps": 8 * 128}
KUHN = {"game": "kuhn", "settings": SMALL, "tables": ["random", "past", "me,me"], "evaluations": 2, "games": 20}


def start(folder, **other):
    return Run.start(Experiment.of(KUHN | other), folder)


def never():
    return False


def kept(folder):
    with np.load(folder / CHECKPOINT) as file:
        return dict(file)


@pytest.fixture(scope="module")
def straight(tmp_path_factory):
    """A run that nobody stopped."""
    run = start(tmp_path_factory.mktemp("straight") / "run")
    told = []
    assert run.train(told.append, never)
    return run, told


def test_a_run_that_was_stopped_ends_in_the_same_parameters(straight, tmp_path):
    run = start(tmp_path / "run")
    assert not run.train(print, lambda: run.updates == 3)
    assert run.updates == 3
    with (run.folder / METRICS).open("a") as file:
        file.write(
            '{"updates": 5, "steps": 640, "seconds": 1.0}\n{"updates": 6, "st'
        )  # of updates since the checkpoint
    resumed = Run.resume(run.folder)
    assert resumed.updates == 3
    assert resumed.train(print, never)
    one, other = kept(straight[0].folder), kept(run.folder)
    assert one.keys() == other.keys()
    assert all(np.array_equal(one[name], other[name]) for name in one)
    assert [news.updates for news in read_news(run.folder)] == [news.updates for news in read_news(straight[0].folder)]
    same, again = PolicyFile.load(straight[0].folder / POLICY), PolicyFile.load(run.folder / POLICY)
    assert all(np.array_equal(same.numbers[name], again.numbers[name]) for name in same.numbers)


def test_another_seed_ends_in_other_parameters(straight, tmp_path):
    run = start(tmp_path / "run", seed=1)
    run.train(print, never)
    name = ".network.policy.weight"
    assert not np.array_equal(kept(run.folder)[name], kept(straight[0].folder)[name])


def test_news_are_told_kept_and_read(straight):
    run, told = straight
    assert [news.updates for news in told] == list(range(9))
    assert [news.updates for news in told if news.evaluation] == [0, 4, 8]
    assert read_news(run.folder)[-1].evaluation == told[-1].evaluation
    last = told[-1].evaluation
    assert last.exploitability > 0
    assert [score.table for score in last.scores] == [("random", "me")]
    assert last.scores[0].games == 20
    assert (last.scores[0].measure, last.scores[0].unit.name) == ("payoff", "antes")
    assert {"entropy", "payoff", "games"} <= told[-1].metrics.keys()


def rated(estimates, exploitabilities):
    """News of one evaluation after another."""
    nothing = Interval(0.0, 0.0, 0.0)
    return [
        News(n, n, 0.0, {}, Evaluation((Score(("random", "me"), 9, nothing, Interval(e, e, e), "payoff"),), x))
        for n, (e, x) in enumerate(zip(estimates, exploitabilities, strict=True))
    ]


def test_the_best_evaluated_policy_is_kept_beside_the_last(straight):
    run, _ = straight
    best = PolicyFile.load(run.folder / BEST).made
    assert (best["steps"], best["evaluation"]) == (run.best.steps, run.best.evaluation.as_dict())
    told = rated([0.1, 0.4, 0.4], [0.3, 0.2, 0.1])
    against_others = Run(run.experiment, run.folder, told, run.learner)
    assert against_others.best.updates == 1, "what it earns at its tables counts, and of equals the first"
    alone = Run(replace(run.experiment, tables=()), run.folder, told, run.learner)
    assert alone.best.updates == 2, "where it has every seat, exploitability counts"


def test_a_run_that_collapses_begins_again_from_its_best_policy(tmp_path, monkeypatch):
    """At most as often as it may; stopped in between, it comes to the same numbers."""
    monkeypatch.setattr("feint.learn.train.COLLAPSED", 9.0)  # whatever it does early on is taken for a collapse
    monkeypatch.setattr("feint.learn.train.EARLY", 0.6)
    run = start(tmp_path / "run", restarts=2, settings=SMALL | {"bfloat16": True})
    assert not run.train(print, lambda: run.updates == 1)
    assert [news.metrics.get(RESTARTED) for news in run.news] == [None, None, 1]
    best = PolicyFile.load(run.folder / BEST)
    assert np.array_equal(run.learner.network.policy.weight, best.numbers[".network.policy.weight"])
    resumed = Run.resume(shutil.copytree(run.folder, tmp_path / "copy"))
    assert run.learner.network == resumed.learner.network, "both compute in bfloat16, as before"
    for one in (run, resumed):
        assert one.train(print, never)
        assert [news.updates for news in one.news if RESTARTED in news.metrics] == [1, 2]
        assert one.updates == 8
    assert all(
        np.array_equal(a, b)
        for a, b in zip(jax.tree.leaves(run.agent()), jax.tree.leaves(resumed.agent()), strict=True)
    )
    with pytest.raises(UserError, match="Only ppo and mmd begin again after a collapse, not dqn"):
        start(tmp_path / "other", algorithm="dqn", settings={}, restarts=1)


def test_an_early_collapse_is_noticed(straight):
    run, _ = straight
    even, one_action = {"entropy": 0.6}, {"entropy": 1e-9}
    assert run.collapsed(News(1, 128, 0.0, one_action))
    assert not run.collapsed(News(1, 128, 0.0, even))
    assert not run.collapsed(News(7, 7 * 128, 0.0, one_action)), "late, it may be what there was to learn"


def test_a_finished_run_has_nothing_left_to_do(straight):
    resumed = Run.resume(straight[0].folder)
    assert resumed.done
    assert resumed.train(lambda _: pytest.fail("there is no news"), never)


def test_the_policy_says_where_it_comes_from_and_plays(straight):
    run, _ = straight
    made = PolicyFile.load(run.folder / POLICY).made
    assert made["command"] == (
        "feint train kuhn --algorithm ppo --table random --table past --table me,me --evaluations 2 --games 20 "
        "--steps 1024 --set num_envs=16 --set num_steps=8 --set width=16"
    )
    assert (made["seed"], made["steps"]) == (0, 1024)
    result = feint.arena.match.match(run.experiment.game, [f"policy:{run.folder / POLICY}", "random"], games=50)
    assert result.played == 50


def test_a_run_is_described_by_its_file(straight):
    run, _ = straight
    assert Experiment.of(settings.read(run.folder / RUN)) == run.experiment


def test_the_command_line_overrides_a_file():
    mixed = overridden(KUHN, {"game": "leduc", "seed": None, "tables": None}, ["width=8", "bfloat16=true"])
    made = Experiment.of(mixed)
    with pytest.raises(UserError, match="The setting 'num_envs' must be written as NAME=VALUE, such as num_envs=256"):
        overridden(KUHN, {}, ["num_envs"])
    assert made.game.name == "leduc"
    assert (made.algorithm.width, made.algorithm.bfloat16, made.algorithm.num_envs) == (8, True, 16)
    assert made.tables == (("random",), ("past",), ("me", "me"))
    assert overridden(KUHN | {"seed": 3}, {"seed": 0}, [])["seed"] == 0
    for name, least in {"length": 1, "games": 1, "evaluations": 0}.items():
        with pytest.raises(UserError, match=f"A run: {name} must be a whole number from {least} to"):
            Experiment.of(overridden(KUHN, {name: least - 1}, []))


def test_settings_by_the_names_they_had_before_are_read_from_files_and_not_from_the_command_line(straight):
    said = settings.read(straight[0].folder / RUN)
    old = {new: old for old, new in SETTINGS.items()}
    before = said | {"settings": {old.get(name, name): value for name, value in said["settings"].items()}}
    assert before["settings"]["lanes"] == 16
    assert Experiment.of(by_todays_names(before)) == straight[0].experiment
    with pytest.raises(UserError, match="The setting lanes is called num_envs now: write num_envs=64"):
        Experiment.of(overridden(KUHN, {}, ["lanes=64"]))
    assert todays_command("feint train kuhn --seed 1 --set lanes=8 --set width=4") == (
        "feint train kuhn --seed 1 --set num_envs=8 --set width=4"
    )


def test_a_checkpoint_by_the_names_that_parts_of_learners_had_before_is_read(straight, tmp_path):
    run, _ = straight
    arrays = kept(run.folder)
    old = {name.replace(".envs", ".lanes").replace(".league", ".past"): each for name, each in arrays.items()}
    assert old.keys() != arrays.keys()
    np.savez(tmp_path / "old.npz", **old)
    for one, other in zip(
        jax.tree.leaves(checkpoint.load(tmp_path / "old.npz", run.learner)), jax.tree.leaves(run.learner), strict=True
    ):
        assert jnp.array_equal(one, other)


def test_the_algorithm_is_chosen_by_who_sits_at_the_tables():
    names = [Experiment.of({"game": "kuhn", "tables": tables}).algorithm.name for tables in ([], ["me,me"], ["past"])]
    assert names == ["mmd", "mmd", "ppo"]
    bluff = Experiment.of({"game": "bluff", "options": {"players": 3}, "settings": {"width": 64}})
    assert (bluff.algorithm.name, bluff.tables) == ("dqn", (("no-bluff", "smart"),))
    assert (bluff.algorithm.n_step, bluff.algorithm.width) == (12, 64)
    assert overridden({"game": "bluff"}, {}, ["n_step=3"])["settings"] == {"n_step": 3}
    assert Experiment.of({"game": "bluff", "tables": ["me,me,me,me"]}).algorithm.name == "mmd"
    dice = Experiment.of({"game": "liars-dice"})
    assert (dice.algorithm.name, dice.algorithm.num_steps, dice.self_play, dice.evaluations) == ("mmd", 16, True, 20)
    okey = Experiment.of({"game": "okey", "games": 50})
    assert (okey.algorithm.name, okey.algorithm.teacher, okey.self_play) == ("ppo", "greedy", True)
    assert (okey.algorithm.total_timesteps, okey.evaluations, okey.games) == (20_480, 1, 50)
    assert Experiment.of({"game": "okey", "algorithm": "mmd"}).evaluations == 20


def test_a_table_may_be_counted_in_place_of_named_again():
    counted = Experiment.of({"game": "kuhn", "tables": ["3*random", "past"]})
    named = Experiment.of({"game": "kuhn", "tables": ["random", "random", "random", "past"]})
    assert counted == named
    assert "--table '3*random' --table past" in named.command()
    assert Experiment.of(named.as_dict()) == named
    many = Experiment.of({"game": "kuhn", "tables": ["999*random", "2*random"]})
    assert Experiment.of(many.as_dict()) == many


@pytest.mark.parametrize(
    ("given", "wrong"),
    [
        ({}, "Train at which game?"),
        ({"game": "kuhn", "table": []}, "A run has no entry 'table'"),
        ({"game": "kuhn", "algorithm": "pp"}, "There is no algorithm called 'pp'. Did you mean ppo? There are: "),
        ({"game": "kuhn", "algorithm": 3}, "There is no algorithm called 3. There are: "),
        ({"game": "kuhn", "tables": ["random,random"]}, "random,random seats 3 with the learner, but kuhn"),
        ({"game": "kuhn", "against": ["ranom"]}, "Did you mean random?"),
        ({"game": "kuhn", "tables": ["0*random"]}, "Before the * of '0*random' stands how many such tables"),
        ({"game": "kuhn", "tables": ["2*"]}, "Nobody is named to sit at the table"),
        ({"game": "kuhn", "tables": "2*random"}, "A run: tables must be a list of texts"),
        ({"game": "kuhn", "against": [["random"]]}, "A run: against must be a list of texts"),
        ({"game": "kuhn", "tables": ["policy:a*b.npz"]}, "a*b.npz"),
        ({"game": "kuhn", "settings": {"hidden_sizes": "a"}}, "hidden_sizes must be the units of each layer of an mlp"),
        ({"game": "kuhn", "seats": "any"}, "A run: seats must be one of all, rotations, given, not 'any'."),
        ({"game": 5}, "There is no game called 5."),
        ({"game": "kuhn", "seats": []}, "A run: seats must be one of all, rotations, given, not []."),
        ({"game": "kuhn", "settings": [1]}, "A run: settings must be a table of names and values, not [1]."),
        ({"game": "kuhn", "options": "players"}, "A run: options must be a table of names and values, not 'players'."),
        ({"game": "kuhn", "seed": 0.5}, "A run: seed must be a whole number from 0 to 2147483647, not 0.5."),
        ({"game": "kuhn", "games": True}, "A run: games must be a whole number from 1 to 10000000, not True."),
        (
            {
                "game": "kuhn",
                "settings": {"total_timesteps": 10**13, "num_envs": 1, "num_steps": 1, "num_minibatches": 1},
            },
            "10000000000000 updates of 1 steps are too many",
        ),
        *(
            (
                {"game": "kuhn", "algorithm": name, "settings": {"buffer_size": 9}},
                "A replay buffer of 9 transitions cannot take the 2048",
            )
            for name in ("dqn", "actor-critic", "nfsp")
        ),
        (
            {"game": "kuhn", "algorithm": "dqn", "settings": {"learning_rate": 0}},
            "dqn: learning_rate must be a number from",
        ),
        ({"game": "kuhn", "seed": -1}, "A run: seed must be a whole number from 0 to "),
        ({"game": "kuhn", "settings": {"widht": 3}}, "mmd has no setting 'widht'. Did you mean width?"),
        ({"game": "kuhn", "settings": {"width": 0}}, "mmd: width must be a whole number from 1 to 8192, not 0."),
        (
            {"game": "kuhn", "tables": ["random"], "settings": {"clip_coef": "x"}},
            "ppo: clip_coef must be a number from 0 to 100",
        ),
        ({"game": "kuhn", "settings": {"lanes": 3}}, "The setting lanes is called num_envs now: write num_envs=3."),
        ({"game": "kuhn", "settings": {"network": "cnn"}}, "mmd: network must be one of "),
        *(
            (
                {"game": "liars-dice", "algorithm": name, "settings": {"network": "attention"}},
                "liars-dice has no log to read",
            )
            for name in ("ppo", "dqn", "nfsp", "actor-critic")
        ),
        *(
            (
                {"game": "kuhn", "algorithm": name, "settings": {"rewards": "hand"}},
                "rewards of kuhn must be one of sparse, not",
            )
            for name in ("dqn", "actor-critic")
        ),
        ({"game": "kuhn", "settings": {"teacher": "smart"}}, "There is no kuhn agent called 'smart'"),
        ({"game": "kuhn", "settings": {"num_envs": 3, "num_steps": 1}}, "3 steps an update cannot be divided into 4"),
        (
            {"game": "kuhn", "settings": {"devices": 3}},
            "64 tables (num_envs) cannot be divided evenly among 3 devices.",
        ),
        (
            {"game": "kuhn", "settings": {"devices": 2, "num_envs": 2, "num_steps": 2}},
            "A minibatch of 1 steps cannot be divided evenly among 2 devices.",
        ),
        (
            {"game": "kuhn", "settings": {"devices": 2}},
            "2 devices are asked for, and there is 1: --devices 1 takes what there is.",
        ),
        (
            {"game": "kuhn", "algorithm": "dqn", "settings": {"devices": 2}},
            "Only ppo and mmd divide their tables among devices, not dqn.",
        ),
    ],
)
def test_bad_input_costs_one_sentence(given, wrong):
    with pytest.raises(UserError) as error:
        Experiment.of(given)
    assert wrong in str(error.value)
    assert "\n" not in str(error.value)


def test_folders_without_a_run_or_with_one(straight, tmp_path):
    with pytest.raises(UserError, match="already holds a run"):
        start(straight[0].folder)
    with pytest.raises(UserError, match="does not hold a run"):
        Run.resume(tmp_path)


def test_a_run_stopped_before_its_first_checkpoint_begins_again(straight, tmp_path):
    folder = start(tmp_path / "run").folder
    assert not (folder / CHECKPOINT).exists()
    (folder / METRICS).write_text('{"updates": 0, "steps": 0, "seconds": 0.0}\n')
    resumed = Run.resume(folder)
    assert resumed.updates == 0
    assert resumed.train(print, never)
    one, other = kept(straight[0].folder), kept(folder)
    assert all(np.array_equal(one[name], other[name]) for name in one)
    assert [news.updates for news in read_news(folder)] == [news.updates for news in read_news(straight[0].folder)]


def test_learning_that_breaks_down_is_told_and_the_last_good_checkpoint_kept(tmp_path):
    run = start(tmp_path / "run")
    assert not run.train(print, lambda: run.updates == 2)
    good = kept(run.folder)
    run.learner = replace(run.learner, critic=jax.tree.map(lambda leaf: leaf * jnp.nan, run.learner.critic))
    with pytest.raises(UserError, match=r"in update 3, at step 384, where .* keeps what was known after 256 steps"):
        run.train(print, never)
    with pytest.raises(UserError, match="broke down"):
        run.save()
    after = kept(run.folder)
    assert all(np.array_equal(good[name], after[name]) for name in good)
    assert all(np.isfinite(each).all() for each in PolicyFile.load(run.folder / POLICY).numbers.values())


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ["ppo", "mmd", "dqn", "nfsp", "actor-critic", "q-learning", "regret-matching"])
def test_every_algorithm_notices_that_it_broke_down(algorithm, tmp_path):
    chosen = {"num_envs": 16, "num_steps": 8, "total_timesteps": 8 * 128}
    chosen |= {"learning_starts": 64, "batch_size": 32} if algorithm in ("dqn", "nfsp") else {}
    made = Experiment.of({"game": "kuhn", "algorithm": algorithm, "settings": chosen, "games": 4, "evaluations": 1})
    of_tables = dict.fromkeys(("q-learning", "regret-matching"), "min_learning_rate")
    rate = ({"actor-critic": "critic_learning_rate"} | of_tables).get(algorithm, "learning_rate")
    run = Run.start(replace(made, algorithm=replace(made.algorithm, **{rate: 1e30})), tmp_path / "run")
    with pytest.raises(UserError, match="Learning broke down in update"):
        run.train(print, never)
    assert not (run.folder / POLICY).exists() or PolicyFile.load(run.folder / POLICY)


def test_a_damaged_checkpoint_is_named(tmp_path):
    run = start(tmp_path / "run")
    run.save()
    whole = (run.folder / CHECKPOINT).read_bytes()
    (run.folder / CHECKPOINT).write_bytes(whole[: len(whole) // 2])
    with pytest.raises(UserError, match="is not a checkpoint that feint saved, or it is damaged"):
        Run.resume(run.folder)


def test_settings_in_toml(tmp_path):
    values = {"a": 'say "no"\n', "b": [1, 2], "c": 1e-9, "t": {"d": False}}
    (tmp_path / "x.toml").write_text(settings.write_sealed(values))
    assert settings.read(tmp_path / "x.toml") == values
    (tmp_path / "y.toml").write_text("a = [")
    with pytest.raises(UserError, match=r"y\.toml is not a TOML file"):
        settings.read(tmp_path / "y.toml")


def test_one_call_trains_the_agent_of_the_same_run(straight, tmp_path):
    kuhn = feint.make("kuhn")
    agent = feint.train(kuhn, "ppo", KUHN["tables"], evaluations=2, games=20, folder=tmp_path, **SMALL)
    same = PolicyFile.load(straight[0].folder / BEST).agent_for(kuhn)
    assert jax.tree.all(jax.tree.map(np.array_equal, agent, same))
    assert len(read_news(tmp_path)) == len(straight[1])
    with pytest.raises(UserError, match="no setting 'stesp'"):
        feint.train(kuhn, stesp=1)
