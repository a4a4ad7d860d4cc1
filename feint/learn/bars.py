"""Bars: what a learner is to reach at a table. Half of its games are then played where it is furthest from them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from feint.errors import UserError
from feint.learn.evaluate import Evaluation
from feint.learn.tables import Table
from feint.specs import split_specs


@dataclass(frozen=True)
class Bar:
    """What is to be reached, in percent of games won or in the unit of payoffs: at one table, or at all that have no bar of their own."""

    least: float
    table: Table | None = None

    def __str__(self) -> str:
        return f"{self.least:g}@{','.join(self.table)}" if self.table else f"{self.least:g}"


def read_bars(texts: Iterable[str]) -> tuple[Bar, ...]:
    """Bars as they are written: 50, or 90@no-bluff,smart,reinforcement."""

    def read(text: str) -> Bar:
        found = re.fullmatch(r"\s*([+-]?\d{1,9}(?:\.\d{1,9})?)\s*(?:@(.+))?", text)
        if not found:
            raise UserError(
                f"{text!r} is not a bar: write a number, or a number and a table such as 90@smart,smart,anxious."
            )
        return Bar(float(found[1]), tuple(split_specs(found[2])) if found[2] else None)

    return tuple(map(read, texts))


def weights(rows: Sequence[Table], bars: Sequence[Bar], evaluation: Evaluation | None) -> np.ndarray:
    """How often each table is drawn, float[tables]: one half of the games evenly, the other where the learner was last found below its bar,
    in proportion to how far. Tables are named as evaluations name them."""
    even = np.full(len(rows), 1 / len(rows))
    named = {bar.table: bar.least for bar in bars}
    reached = {score.table: score.told.estimate for score in evaluation.scores} if evaluation else {}
    lacks = [max(0.0, _bar(row, named) - reached[row]) if row in reached else 0.0 for row in rows]
    return (even + np.array(lacks) / sum(lacks)) / 2 if any(lacks) else even


def _bar(row: Table, named: dict[Table | None, float]) -> float:
    return named.get(row, named.get(None, -np.inf))
