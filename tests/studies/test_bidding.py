"""The study of the Bidding Elimination paper: exact statements, games that repeat, and a report that is whole."""

import jax
import numpy as np
import pytest
from rich.console import Console

from feint.games.bidding.bidders import Composition, Uniform, convention
from feint.games.bidding.game import Bidding
from feint.games.bidding.planning import Minima
from feint.registry import find_study
from feint.studies.bidding import equilibria, estimation, fields, policies, scenarios, ten_players
from feint.studies.report import Cell, Row, Table
from feint.studies.run import Settings, run

FEW = Settings(2000, 5)


def quiet(_):
    pass


def tables(section):
    return [block for block in section.blocks if isinstance(block, Table)]


def holds(section):
    return [verdict.holds for verdict in section.verdicts]


def test_equilibria_are_counted_beside_the_papers(monkeypatch):
    monkeypatch.setattr(equilibria, "COINS", range(2, 5))
    section = equilibria.equilibria(FEW, quiet)
    (table,) = tables(section)
    assert [[cell.measured for cell in row.cells] for row in table.rows] == [
        [m + 1, m, 2 * m + 1, 2 * m + 1] for m in (2, 3, 4)
    ]
    assert table.agreement()[0] == [True, False, None, None]  # pure ones as published, mixed ones not
    assert holds(section) == ["holds", "differs"]
    assert "wins 1/3, 1/3, 0 of the games" in section.blocks[0].text


def test_every_convention_of_four_is_tried(monkeypatch):
    monkeypatch.setattr(equilibria, "GAMES", ((4, 4),))
    (table,) = tables(equilibria.conventions(FEW, quiet))
    assert [cell if isinstance(cell, str) else cell.measured for cell in table.rows[0].cells] == [15, "all of them"]


@pytest.mark.slow
def test_beliefs_settle_near_the_truth_where_counts_are_shared_by_belief():
    section = estimation.figure_2(Settings(60_000, 1), quiet)
    truth, equal, believed = ([cell.measured for cell in row.cells] for row in tables(section)[0].rows)
    off = [np.abs(np.subtract(each, truth)).max() for each in (equal, believed)]
    assert off[1] < 0.04 < off[0]
    seen = estimation.trajectories(estimation.KINDS["shares by what is believed"], 3, 40, 1)
    assert seen.shape == (3, 40, 2, 3)
    assert seen.sum(axis=3) == pytest.approx(1)


@pytest.mark.slow
def test_scenarios_have_an_oracle_that_nobody_beats():
    """The same opponents for all: on average over 40 runs the oracle wins more than the constant bid, most against narrow strategies."""
    half, oracle = (scenarios.play(10, name, 40, 100, 3) for name in (scenarios.HALF, scenarios.ORACLE))
    assert half.shape == oracle.shape == (2, 2, 40)
    ahead = (oracle - half).mean(axis=2)
    assert (ahead > -2).all()
    assert (ahead[1] > 5).all()


def test_a_scenario_is_the_same_whoever_asks():
    once, again = (scenarios.play(10, scenarios.HALF, 40, 100, seed) for seed in (3, 3))
    assert (once == again).all()


# ---- fields of many


@pytest.fixture
def five(monkeypatch):
    monkeypatch.setattr(fields, "GAME", Bidding(5, 10))
    monkeypatch.setattr(ten_players, "GAME", Bidding(5, 10))
    monkeypatch.setattr(fields, "E", (3, 2, 2, 3))
    caches = (fields.transitions, fields.sampled, fields.best_reply_to_uniform)
    for each in caches:
        each.cache_clear()
    yield
    for each in caches:
        each.cache_clear()


def test_all_knowing_spends_spare_coins_on_the_worst_ties():
    minima = Minima(np.array([[1, 2]]), np.array([[1, 3]]), np.ones(1))
    assert [fields.all_knowing(minima, coins) for coins in (2, 3, 4, 5)] == [0, 0.375, 0.75, 1]


@pytest.mark.usefixtures("five")
def test_fields_are_played_side_by_side():
    """A convention among its own kind wins one game in five, and none among bidders of another convention that bid more."""
    own, higher = (fields.ways(fields.of_bidder(convention(bids))) for bids in ((3, 2, 2, 3), (4, 2, 2, 2)))
    won = fields.won(own, [own, higher], 40, 50, seed=1)
    assert won.shape == (2, 40, 50)
    assert won[0].mean() == pytest.approx(0.2, abs=0.04)  # 4 deviations
    assert not won[1].any()


@pytest.mark.usefixtures("five")
def test_half_and_half_is_a_mixture_of_both():
    both = fields.ways(fields.of_bidder(Uniform()), fields.of_bidder(Composition()))
    table = np.exp(np.asarray(both.logs))
    assert table[0, 5, 10] == pytest.approx([1 / 11] * 11, abs=1e-6)
    assert table[1, 5, 10] == pytest.approx(fields.of_bidder(Composition())[5, 10], abs=1e-6)
    picked = [int(both.begin(None, 0, jax.random.key(seed))) for seed in range(20)]
    assert set(picked) == {0, 1}


def test_the_agent_is_judged_by_the_row_where_it_is_farthest():
    def row(label, best, learned):
        return Row(label, tuple(Cell(None, each) for each in (100.0, best, 0.0, learned)))

    assert ten_players._within([row("near", 50, 49.5), row("ahead", 40, 41)]).text.startswith(
        "Told nothing, the adaptive agent comes within 0.5"
    )
    assert ten_players._within([row("near", 50, 49.5), row("far", 40, 38)]).holds == "differs"


# ---- policies


def test_the_best_answer_to_a_schedule_that_spends_all_is_itself():
    assert policies.against_schedule([4, 2, 3], 9).schedule() == [4, 2, 3]


def test_figure_6_on_its_smallest_games(monkeypatch):
    monkeypatch.setattr(policies, "SIZES", range(4, 6))
    monkeypatch.setattr(policies, "LARGEST", Bidding(5, 5))
    monkeypatch.setattr(policies.published, "FIGURE_6", ((5, 4, 5), 2))
    section = policies.figure_6(Settings(8000, 0), quiet)
    assert tables(section)[0].counted() == (1, 1)
    assert "4 of 4 games" in section.verdicts[1].text


@pytest.mark.slow
def test_the_whole_report(tmp_path):
    study = find_study("bidding")
    page, summary = run(study, FEW, tmp_path, console=Console(quiet=True))
    text = page.read_text(encoding="utf-8")
    for step in study.steps:
        assert f"id='{step.key}'" in text
    assert "best plan found" in summary.read_text(encoding="utf-8")
