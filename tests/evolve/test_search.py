import json
from dataclasses import replace

import numpy as np
import pytest

import feint
from feint import workers
from feint.errors import UserError
from feint.evolve.methods import METHODS
from feint.evolve.search import Parameter, Search, Settings, Table, parameters
from feint.games.bluff.counter import Counter
from tests.toys import Bettor

KUHN = feint.make("kuhn")


# ---- the methods alone


@pytest.mark.parametrize("method", METHODS)
def test_the_highest_point_of_a_hill_is_found(method):
    top = np.array([0.3, 0.62, 0.9, 0.5])
    found = METHODS[method](np.full(4, 0.5), 0.2, 24)
    for generation in range(60):
        points = found.ask(np.random.default_rng([1, generation]))
        found.tell(points, -((points - top) ** 2).sum(axis=1))
    np.testing.assert_allclose(found.centre, top, atol=0.01)


def test_cma_follows_a_narrow_curved_ridge_and_cem_does_not():
    """Rosenbrock's valley, which only a method that learns how dimensions go together gets through."""

    def height(points):
        x, y = 4 * points.T - 2  # the cube is [-2, 2]^2, the top at (1, 1)
        return -(100 * (y - x**2) ** 2 + (1 - x) ** 2)

    missed = {}
    for method in METHODS:
        found = METHODS[method](np.array([0.1, 0.8]), 0.1, 16)
        for generation in range(150):
            points = found.ask(np.random.default_rng([2, generation]))
            found.tell(points, height(points))
        missed[method] = np.abs(4 * found.centre - 2 - 1).max()
    assert missed["cma"] < 1e-3
    assert missed["cem"] > 10 * missed["cma"]


@pytest.mark.parametrize("method", METHODS)
def test_only_the_order_of_fitness_counts_and_points_stay_in_the_cube(method):
    one, other = (METHODS[method](np.array([0.02, 0.99]), 0.5, 12) for _ in range(2))
    points = one.ask(np.random.default_rng(0))
    np.testing.assert_array_equal(points, other.ask(np.random.default_rng(0)))
    assert ((points >= 0) & (points <= 1)).all()
    fitness = np.random.default_rng(1).normal(size=12)
    one.tell(points, fitness)
    other.tell(points, np.exp(fitness) * 1000)
    np.testing.assert_array_equal(one.centre, other.centre)


# ---- what is searched


def test_settings_with_a_fraction_are_searched_chances_from_0_to_1():
    assert [each.name for each in parameters(Bettor())] == ["jack", "queen", "king"]
    by_name = {each.name: each for each in parameters(Counter())}
    assert (by_name["call_two"].low, by_name["call_two"].high) == (0, 1)
    assert (by_name["loss"].low, by_name["loss"].high) == (0, 10.4)
    assert parameters(Counter(), ["win", Parameter("call_two", 0.1, 0.2)])[1] == Parameter("call_two", 0.1, 0.2)


def test_wide_ranges_of_positive_numbers_are_searched_by_orders_of_magnitude():
    wide = Parameter("win", 0.1, 1000)
    np.testing.assert_allclose(wide.value(np.array([0, 0.25, 0.5, 1])), [0.1, 1, 10, 1000])
    assert wide.place(10) == pytest.approx(0.5)
    narrow = Parameter("call_two", 0, 2)
    np.testing.assert_allclose(narrow.value(np.array([0, 0.25, 1])), [0, 0.5, 2])
    assert narrow.place(5) == 1


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda: Search(KUHN, Bettor(), [Table(("random",))], ["ace"]), "no setting 'ace'"),
        (lambda: Search(KUHN, "random", [Table(("random",))]), "nothing to search"),
        (lambda: Search(KUHN, Bettor(), [Table(("random", "random"))]), "names 1 others, not 2"),
        (lambda: Search(KUHN, Bettor(), []), "needs a table"),
        (lambda: Search(KUHN, Bettor(), [Table(("random",), 0.0)]), "weight above 0"),
        (lambda: Parameter("call_two", 1, 1), "from a lower to a higher"),
        (lambda: Settings(method="luck"), "--method must be one of cem, cma"),
        (lambda: Settings(population=1), "--population must be a whole number from 4"),
        (lambda: Settings(deals=10, length=4), "multiple of --length"),
    ],
)
def test_nonsense_is_refused_in_one_sentence(wrong, said):
    with pytest.raises(UserError, match=said):
        wrong()


# ---- in the arena


SETTINGS = Settings(generations=16, population=24, deals=64)


