"""The study of the Okey thesis: games that are counted rightly, verdicts that follow from them, and a report that is whole."""

from dataclasses import replace

import jax
import numpy as np
import pytest
from rich.console import Console

from feint import chance
from feint.agent import at_game
from feint.arena import rollout
from feint.games.okey.tiles import okey_of
from feint.registry import find_study, make_agent
from feint.studies.okey import (
    baselines,
    batched_episodes,
    cells,
    company,
    experiments,
    five_melds,
    four,
    luck,
    played,
    practice,
    published,
)
from feint.studies.okey.company import FOUR, THESIS, Counted
from feint.studies.okey.played import Sample, seed_of
from feint.studies.report import Cell, Figure, Table
from feint.studies.run import Settings, run
from tests.games.okey.test_hand import rack
from tests.studies.okey import test_experiments, test_practice

STUDY = find_study("okey")
FEW = Settings(16, 5)
OURS = ("baselines", "five_melds", "four", "lengths", "limitations", "luck", "pairs", "partners", "readings")
PLAYED = [
    step for step in STUDY.steps if step.run.__module__.split(".")[-1] in OURS
]  # others learn, and have tests of their own
COUNTERS = ("finishes", "pairs", "joker finishes", "draws from the discards", "turns", "jokers dealt", "no free tile")


def quiet(_):
    pass


def fabricated(players, games=40, strength=None, seed=0):
    """Games that were not played: won by lot, one in ten drawn."""
    rng = np.random.default_rng(seed)
    chances = np.array(strength or [1] * players, float)
    winner = rng.choice(players + 1, games, p=[*(0.9 * chances / chances.sum()), 0.1])
    won = winner[:, None] == np.arange(players)
    counted = {name: rng.integers(0, 2, (games, players)) for name in COUNTERS}
    counted["turns"] = rng.integers(5, 20, (games, players))
    counted["jokers dealt"] = rng.integers(0, 3, (games, players))
    paid = np.where(won, 2.0 * (players - 1), -2.0) * won.any(axis=1)[:, None]
    starts = np.arange(games)[:, None] % players == np.arange(players)
    return Sample(won, paid, starts, counted, 200, 1.5)


@pytest.fixture
def told(monkeypatch):
    """Games are told and not played; of a row, the first player is the strongest."""

    def row(game, settings, names):
        return fabricated(game.players, settings.games, [3] + [1] * (game.players - 1), len(f"{game}{names}"))

    def by_lot(game, settings):
        who = np.random.default_rng(1).integers(0, len(four.LEAGUE), (settings.games, game.players))
        return fabricated(game.players, settings.games), who

    def noted(game, settings, _):
        racks = np.zeros((settings.games, game.players, five_melds.KEPT, 53), np.int8)
        return fabricated(game.players, settings.games), racks, np.zeros((settings.games, game.players), np.int32)

    monkeypatch.setattr(played, "_played", row)
    monkeypatch.setattr(four, "_by_lot", by_lot)
    monkeypatch.setattr(five_melds, "_played", noted)
    monkeypatch.setattr(experiments, "tried", test_experiments.fabricated)
    monkeypatch.setattr(batched_episodes, "tried", test_experiments.fabricated)
    monkeypatch.setattr(practice, "trained", test_practice.told)


# ---- what was published


def test_published_games_add_up():
    assert {each.won + each.drawn + each.lost for each in published.EXPERIMENTS.values()} == {published.EPISODES}
    lost = sum(each.lost for each in published.EXPERIMENTS.values()) / 4 / 1000
    assert int(10 * lost) / 10 == published.OPPONENT_WON  # cut, not rounded


# ---- counting


@pytest.fixture(scope="module")
def computers():
    return played._played(THESIS, FEW, ("computer", "computer"))


def test_a_game_is_counted_from_its_deal_to_its_end(computers):
    """Against the deals, drawn once more."""
    key = chance.key(seed_of(FEW, THESIS, ("computer", "computer")))
    match, game = np.divmod(np.arange(FEW.games), 2)
    again = jax.vmap(lambda *number: jax.random.fold_in(jax.random.fold_in(key, number[0]), number[1]))(match, game)
    orders = np.asarray(jax.jit(jax.vmap(lambda key: THESIS.draw(chance.deal_key(key)).order[0]))(again))
    jokers = orders[:, 1:] == okey_of(orders[:, :1])
    starter, other = jokers[:, :15].sum(axis=1), jokers[:, 15:29].sum(axis=1)
    # The second game of a match is started by the second chair.
    assert (computers.starts == (game[:, None] == np.arange(2))).all()
    assert (computers.counted["jokers dealt"][computers.starts] == starter).all()
    assert (computers.counted["jokers dealt"][~computers.starts] == other).all()
    ahead = computers.counted["turns"][computers.starts] - computers.counted["turns"][~computers.starts]
    assert set(ahead) <= {0, 1}
    finished = computers.won.any(axis=1)
    assert (computers.counted["finishes"].any(axis=1) == finished).all()
    assert (computers.drawn == ~finished).all()
    taken = computers.counted["draws from the discards"].sum(axis=1)
    drawn = computers.turns - 1 - taken  # everybody draws but the starter at first
    assert (drawn[computers.emptied] == 76).all()
    assert (drawn[~computers.emptied] <= 76).all()


