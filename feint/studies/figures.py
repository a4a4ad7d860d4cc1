"""Figures of reports: drawn by matplotlib, kept as SVG that follows the page's light or dark colours."""

from __future__ import annotations

import re
from collections.abc import Callable
from hashlib import sha256
from io import StringIO
from typing import Any

import matplotlib as mpl
from cycler import cycler
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure as Canvas

from feint.studies.report import Figure

INK = "#0b0c0d"  # stands for the page's text colour
GREY = "#7a828b"
COLOURS = ["#3f86d1", "#e0862b", "#36a169", "#d0524f", "#8f6fd1", "#8a8f98", "#c9a227", "#2fa3a3"]
STYLE: Any = {
    "axes.prop_cycle": cycler(color=COLOURS),
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.grid.axis": "y",
    "axes.axisbelow": True,
    "grid.color": "#8a8f98",
    "grid.alpha": 0.25,
    "font.family": "sans-serif",
    "font.size": 11,
    "legend.frameon": False,
    "svg.fonttype": "none",
    "svg.hashsalt": "feint",
    **{f"{part}.color": INK for part in ("text", "xtick", "ytick")},
    **{f"axes.{part}": INK for part in ("edgecolor", "labelcolor", "titlecolor")},
}


def draw(
    drawing: Callable[[Any], object],
    caption: str,
    size: tuple[float, float] = (7.5, 4.2),
    panels: tuple[int, int] = (1, 1),
) -> Figure:
    """A figure from a function that draws on the axes it is given; on an array of them where there are several panels."""
    with mpl.rc_context(STYLE):
        canvas = Canvas(figsize=size, layout="constrained")
        FigureCanvasSVG(canvas)
        drawing(canvas.subplots(*panels))
        file = StringIO()
        canvas.savefig(file, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    return Figure(_inline(file.getvalue()), caption)


def _inline(svg: str) -> str:
    """SVG to stand inside a page: as wide as there is room, in the page's colours, with names that no other figure has."""
    svg = svg[svg.index("<svg") :].strip().replace(INK, "currentColor")
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    head, _, body = svg.partition(">")
    svg = re.sub(r' (width|height)="[^"]*"', "", head) + ">" + body
    prefix = "f" + sha256(svg.encode()).hexdigest()[:8]
    return re.sub(r'(\bid="|url\(#|href="#)', rf"\g<1>{prefix}-", svg)


def on_any_page(figure: Figure) -> str:
    """The figure as a file of its own, which does not know the page's colours: its text is grey, readable on light and dark."""
    return figure.svg.replace("currentColor", GREY) + "\n"
