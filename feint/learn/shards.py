"""Tables divided among the devices of this machine: each plays at its own, and learns from its part of every minibatch.

Networks, optimiser and the key of the learner are the same on all devices. What happens at a table comes from the table's own key, so the same
games are played on any number of them, and every minibatch has the same decisions. Only sums are taken in another order: a run on
two devices is the run on one as nearly as float32 adds up.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import jax
from jax import Array
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from feint.errors import UserError

AXIS = "devices"
WHOLE, DIVIDED = PartitionSpec(), PartitionSpec(AXIS)  # the same everywhere; rows shared out
Update = Callable[[Any, Any], tuple[Any, Any]]  # from tables and a learner to the learner afterwards and its metrics


def check(devices: int, num_envs: int, minibatch: int) -> None:
    """Refuse devices among which tables or minibatches cannot be divided evenly, and such as there are not."""
    if num_envs % devices:
        raise UserError(f"{num_envs} tables (num_envs) cannot be divided evenly among {devices} devices.")
    if minibatch % devices:
        raise UserError(f"A minibatch of {minibatch} steps cannot be divided evenly among {devices} devices.")
    there = jax.local_device_count()
    if devices > there:
        found = "is 1" if there == 1 else f"are {there}"
        raise UserError(f"{devices} devices are asked for, and there {found}: --devices {there} takes what there is.")


# ---- a learner, and where its arrays are


def _as_learner(learner: Any, whole: Any, divided: Any) -> Any:
    """One thing for the tables in play, another for every other array of a learner."""
    return replace(jax.tree.map(lambda _: whole, learner), envs=divided)


def _mesh(devices: int) -> Mesh:
    return Mesh(jax.local_devices()[:devices], (AXIS,))


def placed(learner: Any, devices: int) -> Any:
    """The learner on its devices, where its updates leave it: elsewhere the first would be compiled for itself."""
    if devices == 1:
        return learner
    mesh = _mesh(devices)
    return jax.device_put(learner, _as_learner(learner, NamedSharding(mesh, WHOLE), NamedSharding(mesh, DIVIDED)))


def at_home(tree: Any, devices: int) -> Any:
    """What is the same on all devices, as an array that goes wherever it is needed."""
    return tree if devices == 1 else jax.device_put(jax.device_get(tree))


def divided(update: Update, devices: int) -> Update:
    """An update that every device makes for its own tables; the functions below are for use in it."""
    if devices == 1:
        return update

    def on_all(tables: Any, learner: Any) -> tuple[Any, Any]:
        specs = _as_learner(learner, WHOLE, DIVIDED)
        mapped = jax.shard_map(
            update, mesh=_mesh(devices), in_specs=(WHOLE, specs), out_specs=(specs, WHOLE), check_vma=False
        )
        return mapped(tables, learner)

    return on_all


# ---- what devices tell each other in an update


def gathered(tree: Any, devices: int) -> Any:
    """What happened at the tables of all devices, [steps, tables, ...] each, in the order of the tables."""
    return tree if devices == 1 else jax.lax.all_gather(tree, AXIS, axis=1, tiled=True)


def own_part(indices: Array, devices: int) -> Array:
    """Of the decisions of a minibatch, those that this device learns from."""
    return indices if devices == 1 else indices.reshape(devices, -1)[jax.lax.axis_index(AXIS)]


def summed(tree: Any, devices: int) -> Any:
    """The sums of what each device has."""
    return tree if devices == 1 else jax.lax.psum(tree, AXIS)
