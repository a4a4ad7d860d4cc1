import numpy as np
import pytest

from feint.errors import UserError
from feint.evolve import metagame, stability
from tests.evolve.toys import Table, contest, random_meta


def measured(strength, games=2000, noise=0, seats=4):
    return metagame.measure(contest(strength, noise), Table(seats), list(strength), games * len(strength) ** seats)


def test_the_strongest_is_stable_and_the_weakest_is_invaded():
    meta = measured({"strong": 2, "weak": 1, "weaker": 0.8})
    strong, weak = stability.stability(meta, "strong"), stability.stability(meta, "weaker")
    assert strong.verdict == "stable"
    assert "99% confidence" in strong.statement
    assert "2000 games or more a table" in strong.statement
    assert weak.verdict == "invaded"
    assert set(weak.invaders) == {"strong", "weak"}
    single = next(each for each in strong.invasions if each.mutant == "weak" and each.share == 0)
    assert single.margin.holds(1 / 4 - 1 / 7)  # all strong win a quarter each; one weak among three strong a seventh
    assert max(map(len, str(strong).splitlines())) <= 80


def test_few_games_decide_nothing():
    close = stability.stability(measured({"a": 1.05, "b": 1}, games=20), "a")
    assert close.verdict == "undecided"
    assert "not decided" in close.statement


def test_equals_are_rarely_called_stable_or_invaded():
    found = [
        stability.stability(measured({"a": 1, "b": 1, "c": 1}, games=200, noise=i, seats=3), "a") for i in range(150)
    ]
    assert sum(each.verdict == "stable" for each in found) <= 4
    assert sum(each.verdict == "invaded" for each in found) <= 4


def test_margins_are_the_difference_of_fitness():
    meta = random_meta(3, 4)
    for share in (0.0, 0.3):
        found = stability.invasion(meta, "a", "c", share)
        fitness = meta.fitness([1 - share, 0, share])
        assert found.margin.estimate == pytest.approx(fitness[0] - fitness[2])
    resident, mutant = np.array([0.5, 0.5, 0]), np.array([0.2, 0, 0.8])
    mixed = stability.invasion(meta, resident, mutant, 0.1)
    assert mixed.margin.estimate == pytest.approx((resident - mutant) @ meta.fitness(0.9 * resident + 0.1 * mutant))
    assert mixed.mutant == "20% a + 80% c"


def test_the_barrier_is_where_mutants_become_fitter():
    # Three seats: two of a kind beat the third. Residents are fitter until mutants are half the population.
    tables = metagame.compositions(2, 3)
    rates = np.where(tables == 3, 1.0, np.where(tables == 2, 0.9, np.where(tables == 1, 0.1, 0)))
    meta = metagame.MetaGame(("a", "b"), tables, np.full(4, 1000), (1000 * rates).astype(int))
    assert stability.barrier(meta, "a", "b") == pytest.approx(0.5, abs=0.002)
    assert stability.stability(meta, "a").verdict == "stable"
    assert stability.stability(meta, "a", shares=[0.8]).verdict == "invaded"
    strong = measured({"strong": 2, "weak": 1}, noise=None)
    assert stability.barrier(strong, "strong", "weak") == 1
    assert stability.barrier(strong, "weak", "strong") == 0


def test_bad_questions_are_told_so():
    meta = random_meta(2, 2)
    for ask in (
        lambda: stability.stability(meta, "z"),
        lambda: stability.invasion(meta, "a", "b", 1.0),
        lambda: stability.stability(random_meta(1, 2), "a"),
    ):
        with pytest.raises(UserError):
            ask()