def against_a_maniac(start=Bettor()):  # noqa: B008
    return Search(KUHN, start, [Table((Bettor(1.0, 1.0, 1.0),))], settings=SETTINGS)


@pytest.fixture(scope="module")
def in_kuhn():
    """The best answer to somebody who bets and calls everything."""
    search = against_a_maniac()
    search.run()
    return search


def test_the_best_answer_in_kuhn_is_found(in_kuhn):
    """Against somebody who always bets and calls, a call or bet wins 2 with a king and loses 2 with a jack; a pass loses 1."""
    assert in_kuhn.found["jack"] < 0.1
    assert in_kuhn.found["king"] > 0.9
    # A queen wins as often as it loses: to call pays 0, to pass -1.
    assert in_kuhn.found["queen"] > 0.9


def test_fitness_is_the_mean_payoff_on_the_same_deals_for_all(in_kuhn):
    """Exactly: the best answer pays 2 with a king, 0 with a queen and -1 with a jack, so 1/3 on average."""
    best, same, worst, *_ = in_kuhn.fitness(np.array([[0, 1, 1.0], [0, 1, 1.0], [1, 0, 0.0]] * 8), first=0)
    assert best == same
    assert best == pytest.approx(1 / 3, abs=0.25)  # 128 games with a standard deviation of about 1.2
    assert worst == pytest.approx((-2 - 1 - 1) / 3, abs=0.15)


def test_portions_make_no_difference_to_the_last_bit(in_kuhn, monkeypatch):
    """Ten candidates in three portions, the last of which is not full."""
    values = np.random.default_rng(0).random((10, 3)).astype(np.float32)
    whole = in_kuhn.judge.scores(values, first=128)
    sizes = []
    judge = replace(in_kuhn.judge, lanes=96)

    def in_order(do, portions):
        sizes.extend(len(group) for _, _, group in portions)
        return map(do, portions)

    monkeypatch.setattr(workers, "in_order", in_order)
    np.testing.assert_array_equal(judge.scores(values, first=128), whole)
    assert sizes == [4, 4, 4]


def test_tables_count_by_their_weights():
    def fitness(*tables):
        search = Search(KUHN, Bettor(), tables, settings=SETTINGS)
        return search.fitness(np.full((24, 3), 0.4), first=0)[0]

    one, other = Table((Bettor(1.0, 1.0, 1.0),), 1.0), Table((Bettor(0.0, 0.3, 1.0),), 3.0)
    assert fitness(one, other) == pytest.approx((fitness(one) + 3 * fitness(other)) / 4)
    assert fitness(one) != fitness(other)


def test_a_search_goes_on_to_the_same_settings(tmp_path, in_kuhn):
    path = tmp_path / "kuhn.json"

    first = against_a_maniac()
    for _ in range(5):
        first.step()
    first.save(path)
    second = against_a_maniac()
    second.restore(path)
    second.run()
    assert second.history == in_kuhn.history
    assert second.found == in_kuhn.found
    assert json.loads(path.read_text())["found"] == first.found
    other = against_a_maniac(Bettor(jack=0.1))
    with pytest.raises(UserError, match="other start"):
        other.restore(path)
    path.write_text("{}")
    with pytest.raises(UserError, match="not a search that feint saved"):
        second.restore(path)


def test_a_search_goes_by_what_the_game_is_measured_by_unless_told(in_kuhn):
    assert in_kuhn.by == "payoff"
    by_wins = Search(KUHN, Bettor(), [Table((Bettor(1.0, 1.0, 1.0),))], settings=replace(SETTINGS, by="wins"))
    # Against somebody who always bets and calls, whoever never passes wins half of the games, and whoever always passes none.
    never, always, *_ = by_wins.fitness(np.array([[1, 1, 1.0], [0, 0, 0.0]] * 12), first=0)
    assert never == pytest.approx(0.5, abs=0.15)
    assert always == 0
    ((found, test),) = by_wins.measure(200)
    assert found.deal_scores("wins").max() <= 1
    assert test.difference.holds(0)  # nothing was searched yet
    assert Search(feint.make("bidding"), "split", [Table(("uniform", "uniform"))]).by == "wins"


@pytest.mark.slow
def test_counter_is_tuned_to_the_thesis_table():
    """From settings that win 60% there, to more than 85%."""
    settings = Settings(generations=15, population=24, deals=48)
    search = Search(feint.make("bluff"), "counter", [Table(("no-bluff", "smart", "reinforcement"))], settings=settings)
    search.run()
    ((result, test),) = search.measure(8000)
    assert result.win_rate(0).low > 0.85
    assert test.difference.low > 0