def test_rows_are_repeatable(computers):
    played._played.cache_clear()
    again = played._played(THESIS, FEW, ("computer", "computer"))
    assert (again.counted["turns"] == computers.counted["turns"]).all()
    other = played._played(THESIS, Settings(16, 6), ("computer", "computer"))
    assert (other.counted["turns"] != computers.counted["turns"]).any()


def test_agents_that_count_become_collectors_of_the_same_habits():
    def habits(name):
        agent = company.made(name, THESIS)
        return agent.wide, agent.near, agent.pairs, agent.feed, agent.defend

    assert habits("greedy") == (False, 3, 0, 0, 0)
    assert habits("greedy(wide=true, near=2)") == (True, 2, 0, 0, 0)
    assert habits("expectation") == (False, 3, 1, 1, 0)
    assert habits("expectation(pairs=0, defend=0.5)") == (False, 3, 0, 1, 0.5)
    assert not isinstance(company.made("computer", THESIS), company.Collector)
    both = company.stacked([company.made(name, THESIS) for name in ("greedy", "expectation")])
    assert both.feed.tolist() == [0, 1]


@pytest.mark.slow
@pytest.mark.parametrize("row", [("greedy", "computer"), ("greedy(wide=true)", "expectation")])
def test_collectors_play_as_the_agents_they_stand_for(row):
    settings = Settings(64, 3)
    ours = played._played(THESIS, settings, row)
    agents = [at_game(make_agent(name, THESIS), THESIS) for name in row]
    seed = seed_of(settings, THESIS, row)
    outcomes, _ = rollout.play(THESIS, agents, [0, 1], seed=seed, first=0, matches=32, length=2, lanes=32)
    theirs = Sample.of(jax.device_get(outcomes), THESIS.cap, 0.0)
    assert all((theirs.counted[name] == ours.counted[name]).all() for name in COUNTERS)


# ---- what follows from games


def test_luck_is_told_position_by_position():
    """Three jokers' worth of certainty: whoever has a joker wins, and the starter if nobody or everybody has one."""
    games = 400
    rng = np.random.default_rng(0)
    starts = np.arange(games)[:, None] % 2 == np.arange(2)
    jokers = rng.integers(0, 2, (games, 2))
    won = np.where((jokers[:, :1] == jokers[:, 1:]), starts, jokers > 0)
    sample = replace(
        fabricated(2, games),
        won=won,
        starts=starts,
        counted={"turns": np.ones((games, 2), int), "jokers dealt": jokers},
    )
    assert luck.rate(sample, 1).measured == pytest.approx(75, abs=6)
    assert luck.rate(sample, 0).measured == pytest.approx(25, abs=6)
    assert luck.worth_of(sample, 1).measured == pytest.approx(50, abs=8)
    assert cells.shows(luck.worth_of(sample, 1)) == 1
    assert luck.start(sample).measured == pytest.approx(100 * (jokers[:, 0] == jokers[:, 1]).mean() + 0, abs=8)
    unseen = replace(sample, counted=sample.counted | {"turns": np.zeros((games, 2), int)})
    assert np.isnan(luck.rate(unseen, 0).measured)


def test_games_are_drawn_by_an_empty_centre_or_by_length():
    sample = fabricated(2, 3)
    turns = np.array([[100, 100], [50, 50], [50, 49]])
    won = np.array([[False, False], [False, False], [True, False]])
    sample = replace(sample, won=won, counted={"turns": turns})
    assert sample.drawn.tolist() == [True, True, False]
    assert sample.emptied.tolist() == [False, True, False]


def test_differences_are_shown_or_not():
    many, few = np.arange(1000) < 600, np.arange(1000) < 400
    assert cells.shows(cells.apart(many, few)) == 1
    assert cells.shows(cells.apart(few, many)) == -1
    assert cells.shows(cells.apart(many, many)) == 0
    assert cells.apart(many, few).measured == pytest.approx(20)
    assert cells.signed(Cell.around(1.0, 0.1, 10, places=1)) == "+1.0 [+0.7, +1.3]"
    assert cells.means_apart(1.0 * many, 1.0 * few).measured == pytest.approx(0.2)


def between(low, high):
    return Cell(None, (low + high) / 2, low, high)


