import builtins
from itertools import permutations

import numpy as np
import pytest

from feint.arena.result import Result
from feint.errors import UserError

AGENTS = ["no-bluff", "smart", "reinforcement", "anxious(3)"]
SEATINGS = list(permutations(range(4)))


def made(seed=0, games=300, rates=(0.28, 0.30, 0.25, 0.16), deals=None, **changes):
    """A match of a winner-takes-all game with known rates, one per cent draws."""
    rng = np.random.default_rng(seed)
    won = [rng.multinomial(games, [*np.array(rates)[list(seating)], 0.01])[:4] for seating in SEATINGS]
    wins = np.array(won)
    played = np.full(len(SEATINGS), games)
    draws = played - wins.sum(axis=1)
    lost = (played - draws)[:, None] - wins
    totals = {
        "game": "bluff",
        "options": {"players": 4, "most": 4},
        "agents": AGENTS,
        "seatings": SEATINGS,
        "seeds": [seed],
        "games": played,
        "draws": draws,
        "moves": played * 183,
        "wins": wins,
        "payoff_sum": wins - lost / 3,
        "payoff_square_sum": wins + lost / 9,
        "counters": {"bluffs": wins * 5, "calls_true": wins * 2},
        "deal_payoffs": deals,
    }
    return Result.from_totals(**totals | changes)


def one_table(**changes):
    """Two kinds of agents twice at one table."""
    totals = {
        "game": "bluff",
        "options": {"players": 4},
        "agents": ["smart", "anxious", "smart", "anxious"],
        "seatings": [(0, 1, 2, 3)],
        "seeds": [7],
        "games": [90],
        "draws": [0],
        "moves": [900],
        "wins": [[40, 25, 20, 5]],
        "payoff_sum": [[10.0, 0, -5, -25]],
        "payoff_square_sum": [[90.0, 80, 70, 60]],
    }
    return Result.from_totals(**totals | changes)


def test_totals_are_told_per_agent_and_seat():
    result = made()
    smart = result.seatings == 1
    assert result.played == 7200
    assert result.seat_games("smart") == 7200
    assert result.seat_games("smart", 2) == 1800
    assert result.seat_wins("smart") == result.wins[smart].sum()
    assert sum(result.seat_wins("smart", seat) for seat in range(4)) == result.seat_wins(1)
    assert result.counter("bluffs", "smart") == 5 * result.seat_wins("smart")
    assert result.win_rate("smart").holds(0.30)
    # Winner takes one, losers a third each: the payoff follows from the rate of wins and draws.
    wins, draws = result.win_rate("smart").estimate, result.draws.sum() / result.played
    assert result.payoff("smart").estimate == pytest.approx(wins - (1 - wins - draws) / 3)
    assert sum(result.payoff(agent).estimate for agent in AGENTS) == pytest.approx(0)


def test_an_agent_that_plays_twice_has_two_labels():
    assert one_table().labels == ("smart #1", "anxious #1", "smart #2", "anxious #2")
    assert one_table().seats_of("smart #2") == [2]


def test_comparisons_are_exact_corrected_and_aware_of_seats():
    found = {(each.better, each.worse): each for each in made().comparisons()}
    assert found[1, 3].shown
    assert found[1, 3].same_seats
    assert found[1, 3].test.difference.holds(0.14)
    assert len(found) == 6
    table = one_table().comparisons()
    top = next(each for each in table if (each.better, each.worse) == (0, 3))
    assert not top.same_seats
    assert top.test.p < top.adjusted_p <= 6 * top.test.p
    # 25 wins against 20 among 45: nothing.
    assert not next(each for each in table if {each.better, each.worse} == {1, 2}).shown


def test_an_agent_in_more_seats_is_expected_to_win_more():
    twice = one_table(agents=["smart", "anxious"], seatings=[(0, 0, 0, 1)], wins=[[30, 30, 30, 0]])
    even = one_table(agents=["smart", "anxious"], seatings=[(0, 0, 0, 1)], wins=[[23, 23, 22, 22]])
    assert twice.comparisons()[0].shown
    assert twice.comparisons()[0].better == 0
    assert twice.comparisons()[0].test.difference.estimate == pytest.approx(1 / 3)
    assert not even.comparisons()[0].shown
    assert even.seat_games("smart") == 270


