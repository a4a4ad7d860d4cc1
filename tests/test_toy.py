"""A toy game with rotating positions, losers who pay and a table of 25 MB goes everywhere that a game can go."""

import warnings

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from feint import catalogue, chance, lookup, program_cache
from feint.arena import rollout
from feint.arena.match import match
from feint.arena.result import Result
from feint.arena.tournament import tournament
from feint.errors import UserError
from feint.evolve.search import Parameter, Search, Settings
from feint.evolve.search import Table as Others
from feint.learn.experiment import Experiment
from feint.learn.policy_file import PolicyFile
from feint.learn.train import CHECKPOINT, POLICY, Run
from feint.record import Record
from feint.solvers.best_response import exploit
from feint.solvers.cfr import ALGORITHMS, Solver
from feint.solvers.mccfr import Sampler, SamplingSettings
from feint.solvers.sequence_form import SequenceForm
from feint.solvers.tabular import policy_of
from feint.solvers.tree import build, estimate
from feint.table import Table
from feint.testing import check_game, playthrough_text
from tests.toys import HANDS, PlainUntil, Stay, Until, strength_of

GAME = Stay()
TABLE = 25_000_000  # bytes


@pytest.fixture(autouse=True, scope="module")
def known(tmp_path_factory):
    """The toy is found by name, its table is in no user's cache, and to close over that table anywhere is an error."""
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        patch.setitem(catalogue.GAMES, "stay", "tests.toys:Stay")
        patch.setitem(catalogue.AGENTS, "stay.until", "tests.toys:Until")
        patch.setenv("FEINT_CACHE", str(tmp_path_factory.mktemp("cache")))
        patch.setattr(lookup, "_made", {})
        patch.setattr(Stay, "built", [])  # other tests of this process may have made it for a cache of theirs
        before = jax.config.values["jax_captured_constants_warn_bytes"]
        jax.config.update("jax_captured_constants_warn_bytes", TABLE // 2)
        yield
        jax.config.update("jax_captured_constants_warn_bytes", before)


pytestmark = pytest.mark.filterwarnings("error:.*(onstants were captured|losed-over constant)")


def test_a_table_that_is_closed_over_would_be_noticed():
    with pytest.raises(UserWarning, match="constants were captured"):
        jax.jit(lambda hand: GAME.tables["strength"][hand])(jnp.int32(3))


def test_it_keeps_the_contract():
    assert "between -4 and 0; no sum promised" in str(check_game(GAME, games=16))


def test_it_is_played_through_as_text():
    assert "over after" in playthrough_text(GAME, seed=1)


# ---- matches


NAMES = ["until(2)", "until(1)", "until(0)"]
BY_HAND = {
    "until(2)": (1, 0.0),
    "until(1)": (0, -2.0),
    "until(0)": (0, -1.0),
}  # games won and payoff, whatever was dealt


def test_the_winner_wins_though_it_is_paid_nothing():
    result = match(GAME, NAMES, [(0, 1, 2), (2, 1, 0)], games=30, length=3)
    for name, (won, payoff) in BY_HAND.items():
        assert result.win_rate(name).estimate == won
        assert result.payoff(name).estimate == payoff
    assert result.draws.tolist() == [0, 0]
    assert "cents" in str(result)
    assert "-200" in str(result)  # until(1), in cents


def test_nobody_wins_where_everybody_leaves():
    result = match(GAME, ["until(0)"] * 3, games=4)
    assert result.draws.tolist() == [4]
    assert result.payoff_sum.tolist() == [[-4, -4, -4]]


def test_the_best_hand_wins_by_chair():
    """Every game worked out from its deal: in game g of a match, position p is chair (p + g) % 3's."""
    outcomes, _ = rollout.play(GAME, [Until(2)], [0, 0, 0], seed=9, first=4, matches=6, length=4, lanes=6)
    for number in range(6):
        for game in range(4):
            deal = GAME.draw(chance.deal_key(chance.game_key(9, 4 + number, game)))
            chair = (int(np.argmax(strength_of(np.asarray(deal.hands)))) + game) % 3
            assert outcomes.winners[number, game].tolist() == [each == chair for each in range(3)]
            assert outcomes.rewards[number, game].tolist() == [0 if each == chair else -4 for each in range(3)]


def test_a_tournament_is_shown_and_saved(tmp_path):
    played = tournament(GAME, [*NAMES, "random"], games=72, order="rotations")
    assert played.result.played == 72
    assert played.against("until(0)", "until(1)").estimate == 1.0  # chip more a game, whoever else sits there
    assert "cents" in str(played)
    played.result.save(tmp_path / "played.json")
    again = Result.load(tmp_path / "played.json")
    assert again.options == {"players": 3, "stakes": [1, 2], "hands": HANDS}
    assert (again.measure, again.unit) == ("payoff", GAME.unit)


def test_plain_agents_make_the_same_of_it():
    compiled = match(GAME, NAMES, games=12, length=3, seed=5)
    hosted = match(GAME, [PlainUntil(2), Until(1), PlainUntil(0)], games=12, length=3, seed=5)
    for name in ("wins", "payoff_sum", "moves"):
        assert getattr(hosted, name).tolist() == getattr(compiled, name).tolist()


# ---- one table


def test_a_match_at_a_table_is_the_arenas_and_goes_into_a_record():
    outcomes, _ = rollout.play(GAME, [Until(2)], [0, 0, 0], seed=9, first=4, matches=6, length=4, lanes=6)
    table = Table(GAME, ["until(2)"] * 3, seed=9, table=4)
    for _ in range(4):
        while not table.over:
            table.act()
        record = Record.of(table)
        assert list(record.replay(record.review())) == table.actions
        table.next_game()
    assert table.wins.tolist() == outcomes.winners[0].sum(axis=0).tolist()
    assert table.scores.tolist() == outcomes.rewards[0].sum(axis=0).tolist()


def test_a_hand_can_be_dealt_by_hand():
    hands = [5, 6_000_000, 17]
    table = Table(GAME, ["until(2)"] * 3, deal={"hands": hands})
    while not table.over:
        table.act()
    assert int(np.argmax(table.winners)) == int(np.argmax(strength_of(np.array(hands))))
    with pytest.raises(UserError, match="is not a deal of stay"):
        Table(GAME, ["until(2)"] * 3, deal={"hands": [5, 17, HANDS]})


# ---- learning


@pytest.mark.slow
def test_it_is_learned_and_kept_without_its_table(tmp_path):
    settings = {
        "total_timesteps": 128,
        "num_envs": 4,
        "num_steps": 16,
        "width": 8,
        "depth": 1,
        "num_minibatches": 1,
        "update_epochs": 1,
    }
    given = {
        "game": "stay",
        "options": {"stakes": [1, 2]},
        "algorithm": "mmd",
        "settings": settings,
        "tables": ["until(1),until(2)"],
        "length": 3,
        "games": 6,
        "evaluations": 1,
    }
    run = Run.start(Experiment.of(given), tmp_path / "run")
    assert run.train(lambda _: None, lambda: False)
    assert "--length 3" in run.experiment.command()
    assert run.tables.length == 3
    (score,) = run.news[-1].evaluation.scores
    assert (score.games, score.measure, score.unit) == (18, "payoff", GAME.unit)
    for name in (POLICY, CHECKPOINT):
        assert (run.folder / name).stat().st_size < 100_000
    agent = PolicyFile.load(run.folder / POLICY).agent_for(GAME)
    assert agent.game.tables["strength"] is GAME.tables["strength"]
    spec = f"policy:{run.folder / POLICY}"
    result = match(GAME, [spec, "until(1)", "until(2)"], games=6, length=3)
    assert result.payoff("until(1)").estimate == -2
    with pytest.raises(UserError, match="stakes"):
        PolicyFile.load(run.folder / POLICY).agent_for(Stay(stakes=(2,)))


# ---- solving and searching


SMALL = Stay(players=2, stakes=(1,), hands=3)


def test_it_is_solved():
    form = SequenceForm.of(build(SMALL))
    assert estimate(SMALL).about == pytest.approx(form.tree.positions, rel=0.2)
    solver = Solver(form, ALGORITHMS["cfr+"])
    solver.run(100)
    asked = [exploit(form, policy).exploitability for policy in (solver.average(), policy_of(form, Until(1)))]
    assert asked[0] < asked[1]
    sampler = Sampler(SMALL, SamplingSettings(batch=64))
    sampler.run(2)
    assert len(sampler.average_on(form.tree.infosets)) == len(form.tree.infosets)


def test_settings_of_its_agents_are_searched_for():
    """Whoever leaves at once pays 1 in every game; somebody alone who stays pays nothing."""
    found = Search(
        Stay(players=2, stakes=(1,)),
        Until(0.5),
        [Others((Until(0.0),))],
        [Parameter("rounds", -1.0, 1.0)],
        Settings(deals=4, population=4, generations=2),
    )
    found.run()
    assert found.found["rounds"] > 0


# ---- the table of 25 MB


def test_a_kept_program_takes_the_table_as_an_argument(tmp_path, monkeypatch):
    """Of a size that nobody else plays at: what JAX has kept itself is not kept again."""
    monkeypatch.setenv("FEINT_CACHE", str(tmp_path))
    monkeypatch.setattr(program_cache, "KNOWN", (*program_cache.KNOWN, "tests"))
    first, _ = rollout.play(GAME, [Until(2)], [0, 0, 0], seed=2, first=0, matches=23, lanes=23)
    sizes = [each.stat().st_size for each in (tmp_path / "kept").iterdir()]
    assert sizes
    assert max(sizes) < TABLE / 100
    rollout._cached_play.loaded.clear()
    again, _ = rollout.play(GAME, [Until(2)], [0, 0, 0], seed=2, first=0, matches=23, lanes=23)
    assert (first.rewards == again.rewards).all()


def test_the_table_was_made_once():
    assert Stay.built.count("stay") <= 1
