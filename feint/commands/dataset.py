"""The body of `feint dataset`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from feint.arena.show import Paper
from feint.commands.match import bar
from feint.dataset.folder import ABOUT
from feint.dataset.making import begun, go_on
from feint.files import locked
from feint.interrupts import on_ctrl_c
from feint.specs import split_specs
from feint.terminal.seating import chosen_game, rivals


def make_dataset(
    name: str, seats: str | None, options: Sequence[str], games: int, seed: int, per_file: int, out: Path
) -> int:
    """Play games, writing every decision as they are played, and say what there is. The exit code."""
    specs = split_specs(seats) if seats is not None else None
    game = chosen_game(name, options, len(specs) if specs else None)
    named = rivals(game)
    agents = specs or [named[seat % len(named)] for seat in range(game.players)]
    console = Paper()
    with locked(out / ABOUT, "The data set"):
        dataset, seated = begun(game, agents, games, out, seed=seed, per_file=per_file)
        done = sum(dataset.games(number)[1] for number in {*range(dataset.files)} - {*dataset.missing()})
        if done:
            console.print(f"Going on in {out} after {done:,} games.", soft_wrap=True, highlight=False)
        written = [0, 0]

        def stopped() -> str:
            return f"Stopped after {done + written[0]:,} of {games:,} games, kept in {out}; the same command goes on."

        with on_ctrl_c(stopped), bar(games, done) as told:

            def progress(more: int, decisions: int) -> None:
                written[0] += more
                written[1] += decisions
                told(more)

            go_on(dataset, seated, progress)
    size = sum(dataset.path(number).stat().st_size for number in range(dataset.files))
    console.print(
        f"{out} holds {games:,} games of {game} in {dataset.files:,} files, {size / 1e6:,.1f} MB; {written[1]:,} decisions were written now.",
        soft_wrap=True,
        highlight=False,
    )
    return 0
