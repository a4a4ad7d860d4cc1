"""The body of `feint train --from`: an agent that does what was done in a data set."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from feint.arena.show import Paper
from feint.commands.train import list_settings
from feint.dataset import Dataset
from feint.errors import UserError
from feint.files import check_writable, locked
from feint.interrupts import on_ctrl_c, pressed, shown
from feint.learn.cloning import POLICY, RUN, Cloning, Epoch, Run
from feint.options import make, typed, usual
from feint.terminal.seating import chosen_game


def clone(
    data: Path, name: str | None, options: Sequence[str], settings: Sequence[str], seed: int, out: Path | None
) -> int:
    """Learn from a data set, showing how it goes, and save the policy. The exit code."""
    dataset = Dataset.open(data)
    if name is None and options:
        raise UserError("--option and --players go with the name of the game.")
    if name is not None:
        bare = name == dataset.about.game and not options  # with whatever options it was played
        dataset.check_game(dataset.game if bare else chosen_game(name, options))
    how = make(Cloning, typed(settings, usual(Cloning), "setting", "epochs=4"))
    folder = out or Path("runs") / "train" / f"{dataset.game.name}-cloning-{seed}"
    check_writable(folder / RUN, "The run")
    console = Paper()

    def tell(epoch: Epoch) -> None:
        console.print(
            f"Epoch {epoch.epoch} of {how.epochs}: {epoch.decisions:,} decisions, loss {epoch.loss:.4f}. Held out: "
            f"{100 * epoch.accuracy:.1f}% predicted, loss {epoch.held_out_loss:.4f} (uniform play {epoch.even:.4f}).",
            soft_wrap=True,
            highlight=False,
        )

    with (
        locked(folder / RUN, "The run"),
        on_ctrl_c(lambda: f"Stopped; epochs that were over are kept in {folder}, and the same command goes on."),
    ):
        run = Run(dataset, how, seed, folder)
        console.print(
            f"Learning {dataset.game} from {data}: {dataset.about.games:,} games.", soft_wrap=True, highlight=False
        )
        for epoch in run.epochs:
            tell(epoch)
        with shown(console.status("Learning ...")):
            finished = run.train(tell, pressed)
        if not finished:
            raise KeyboardInterrupt
    file = folder / POLICY
    console.print(f"Saved: {file}", soft_wrap=True, highlight=False)
    seats = ",".join(["me", *[f"policy:{file}"] * (dataset.game.players - 1)])
    console.print(f"Play against it: feint play {dataset.game.name} --seats {seats}", soft_wrap=True, highlight=False)
    return 0


def explain() -> int:
    """List the settings. The exit code."""
    list_settings("cloning", Cloning)
    return 0
