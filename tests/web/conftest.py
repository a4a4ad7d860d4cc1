"""One lab for all tests that leave it as it was, and a PostgreSQL of their own for those that need one."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.web.served import Served, serving

BINARIES = sorted(Path("/usr/lib/postgresql").glob("*/bin"))


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("lab"), games="kuhn,leduc,bidding") as served:
        yield served


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The address of an empty database in a PostgreSQL that listens on a socket in a temporary folder alone."""
    if not BINARIES:
        pytest.fail("PostgreSQL is not installed: make system installs it.")
    folder = Path(tempfile.mkdtemp(prefix="feint-pg-"))
    # It refuses to run as root: then it is run as nobody, whose folder this becomes.
    other = pwd.getpwnam("nobody") if os.geteuid() == 0 else None
    as_other = {"user": other.pw_uid, "group": other.pw_gid, "extra_groups": []} if other else {}
    if other:
        os.chown(folder, other.pw_uid, other.pw_gid)
    data = str(folder / "data")

    def run(program: str, *given: str) -> None:
        command = [str(BINARIES[-1] / program), *given]
        subprocess.run(command, check=True, cwd=folder, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL, **as_other)  # type: ignore[call-overload]

    run("initdb", "-D", data, "-U", "feint", "-A", "trust", "--no-sync")
    run("pg_ctl", "-D", data, "-w", "-l", str(folder / "log"), "-o", f"-k {folder} -c listen_addresses=''", "start")
    try:
        yield f"postgresql://feint@/postgres?host={folder}"
    finally:
        run("pg_ctl", "-D", data, "-m", "immediate", "stop")
        shutil.rmtree(folder, ignore_errors=True)
