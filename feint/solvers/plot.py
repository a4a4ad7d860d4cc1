"""A curve in the terminal, both axes logarithmic."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

DRAWN, PLAIN = ("•", "┤", "└", "─"), ("*", "|", "+", "-")  # the mark of a point, and the lines beside and below


def log_curve(points: Sequence[tuple[float, float]], width: int = 72, height: int = 14, plain: bool = False) -> str:
    """Points with positive coordinates as text, with a scale at the left and below; `plain` for where there is only ASCII."""
    mark, side, corner, below = PLAIN if plain else DRAWN
    shown = [(x, y) for x, y in points if x > 0 and y > 0]
    if not shown:
        return ""
    x, y = np.log10(np.array(shown, float)).T
    bottom, top = np.floor(y.min()), np.ceil(y.max() + 1e-9)
    left, right = x.min(), max(x.max(), x.min() + 1e-9)
    column = np.rint((x - left) / (right - left) * (width - 1)).astype(int)
    row = np.rint((top - y) / (top - bottom) * (height - 1)).astype(int)
    canvas = np.full((height, width), " ")
    canvas[row, column] = mark
    ticks = {round((top - power) / (top - bottom) * (height - 1)): power for power in np.arange(bottom, top + 1)}
    lines = []
    for at, cells in enumerate(canvas):
        label = f"{10 ** ticks[at]:.0e}" if at in ticks else ""
        lines.append(f"{label:>6} {side}{''.join(cells)}".rstrip())
    first, last = f"{shown[0][0]:,.0f}", f"{shown[-1][0]:,.0f}"
    return "\n".join([*lines, f"{'':>7}{corner}{below * width}", f"{'':>8}{first}{last:>{max(1, width - len(first))}}"])
