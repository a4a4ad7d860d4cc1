"""The way to a Ray cluster: quietly, and with one sentence where there is none."""

from __future__ import annotations

import logging
import os
import socket
from typing import Any

from feint.errors import UserError

ANSWER = 3.0  # seconds in which a cluster answers
QUIET = {"log_to_driver": False, "logging_level": logging.ERROR}
# Ray's own words are not for the screen; nothing is reported about its use to anybody; and a cluster that is begun here listens on the
# loopback alone, as it does on a Mac.
SETTING = {
    "RAY_DEDUP_LOGS_SKIP_REGEX": ".*",
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",
}


def imported() -> Any:
    """Ray, where it is installed."""
    for name, value in SETTING.items():  # before it is loaded
        os.environ.setdefault(name, value)
    try:
        import ray
    except ImportError:
        raise UserError("--on ray needs Ray: pip install 'feint[ray]'.") from None
    return ray


def connect(ray: Any, place: str, address: str | None) -> None:
    """Connect this process to a cluster from outside, by its address, or to the one that this machine is part of."""
    try:
        if address is None:
            ray.init(include_dashboard=False, **QUIET)
        else:
            _reach(ray, address)
    except Exception as failed:  # of any kind, as it comes out of Ray: no cluster, another Python, another Ray
        why = str(failed).strip().partition("\n")[0] or type(failed).__name__
        raise UserError(f"The Ray cluster of --on {place} cannot be used: {why}") from None


def check_answers(address: str, told: str) -> None:
    """Refuse at once where nothing is: Ray itself would try for half a minute. Without a port there is nothing to ask."""
    host, colon, port = address.rpartition(":")
    if not colon:
        return
    try:
        socket.create_connection((host.strip("[]"), int(port)), ANSWER).close()
    except (OSError, ValueError):
        raise UserError(f"There is no Ray cluster at {told}: nothing answers there.") from None


def _reach(ray: Any, address: str) -> None:
    """A cluster from outside, by its client server, which at times fails to begin the first time it is asked."""
    from ray.util.client_connect import connect

    try:
        connect(address, connection_retries=1, ray_init_kwargs=QUIET)
    except ConnectionAbortedError:
        ray.shutdown()
        connect(address, connection_retries=1, ray_init_kwargs=QUIET)
