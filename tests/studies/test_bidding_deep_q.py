"""The study's deep Q-learning: trained agents meet the opponents they know, and the section is whole."""

from dataclasses import replace

import numpy as np
import pytest

from feint.studies.bidding import deep_q
from feint.studies.report import Table
from feint.studies.run import Settings


@pytest.mark.slow
def test_where_there_is_something_to_learn_it_is_learned(monkeypatch):
    """Narrow strategies that do not change, ten coins: close to the oracle, and above the constant bid."""
    monkeypatch.setattr(deep_q, "SEEDS", 6)
    won = deep_q.three_players(coins=10, change=0.0, concentration=0.1, games=2000, seed=1)
    learned, half, oracle = (won[name].mean() for name in (deep_q.LEARNED, deep_q.HALF, deep_q.ORACLE))
    assert oracle - 3 < learned < oracle + 2
    assert learned > half + 3


@pytest.mark.slow
def test_the_section_is_whole(monkeypatch):
    monkeypatch.setattr(deep_q, "SEEDS", 2)
    monkeypatch.setattr(deep_q, "SEEDS_OF_TEN", 2)
    monkeypatch.setattr(deep_q, "SHORT", replace(deep_q.SHORT, total_timesteps=640, learning_starts=64))
    parts = []
    section = deep_q.deep_q(Settings(games=200), parts.append)
    assert parts[-1] == 1
    assert (np.diff(parts) > 0).all()
    tables = [block for block in section.blocks if isinstance(block, Table)]
    assert [len(table.rows) for table in tables] == [3, 3, 1]
