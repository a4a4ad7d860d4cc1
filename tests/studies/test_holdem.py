"""The study of risk dominance in poker: what is counted, what luck is, and a report that is whole."""

import re
from types import SimpleNamespace

import jax.numpy as jnp
import numpy as np
import pytest
from rich.console import Console

from feint.arena import rollout
from feint.games.holdem import risk
from feint.games.holdem.agents import AlwaysCall
from feint.games.holdem.boards import HOLDINGS
from feint.games.holdem.equities import Equities
from feint.games.holdem.state import CALL, RAISE
from feint.registry import find_study
from feint.studies.holdem import cells, details, dominance, order, published, responses, tournaments
from feint.studies.holdem.watched import GAME, Decisions
from feint.studies.report import Cell, Table
from feint.studies.run import Settings, run


def table(section, start):
    return next(block for block in section.blocks if isinstance(block, Table) and block.title.startswith(start))


# ---- figures


def test_table_1_comes_out():
    section = dominance.table_1(Settings(), lambda _: None)
    found = table(section, "Of A over B")
    assert found.counted() == (2, 2)
    assert [row.cells[1].measured for row in found.rows] == pytest.approx([5 / 3, 2])  # as printed, A in both games
    assert section.verdicts[0].holds == "holds"


def test_the_printed_equations_never_call_and_raise_everything_in_large_pots():
    advised = dominance._advice(risk.literal, {})
    assert not (advised == CALL).any()
    assert (advised[dominance.POTS > 6.4] == RAISE).all()
    assert not (advised[dominance.POTS < 6.2] == RAISE).all()


def test_table_3_follows_from_its_counts():
    assert responses._agrees()
    assert sum(count for count, _ in published.AFTER_RAISE.values()) == published.OPPONENT_RAISES


def test_published_matrices_add_up_but_for_rounding():
    for agent, matrix in published.CONFUSION.items():
        assert matrix.sum() == pytest.approx(100, abs=0.05)
        assert np.trace(matrix) == pytest.approx(published.ACCURACY[agent], abs=0.02)


# ---- cells


def test_shares_have_the_errors_of_matches():
    """Two matches of ten decisions, all hits in one and none in the other: nothing is known."""
    match, hits = np.repeat([0, 1], 10), np.repeat([True, False], 10)
    found, error, total = cells.ratio(hits, np.ones(20, bool), match)
    assert (found, total) == (0.5, 20)
    assert error == pytest.approx(0.5)
    even = cells.ratio(np.tile([True, False], 10), np.ones(20, bool), match)
    assert even[1] == 0


def test_a_difference_within_matches_is_known_where_both_shares_move_together():
    match = np.repeat(np.arange(8), 100)
    rng = np.random.default_rng(0)
    luck = rng.random(8)[match]
    high = np.tile([True, False], 400)
    hits = rng.random(800) < np.clip(0.5 * luck + 0.3 * high, 0, 1)
    apart = cells.difference((hits, high), (hits, ~high), match)
    assert cells.sign(apart) == 1
    assert apart.low < 30 < apart.high
    assert cells.all_say([apart, apart], 1) == "holds"
    assert cells.all_say([apart, Cell.around(0, 1)], 1) == "partly"
    assert cells.all_say([apart], -1) == "differs"
    assert cells.all_say([Cell.around(0, 1)], 1) == "open"


def test_a_published_share_is_judged_as_a_sample():
    match = np.repeat(np.arange(50), 100)
    hits = np.random.default_rng(1).random(5000) < 0.3
    near, far = (cells.share(hits, np.ones(5000, bool), match, each, of=1000) for each in (30, 60))
    assert near.p > 0.01 > far.p


# ---- decisions


def watched_by_hand():
    """Two hands of a match: in the first agent 2 raises and 0 folds to it, then 1 calls and wins nothing; in the second all check."""
    action = np.array([2, 0, 1, 1, 1, 1])
    return Decisions(
        SimpleNamespace(
            match=np.zeros(6, int),
            hand=np.array([0, 0, 0, 1, 1, 1]),
            agent=np.array([2, 0, 1, 0, 1, 2]),
            action=action,
            plain=np.array([1, 0, 1, 1, 2, 1]),
            ended=np.array([False, False, True, False, False, True]),
            paid=np.array([[0.0] * 3, [0.0] * 3, [-5, -20, 25], [0.0] * 3, [0.0] * 3, [20, -10, -10]]),
        ),
        matches=1,
        hands=2,
    )


def test_what_a_hand_paid_is_told_of_all_its_decisions():
    seen = watched_by_hand()
    assert seen.won.tolist() == [25, -5, -20, 20, -10, -10]
    assert seen.folded_to.tolist() == [True, False, False, False, False, False]


def test_hands_with_a_differing_decision_count_once():
    seen = watched_by_hand()
    differs = seen.of.action != seen.of.plain
    assert details._by_match(seen, differs & (seen.of.agent == 2)).tolist() == [25]
    assert details._by_match(seen, seen.of.agent == 2).tolist() == [15]


# ---- luck


def test_luck_is_that_of_the_deals_that_were_played(monkeypatch):
    """Where everybody calls, whoever would win the showdown wins the hand. That holds with any tables that tell holdings apart."""
    tables = Equities({"preflop": jnp.arange(len(HOLDINGS), dtype=jnp.uint16)})
    monkeypatch.setattr(tournaments, "Equities", lambda: tables)
    outcomes, _ = rollout.play(GAME, (AlwaysCall(),), [0, 0, 0], seed=5, first=0, matches=2, length=6)
    luck = tournaments._luck(5, 2, 6)
    wins, early = luck[..., ::2].sum(axis=-1), luck[..., 1::2].sum(axis=-1)  # whatever the position
    np.testing.assert_array_equal(np.asarray(outcomes.rewards) > 0, wins > 0)
    np.testing.assert_allclose(wins.sum(axis=-1), 0, atol=1e-6)
    np.testing.assert_allclose(early.sum(axis=-1), 0, atol=1e-6)
    positions = (luck != 0).any(axis=(0,))[..., ::2].argmax(axis=-1)  # of chairs, by hand
    np.testing.assert_array_equal(positions, [[(chair - hand) % 3 for chair in range(3)] for hand in range(6)])


def test_less_luck_is_less_spread_and_the_same_mean():
    rng = np.random.default_rng(2)
    luck = rng.normal(size=(20, 500, 3, 2))
    luck -= luck.mean(axis=(0, 1))
    paid = 3 * luck[..., 0] - luck[..., 1] + rng.normal(size=(20, 500, 3)) + [1, 2, 3]
    left = order.without_luck(paid, luck)
    np.testing.assert_allclose(left.mean(axis=(0, 1)), paid.mean(axis=(0, 1)), atol=1e-9)
    assert left.std(axis=(0, 1)) == pytest.approx([1] * 3, abs=0.05)


# ---- the whole of it


@pytest.mark.slow
def test_the_whole_study_runs_and_is_kept(tmp_path):
    study = find_study("holdem")
    _, summary = run(study, Settings(4000), tmp_path, console=Console(quiet=True))
    text = summary.read_text()
    assert re.findall(r"^## (.*)$", text, re.M)[1:] == [
        step.title for step in study.steps
    ]  # after what is found in short
    assert not re.search(r"\bnan\b", text)
    assert "**Holds.** That `risk-s` foretells its opponents better than `risk-g` does" in text
