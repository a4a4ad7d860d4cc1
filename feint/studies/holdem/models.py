"""The models of players that ship: how well they foretell those they learned from, on other hands, and those they have never met."""

from __future__ import annotations

from functools import cache
from typing import Any

from feint import registry
from feint.learn.forecasts import BINS, Forecast, Guesses, forecast
from feint.learn.opponent_model import Networks, OpponentModel
from feint.learn.tables import read_tables
from feint.studies.figures import draw
from feint.studies.holdem import published
from feint.studies.holdem.watched import GAME
from feint.studies.report import Cell, Row, Section, Table, Text, Verdict
from feint.studies.run import Settings, Tell

NAME = "zoo:holdem-model"
ACTIONS = ("fold", "call", "raise")
LENGTH = 200  # hands of a match
KNOWN = ("tanh,risk-g,risk-s",)
UNKNOWN = (
    "tanh(steep=4),risk-s(measure='selten'),risk-g(gains='literal')",
    "tanh(other=0.7),risk-g(measure='selten'),always-raise",
)


@cache
def model() -> OpponentModel:
    return registry.make_agent(NAME, GAME)  # type: ignore[return-value]


def networks() -> Networks:
    return model().networks


def models(settings: Settings, tell: Tell) -> Section:
    """Accuracy, confusion and calibration, with and without the hidden cards."""
    found: list[Forecast] = []
    every = [*KNOWN, *UNKNOWN]
    for table in every:
        (seated,), games = read_tables([table]), max(settings.games // 10, LENGTH)
        found.append(forecast(model(), GAME, seated, games, settings.seed + 1, length=LENGTH))
        tell(len(found) / len(every))
    known, unknown = found[: len(KNOWN)], found[len(KNOWN) :]
    named = [*("known" for _ in KNOWN), *("unknown" for _ in UNKNOWN)]
    best = found[0]
    beats = [each.seen.accuracy.low > each.majority for each in unknown]
    return Section(
        "Models of players, and figure 3",
        (
            Text(
                f"The networks 14-12-3 and 13-12-1 as the paper draws them, and a 13-12-3 that makes do without hidden cards (`{NAME}`), learned by watching. The paper's 800,000 hands of the competition are not to be had, and it does "
                "not say whether its network saw the cards of whoever acts. The *known* table is one of three that it learned from, with other hands; at *unknown* tables sits nobody it has met. Matches of 200 hands; what is foretold is the likeliest action."
            ),
            Table(
                "Actions foretold, %",
                (
                    "table",
                    "",
                    "with the hidden cards",
                    "from what is public",
                    "always the most frequent",
                    "error of EHS",
                    "of its mean",
                ),
                tuple(
                    Row(
                        ", ".join(f"`{agent}`" for agent in each.table),
                        (
                            what,
                            _accuracy(each.seen),
                            _accuracy(each.unseen),
                            Cell.exact(None, 100 * each.majority, places=1),
                            Cell.exact(None, each.strength_error, places=3),
                            Cell.exact(None, each.strength_spread, places=3),
                        ),
                    )
                    for each, what in zip(found, named, strict=True)
                ),
                f"The paper: {published.CORRECT}% of its test data. Intervals are over matches.",
            ),
            *(
                _confusion(forecast, guesses, how)
                for forecast in (best, unknown[0])
                for guesses, how in ((forecast.seen, "with the hidden cards"), (forecast.unseen, "from what is public"))
            ),
            Table(
                "Calibration: the mean distance of chances and hits (ECE), %",
                ("table", "", "with the hidden cards", "from what is public", "surprise with, nats", "without"),
                tuple(
                    Row(
                        ", ".join(f"`{agent}`" for agent in each.table),
                        (
                            what,
                            *(
                                Cell.exact(None, 100 * guesses.calibration_error, places=1)
                                for guesses in (each.seen, each.unseen)
                            ),
                            *(Cell.exact(None, guesses.surprise, places=3) for guesses in (each.seen, each.unseen)),
                        ),
                    )
                    for each, what in zip(found, named, strict=True)
                ),
            ),
            _reliability(known[0], unknown[0]),
            draw(
                lambda axes: _lines(axes, found, named),
                "How often the model is right, by how sure it is",
                (7.5, 3.6),
                (1, 2),
            ),
            Verdict(
                "holds"
                if best.seen.accuracy.low * 100 > published.CORRECT
                else "partly"
                if best.seen.accuracy.high * 100 > published.CORRECT
                else "differs",
                f"That such a network foretells {published.CORRECT}% of actions: of the paper's three agents, on hands it did not learn from, {_words(best.seen)} with the cards of whoever acts, which nobody at the table sees, and "
                f"{_words(best.unseen)} from what is public. Other players, another figure: the two cannot be compared closely.",
            ),
            Verdict(
                "holds" if all(beats) else "partly" if any(beats) else "differs",
                "That the model foretells players it has never met: "
                + "; ".join(
                    f"{_words(each.seen)} with the cards and {_words(each.unseen)} without, where always the most frequent action is {100 * each.majority:.1f}%"
                    for each in unknown
                )
                + ".",
            ),
        ),
    )


def _accuracy(guesses: Guesses) -> Cell:
    found = guesses.accuracy.scaled(100)
    return Cell(None, found.estimate, found.low, found.high, games=guesses.decisions, unit="%")


def _words(guesses: Guesses) -> str:
    found = guesses.accuracy.scaled(100)
    return f"{found.estimate:.1f}% [{found.low:.1f}, {found.high:.1f}]"


def _confusion(forecast: Forecast, guesses: Guesses, how: str) -> Table:
    total = guesses.decisions
    rows = [
        Row(name, tuple(Cell.exact(None, 100 * each / total) for each in (*row, sum(row))))
        for name, row in zip(ACTIONS, guesses.confusion, strict=True)
    ]
    columns = [sum(each) for each in zip(*guesses.confusion, strict=True)]
    hits = sum(row[number] for number, row in enumerate(guesses.confusion))
    rows.append(Row("all", tuple(Cell.exact(None, 100 * each / total) for each in (*columns, hits))))
    who = ", ".join(forecast.table)
    return Table(
        f"Done (rows) and foretold (columns) {how}, % of {total:,} decisions: {who}", ("", *ACTIONS, "all"), tuple(rows)
    )


def _reliability(known: Forecast, unknown: Forecast) -> Table:
    def cells(guesses: Guesses, tenth: int) -> tuple[Cell | str, ...]:
        count, total, hits = guesses.sure[tenth]
        if not count:
            return "", "", ""
        return (
            f"{count:,}",
            Cell.exact(None, 100 * total / count, places=1),
            Cell.exact(None, 100 * hits / count, places=1),
        )

    return Table(
        f"Reliability with the hidden cards: {', '.join(known.table)}; and unknown: {', '.join(unknown.table)}",
        ("sure, %", "decisions", "sure on average", "right", "unknown: decisions", "sure on average", "right"),
        tuple(
            Row(f"{10 * tenth} to {10 * tenth + 10}", (*cells(known.seen, tenth), *cells(unknown.seen, tenth)))
            for tenth in range(BINS)
            if known.seen.sure[tenth][0] or unknown.seen.sure[tenth][0]
        ),
    )


def _lines(axes: Any, found: list[Forecast], named: list[str]) -> None:
    for panel, (title, which) in zip(
        axes, (("with the hidden cards", "seen"), ("from what is public", "unseen")), strict=True
    ):
        panel.plot([0.3, 1], [0.3, 1], color="#8a8f98", linewidth=1)
        for number, (one, what) in enumerate(zip(found, named, strict=True)):
            points = [(total / count, hits / count) for count, total, hits in getattr(one, which).sure if count >= 50]
            panel.plot(
                *zip(*points, strict=True),
                "o-" if what == "known" else "s--",
                markersize=3,
                label=f"{what} {number + 1}",
            )
        panel.set_title(title, fontsize=10)
        panel.set_xlabel("sure")
    axes[0].set_ylabel("right")
    axes[0].legend(fontsize=8)
