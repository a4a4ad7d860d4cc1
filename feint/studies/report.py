"""What a study's report is made of: published figures beside measured ones, judged cell by cell; figures; verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from scipy import stats

from feint import plain
from feint.arena import statistics
from feint.arena.statistics import LEVEL
from feint.errors import UserError

Holds = Literal["holds", "partly", "differs", "open"]


@dataclass(frozen=True)
class Cell:
    """One published figure and ours. Make it by `share`, `mean` or `exact`, which say how the two are compared."""

    published: float | None  # None where nothing was published
    measured: float
    low: float | None = None  # of the interval around what was measured; None where it is exact
    high: float | None = None
    p: float | None = None  # that samples of the same thing would differ so much; None where nothing is tested
    of: int = 0  # games behind the published figure
    games: int = 0  # games behind ours
    unit: str = ""
    places: int = 1

    @classmethod
    def share(cls, published: float | None, of: int, wins: int, games: int, level: float = LEVEL) -> Cell:
        """A share of games: the published one (0.44 of 300) is itself a sample, so two samples are compared, by Fisher's exact test."""
        found = statistics.win_rate(wins, games, level).scaled(100)
        p = None
        if published is not None:
            _check_share(published)
            p = statistics.two_rates(round(published * of), of, wins, games).p
            published *= 100
        return cls(published, found.estimate, found.low, found.high, p, of, games, "%")

    @classmethod
    def mean(
        cls,
        published: float | None,
        of: int,
        mean: float,
        deviation: float,
        games: int,
        level: float = LEVEL,
        places: int = 2,
    ) -> Cell:
        """A mean over games, such as calls a game. The published one is taken to have the spread that ours has: a z-test."""
        error = deviation / games**0.5
        half = float(stats.norm.ppf((1 + level) / 2)) * error
        p = None
        if published is not None:
            apart = (error**2 + deviation**2 / of) ** 0.5
            p = float(2 * stats.norm.sf(abs(mean - published) / apart)) if apart else float(mean == published)
        return cls(published, mean, mean - half, mean + half, p, of, games, "", places)

    @classmethod
    def around(
        cls, estimate: float, error: float, games: int = 0, unit: str = "", places: int = 1, level: float = LEVEL
    ) -> Cell:
        """What has been measured with such a standard error."""
        half = float(stats.norm.ppf((1 + level) / 2)) * error
        return cls(None, estimate, estimate - half, estimate + half, games=games, unit=unit, places=places)

    @classmethod
    def exact(cls, published: float | None, value: float, places: int = 2) -> Cell:
        """A figure that follows by calculation: it agrees if it is the same to the places shown."""
        return cls(published, value, places=places)

    @property
    def printed(self) -> str:
        """The published figure, without the zeros that were not printed."""
        return "" if self.published is None else f"{round(self.published, self.places):.10g}"

    def agrees(self, adjusted_p: float | None, level: float) -> bool | None:
        """Whether ours is compatible with what was published; None where nothing was."""
        if self.published is None:
            return None
        if adjusted_p is None:
            return round(self.published, self.places) == round(self.measured, self.places)
        return adjusted_p >= 1 - level


@dataclass(frozen=True)
class Row:
    """One line of a table."""

    label: str
    cells: tuple[Cell | str, ...]


