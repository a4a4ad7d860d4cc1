"""The study of the Bluff thesis: its arithmetic to the last figure, its games repeatable, its report whole."""

import numpy as np
import pytest
from rich.console import Console

from feint.agent import is_compiled
from feint.arena.match import match
from feint.games.bluff.game import Bluff
from feint.registry import find_study
from feint.studies.bluff import (
    arithmetic,
    chapter_11,
    evolution,
    learners,
    orders,
    played_rows,
    published,
    robustness,
    seats,
)
from feint.studies.bluff.played_rows import PayingBack, Room, Sample
from feint.studies.bluff.published import AGENTS, EVOLUTION, ORDERS, RUN
from feint.studies.bluff.side_by_side import CLEAN, PROGRAM, seat_table
from feint.studies.report import Table
from feint.studies.run import Settings, run

STUDY = find_study("bluff")
FEW = Settings(60, 5)


def quiet(_):
    pass


def tables(section):
    return [block for block in section.blocks if isinstance(block, Table)]


def games_of(wins, games=RUN):
    return Sample(games, np.array(wins), {}, {})


# ---- what was published


def test_published_tables_add_up():
    told = np.array(list(ORDERS.values()))
    assert (told.sum(axis=1) == RUN).all()
    assert tuple(told.sum(axis=0)) == published.ORDER_TOTALS
    assert {sum(row) for row in published.SELF_PLAY.values()} == {100}
    assert sum(published.FITNESS) == RUN
    # The percentages of the first evolution are the wins of Table 6.
    assert tuple(round(100 * wins / RUN) for wins in published.FITNESS) == EVOLUTION[1][1]


def test_orders_name_every_seating_once():
    assert len({tuple(order) for order in ORDERS}) == 24
    assert orders._by_agent("2413", np.array([10, 20, 30, 40])).tolist() == [30, 10, 40, 20]


# ---- arithmetic


def test_four_flush_table_follows_from_its_formula():
    assert tables(arithmetic.four_flush(FEW, quiet))[0].counted() == (110, 110)
    # By hand: 0.2 of hands win pot and called bet, 0.1 are bluffs that win the pot or lose the bet.
    assert arithmetic.flush_value(0.5, 0.1) == pytest.approx(0.2 * 1.5 + 0.1 * 0)
    assert arithmetic.flush_value(1.0, 0.8) == pytest.approx(0.4 - 0.8)
    text = arithmetic.four_flush(FEW, quiet).verdicts[0].text
    assert "10% of hands are bluffs" in text
    assert "50% of bets are called" in text
    assert "worth 0.30" in text


def test_sampling_plan_is_checked():
    rows = {row.label: row.cells[0] for row in tables(arithmetic.sampling(FEW, quiet))[0].rows}
    assert [cell.measured for cell in list(rows.values())[:2]] == [459, 299]
    assert round(rows["half-width of a win rate's 99% interval, 300 games, points"].measured, 1) == 7.4


def test_replicator_equation_is_done_again():
    average, above, grown = tables(evolution.replicator(FEW, quiet))[0].rows
    assert average.cells[0].measured == 75
    assert [cell.measured for cell in above.cells] == [7, 4, 20, -31]
    assert [cell.measured for cell in grown.cells] == [1.75, 1, 5, -7.75]


def test_table_8_has_one_strict_equilibrium():
    section = chapter_11.table_8(FEW, quiet)
    found = {row.label: row.cells[0] for row in tables(section)[0].rows}
    assert found["equilibria, pure and mixed"] == "1: (No Bluff, No Contest)"
    assert found["lost by leaving it alone, X and Y"] == "1 and 4"
    assert found["outcomes better for both"] == "none"
    assert [verdict.holds for verdict in section.verdicts] == ["holds", "differs"]


# ---- judging


def test_a_table_drawn_from_our_rates_fits_and_another_does_not(monkeypatch):
    rng = np.random.default_rng(0)
    rates = np.array(list(ORDERS.values())) + 1
    rates = rates / rates.sum(axis=1, keepdims=True)
    ours = rng.multinomial(20_000, rates)
    fits = []
    for _ in range(12):
        drawn = dict(zip(ORDERS, rng.multinomial(RUN, rates).tolist(), strict=True))
        monkeypatch.setattr(orders, "ORDERS", drawn)
        fits.append(orders.fit(ours, 0)[2])
    assert min(fits) > 1e-3
    assert max(fits) > 0.2
    monkeypatch.setattr(
        orders, "ORDERS", dict(zip(ORDERS, rng.multinomial(RUN, [[0.25] * 4] * 24).tolist(), strict=True))
    )
    assert orders.fit(ours, 0)[2] < 1e-3


