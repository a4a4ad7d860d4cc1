"""The names that settings had before they had those of the field: files that use them are read by today's names.

Whoever types one is told today's name instead, so that there is one name for each setting.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from feint.errors import UserError
from feint.options import usual

SETTINGS = {
    "steps": "total_timesteps",
    "lanes": "num_envs",
    "horizon": "num_steps",
    "patience": "max_opponent_moves",
    "widths": "hidden_sizes",
    "half": "bfloat16",
    "discount": "gamma",
    "entropy": "ent_coef",
    "final_entropy": "final_ent_coef",
    # ppo and mmd
    "trace": "gae_lambda",
    "epochs": "update_epochs",
    "minibatches": "num_minibatches",
    "clip": "clip_coef",
    "inertia": "kl_coef",
    "pull": "magnet_coef",
    "memory": "magnet_window",
    "rarest": "min_prob",
    "normalise": "norm_adv",
    "longest_gradient": "max_grad_norm",
    "critic_first": "critic_warmup",
    "lesson": "teacher_fraction",
    "league": "league_size",
    "league_every": "league_frequency",
    # dqn, nfsp, actor-critic and q-learning
    "capacity": "buffer_size",
    "warm_up": "learning_starts",
    "batch": "batch_size",
    "repeats": "gradient_steps",
    "refresh": "target_network_frequency",
    "exploring": "exploration_fraction",
    "lookahead": "n_step",
    "double": "double_q",
    "priority": "prioritized_replay_alpha",
    "correction": "prioritized_replay_beta",
    "anticipation": "anticipatory_param",
    "deeds": "reservoir_size",
    "average_rate": "sl_learning_rate",
    "final_average_rate": "final_sl_learning_rate",
    "actor_rate": "actor_learning_rate",
    "critic_rate": "critic_learning_rate",
    "final_rate": "final_learning_rate_fraction",
    "cells": "table_size",
    "rate": "min_learning_rate",
}


POLICIES = {"WorthAgent": "QTableAgent"}  # kinds of agents in files

# Parts of learners and agents, by which the arrays of checkpoints and policy files are named.
PARTS = {
    "lanes": "envs",
    "past": "league",
    "memory": "buffer",
    "deeds": "reservoir",
    "standing": "potential",
    "chance": "prob",
    "worth": "q_table",
    "look": "qkv",
    "place": "positions",
}


def todays(given: Mapping[str, Any], kind: type) -> dict[str, Any]:
    """The settings that a file has for a class, by today's names."""
    known = usual(kind)
    return {name if name in known else SETTINGS.get(name, name): value for name, value in given.items()}


def todays_command(command: str) -> str:
    """A command of a file with the settings by today's names."""
    return re.sub(r"(?<=--set )\w+(?==)", lambda name: SETTINGS.get(name[0], name[0]), command)


def todays_part(name: str) -> str:
    """The name of an array, such as .lanes.table.moves, by today's names; what is within an environment is the game's."""
    head, lanes, rest = name.partition(".lanes")
    return re.sub(r"(?<=\.)\w+", lambda part: PARTS.get(part[0], part[0]), head + lanes) + rest


def check_todays(given: Mapping[str, Any], kind: type) -> None:
    """Refuse a setting by the name that it had before."""
    known = usual(kind)
    for name in given:
        new = SETTINGS.get(name)
        if name not in known and new in known:
            raise UserError(f"The setting {name} is called {new} now: write {new}={given[name]}.")
