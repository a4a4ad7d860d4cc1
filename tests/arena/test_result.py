import builtins
from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest

from feint.arena.result import Result
from feint.arena.seated import Deals
from feint.errors import UserError
from feint.game import Unit
from tests.arena.made import result, same, seated, winners_of

AGENTS = ["no-bluff", "smart", "reinforcement", "anxious(3)"]
SEATINGS = list(permutations(range(4)))


def made(seed=0, games=300, rates=(0.28, 0.30, 0.25, 0.16), **changes):
    """A match of a winner-takes-all game with known rates, one per cent draws."""
    rng = np.random.default_rng(seed)
    parts = []
    for seating in SEATINGS:
        wins = rng.multinomial(games, [*np.array(rates)[list(seating)], 0.01])[:4]
        lost = wins.sum() - wins
        parts.append(
            seated(
                seating,
                winners_of(wins, games - wins.sum()),
                seed=seed,
                moves=183 * games,
                payoffs=wins - lost / 3,
                squares=wins + lost / 9,
                counters={"bluffs": tuple((wins * 5).tolist()), "calls_true": tuple((wins * 2).tolist())},
            )
        )
    return replace(result(AGENTS, parts), **changes)


def dealt(payoffs, seed=0, first=0):
    """A match of duplicate deals in all four rotations, where each agent makes the same of a deal in every seat, [deals, agents]."""
    parts = []
    for turn in range(4):
        seating = [(seat + turn) % 4 for seat in range(4)]
        paid = np.asarray(payoffs, np.float32)[:, None, seating]
        won = (paid == paid.max(axis=2, keepdims=True)) & (paid > paid.min(axis=2, keepdims=True))
        sets, often = np.unique(won[:, 0], axis=0, return_counts=True)
        tally = {"".join("01"[each] for each in row): n for row, n in zip(sets.tolist(), often.tolist(), strict=True)}
        sums = paid[:, 0].sum(axis=0), (paid[:, 0] ** 2).sum(axis=0)
        parts.append(
            seated(seating, tally, seed=seed, first=first, payoffs=sums[0], squares=sums[1], deals=Deals(paid, won))
        )
    return result(AGENTS, parts, duplicate=True, measure="payoff")


def one_table(wins=(40, 25, 20, 5), agents=("smart", "anxious", "smart", "anxious"), seating=(0, 1, 2, 3), **more):
    """Two kinds of agents twice at one table."""
    sums = {"seed": 7, "moves": 900, "payoffs": [10.0, 0, -5, -25], "squares": [90.0, 80, 70, 60]} | more
    return result(agents, [seated(seating, winners_of(wins, 0), **sums)])


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
    with pytest.raises(UserError, match=r"^seat must be an index from 0 to 3, not 4\.$"):
        result.win_rate("smart", 4)


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
    twice = one_table(agents=["smart", "anxious"], seating=(0, 0, 0, 1), wins=[30, 30, 30, 0])
    even = one_table(agents=["smart", "anxious"], seating=(0, 0, 0, 1), wins=[23, 23, 22, 22])
    assert twice.comparisons()[0].shown
    assert twice.comparisons()[0].better == 0
    assert twice.comparisons()[0].test.difference.estimate == pytest.approx(1 / 3)
    assert not even.comparisons()[0].shown
    assert even.seat_games("smart") == 270


def test_equal_agents_are_rarely_called_different():
    claims = [any(each.shown for each in made(seed, 50, (0.2475,) * 4).comparisons()) for seed in range(100)]
    assert sum(claims) <= 5  # each has probability at most 1%; more than 5 of 100 has probability 5e-4


def test_duplicate_deals_are_compared_in_pairs():
    luck = np.random.default_rng(0).normal(size=(500, 1))
    deals = np.hstack([luck + 0.05, luck - 0.05, -luck, -luck]) + np.random.default_rng(1).normal(
        scale=0.1, size=(500, 4)
    )
    played = dealt(deals)
    found = {frozenset((each.better, each.worse)): each for each in played.comparisons()}
    assert {each.by for each in found.values()} == {"payoff"}
    assert {each.test.method for each in found.values()} == {"paired t-test over deals"}
    assert found[frozenset((0, 1))].shown
    assert not found[frozenset((2, 3))].shown
    assert played.payoff("no-bluff").estimate == pytest.approx(deals[:, 0].mean(), abs=1e-6)
    # By wins the same deals are compared: the share of its games an agent wins on each, here all or none.
    best = deals.argmax(axis=1)
    by_wins = {(each.better, each.worse): each.test for each in played.comparisons("wins")}
    assert by_wins[0, 1].difference.estimate == pytest.approx((best == 0).mean() - (best == 1).mean())


