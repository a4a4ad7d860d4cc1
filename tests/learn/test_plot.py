"""Learning curves: a panel for each game, a colour for each algorithm, and wins where nothing is known exactly."""

import re
from shutil import copytree

import pytest

from feint.errors import UserError
from feint.learn import settings
from feint.learn.experiment import Experiment
from feint.learn.plot import draw
from feint.learn.train import RUN, Run

SMALL = {"num_envs": 8, "num_steps": 4, "total_timesteps": 64}
RUNS = (("kuhn", "ppo", 0), ("kuhn", "q-learning", 0), ("kuhn", "q-learning", 1), ("leduc", "q-learning", 0))


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Runs of two games with two algorithms, one of them with two seeds: one that was trained, and its copies under other names."""
    folder = tmp_path_factory.mktemp("runs")
    given = {"game": "kuhn", "algorithm": "q-learning", "settings": SMALL, "evaluations": 2, "games": 20}
    run = Run.start(Experiment.of(given), folder / "trained")
    run.train(lambda _: None, lambda: False)
    made = []
    for game, algorithm, seed in RUNS:
        made.append(copytree(run.folder, folder / f"{game}-{algorithm}-{seed}"))
        said = settings.read_sealed(made[-1] / RUN) | {"game": game, "algorithm": algorithm, "seed": seed}
        (made[-1] / RUN).write_text(settings.write_sealed(said))
    return made


def told(figure):
    """The words of an SVG figure."""
    return re.findall("<!-- (.*?) -->", figure.read_text())


@pytest.mark.slow
def test_each_game_has_its_panel_and_each_algorithm_one_entry(runs, tmp_path):
    draw(runs, tmp_path / "curves.svg")
    words = told(tmp_path / "curves.svg")
    assert [words.count(word) for word in ("kuhn", "leduc", "ppo", "q-learning")] == [1, 1, 1, 2]
    assert words.count("exploitability") == 2


def test_one_game_needs_no_title(runs, tmp_path):
    draw(runs[:1], tmp_path / "curves.svg")
    assert "kuhn" not in told(tmp_path / "curves.svg")


def test_only_figures_are_drawn(runs, tmp_path):
    with pytest.raises(UserError, match=r"A figure must be a \.png, \.svg, \.pdf file"):
        draw(runs, tmp_path / "curves.txt")
