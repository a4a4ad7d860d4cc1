"""Models of players: what they read and remember, that they learn to foretell, and that they are kept, resumed and refused like other learners."""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import feint
from feint import chance
from feint.agent import Memoryless, Random
from feint.errors import UserError
from feint.games.small.leduc import Leduc
from feint.learn import trajectories
from feint.learn.evaluate import Evaluation
from feint.learn.experiment import Experiment
from feint.learn.forecasts import _guesses
from feint.learn.opponent_model import examples_of, habits_of_all
from feint.learn.policy_file import PolicyFile
from feint.learn.tables import Tables
from feint.learn.train import BEST, Run
from feint.pytrees import pytree
from tests.commands.typed import typed
from tests.learn.learning import goes_on_to_the_same_numbers

LEDUC = feint.make("leduc")
TABLE = ("zoo:leduc-1", "random")
SMALL = {"num_envs": 16, "num_steps": 32, "batch_size": 128}


@cache
def run() -> Run:
    """A run that watches a good player and a random one, and is examined with another."""
    given = {
        "game": "leduc",
        "algorithm": "opponent-model",
        "tables": [",".join(TABLE)],
        "against": ["random,random"],
        "length": 20,
        "games": 200,
        "evaluations": 1,
        "settings": {"total_timesteps": 60_000, **SMALL},
    }
    made = Run.start(Experiment.of(given), Path(mkdtemp()))
    made.train(lambda _: None, lambda: False)
    return made


def test_it_learns_to_foretell_those_it_watched():
    watched, others = run().news[-1].evaluation.forecasts
    assert watched.table == TABLE
    assert watched.seen.accuracy.estimate > watched.unseen.accuracy.estimate > watched.majority
    assert watched.strength_error < watched.strength_spread
    assert sum(count for count, _, _ in watched.seen.sure) == watched.decisions == np.sum(watched.seen.confusion)
    # What random players do cannot be foretold, and a model that was sure of others is too sure of them.
    assert others.seen.accuracy.estimate < watched.seen.accuracy.estimate
    assert others.seen.calibration_error > watched.seen.calibration_error


def test_what_it_foretold_is_kept_as_it_was():
    evaluation = run().news[-1].evaluation
    assert Evaluation.from_dict(json.loads(json.dumps(evaluation.as_dict()))) == evaluation
    assert run().best.evaluation is not None


def test_its_file_plays_as_it_does():
    agent = PolicyFile.load(run().folder / BEST).agent_for(LEDUC)
    state = LEDUC.init(chance.key(1))
    view = LEDUC.observe(state, state.current_player)
    chances = agent.probabilities(view, state.legal_action_mask)
    assert float(chances.sum()) == pytest.approx(1)
    assert float(chances[0]) < 1e-6  # there is nothing to pay yet
    np.testing.assert_allclose(chances, run().agent().probabilities(view, state.legal_action_mask), atol=1e-6)


def test_a_run_goes_on_to_the_same_numbers(tmp_path):
    goes_on_to_the_same_numbers(run().algorithm, run().tables, tmp_path)


def test_habits_belong_to_chairs_through_a_match_whatever_the_positions():
    game = Rotating()
    tables = Tables((Caller(), Random()), jnp.array([[1, 2]]), game, "given", length=40, reader=game.decision_reader())
    envs = jax.jit(trajectories.dealt, static_argnums=1)(tables, 8, chance.key(0))
    none = jnp.broadcast_to(habits_of_all(tables), (8, *habits_of_all(tables).shape))
    envs, habits, examples = jax.jit(examples_of, static_argnums=3)(tables, envs, none, 64)
    folds, calls, raises = (np.asarray(habits[..., action]).sum(axis=(0, 2)) for action in range(3))
    assert folds[0] == raises[0] == 0 < calls[0]
    assert calls[1] > 0 < raises[1]
    assert habits.sum() == 8 * 64  # no match has come to its end
    assert (np.asarray(envs.number) > 3).all()
    shares = np.asarray(examples.public)[..., -2:]  # of folds and raises, one of each kind of action taken for granted
    np.testing.assert_allclose(shares[0], 1 / 3)
    assert shares.min() < 0.1


@dataclass(frozen=True)
class Rotating(Leduc):
    """Leduc hold'em in which positions move on after every game."""

    rotates = True


@pytree
class Caller(Memoryless):
    """Checks and calls."""

    def act(self, memory, view, legal, key):
        return jnp.int32(1), memory


def test_intervals_are_those_of_tables_not_of_single_decisions():
    """Ten decisions at each table, all right at one half of the tables and all wrong at the other."""
    confusion = np.zeros((20, 2, 2))
    confusion[:10, 0, 0], confusion[10:, 0, 1] = 10, 10
    found = _guesses({"confusion": confusion, "sure": np.zeros((20, 10, 3)), "surprise": np.zeros(20)})
    assert found.accuracy.estimate == 0.5
    assert found.accuracy.high - found.accuracy.low > 0.6  # of 200 independent ones it would be 0.18


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"tables": ["random,me"]}, "random,me cannot be watched: name 2 agents"),
        ({"tables": ["random"]}, "random cannot be watched"),
        ({"against": ["random,past"]}, "random,past cannot be watched"),
        ({"game": "okey"}, "okey tells nothing of decisions"),
        ({"settings": {"batch_size": 10**6}}, "batch_size must be at most num_envs times num_steps, 16384"),
        ({"settings": {"gamma": 0.9}}, "opponent-model has no setting 'gamma'"),
    ],
)
def test_what_cannot_be_watched_is_refused(given, told):
    with pytest.raises(UserError, match=told):
        Experiment.of({"game": "leduc", "algorithm": "opponent-model"} | given)


def test_without_tables_it_watches_the_usual_rivals():
    assert Experiment.of({"game": "leduc", "algorithm": "opponent-model"}).tables == (("random", "random"),)


def test_the_command_tells_what_was_foretold(tmp_path):
    flags = [each for name, value in SMALL.items() for each in ("--set", f"{name}={value}")]
    told = typed(
        "train", "leduc", "--algorithm", "opponent-model", "--table", ",".join(TABLE), "--steps", "60000", "--length", "20",
        "--games", "200", "--evaluations", "1", "--out", str(tmp_path), *flags,
    )  # fmt: skip
    assert told.code == 0, told.stderr
    assert "watching zoo:leduc-1, random" in told.stdout
    assert "foretells" in told.stdout
    assert "From what is public: done (rows) and foretold (columns), % of all decisions" in told.stdout
    assert "From what is public: how sure it was, and how often right" in told.stdout