@pytest.mark.parametrize("ending", ["json", "csv", "parquet"])
@pytest.mark.parametrize(
    "played",
    [made(), dealt(np.random.default_rng(0).normal(size=(7, 4))), made(unit=Unit("mbb/h", 500.0, 0), measure="payoff")],
)
def test_a_saved_result_loads_as_it_was(tmp_path, ending, played):
    played.save(tmp_path / f"match.{ending}")
    assert same(Result.load(tmp_path / f"match.{ending}"), played)


def test_a_csv_opens_in_other_programs(tmp_path):
    made().save(tmp_path / "match.csv")
    rows = np.genfromtxt(tmp_path / "match.csv", delimiter=",", names=True, skip_header=1, dtype=None, encoding=None)
    assert len(rows) == 96
    assert rows["wins"].sum() == made().wins.sum()


def test_files_that_are_no_results_are_told_so(tmp_path):
    (tmp_path / "other.json").write_text('{"a": 1}')
    (tmp_path / "broken.json").write_text('{"format": "feint result 2", "game": "kuhn"}')
    (tmp_path / "other.csv").write_text("a,b\n1,2\n")
    (tmp_path / "other.parquet").write_text("no")
    for name in ("other.json", "broken.json", "other.csv", "other.parquet", "absent.json", "match.xlsx"):
        with pytest.raises(UserError):
            Result.load(tmp_path / name)


def test_results_of_an_older_form_are_refused_by_name(tmp_path):
    (tmp_path / "old.json").write_text('{"format": "feint result 1", "game": "kuhn"}')
    with pytest.raises(
        UserError, match=r"old\.json: this is of the form 'feint result 1', and only 'feint result 3' is read"
    ):
        Result.load(tmp_path / "old.json")


def test_deals_that_went_missing_are_noticed(tmp_path):
    dealt(np.ones((5, 4))).save(tmp_path / "match.csv")
    (tmp_path / "match.deals.csv").unlink()
    with pytest.raises(UserError, match="20 duplicate deals belong to this result, but 0 are beside it"):
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


@pytest.mark.parametrize("name", ["match.txt", "match", "folder.json", "file.json/match.json"])
def test_files_that_could_not_be_written_are_refused(tmp_path, name):
    (tmp_path / "folder.json").mkdir()
    (tmp_path / "file.json").write_text("")
    with pytest.raises(UserError):
        made().save(tmp_path / name)


def test_runs_of_other_seeds_merge():
    one, other = made(1), made(2)
    both = one.merge(other)
    assert both.seeds == (1, 2)
    assert same(both, other.merge(one))
    assert replace(one, level=0.9).merge(replace(other, level=0.95)).level == 0.95
    assert both.played == 14_400
    assert both.seat_wins("smart", 3) == one.seat_wins("smart", 3) + other.seat_wins("smart", 3)
    assert both.counter("bluffs", 0) == one.counter("bluffs", 0) + other.counter("bluffs", 0)
    deals = dealt(np.ones((5, 4)) * [1, 2, 3, 4], seed=1).merge(dealt(np.zeros((3, 4)), seed=2))
    assert len(deals.deal_scores("payoff")) == 8
    assert deals.payoff("smart").estimate == 10 / 8


def test_only_deals_that_all_seatings_played_are_compared():
    whole = dealt(np.arange(20.0).reshape(5, 4))
    half = replace(whole, seated=(*dealt(np.arange(12.0).reshape(3, 4)).seated[:2], *whole.seated[2:]))
    assert half.played == 16
    np.testing.assert_array_equal(half.deal_scores("payoff"), np.arange(12.0).reshape(3, 4))


