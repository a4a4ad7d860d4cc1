"""What the tests of all learners share: training, best responses whose value is known exactly, and going on."""

from functools import cache

import jax
import jax.numpy as jnp
import numpy as np

import feint
from feint import chance
from feint.learn import checkpoint
from feint.learn.algorithm import begun, updated
from feint.learn.experiment import Experiment
from feint.learn.tables import make_tables
from feint.learn.train import Run
from feint.registry import make_agent
from feint.solvers.best_response import best_response, joined, values
from feint.solvers.sequence_form import SequenceForm
from feint.solvers.tabular import policy_of
from feint.solvers.tree import build


def trained_at(algorithm, tables, seed=0):
    """After training at tables: the agent, the learner, and the metrics of its last update."""
    learner = begun(algorithm, tables, chance.key(seed))
    for _ in range(algorithm.updates):
        learner, metrics = updated(algorithm, tables, learner)
    return algorithm.agent(tables, learner), learner, metrics


def trained(algorithm, game, *tables, seed=0):
    """The agent after training at tables of named agents, or with itself without any."""
    return trained_at(algorithm, make_tables(game, tables), seed)[0]


def exploitability_after(given, folder):
    """What a best response wins from the agent of a whole run."""
    run = Run.start(Experiment.of({"games": 100} | given), folder)
    run.train(lambda _: None, lambda: False)
    return run.news[-1].evaluation.exploitability


@cache
def form_of(name):
    return SequenceForm.of(build(feint.make(name)))


def share_of_best(agent, name, opponent):
    """What an agent earns against an opponent, on average over the seats, and what a best response would."""
    form = form_of(name)
    theirs = policy_of(form, make_agent(opponent, form.tree.game))
    mine = policy_of(form, agent)
    seats = range(form.tree.game.players)
    earned = [values(form, joined(form, [mine if s == seat else theirs for s in seats]))[seat] for seat in seats]
    best = [best_response(form, theirs, seat)[0] for seat in seats]
    return float(np.mean(earned)), float(np.mean(best))


def goes_on_to_the_same_numbers(algorithm, tables, folder):
    """Two updates and two more from a checkpoint are four updates, to the last bit."""
    learner = begun(algorithm, tables, chance.key(7))
    for number in range(4):
        learner, _ = updated(algorithm, tables, learner)
        if number == 1:
            checkpoint.save(folder / "half.npz", learner)
    again = checkpoint.load(folder / "half.npz", jax.eval_shape(algorithm.begin, tables, chance.key(0)))
    for _ in range(2):
        again, _ = updated(algorithm, tables, again)
    for one, other in zip(jax.tree.leaves(learner), jax.tree.leaves(again), strict=True):
        if jnp.issubdtype(one.dtype, jax.dtypes.prng_key):
            one, other = jax.random.key_data(one), jax.random.key_data(other)
        np.testing.assert_array_equal(one, other)
