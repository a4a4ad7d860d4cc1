"""A review of a game at a terminal: how the chances went, and what the costliest decisions would have been worth otherwise."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

from rich.console import RenderableType
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn

from feint.arena.show import Paper, grid
from feint.arena.statistics import Interval
from feint.files import check_writable, write_whole
from feint.interrupts import check, on_ctrl_c, shown
from feint.progress import Bar
from feint.record import Record
from feint.review import Decision, Review, reviewing
from feint.review.analysis import PLAYOUTS
from feint.review.data import Answer, Likely, Point
from feint.terminal.replay import heading, saved_game
from feint.words import counted

FEW = 5  # decisions, and
ELSE = 3  # other actions of an agent that are told, and
ROWS = 12  # points of the curve that are shown, unless all are asked for
HOW = {
    "weighted": "weighted by how likely {agent} was to make the moves seen",
    "played": "in which {agent}, playing on from move {since}, did what was seen",
    "alike": "all alike, whatever the moves seen tell of them",
}


def analyse(
    which: str | None,
    agent: str | None = None,
    playouts: int = PLAYOUTS,
    seed: int = 0,
    seat: int | None = None,
    everything: bool = False,
    save: Path | None = None,
) -> None:
    """Print the review of a finished game, and keep it as JSON where `save` says so; Ctrl-C leaves what is worked out by then."""
    if save:
        check_writable(save)
    _, record = saved_game(which)
    console = Paper()
    found: list[Review] = []  # the last one alone
    with on_ctrl_c(lambda: _stopped(console, record, found, everything, save)):
        for so_far in _followed(
            console, reviewing(record, agent, playouts, seed, None if seat is None else [seat - 1])
        ):
            found[:] = [so_far]
            check()
    _save(found[0], save)
    _tell(console, record, found[0], everything)


def _followed(console: Paper, reviews: Iterable[Review]) -> Iterator[Review]:
    """Reviews as they grow, with a bar of how far they are."""
    columns = (TextColumn("Playing out"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with shown(Bar(*columns, console=console, transient=True, disable=not console.is_terminal)) as progress:
        task = progress.add_task("", total=None)
        for each in reviews:
            progress.update(task, total=each.work, completed=each.done)
            yield each


def _stopped(console: Paper, record: Record, found: list[Review], everything: bool, save: Path | None) -> str:
    """Show and keep what has been worked out; the sentence that says so."""
    if not found or not found[0].done:
        return "Stopped before anything was worked out; the same command begins again."
    _save(found[0], save)
    _tell(console, record, found[0], everything)
    return f"Stopped after {found[0].done} of {found[0].work} parts; the same command begins again."


def _save(review: Review, save: Path | None) -> None:
    if save:
        write_whole(save, json.dumps(review.as_data(), indent=1) + "\n", "The review")


def _tell(console: Paper, record: Record, review: Review, everything: bool) -> None:
    console.print(heading(record), soft_wrap=True)
    console.print(
        f"Played out by {review.agent} in all seats, {review.playouts:,} games a decision; intervals at {review.level:.0%}.\n",
        soft_wrap=True,
    )
    console.print(_curve(review, everything))
    for part in (*_decisions(review, everything), *_answers(review, everything)):
        console.print(part, soft_wrap=isinstance(part, str))


def _curve(review: Review, everything: bool) -> RenderableType:
    """What the game was worth to everybody as it went."""
    what = (
        "Chances of winning, in %"
        if review.unit == "chance"
        else f"What the game was worth, in {review.unit or 'payoff'}"
    )
    table = grid(f"{what}, all hands open", ["after move", *review.names], words=0)
    for point in review.curve if everything else _some(review.curve):
        table.add_row(str(point.move), *(_estimate(review, value) for value in point.values))
    return table


def _some(points: list[Point]) -> list[Point]:
    """A few of them, the first and the last among them."""
    if len(points) <= ROWS:
        return points
    return [points[round(number * (len(points) - 1) / (ROWS - 1))] for number in range(ROWS)]


def _decisions(review: Review, everything: bool) -> Iterator[RenderableType]:
    mistakes = sum(decision.mistake for decision in review.decisions)
    order = [review.decisions[number] for number in review.costliest]
    looked_at = counted(len(order), "decision")
    if not order:
        yield (
            "There was no decision to look at: nobody had a choice."
            if review.finished
            else "No decision was worked out yet."
        )
        return
    yield f"{looked_at}, {counted(mistakes, 'mistake') if mistakes else 'none a mistake for sure'}; the costliest first:\n"
    for decision in order if everything else order[:FEW]:
        yield _decision(review, decision)
        yield f"{_verdict(review, decision)}\n"


def _decision(review: Review, decision: Decision) -> RenderableType:
    title = f"Move {decision.move + 1}, {review.names[decision.seat]}: {_one_line(decision.seen)}"
    table = grid(title, ["choice", "worth", "interval", f"{review.agent} would"], words=1)
    for choice in decision.choices:
        mark = " *" if choice.action == decision.chosen else ""
        table.add_row(
            f"{choice.label}{mark}",
            _estimate(review, choice.value),
            f"[{_shown(review, choice.value.low)}, {_shown(review, choice.value.high)}]",
            f"{100 * choice.likely:.0f}%",
        )
    return table


def _answers(review: Review, everything: bool) -> Iterator[RenderableType]:
    """What agents did, and how likely that was to themselves: what they did least often first."""
    if not review.answers:
        return
    order = sorted(review.answers, key=lambda each: _chosen(each).chance)
    table = grid("What agents did, the least likely first", ["move", "agent", "did", "how likely", "else"], words=5)
    for answer in order if everything else order[:FEW]:
        did = _chosen(answer)
        others = [each for each in answer.likely if each is not did and each.chance > 0][:ELSE]
        said = ", ".join(f"{each.label} {100 * each.chance:.0f}%" for each in others) or "-"
        around = f" [{100 * did.low:.0f}, {100 * did.high:.0f}]" if answer.asked else ""
        shown = f"{100 * did.chance:.0f}%{around}"
        table.add_row(f"{answer.move + 1}", review.names[answer.seat], did.label, shown, said)
    yield table
    if times := sorted({answer.asked for answer in review.answers} - {0}):
        often = " or ".join(map(str, times))
        yield f"With an interval: how often an agent that does not tell its chances did so, asked {often} times again."


def _chosen(answer: Answer) -> Likely:
    """What was done."""
    return next(each for each in answer.likely if each.action == answer.chosen)


def _verdict(review: Review, decision: Decision) -> str:
    """What the choice marked has cost, and what that rests on."""
    how = HOW[decision.how].format(agent=review.agent, since=decision.since)
    rests = f"{decision.games:,} games each, in worlds {how} (as good as {decision.effective:,.0f})."
    cost = decision.cost
    if cost.estimate <= 0:
        return f"* was the best. {rests}"
    apart = f"[{_shown(review, cost.low)}, {_shown(review, cost.high)}]"
    verdict = "A mistake" if decision.mistake else "Not surely a mistake"
    return f"{verdict}: * cost {_estimate(review, cost).lstrip('+')} {apart}. {rests}"


def _one_line(text: str) -> str:
    return "; ".join(line.strip().replace("\t", " ") for line in text.splitlines() if line.strip())


def _estimate(review: Review, value: Interval) -> str:
    return _shown(review, value.estimate)


def _shown(review: Review, value: float) -> str:
    return f"{100 * value:.1f}" if review.unit == "chance" else f"{value:+.2f}"
