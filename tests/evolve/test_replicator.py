import numpy as np
import pytest

import feint
from feint.arena import statistics
from feint.arena.match import match
from feint.errors import UserError
from feint.evolve import replicator
from tests.evolve.toys import Table, contest

THESIS = [0.25] * 4, [82, 79, 95, 44]  # Table 6: wins of NBAI, SAI, RLAI, AAI in 300 games


def test_the_thesis_average_fitness_is_75_not_18_75():
    assert replicator.average_fitness(*THESIS) == 75
    assert [each - 75 for each in THESIS[1]] == [7, 4, 20, -31]
    assert replicator.growth(*THESIS).tolist() == [1.75, 1.0, 5.0, -7.75]
    assert replicator.growth(*THESIS).sum() == 0
    # What the thesis printed divides by four once more, and then everybody seems to grow.
    assert [0.25 * (each - 75 / 4) for each in THESIS[1]] == [15.8125, 15.0625, 19.0625, 6.3125]


def test_the_thesis_evolution_follows_from_its_percentages():
    published = [(27, 26, 32, 15), (30, 34, 24, 12), (24, 28, 20, 28), (15, 21, 20, 44)]
    history = replicator.eliminate_and_replicate(
        lambda _, generation: [3 * each for each in published[generation]], ["NB", "S", "RL", "A"], 10
    )
    assert [each.population for each in history] == [
        ("NB", "S", "RL", "A"),
        ("NB", "S", "RL", "RL"),
        ("NB", "S", "RL", "S"),
        ("NB", "S", "S", "S"),
    ]
    assert history[-1].heirs == ("S", "S", "S", "S")
    assert history[0].growth == pytest.approx([0.25 * (each - 75) for each in (81, 78, 96, 45)])
    assert history[0].p < 0.01  # 96 wins against 45
    assert history[2].p > 0.05  # 84 against 60, the extremes of four: may be chance


def test_evolution_stops_when_time_is_up_or_nobody_is_different():
    taken = replicator.eliminate_and_replicate(lambda seats, _: [each == "a" for each in seats], ["a", "b", "b"], 5)
    assert [each.population for each in taken] == [("a", "b", "b"), ("a", "a", "b")]
    still = replicator.eliminate_and_replicate(lambda _, __: [1, 1, 1], ["a", "b", "c"], 3)
    assert len(still) == 3
    with pytest.raises(UserError):
        replicator.eliminate_and_replicate(lambda _, __: [1], ["a"], 3)


def test_evolution_by_playing_takes_the_seats_as_listed():
    made = replicator.seat_scores(contest({"weak": 1, "strong": 3}), Table(3), games=700)
    assert made(("weak", "strong", "strong"), 0).scores == (100, 300, 300)
    assert made(("weak", "strong", "strong"), 0).p(0, 1) == pytest.approx(statistics.sign_test(100, 300))
    assert made(("strong", "weak", "weak"), 1).scores == (420, 140, 140)
    history = replicator.eliminate_and_replicate(made, ["weak", "strong", "weak"], 9)
    assert history[-1].heirs == ("strong",) * 3


def test_evolution_follows_payoffs_where_the_game_is_measured_so():
    made = replicator.seat_scores(match, feint.make("kuhn"), games=500)(("random", "random"), 0)
    played = match(feint.make("kuhn"), ["random", "random"], games=500)
    assert made.scores == pytest.approx([played.payoff(0).estimate, played.payoff(1).estimate])
    assert made.p(0, 1) == pytest.approx(played.comparisons()[0].test.p)


def test_constant_fitness_grows_exponentially():
    fitness, start = np.array([0.3, 0.5, 0.1]), np.array([0.5, 0.2, 0.3])
    found = replicator.replicate(lambda _: fitness, start, until=20, points=11)
    exact = start * np.exp(fitness * found.times[:, None])
    np.testing.assert_allclose(found.shares, exact / exact.sum(axis=1, keepdims=True), atol=1e-6)


def test_rock_paper_scissors_goes_round_and_round():
    payoff = np.array([[0, -1, 1], [1, 0, -1], [-1, 1, 0]])
    found = replicator.replicate(lambda shares: payoff @ shares, [0.6, 0.2, 0.2], until=40)
    product = found.shares.prod(axis=1)
    np.testing.assert_allclose(product, product[0], rtol=1e-4)  # conserved
    assert found.shares[:, 0].min() < 0.15
    assert found.shares[-60:, 0].max() > 0.55


def test_what_is_not_there_does_not_come_back_and_bad_shares_are_refused():
    found = replicator.replicate(lambda _: np.array([0, 1, 2]), [0.5, 0.5, 0], until=10)
    assert (found.shares[:, 2] == 0).all()
    for bad in ([0.5, 0.6], [-0.5, 1.5]):
        with pytest.raises(UserError, match="add up to 1"):
            replicator.replicate(lambda shares: shares, bad, until=1)
