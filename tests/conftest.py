"""How tests are compiled, and what they leave out.

Compiling is most of the time that tests take, and optimising is most of compiling: programs are compiled quickly here, and run
slowly, most of them for a moment. What they do is the same. Tests that compute for long take the fixture `optimised`; `make
test-slow` sets FEINT_OPTIMISED, with which everything is the program that users run.
"""

import gc
import os
import sys
from collections import Counter
from collections.abc import Iterator
from importlib.metadata import version
from typing import Any

import pytest
from hypothesis import settings

from tests import compiling

# Before anybody imports JAX; commands that tests start inherit it.
if "FEINT_OPTIMISED" not in os.environ:
    os.environ.setdefault(compiling.HURRIED.upper(), "true")
    # Several parts would be compiled at once, for more work in all.
    flags = ["--xla_cpu_parallel_codegen_split_count=1"]
    if tuple(map(int, version("jax").split(".")[:2])) < (0, 11):  # newer ones abort on it, and do it anyway
        flags.append("--xla_cpu_use_fusion_emitters=false")
    os.environ.setdefault("XLA_FLAGS", " ".join(flags))

# An example may wait for the compiler or for whatever else the machine does: no test is a matter of milliseconds.
settings.register_profile("feint", deadline=None)
settings.load_profile("feint")

gc.set_threshold(50_000)  # tracing makes objects by the million, and hardly any of them are garbage before it is done


def pytest_collection_finish() -> None:
    """Whatever all tests import stays to the end: it need not be looked through after every file, which would take a minute in all."""
    gc.collect()
    gc.freeze()


# Few tests, and minutes of waiting or of compiling. Whichever process came to one of them last would go on alone at the end.
BEGUN_FIRST = ("tests/web/test_kills.py", "tests/learn/test_shards.py")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files in the order in which processes take them, the long ones first."""
    files = Counter(item.location[0] for item in items)
    items.sort(key=lambda item: (item.location[0] not in BEGUN_FIRST, -files[item.location[0]]))


@pytest.fixture
def optimised() -> Iterator[None]:
    """The whole test, as `compiling.optimised` has it."""
    with compiling.optimised():
        yield


@pytest.fixture(scope="module", autouse=True)
def _programs_let_go() -> Iterator[None]:
    """Files share hardly any programs, and those of all files would fill the memory of a small machine."""
    yield
    if jax := sys.modules.get("jax"):
        jax.clear_caches()
        gc.collect()


@pytest.fixture(scope="session", autouse=True)
def _tables_compiled_well() -> Iterator[None]:
    """Look-up tables are made once a machine, and take four times as long where they are compiled in a hurry."""
    from feint import lookup

    build = lookup._built

    def built(game: Any) -> Any:
        with compiling.optimised():
            return build(game)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lookup, "_built", built)
        yield


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