def test_equal_agents_are_rarely_called_different():
    claims = [any(each.shown for each in made(seed, 50, (0.2475,) * 4).comparisons()) for seed in range(100)]
    assert sum(claims) <= 5  # each has probability at most 1%; more than 5 of 100 has probability 5e-4


def test_payoffs_without_deals_are_compared_conservatively():
    zero_sum = Result.from_totals(
        game="kuhn",
        options={},
        agents=["a", "b"],
        seatings=[(0, 1)],
        seeds=[0],
        games=[1000],
        draws=[0],
        moves=[3000],
        wins=[[520, 480]],
        payoff_sum=[[100.0, -100.0]],
        payoff_square_sum=[[2000.0, 2000.0]],
    )
    (found,) = zero_sum.comparisons(by="payoff")
    mine = zero_sum.payoff("a")  # with two players the difference is exactly twice one's own payoff
    assert found.test.difference.estimate == pytest.approx(0.2)
    assert found.test.difference.low == pytest.approx(2 * mine.low, abs=0.001)


def test_duplicate_deals_are_compared_in_pairs():
    luck = np.random.default_rng(0).normal(size=(500, 1))
    deals = np.hstack([luck + 0.05, luck - 0.05, -luck, -luck]) + np.random.default_rng(1).normal(
        scale=0.1, size=(500, 4)
    )
    found = {frozenset((each.better, each.worse)): each for each in made(deals=deals).comparisons()}
    assert {each.by for each in found.values()} == {"payoff"}
    assert found[frozenset((0, 1))].shown
    assert not found[frozenset((2, 3))].shown
    assert made(deals=deals).payoff("no-bluff").estimate == pytest.approx(deals[:, 0].mean(), abs=1e-6)


def same(one, other):
    assert (one.game, one.options, one.agents, one.level, one.seeds) == (
        other.game,
        other.options,
        other.agents,
        other.level,
        other.seeds,
    )
    for name in ("seatings", "games", "draws", "moves", "wins", "payoff_sum", "payoff_square_sum"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    assert list(one.counters) == list(other.counters)
    for name, counts in one.counters.items():
        np.testing.assert_array_equal(counts, other.counters[name])
    assert (one.deal_payoffs is None) == (other.deal_payoffs is None)
    if one.deal_payoffs is not None:
        np.testing.assert_array_equal(one.deal_payoffs, other.deal_payoffs)
    return True


@pytest.mark.parametrize("ending", ["json", "csv", "parquet"])
@pytest.mark.parametrize("deals", [None, np.random.default_rng(0).normal(size=(7, 4))])
def test_a_saved_result_loads_as_it_was(tmp_path, ending, deals):
    result = made(deals=deals)
    result.save(tmp_path / f"match.{ending}")
    assert same(Result.load(tmp_path / f"match.{ending}"), result)


def test_a_csv_opens_in_other_programs(tmp_path):
    made().save(tmp_path / "match.csv")
    rows = np.genfromtxt(tmp_path / "match.csv", delimiter=",", names=True, skip_header=1, dtype=None, encoding=None)
    assert len(rows) == 96
    assert rows["wins"].sum() == made().wins.sum()


def test_files_that_are_no_results_are_told_so(tmp_path):
    (tmp_path / "other.json").write_text('{"a": 1}')
    (tmp_path / "other.csv").write_text("a,b\n1,2\n")
    (tmp_path / "other.parquet").write_text("no")
    for name in ("other.json", "other.csv", "other.parquet", "absent.json", "match.xlsx"):
        with pytest.raises(UserError):
            Result.load(tmp_path / name)


def test_deals_that_went_missing_are_noticed(tmp_path):
    made(deals=np.ones((5, 4))).save(tmp_path / "match.csv")
    (tmp_path / "match.deals.csv").unlink()
    with pytest.raises(UserError, match="5 duplicate deals"):
        Result.load(tmp_path / "match.csv")


def test_parquet_without_pyarrow_says_what_to_install(tmp_path, monkeypatch):
    known = builtins.__import__

    def without(name, *rest, **more):
        if name.startswith("pyarrow"):
            raise ImportError(name)
        return known(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(UserError, match="pip install pyarrow"):
        made().save(tmp_path / "match.parquet")


def test_runs_of_other_seeds_merge():
    one, other = made(1, deals=np.ones((5, 4))), made(2, deals=np.zeros((3, 4)))
    both = one.merge(other)
    assert both.seeds == (1, 2)
    assert both.played == 14_400
    assert both.seat_wins("smart", 3) == one.seat_wins("smart", 3) + other.seat_wins("smart", 3)
    assert both.counter("bluffs", 0) == one.counter("bluffs", 0) + other.counter("bluffs", 0)
    assert len(both.deal_payoffs) == 8


def test_other_seatings_of_the_same_agents_merge():
    first = one_table()
    swapped = one_table(seatings=[(1, 0, 2, 3)], seeds=[8])
    both = first.merge(swapped)
    assert both.seatings.tolist() == [[0, 1, 2, 3], [1, 0, 2, 3]]
    assert both.seat_wins(0) == 40 + 25
    assert both.comparisons()[0].same_seats


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"game": "kuhn"}, "same game"),
        ({"options": {"players": 4, "most": 3}}, "most=3"),
        ({"agents": ["smart"] * 4}, "same agents"),
        ({"seeds": [0, 5]}, "twice"),
        ({"counters": {}}, "count different things"),
        ({"deal_payoffs": np.zeros((2, 4))}, "duplicate"),
    ],
)
def test_runs_that_do_not_belong_together_do_not_merge(changes, message):
    with pytest.raises(UserError, match=message):
        made(0).merge(made(**{"seed": 1, "seeds": [1]} | changes))