def test_calls_are_judged_by_the_spread_of_a_game():
    counts = np.array([[0, 3, 1, 2], [2, 1, 1, 0], [4, 2, 1, 1]])  # [games, seats]
    one = Sample(3, np.zeros(4, int), {"calls right": counts.sum(axis=0)}, {"calls right": (counts**2).sum(axis=0)})
    every = [one] * len(ORDERS)
    # Over all orders each agent sits in each seat equally often.
    assert orders._per_game(every, "calls right") == pytest.approx([counts.mean()] * 4)
    assert orders._spread(every, "calls right") == pytest.approx([counts.var(axis=0).mean() ** 0.5] * 4)


def test_games_without_a_winner_are_told():
    table = seat_table("T", [("a", (40, 30, 20, 10), games_of([120, 90, 60, 27]))])
    assert table.note == "Games without a winner: 3."


# ---- evolution


class Rigged:
    """A room whose rows come out as told: one strategy wins everything it can."""

    def __init__(self, strength):
        self.strength = strength

    def row(self, settings, row, games=None):
        games = games or settings.games
        power = np.array([self.strength[name] for name in row], float)
        wins = np.floor(games * power / power.sum()).astype(int)
        wins[0] += games - wins.sum()
        return games_of(wins, games)


def test_the_procedure_ends_with_the_strongest(monkeypatch):
    monkeypatch.setattr(evolution, "REPEATS", 20)
    rigged = Rigged({"no-bluff": 1, "smart": 100, "reinforcement": 1, "anxious": 0.5})
    assert evolution.repeated(rigged, Settings(16_000)) == {"smart": 100}
    history = evolution._evolved(rigged, Settings(1000))
    assert history[-1].heirs == ("smart",) * 4


def test_the_procedure_stands_still_where_both_ends_hold_the_same(monkeypatch):
    monkeypatch.setattr(evolution, "REPEATS", 20)

    class BySeat(Rigged):
        def row(self, settings, row, games=None):
            return games_of([500, 300, 150, 50], 1000)

    # Seat 1 is always the strongest and seat 4 always the weakest, so after one step nothing changes.
    history = evolution._evolved(BySeat({}), Settings(1000))
    assert [each.population for each in history] == [AGENTS, ("no-bluff", "smart", "reinforcement", "no-bluff")]
    assert evolution.repeated(BySeat({}), Settings(16_000)) == {"none": 100}


def test_neighbours_of_a_kind_are_counted():
    assert evolution._short(EVOLUTION[7][0]) == "smart, mutant, smart × 4"


def test_pairs_of_strategies_are_added_up_over_seatings():
    rows = robustness._mixtures("smart", "trusting")
    samples = [games_of([10, 20, 30, 40], 100) for _ in rows]
    meta = robustness._pair_game(rows, samples, "trusting")
    at = {tuple(table): number for number, table in enumerate(meta.tables.tolist())}
    assert meta.games[at[3, 1]] == 400
    assert meta.scores[at[3, 1]].tolist() == [300, 100]
    assert meta.scores[at[4, 0]].tolist() == [100, 0]
    assert robustness._lone(rows, samples, "trusting").measured == 25


# ---- games


@pytest.mark.slow
def test_paying_back_is_tit_for_tat_at_a_table_of_two():
    pair = Bluff(players=2)
    quick = match(pair, [PayingBack(), "smart", "anxious"], [(0, 1), (2, 0)], 64, 3)
    slow = match(pair, ["tit-for-tat", "smart", "anxious"], [(0, 1), (2, 0)], 64, 3)
    assert (quick.wins == slow.wins).all()
    assert (quick.moves == slow.moves).all()
    assert all((quick.counters[name] == slow.counters[name]).all() for name in quick.counters)
    assert quick.counters["calls wrong"].min() > 0


