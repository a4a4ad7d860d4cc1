"""The arena against a Bluff in plain Python that shares no code with it: the same wins by seat."""

import numpy as np
import pytest

import feint
from benchmarks import plain_bluff
from feint.arena import rollout, statistics
from feint.games.bluff.reinforcement import shipped_rewards
from feint.registry import make_agent

BLUFF = feint.make("bluff")
MOST = {"anxious": 1, "no-bluff": 4, "reinforcement": 1, "smart": 2}  # seats of each: one program serves all tables


@pytest.mark.parametrize(
    "names",
    [
        pytest.param(["no-bluff"] * 4, marks=pytest.mark.slow),
        ["smart", "anxious", "no-bluff", "smart"],
        ["reinforcement", "no-bluff", "anxious", "smart"],
    ],
    ids=" ".join,
)
def test_wins_by_seat_agree(names):
    plain_bluff.Reinforcement.rewards = shipped_rewards().tolist()
    outcomes, _ = rollout.play(
        BLUFF,
        [make_agent(name, BLUFF) for name in MOST],
        [list(MOST).index(name) for name in names],
        seed=21,
        first=0,
        matches=6000,
        lanes=512,
        counts=tuple(MOST.values()),
    )
    ours = (np.asarray(outcomes.rewards) > 0).sum(axis=(0, 1))
    wins, _ = plain_bluff.play_games(names, 6000, seed=22)
    _, _, p = statistics.same_distribution(ours, wins)
    assert p > 1e-4, (ours.tolist(), wins)
