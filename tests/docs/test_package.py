"""What is published runs without the repository; somebody else's package, docs/examples/feint-parrot, is installed and its agents play by name."""

import json
import os
import re
import subprocess
import sys
import venv
from importlib.metadata import Distribution, distribution, distributions
from pathlib import Path
from shutil import copyfile, copytree, ignore_patterns, unpack_archive
from threading import Timer

import pytest
from packaging.requirements import Requirement

from tests.commands.typed import Done
from tests.docs.examples import ROOT

PACKAGE = ROOT / "docs" / "examples" / "feint-parrot"
# One process that has the package takes all commands, a line each: what one has imported and compiled serves the others.
ONE_BY_ONE = """
import dataclasses, json, sys
from tests.commands.typed import typed
for line in sys.stdin:
    print(json.dumps(dataclasses.asdict(typed(*json.loads(line)))), flush=True)
"""


@pytest.fixture(scope="module")
def feint(tmp_path_factory):
    """A feint beside which the package is installed."""
    folder = tmp_path_factory.mktemp("parrot")
    source = copytree(PACKAGE, folder / "source", ignore=ignore_patterns("build", "*.egg-info", "__pycache__"))
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--no-build-isolation"]
    subprocess.run([*pip, "--target", folder / "installed", source], check=True, timeout=300)
    env = os.environ | {
        "PYTHONPATH": os.pathsep.join([str(folder / "installed"), str(ROOT)]),
        "XDG_DATA_HOME": str(folder / "data"),
        "COLUMNS": "80",
    }

    process = subprocess.Popen(
        [sys.executable, "-c", ONE_BY_ONE],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        encoding="utf-8",
        env=env,
        cwd=folder,
    )

    def run(*args: str) -> Done:
        limit = Timer(300, process.kill)
        limit.start()
        print(json.dumps(args), file=process.stdin, flush=True)
        answer = process.stdout.readline()
        limit.cancel()
        return Done(**json.loads(answer))

    yield run
    process.communicate(timeout=300)
    assert process.returncode == 0


def test_its_agents_are_listed_with_their_settings(feint):
    listed = feint("agents", "bluff")
    assert listed.code == 0, listed.stderr
    assert re.search(r"^gut +Lays one card.*\n(?: +.*\n)* +claim=3$", listed.stdout, re.M)
    assert re.search(r"^parrot +Lays as many cards.*\n(?: +.*\n)* +most=4$", listed.stdout, re.M)
    assert re.search(r"^smart ", listed.stdout, re.M)


def test_the_compiled_agent_plays_matches(feint):
    played = feint("match", "bluff", "parrot(2)", "smart", "--games", "200", "--level", "0.95")
    assert played.code == 0, played.stderr
    wins = [
        int(re.search(rf"^ *{re.escape(agent)} +200 +(\d+)", played.stdout, re.M)[1])
        for agent in ("parrot(2)", "smart")
    ]
    assert sum(wins) <= 200
    assert min(wins) > 0


def test_the_plain_agent_sits_at_a_table_and_plays_matches(feint):
    watched = feint("play", "bluff", "--watch", "--seats", "parrot,gut(2),smart", "--seed", "1")
    assert watched.code == 0, watched.stderr
    assert watched.stdout.startswith("Bluff with seed 1: Parrot, Gut(2), Smart.\n")
    assert re.search(r"^(Parrot|Gut\(2\)|Smart) wins? after \d+ turns", watched.stdout, re.M)
    plays = re.findall(r"^Gut\(2\) lays (\d+) card", watched.stdout, re.M)
    assert set(plays) == {"1"}
    assert feint("replay").code == 0

    played = feint("match", "bluff", "gut", "smart", "--games", "4", "--limit", "20")
    assert played.code == 0, played.stderr
    assert re.search(r"^ *gut +4 +\d+", played.stdout, re.M)


# ---- feint itself, as it is published


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    """The source that is published, unpacked."""
    folder = tmp_path_factory.mktemp("published")
    wanted = ["feint", "pyproject.toml", "MANIFEST.in", "README.md", "LICENSE", "CHANGELOG.md", "CITATION.cff"]
    (folder / "clone").mkdir()
    for name in wanted:
        copy = copytree if (ROOT / name).is_dir() else copyfile
        copy(ROOT / name, folder / "clone" / name)
    build("sdist", folder / "clone", folder)
    unpack_archive(next(folder.glob("*.tar.gz")), folder / "unpacked")
    next((folder / "unpacked").iterdir()).rename(folder / "source")
    return folder


def build(kind: str, source: Path, folder: Path) -> None:
    code = f"from setuptools import build_meta; print(build_meta.build_{kind}({str(folder)!r}))"
    subprocess.run([sys.executable, "-W", "ignore", "-c", code], cwd=source, check=True, timeout=300)


def test_the_source_has_what_it_says_it_has(published):
    names = {path.name for path in (published / "source").iterdir()}
    assert {"CHANGELOG.md", "CITATION.cff", "LICENSE", "README.md", "feint"} <= names


def needed(one: Distribution) -> set[str]:
    """The distributions that one says it needs, extras left out, and what those need."""
    wanted = [Requirement(text) for text in one.requires or ()]
    names = {each.name for each in wanted if not each.marker or each.marker.evaluate({"extra": ""})}
    return names.union(*(needed(distribution(name)) for name in names))


@pytest.fixture(scope="module")
def alone(published):
    """The command `feint` of an environment that has the wheel built from the source, what the wheel says it needs, and nothing else."""
    build("wheel", published / "source", published)
    home = published / "environment"
    venv.create(home)
    pip = [
        sys.executable,
        "-m",
        "pip",
        "--python",
        home / "bin" / "python",
        "install",
        "--quiet",
        "--no-index",
        "--no-deps",
    ]
    subprocess.run([*pip, next(published.glob("*.whl"))], check=True, timeout=300)
    site = next(home.glob("lib/*/site-packages"))
    for name in needed(next(iter(distributions(path=[str(site)])))):
        found = distribution(name)
        for top in {file.parts[0] for file in found.files or ()} - {"..", "__pycache__"}:
            (site / top).symlink_to(Path(str(found.locate_file(top))))
    inherited = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    env = inherited | {"XDG_DATA_HOME": str(home / "data"), "COLUMNS": "80"}

    def run(*args: str, program: str = "feint") -> str:
        command = [home / "bin" / program, *args]
        done = subprocess.run(command, capture_output=True, encoding="utf-8", env=env, cwd=home, timeout=300)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


@pytest.mark.slow  # compiling a learner
def test_the_wheel_alone_plays_matches_trains_and_has_its_zoo_and_studies(alone, published):
    where = alone("-c", "import feint; print(feint.__file__)", program="python")
    assert Path(where.strip()).is_relative_to(published / "environment")
    assert "takes the pot" in alone(
        "play", "kuhn", "--watch", "--seats", "random,zoo:kuhn-1", "--seed", "1", "--pause", "0"
    )
    assert "wins" in alone("play", "bluff", "--watch", "--seats", "reinforcement,smart", "--seed", "1", "--pause", "0")
    assert re.search(r"^ *zoo:leduc-1 +20 ", alone("match", "leduc", "zoo:leduc-1", "random", "--games", "20"), re.M)
    few = ["--steps", "64", "--evaluations", "1", "--games", "20"]
    assert "Saved in runs/train/" in alone("train", "kuhn", "--algorithm", "q-learning", "--table", "random", *few)
    assert re.search(r"^ *zoo:leduc-1 ", alone("zoo"), re.M)
    assert re.search(r"^ *bluff ", alone("study", "--list"), re.M)