@pytest.mark.parametrize(
    "changes",
    [
        {"seatings": []},
        {"seatings": [(0, 1, 2, 9)]},
        {"wins": [[1, 2, 3]]},
        {"wins": [[91, 0, 0, 0]]},
        {"games": [1, 2]},
        {"counters": {"bluffs": [1]}},
        {"deal_payoffs": [[1.0]]},
    ],
)
def test_totals_that_make_no_sense_are_refused(changes):
    with pytest.raises(UserError):
        one_table(**changes)


@pytest.mark.parametrize(
    "result", [made(), one_table(), made(deals=np.random.default_rng(0).normal(size=(99, 4))), made(games=0)]
)
def test_the_table_fits_a_terminal_and_says_what_it_rests_on(result):
    text = str(result)
    assert max(map(len, text.splitlines())) <= 80
    assert "\x1b" not in text
    for label in result.labels:
        assert label in text
    assert f"{result.played:,} games" in text


def test_the_table_states_rates_draws_and_corrections():
    text = str(made())
    rate = made().win_rate("smart").scaled(100)
    assert f"{rate.estimate:.1f}  [{rate.low:.1f}, {rate.high:.1f}]" in text
    assert f"Draws: {made().draws.sum()} of 7200" in text
    assert "Holm's correction over 6 pairs" in text
    assert "bluffs" in text
    assert "earns more" in str(made(deals=np.ones((40, 4)) * [1, 2, 3, 4]))
    assert "includes the" in str(one_table())
    flat = one_table(payoff_sum=[[90.0, -30, -30, -30]], payoff_square_sum=[[90.0, 10, 10, 10]])
    assert str(flat).count("no spread seen") == 4


def test_the_plot_shows_every_agent_with_its_interval():
    import matplotlib

    matplotlib.use("Agg")
    axes = made().plot()
    assert [tick.get_text() for tick in axes.get_xticklabels()] == AGENTS
    assert len(axes.containers) == 4  # one a seat
    heights = axes.containers[0][0].get_ydata()
    assert heights[1] == pytest.approx(100 * made().win_rate("smart", 0).estimate)
