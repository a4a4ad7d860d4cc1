"""Neural fictitious self-play: what is kept of whom, and that the average policy comes close to an equilibrium."""

from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import feint
from feint import chance
from feint.learn.algorithm import begun
from feint.learn.nfsp import NFSP
from feint.learn.tables import make_tables, self_play
from feint.solvers.best_response import exploit
from feint.solvers.tabular import policy_of
from tests.learn.learning import form_of, goes_on_to_the_same_numbers, trained

KUHN = feint.make("kuhn")
QUICK = NFSP(total_timesteps=400_000, num_envs=128, width=64, buffer_size=20_000, reservoir_size=50_000)


def exploitability(agent, name):
    return exploit(form_of(name), policy_of(form_of(name), agent)).exploitability


@pytest.mark.parametrize("anticipatory_param", [0.0, 0.3, 1.0])
def test_seats_follow_their_best_response_as_often_as_they_should(anticipatory_param):
    algorithm = replace(QUICK, num_envs=512, anticipatory_param=anticipatory_param)
    tables = self_play(KUHN)
    learner = begun(algorithm, tables, chance.key(0))
    _, _, _, responses, did, _ = jax.jit(algorithm._play_both)(tables, learner, jnp.float32(1.0))
    assert float(did.mean()) == pytest.approx(anticipatory_param, abs=0.06)  # about 2000 games of two seats each
    # A seat that decides twice in a game (it passed and was bet to) goes by the same policy both times.
    did = np.asarray(did).reshape(algorithm.num_steps, -1)
    history = np.asarray(responses.features)[:, 5:].reshape(algorithm.num_steps, -1, 3, 2)
    moves = history.any(axis=-1).sum(axis=-1)
    again = np.argwhere(moves[2:] == 2)
    assert len(again) > 50
    assert all(did[step + 2, env] == did[step, env] for step, env in again)


@pytest.mark.slow
def test_the_average_policy_of_kuhn_comes_close_to_an_equilibrium():
    """Playing at random can be exploited for 0.46."""
    assert exploitability(trained(QUICK, KUHN), "kuhn") < 0.2


def test_a_run_goes_on_to_the_same_numbers(tmp_path):
    goes_on_to_the_same_numbers(QUICK, make_tables(KUHN, []), tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "steps", "most"), [("kuhn", 6_000_000, 0.06), ("leduc", 10_000_000, 0.64)])
def test_longer_training_comes_closer(name, steps, most):
    """Others report 0.02 for Kuhn and 0.64 for Leduc after ten million games."""
    agent = trained(NFSP(total_timesteps=steps, num_envs=256), feint.make(name))
    assert exploitability(agent, name) < most
