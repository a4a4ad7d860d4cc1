"""A real Ray cluster of two nodes on this machine, begun by `ray start` twice: a node can be killed, and the whole ends with the test."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from secrets import token_hex
from shutil import rmtree

ROOT = Path(__file__).parents[1]
SOON = 120  # seconds in which a node is up, on a busy machine
SETTING = {"RAY_USAGE_STATS_ENABLED": "0", "GRPC_ENABLE_FORK_SUPPORT": "0", "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "1"}


@dataclass
class TwoNodes:
    """A head that stays, and other nodes that come and go. Each has one processor."""

    folder: Path
    port: int
    client_port: int
    token: str  # without which nobody on the network can use the cluster
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list)

    @property
    def env(self) -> dict[str, str]:
        """The environment in which `--on ray` is this cluster; workers find this very code."""
        secret = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": self.token}
        return os.environ | SETTING | secret | {"PYTHONPATH": str(ROOT), "RAY_ADDRESS": f"127.0.0.1:{self.port}"}

    @property
    def client(self) -> str:
        """The address for those outside."""
        return f"ray://127.0.0.1:{self.client_port}"

    def begin(self) -> None:
        ports = f"--port={self.port} --ray-client-server-port={self.client_port} --temp-dir={self.folder}".split()
        self._start("--head", "--include-dashboard=false", *ports)
        self.join()

    def join(self) -> None:
        """Another node."""
        self._start(f"--address=127.0.0.1:{self.port}")

    def _start(self, *arguments: str) -> None:
        line = [sys.executable, "-m", "ray.scripts.scripts", "start", *arguments, "--num-cpus=1", "--block"]
        line += ["--disable-usage-stats", "--min-worker-port=0", "--max-worker-port=0"]
        line += ["--object-store-memory=100000000"]
        env = {name: value for name, value in self.env.items() if name != "RAY_ADDRESS"}
        log = self.folder.with_suffix(f".{len(self.processes)}")
        with log.open("wb") as told:
            node = subprocess.Popen(line, env=env, stdout=told, stderr=told, start_new_session=True)
        self.processes.append(node)
        until = time.monotonic() + SOON
        while node.poll() is None and time.monotonic() < until:
            if b"--block" in log.read_bytes():  # it says that it stays until it is stopped
                return
            time.sleep(0.1)
        raise RuntimeError(log.read_text())

    def kill(self, number: int) -> None:
        """End a node without a word, and all of its workers."""
        node = self.processes[number]
        with suppress(ProcessLookupError):
            os.killpg(node.pid, signal.SIGKILL)
        node.wait()

    def end(self) -> None:
        for number in reversed(range(len(self.processes))):
            self.kill(number)


@contextmanager
def two_nodes() -> Iterator[TwoNodes]:
    """Within, the cluster is up; afterwards nothing of it is left."""
    folder = Path(tempfile.mkdtemp(prefix="ray"))  # short: sockets lie in it
    cluster = TwoNodes(folder, _free(), _free(), token_hex(32))
    try:
        cluster.begin()
        yield cluster
    finally:
        cluster.end()
        rmtree(folder, ignore_errors=True)
        for log in folder.parent.glob(f"{folder.name}.*"):
            log.unlink()


def _free() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]
