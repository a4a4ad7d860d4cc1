"""Tables divided among two devices: the same games, minibatches and learning curve as on one, as nearly as sums in another order are."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest


def learned(given, folder):
    """What `tests.learn.on_devices` tells; two devices have to be there before JAX is."""
    flags = f"{os.environ.get('XLA_FLAGS', '')} --xla_force_host_platform_device_count=2"
    done = subprocess.run(
        [sys.executable, "-m", "tests.learn.on_devices", json.dumps(given), folder],
        env={**os.environ, "XLA_FLAGS": flags},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


LONG = [
    {"algorithm": "ppo", "tables": ["past", "random", "me,me"]},
    {"algorithm": "mmd", "also": ["players=3"]},
    {"algorithm": "mmd", "settings": {"network": "table", "table_size": 64, "action_values": True}},
]


@pytest.mark.parametrize(
    "given", [{"algorithm": "ppo"}, *(pytest.param(each, marks=pytest.mark.slow) for each in LONG)]
)
def test_the_number_of_devices_does_not_matter(given, tmp_path):
    found = learned(given, tmp_path)
    assert (
        len({json.dumps(found[name]["told"][: len(found[name]["told"]) // 2]) for name in ("two", "two, then one")})
        == 1
    ), "to the last bit"
    one = found.pop("one")
    for other in found.values():
        for here, there in zip(one["told"], other["told"], strict=True):
            assert (here["games"], here["payoff"]) == (there["games"], there["payoff"]), "the very same games"
            assert there == pytest.approx(here, abs=1e-5)
        np.testing.assert_allclose(one["weights"], other["weights"], atol=1e-5)
    assert np.ptp([each["entropy"] for each in one["told"]]) > 1e-3, "something was learned"
