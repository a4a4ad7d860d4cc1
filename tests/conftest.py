"""How tests are compiled, and what they leave out.

Compiling is most of the time that tests take, and optimising is most of compiling: programs are compiled quickly here, and run
slowly, most of them for a moment. What they do is the same. `make test-slow`, and whoever sets XLA_FLAGS, be it to nothing, tests
the programs that users run.
"""

import os
from collections import Counter
from importlib.metadata import version

import pytest

QUICK = "--xla_backend_optimization_level=0"
EARLIER = "--xla_cpu_use_fusion_emitters=false"  # until JAX 0.12: what wrote loops before, in a fraction of the time

# Before anybody imports JAX; commands that tests start inherit it.
newest = tuple(map(int, version("jax").split(".")[:2])) >= (0, 12)
os.environ.setdefault("XLA_FLAGS", QUICK if newest else f"{QUICK} {EARLIER}")

left_out: list[str] = []  # tests that are long, and were not asked for


def pytest_deselected(items: list[pytest.Item]) -> None:
    left_out.extend(item.nodeid for item in items if item.get_closest_marker("slow"))


def pytest_sessionfinish(session: pytest.Session) -> None:
    if hasattr(session.config, "workeroutput"):  # one process of several: whoever started it tells
        session.config.workeroutput["left out"] = left_out


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: object) -> None:
    left_out[:] = getattr(node, "workeroutput", {}).get("left out", left_out)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say which checks were not made."""
    if not left_out:
        return
    files = Counter(name.split("::")[0] for name in left_out)
    told = ", ".join(f"{name.removeprefix('tests/')} ({count})" for name, count in files.items())
    terminalreporter.section("left out", sep="-")
    terminalreporter.write_line(f"{len(left_out)} long checks; `make test-slow` makes them: {told}.")