@pytest.mark.parametrize(
    ("intervals", "matters", "gains"),
    [
        ([(1, 3), (-1, 1)], "holds", "holds"),
        ([(-3, -1), (-1, 1)], "holds", "differs"),
        ([(1, 3), (-3, -1)], "holds", "partly"),
        ([(-1, 1.5)], "differs", "differs"),
        ([(-1, 2.5)], "open", "open"),
        ([(float("nan"), float("nan"))], "open", "open"),
    ],
)
def test_verdicts_follow_from_intervals(intervals, matters, gains):
    found = [between(*each) for each in intervals]
    assert (cells.matters(found), cells.gains(found)) == (matters, gains)


def outcome(won, drawn, lost):
    return tuple(Cell.share(None, 0, each, 1000) for each in (won, drawn, lost))


def test_what_comes_out_as_in_the_thesis_is_named():
    found = {"computer": outcome(500, 0, 500), "random": outcome(0, 10, 990)}
    assert baselines._published("computer", found).holds == "differs"
    some = baselines._published("arranger", found | {"random": outcome(20, 560, 420)})
    assert some.holds == "partly"
    assert "only those of `random` do" in some.text


@pytest.mark.parametrize(("won", "holds"), [(780, "holds"), (760, "open"), (700, "differs")])
def test_bars_are_judged_by_intervals(won, holds):
    cell = Cell.share(None, 0, 10 * won, 10_000)
    assert four._bar("computer", {"computer": Cell.share(None, 0, 2500, 10_000), "greedy": cell}).holds == holds


# ---- five melds of three


def test_ways_to_make_up_tiles_are_listed():
    assert five_melds.made_of(14) == ["3+3+3+5", "3+3+4+4", "4+5+5"]
    assert five_melds.made_of(15)[0] == "3+3+3+3+3"
    assert not any(way.replace("+", "") in ("3333", "33333") for way in five_melds.made_of(14))


@pytest.mark.parametrize(
    ("tiles", "jokers", "threes"),
    [
        ("y1-3 b4-6 r8 b8 y8 k9-11 r1-3", 0, True),
        ("y1-3 b4-6 r8 b8 y8 k9-12 r1 r2", 0, False),
        ("k12 k13 k1 y1-3 b4-6 r8 b8 y8 r1-3", 0, True),
        ("k13 k1 k2 y1-3 b4-6 r8 b8 y8 r1-3", 0, False),
        ("y1-3 y1-3 b4-6 b4-6 r8 b8", 1, True),
        ("y1-3 y1-3 b4-6 b4-6 r8", 2, True),
        ("y1-3 y1-3 b4-6 r8 b8 k8 y8 y5", 1, False),
        # The first meld that fits is not always the right one: 1-2-3, 3-4-5 and a set of 1s with either 1.
        ("y1-3 y3-5 y1 b1 k1 r6-8 b9-11", 0, True),
    ],
)
def test_racks_of_threes_are_found(tiles, jokers, threes):
    faces = rack(tiles)
    assert faces.sum() + jokers == 15
    assert five_melds.in_threes(faces.ravel().tolist(), jokers) is threes


def test_racks_that_were_noted_are_looked_through():
    racks = np.zeros((2, 2, five_melds.KEPT, 53), np.int8)
    racks[0, 1, 0, :52] = rack("y1-3 b4-6 r8 b8 y8 k9-11 r1-3").ravel()
    racks[0, 1, 1, :52] = rack("y1-3 b4-6 r8 b8 y8 k9-12 r1 r2").ravel()
    counts = np.array([[0, 2], [0, 0]])
    assert five_melds._fives(racks, counts).tolist() == [[0, 1], [0, 0]]


# ---- the report


@pytest.mark.usefixtures("told")
def test_every_section_is_told_of_games(tmp_path):
    keys = [step.key for step in PLAYED]
    page, summary = run(STUDY, Settings(400, 1), tmp_path, keys, console=Console(quiet=True))
    text, words = page.read_text(encoding="utf-8"), summary.read_text(encoding="utf-8")
    for step in PLAYED:
        assert f"id='{step.key}'" in text
        assert f"## {step.title}" in words
    assert "nan" not in words


@pytest.mark.usefixtures("told")
def test_few_games_are_no_failure():
    """Where nobody was dealt two jokers, say."""
    for step in PLAYED:
        section = step.run(Settings(2, 1), quiet)
        assert all(isinstance(block, Table | Figure) or block.text for block in section.blocks)


def test_steps_are_named_once():
    keys = [step.key for step in STUDY.steps]
    assert len(set(keys)) == len(keys)


def test_rules_are_those_of_the_game():
    assert str(THESIS) == str(Counted(**Counted.presets["thesis"]))
    assert (FOUR.players, FOUR.pairs, FOUR.longest_run) == (4, "open", 5)


@pytest.mark.slow
@pytest.mark.usefixtures("optimised")
def test_the_whole_study_runs_and_resumes(tmp_path):
    console, keys = Console(record=True, width=120), [step.key for step in PLAYED]
    run(STUDY, Settings(8, 1), tmp_path, keys, console=console)
    run(STUDY, Settings(8, 1), tmp_path, keys, console=console)
    assert console.export_text().count("kept from before") == len(PLAYED)
