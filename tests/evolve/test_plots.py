import matplotlib
import numpy as np
import pytest

from feint.errors import UserError
from feint.evolve import plots, replicator

matplotlib.use("Agg")

ROCK_PAPER_SCISSORS = np.array([[0, -1, 1], [1, 0, -1], [-1, 1, 0]])


def test_a_population_over_time_fills_the_picture():
    path = replicator.replicate(lambda _: np.array([0.0, 1.0]), [0.9, 0.1], until=10)
    axes = plots.population_over_time(path, ["slow", "fast"])
    top = axes.collections[-1].get_paths()[0].vertices
    assert top[:, 1].max() == pytest.approx(100)
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["slow", "fast"]


def test_generations_are_stacked_to_the_number_of_seats():
    history = replicator.eliminate_and_replicate(lambda _, __: [3, 1, 2], ["a", "b", "c"], 4)
    axes = plots.generations(history)
    tops = {}
    for bar in axes.patches:
        tops[bar.get_x()] = max(tops.get(bar.get_x(), 0), bar.get_y() + bar.get_height())
    assert set(tops.values()) == {3}
    assert len(tops) == len(history) + 1


def test_the_triangle_shows_paths_that_stay_inside():
    axes = plots.simplex(lambda shares: ROCK_PAPER_SCISSORS @ shares, ["r", "p", "s"], [[0.6, 0.2, 0.2]], until=20)
    path = axes.lines[0].get_xydata()
    inside = np.linalg.lstsq(
        np.vstack([plots.CORNERS.T, np.ones(3)]), np.vstack([path.T, np.ones(len(path))]), rcond=None
    )[0]
    assert inside.min() > 0
    np.testing.assert_allclose(inside[:, 0], [0.6, 0.2, 0.2], atol=1e-9)
    with pytest.raises(UserError, match="three strategies"):
        plots.simplex(lambda shares: shares, ["a", "b"])
