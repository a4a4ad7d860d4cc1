"""A short run on one device, on two, and on two and then one, in a process that has two: what each update told, and the agents it made, as JSON."""

import json
import sys
from pathlib import Path

import jax
import numpy as np

from feint.learn.experiment import Experiment
from feint.learn.train import Run

UPDATES = 30
SMALL = {"num_envs": 8, "num_steps": 4, "num_minibatches": 2, "width": 8, "depth": 1, "total_timesteps": UPDATES * 32}


def main(given: dict, folder: Path) -> None:
    """Print the metrics of every update and all weights, by how the run was made."""
    found = {}
    for name, first, then in (("one", 1, 1), ("two", 2, 2), ("two, then one", 2, 1)):
        settings = SMALL | given.get("settings", {}) | {"devices": first}
        run = Run.start(Experiment.of({"game": "kuhn", "games": 2} | given | {"settings": settings}), folder / name)
        told = [run.advance() for _ in range(UPDATES // 2)]
        placed = {len(leaf.sharding.device_set) for leaf in jax.tree.leaves(run.learner)}
        divided = not any(leaf.sharding.is_fully_replicated for leaf in jax.tree.leaves(run.learner.envs))
        assert (placed, divided) == ({first}, first > 1)
        run.save()
        run = Run.resume(run.folder, [f"devices={then}"])
        told += [run.advance() for _ in range(UPDATES // 2)]
        weights = np.concatenate([np.asarray(leaf).ravel() for leaf in jax.tree.leaves(run.agent().network)])
        found[name] = {"told": told, "weights": weights.tolist()}
    print(json.dumps(found))


if __name__ == "__main__":
    main(json.loads(sys.argv[1]), Path(sys.argv[2]))