def test_other_seatings_of_the_same_agents_merge():
    both = one_table().merge(one_table(seating=(1, 0, 2, 3)))
    assert both.seatings.tolist() == [[0, 1, 2, 3], [1, 0, 2, 3]]
    assert both.seat_wins(0) == 40 + 25
    assert both.comparisons()[0].same_seats


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"game": "kuhn"}, "same game"),
        ({"options": {"players": 4, "most": 3}}, "most=3"),
        ({"version": 2}, "bluff version 1, the other of 2"),
        ({"unit": Unit("mbb/h")}, "measure bluff differently"),
        ({"agents": ("smart",) * 4}, "same agents"),
        (
            {"seed": 0},
            r"Matches 0 to 299 of seed 0 with no-bluff, smart, reinforcement, anxious\(3\) would be counted twice",
        ),
        ({"seated": one_table().seated}, "count different things"),
    ],
)
def test_runs_that_do_not_belong_together_do_not_merge(changes, message):
    with pytest.raises(UserError, match=message):
        made(0).merge(made(**{"seed": 1} | changes))


def test_other_kinds_of_matches_do_not_merge():
    long = result(one_table().agents, [seated(range(4), {"1000": 2}, length=2)], length=2)
    with pytest.raises(UserError, match="same length merge, not those of 1 and 2 games"):
        one_table().merge(long)
    with pytest.raises(UserError, match="duplicate deals and the other is not"):
        dealt(np.ones((5, 4))).merge(replace(made(1), measure="payoff", options={"players": 4}))


TABLE = one_table().seated[0]


@pytest.mark.parametrize(
    "seats",
    [
        (),
        (replace(TABLE, agents=(0, 1, 2, 9)),),
        (replace(TABLE, agents=(0, 1, 2)),),
        (replace(TABLE, winners={"100": 90}),),
        (replace(TABLE, winners={"1000": 91}),),
        (replace(TABLE, payoffs=(0, 0)),),
        (replace(TABLE, products=(0, 0)),),
        (replace(TABLE, slices=TABLE.slices * 2),),
        (replace(TABLE, counters={"bluffs": (1,)}),),
        (replace(TABLE, deals=Deals(np.zeros((1, 1, 4)), np.zeros((1, 1, 4), bool))),),
    ],
)
def test_totals_that_make_no_sense_are_refused(seats):
    with pytest.raises(UserError):
        replace(one_table(), seated=seats)


@pytest.mark.parametrize("played", [made(), one_table(), dealt(np.random.default_rng(0).normal(size=(99, 4)))])
def test_the_table_fits_a_terminal_and_says_what_it_rests_on(played):
    text = str(played)
    assert max(map(len, text.splitlines())) <= 80
    assert "\x1b" not in text
    for label in played.labels:
        assert label in text
    assert f"{played.played:,} games" in text


def test_the_table_states_rates_draws_and_corrections():
    text = str(made())
    rate = made().win_rate("smart").scaled(100)
    assert f"{rate.estimate:.1f}  [{rate.low:.1f}, {rate.high:.1f}]" in text
    assert f"Draws: {made().draws.sum()} of 7200" in text
    assert "Holm's correction over 6 pairs" in text
    assert "bluffs" in text
    assert "earns more" in str(dealt(np.ones((40, 4)) * [1, 2, 3, 4]))
    assert "includes the" in str(one_table())
    flat = one_table(payoffs=[90.0, -30, -30, -30], squares=[90.0, 10, 10, 10])
    assert str(flat).count("no spread seen") == 4


def test_the_plot_shows_every_agent_with_its_interval():
    import matplotlib

    matplotlib.use("Agg")
    axes = made().plot()
    assert [tick.get_text() for tick in axes.get_xticklabels()] == AGENTS
    assert len(axes.containers) == 4  # one a seat
    heights = axes.containers[0][0].get_ydata()
    assert heights[1] == pytest.approx(100 * made().win_rate("smart", 0).estimate)


def test_games_measured_by_payoff_are_told_by_payoff_first_in_their_unit():
    paid = replace(made(), measure="payoff", unit=Unit("mbb/h", 500.0, 0))
    text, earned = str(paid), paid.payoff("smart").scaled(500)
    above = next(line for line in text.splitlines() if "mbb/h" in line)
    assert above.index("mbb/h") < above.index("Wins")
    assert f"{earned.estimate:+.0f} [{earned.low:+.0f}, {earned.high:+.0f}]" in " ".join(text.split())
    assert "Who earns more than whom" in text
    assert "By mbb/h" in text
    assert "antes a game" in str(replace(paid, unit=Unit("antes")))
    assert paid.score("smart") == paid.payoff("smart")
    axes = paid.plot()
    assert axes.get_ylabel().startswith("mbb/h")
    assert axes.containers[0][0].get_ydata()[1] == pytest.approx(500 * paid.payoff("smart", 0).estimate)
