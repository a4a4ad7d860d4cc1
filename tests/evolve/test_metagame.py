from dataclasses import replace
from itertools import permutations, product
from math import comb

import numpy as np
import pytest

from feint.arena.result import Result
from feint.arena.tally import Counting, counted
from feint.errors import UserError
from feint.evolve import metagame
from feint.evolve.stability import stability
from tests.arena.test_parts import Played, Toy
from tests.evolve.toys import Table, contest, random_meta


@pytest.mark.parametrize(("strategies", "seats"), [(2, 2), (4, 4), (2, 6), (3, 1)])
def test_every_composition_is_listed_once(strategies, seats):
    tables = metagame.compositions(strategies, seats)
    assert len(np.unique(tables, axis=0)) == len(tables) == comb(strategies + seats - 1, seats)
    assert (tables.sum(axis=1) == seats).all()


def rate_of(meta, seated):
    """One seat's chance to win, by looking up the table."""
    table = np.bincount(seated, minlength=len(meta.strategies))
    row = np.flatnonzero((meta.tables == table).all(axis=1))[0]
    return meta.rates[row, seated[0]] / table[seated[0]]


def test_fitness_is_the_average_over_all_tables_an_individual_may_sit_at():
    meta, shares = random_meta(3, 4), np.array([0.5, 0.2, 0.3])
    for own in range(3):
        others = product(range(3), repeat=3)
        expected = sum(shares[list(rest)].prod() * rate_of(meta, [own, *rest]) for rest in others)
        assert meta.fitness(shares)[own] == pytest.approx(expected)


def test_finite_populations_draw_without_replacement():
    meta, counts = random_meta(3, 3), [3, 1, 2]
    individuals = [0, 0, 0, 1, 2, 2]
    for own in range(3):
        rest = individuals.copy()
        rest.remove(own)
        drawn = list(permutations(rest, 2))
        expected = np.mean([rate_of(meta, [own, *others]) for others in drawn])
        assert meta.fitness_among(counts)[own] == pytest.approx(expected)


def test_a_population_wins_as_many_games_as_are_played():
    meta = metagame.measure(contest({"a": 1, "b": 2, "c": 5}), Table(4), ["a", "b", "c"], games=8_000_000 * 3**4)
    for shares in ([1, 0, 0], [0.2, 0.3, 0.5], [0, 0.5, 0.5]):
        assert shares @ meta.fitness(shares) == pytest.approx(1 / 4, abs=1e-5)
    assert meta.games.sum() == 8_000_000 * 3**4
    assert meta.fitness([1, 0, 0])[1] == pytest.approx(2 / 5, abs=1e-6)  # a mutant b among three a


def test_the_error_is_what_other_runs_show():
    weights = random_meta(3, 3).in_shares([0.5, 0.3, 0.2]) * np.array([0.7, -0.4, -0.3])
    runs = [
        metagame.measure(contest({"a": 1, "b": 2, "c": 3}, seed), Table(3), "abc", games=40 * 3**3)
        for seed in range(300)
    ]
    found = np.array([run.measured(weights) for run in runs])
    assert found[:, 1].mean() == pytest.approx(found[:, 0].std(), rel=0.1)
    again = np.array([runs[0].resampled(np.random.default_rng(i)).measured(weights)[0] for i in range(300)])
    assert again.std() == pytest.approx(found[:, 0].std(), rel=0.2)


def test_no_games_make_a_rate_certain():
    meta = metagame.MetaGame(
        ("a", "b"), metagame.compositions(2, 2), np.array([10, 10, 10]), np.array([[10, 0], [10, 0], [0, 10]])
    )
    assert meta.measured(meta.in_shares([0.5, 0.5]) * [1, -1])[1] > 0


def of_games(scores):
    """A match of three at every seating, what its seats made of each game being known, [games, seats]."""

    def play(_, agents, seatings, games, seed):
        games //= len(seatings)
        parts = []
        for number, seating in enumerate(seatings):
            made = scores(np.random.default_rng([seed, number]), np.array(seating), games)
            payoffs, won = made.astype(np.float32)[:, None], (made > 0)[:, None]
            counting = Counting(Toy(), agents, [seating], seed=seed, length=1, duplicate=False, level=0.99)
            played = Played(payoffs, won, np.ones((games, 1), int), {})
            counting.parts.append(counted(Toy(), seating, seed, 0, played, duplicate=False))
            parts.append(Result.of(counting.totals()))
        return parts[0].merge(*parts[1:])

    return play


def paid(rng, seating, games):
    """Luck that all share, and a little more for higher strategies; some games are won by several."""
    return rng.normal(size=(games, 1)) + rng.normal(scale=0.5, size=(games, 3)) + 0.1 * seating


@pytest.mark.parametrize("by", ["payoff", "wins"])
def test_payoffs_and_games_of_several_winners_carry_the_error_that_other_runs_show(by):
    def measured(seed):
        played = of_games(paid)(Table(3), "abc", list(product(range(3), repeat=3)), 30 * 3**3, seed)
        return metagame.from_result(replace(played, measure=by, payoff_range=(-3.0, 3.0)))

    runs = [measured(seed) for seed in range(60)]
    weights = runs[0].in_shares([0.5, 0.3, 0.2]) * np.array([0.5, 0.5, -1.0])
    found = np.array([run.measured(weights) for run in runs])
    assert found[:, 1].mean() == pytest.approx(found[:, 0].std(ddof=1), rel=0.3)
    again = np.array([runs[0].resampled(np.random.default_rng(i)).measured(weights)[0] for i in range(300)])
    assert again.std() == pytest.approx(found[:, 1].mean(), rel=0.25)


def test_fitness_by_payoff_is_a_share_of_the_range_and_told_in_the_unit():
    """Strategy b earns 0.1 more than a at every table: of a range of 18, a margin of 1/180."""
    flat = of_games(lambda _, seating, games: np.tile(0.1 * seating, (games, 1)))
    meta = metagame.measure(flat, Table(3), "ab", games=40 * 2**3)
    assert meta.fitness([1, 0]) == pytest.approx([0.5, 0.5 + 0.1 / 18])
    assert meta.told == metagame.Scale("chips", 18.0, 3)
    found = stability(meta, "b")
    assert found.invasions[0].margin.scaled(meta.told.factor).estimate == pytest.approx(0.1)
    assert "Margin, chips" in str(found)


def test_what_was_not_measured_is_refused():
    meta = metagame.MetaGame(("a", "b"), metagame.compositions(2, 2), np.array([10, 0, 10]), np.zeros((3, 2), int))
    with pytest.raises(UserError, match="No game was played"):
        meta.fitness([0.5, 0.5])
    for bad in ([0.5, 0.6], [1.0], [-1, 2]):
        with pytest.raises(UserError, match="add up to 1"):
            meta.fitness(bad)
    with pytest.raises(UserError, match="does not fill"):
        meta.fitness_among([1, 0])
    play = contest({"a": 1, "b": 1})
    result = play(Table(2), ["a", "b"], [(0, 0), (0, 1)], 20, 0)
    assert metagame.from_result(result).games.tolist() == [10, 10, 0]
    with pytest.raises(UserError, match="was not measured"):
        meta.index("c")