@dataclass(frozen=True)
class Table:
    """Published beside measured. A cell disagrees if so large a difference has a chance below 1 - level in a table where all agree.

    That is Holm's correction over the cells of the table, without which one cell in a hundred would disagree by chance alone. Where
    `shares` says that the cells of a row are shares of the same games, each row is judged as a whole as well, by chi-square.
    """

    title: str
    columns: tuple[str, ...]  # the first is that of the labels
    rows: tuple[Row, ...]
    note: str = ""
    shares: bool = False
    level: float = LEVEL

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row.cells) != len(self.columns) - 1:
                raise UserError(
                    f"The row {row.label!r} of the table {self.title!r} has {len(row.cells)} cells for {len(self.columns) - 1} columns."
                )

    @property
    def basis(self) -> str:
        """How many games are behind a figure."""
        cells = [cell for row in self.rows for cell in row.cells if isinstance(cell, Cell)]
        published = _span([cell.of for cell in cells if cell.of and cell.published is not None])
        ours = _span([cell.games for cell in cells if cell.games])
        if not ours:
            return ""
        return (
            f"Games behind a figure: published {published}, measured {ours}." if published else f"Each of {ours} games."
        )

    def agreement(self) -> list[list[bool | None]]:
        """Whether each cell agrees; None where nothing was published or the cell is words."""
        cells = [cell for row in self.rows for cell in row.cells if isinstance(cell, Cell) and cell.p is not None]
        adjusted = iter(statistics.holm([cell.p for cell in cells if cell.p is not None]).tolist())
        return [
            [
                cell.agrees(next(adjusted) if cell.p is not None else None, self.level)
                if isinstance(cell, Cell)
                else None
                for cell in row.cells
            ]
            for row in self.rows
        ]

    def counted(self) -> tuple[int, int]:
        """How many cells agree, and of how many."""
        judged = [agrees for row in self.agreement() for agrees in row if agrees is not None]
        return sum(judged), len(judged)

    @property
    def agreed(self) -> str:
        """How many cells agree, in words; calculated figures need no level of confidence."""
        agree, of = self.counted()
        cells = [cell for row in self.rows for cell in row.cells if isinstance(cell, Cell)]
        level = f" at {100 * self.level:g}%" if any(cell.p is not None for cell in cells) else ""
        return f"{agree} of {of} published cells agree{level}." if of else ""

    def row_p(self) -> list[float | None]:
        """For each row of shares: the chance, corrected for the number of rows, that it differs so much as a whole."""
        if not self.shares:
            return [None] * len(self.rows)
        found = [_row_p(row) for row in self.rows]
        adjusted = iter(statistics.holm([p for p in found if p is not None]).tolist())
        return [None if p is None else next(adjusted) for p in found]


def _span(counts: Sequence[int]) -> str:
    if not counts:
        return ""
    return f"{min(counts):,}" if len(set(counts)) == 1 else f"{min(counts):,} to {max(counts):,}"


def _row_p(row: Row) -> float | None:
    cells = [cell for cell in row.cells if isinstance(cell, Cell) and cell.published is not None and cell.of]
    if len(cells) < 2:
        return None
    published = [round((cell.published or 0) / 100 * cell.of) for cell in cells]
    ours = [round(cell.measured / 100 * cell.games) for cell in cells]
    return statistics.same_distribution(published, ours)[2]


@dataclass(frozen=True)
class Figure:
    """A picture as SVG; `feint.studies.figures.draw` makes one."""

    svg: str
    caption: str


@dataclass(frozen=True)
class Text:
    """Words: paragraphs are set apart by an empty line."""

    text: str


@dataclass(frozen=True)
class Verdict:
    """In one line: what holds, what does not, and why as far as it is known."""

    holds: Holds
    text: str


Block = Text | Table | Figure | Verdict


@dataclass(frozen=True)
class Section:
    """One experiment."""

    title: str
    blocks: tuple[Block, ...]

    @property
    def verdicts(self) -> list[Verdict]:
        return [block for block in self.blocks if isinstance(block, Verdict)]

    @property
    def holds(self) -> Holds:
        """One word for the whole section: its verdicts' where they agree."""
        kinds = {verdict.holds for verdict in self.verdicts}
        if not kinds:
            return "open"
        return kinds.pop() if len(kinds) == 1 else "partly"

    def counted(self) -> tuple[int, int]:
        """How many published cells agree, and of how many."""
        counts = [block.counted() for block in self.blocks if isinstance(block, Table)]
        return sum(agree for agree, _ in counts), sum(of for _, of in counts)


@dataclass(frozen=True)
class Report:
    """Everything a study found."""

    name: str
    title: str
    about: str
    source: str
    command: str  # that gives it again
    version: str
    sections: tuple[tuple[str, Section], ...]  # by key


# ---- sections as JSON

_KINDS: dict[str, type] = {"text": Text, "table": Table, "figure": Figure, "verdict": Verdict}


def to_json(section: Section) -> dict[str, Any]:
    """A section as plain data."""
    names = {kind: name for name, kind in _KINDS.items()}
    return {"title": section.title, "blocks": [{"kind": names[type(each)]} | asdict(each) for each in section.blocks]}


def from_json(data: dict[str, Any]) -> Section:
    """The section of plain data."""
    return Section(plain.read(str, data["title"]), tuple(_block(each) for each in data["blocks"]))


def _block(data: dict[str, Any]) -> Block:
    return plain.read(_KINDS[data["kind"]], {name: value for name, value in data.items() if name != "kind"})


def _check_share(share: float) -> None:
    if not 0 <= share <= 1:
        raise UserError(f"A published share must be a number from 0 to 1, such as 0.44, not {share}.")