@pytest.mark.slow
def test_rows_are_repeatable_and_independent():
    def played(settings, row=("no-bluff", "smart") * 2, games=None):
        played_rows._played.cache_clear()
        return CLEAN.row(settings, row, games)

    first = played(FEW)
    assert (first.games, first.wins.sum()) == (60, 60)
    assert (played(FEW).counted["plays"] == first.counted["plays"]).all()
    assert (played(Settings(60, 6)).counted["plays"] != first.counted["plays"]).any()
    assert (played(FEW, ("smart", "no-bluff") * 2).counted["plays"] != first.counted["plays"]).any()
    # More than a cell's games are played in several goes, and the first of them are the same.
    assert played(FEW, games=150).games == 150
    trusting = played(FEW, ("trusting",) * 4)
    assert trusting.counted["calls right"].sum() + trusting.counted["calls wrong"].sum() == 0


def test_every_agent_of_every_room_can_be_compiled():
    from feint.studies.bluff import rivals

    rooms = [CLEAN, PROGRAM, chapter_11.PAIR, rivals.TABLE, rivals.SHARP, robustness.with_two(0.4)]
    rooms += [room for _, *both in learners.READINGS.values() for room in both]
    assert all(is_compiled(agent) for room in rooms for agent in room.made())
    two = {
        type(agent).__name__: agent.call_two for agent in robustness.with_two(0.4).made() if hasattr(agent, "call_two")
    }
    assert two == {"Smart": 0.4, "Reinforcement": 0.4, "Anxious": 0.4, "Trusting": 0.25}
    assert Room(Bluff(), ("anxious(2)",)).made()[0].threshold == 2


def test_a_learner_is_put_into_every_seat_with_the_others_in_every_order():
    seen = []

    class Told(Rigged):
        def row(self, settings, row, games=None):
            seen.append(row)
            return games_of([10 * (seat + 1) if name == "me" else 0 for seat, name in enumerate(row)], games)

    cells = learners.by_seat(Settings(2400), Told({}), ("a", "b", "c"), "me")
    assert len(set(seen)) == 24
    assert seen[-1] == ("a", "b", "c", "me")
    # 10, 20, 30 and 40 of 100 games in each of six orders; in the last row 40 of all 600.
    assert [cell.measured for cell in cells] == pytest.approx([10, 20, 30, 40, 25, 100 * 40 / 600])
    assert [cell.games for cell in cells] == [600] * 4 + [2400, 600]


def test_learners_are_compared_with_the_agents_of_the_thesis(monkeypatch):
    """With trained agents that win more than others, in games that are told and not played."""
    strength = dict(zip(learners.TRAINED, (20, 60), strict=True))
    names = [name for thesis, *_ in learners.READINGS.values() for name in thesis]
    rigged = Rigged(dict.fromkeys(names, 1) | strength)
    told = {reading: (thesis, rigged, rigged) for reading, (thesis, *_) in learners.READINGS.items()}
    monkeypatch.setattr(learners, "READINGS", told)
    section = learners.learners(Settings(24_000), quiet)
    clean, sharp = tables(section)
    assert (
        [row.label for row in clean.rows] == [*learners.TRAINED.values(), *AGENTS] == [row.label for row in sharp.rows]
    )
    assert clean.rows[0].cells[learners.ANYWHERE].measured == pytest.approx(100 * 20 / 23, abs=0.1)
    assert [verdict.holds for verdict in section.verdicts] == ["holds", "holds", "partly"]
    few = learners.learners(FEW, quiet)
    assert [verdict.holds for verdict in few.verdicts][1] == "open"  # ten games a seat settle nothing


def test_an_experiment_tabulates_both_readings():
    section = seats.experiment_2(FEW, quiet)
    ran, clean = tables(section)
    assert ran.title == "Experiment 2, as the program ran"
    assert [cell.published for cell in clean.rows[0].cells] == list(published.EXPERIMENT_2)
    assert {cell.games for cell in ran.rows[0].cells} == {60}
    assert {cell.of for cell in ran.rows[0].cells} == {RUN}
    assert section.verdicts[0].holds == "open"  # 60 games settle nothing


def test_steps_are_named_once():
    keys = [step.key for step in STUDY.steps]
    assert len(set(keys)) == len(keys) == 18


@pytest.mark.slow
def test_the_whole_study_runs_and_resumes(tmp_path):
    console = Console(record=True, width=120)
    page, summary = run(STUDY, Settings(48, 1), tmp_path, console=console)
    text, words = page.read_text(), summary.read_text()
    for step in STUDY.steps:
        assert f"id='{step.key}'" in text
        assert f"## {step.title}" in words
    assert text.count("<svg") == 9
    run(STUDY, Settings(48, 1), tmp_path, console=console)
    assert console.export_text().count("kept from before") == len(STUDY.steps)
