"""The bodies of `feint solve` and `feint exploit`."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from math import ceil, inf
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

from feint.arena.show import Paper
from feint.commands import blueprint
from feint.commands.blueprint import BLUEPRINT
from feint.errors import NotSmall, UserError
from feint.files import check_writable, locked
from feint.game import Game
from feint.interrupts import check, on_ctrl_c, shown
from feint.options import changed
from feint.plain import read
from feint.reading import refused
from feint.solvers.abstraction import Abstraction
from feint.solvers.best_response import Exploitation, exploit
from feint.solvers.cfr import ALGORITHMS, Solver
from feint.solvers.mccfr import Sampler, SamplingSettings
from feint.solvers.plot import log_curve
from feint.solvers.policy import SavedPolicy, check_size
from feint.solvers.sequence_form import SequenceForm
from feint.solvers.solution import GROWTH
from feint.solvers.tabular import profile_of
from feint.solvers.tree import MOST, build

MCCFR = "mccfr"
LARGEST = 2**31 - 1  # of all that is counted
WATCHED = 300_000  # positions of a tree that is built only to tell how good sampling is
KEEP_EVERY = 60.0  # seconds between two savings


def solve(
    game: Game[Any, Any],
    algorithm: str = "dcfr",
    until: float | None = None,
    iterations: int | None = None,
    out: Path | None = None,
    fresh: bool = False,
    most: int | None = None,
    seed: int = 0,
    batch: int = 1024,
    abstraction: str = "",
    buckets: int | None = None,
    seconds: float | None = None,
    company: str = "",
    share: float = blueprint.SHARE,
) -> int:
    """Solve a game, showing how it goes, and save its policy; the same command again goes on where it stood. The exit code."""
    _check(algorithm, until, iterations, most, batch, abstraction)
    path = out or _usual_path(game, algorithm, abstraction)
    if algorithm == BLUEPRINT:
        if until is not None:
            raise UserError(f"--until is not for {BLUEPRINT}: say when to stop by --iterations or --seconds.")
        plan = blueprint.Plan(buckets, batch, seed, iterations, seconds, company, share)
        return blueprint.solve(game, plan, path, fresh, most)
    for name, value in (("--buckets", buckets), ("--seconds", seconds), ("--company", company or None)):
        if value is not None:
            raise UserError(f"{name} is for {BLUEPRINT} alone, not for {algorithm}.")
    most = most or MOST
    Abstraction.named(game, abstraction)  # refused before anything is built
    console = Paper()
    check_writable(path, "The policy")
    run: _Run | None = None
    with locked(path, "The policy"):
        before = None if fresh or not path.exists() else SavedPolicy.load(path)
        held = before.made.get("iterations") if before else None
        with on_ctrl_c(lambda: blueprint.stopped(path, (run and run.kept) or held)):
            run = _Run(game, algorithm, most, SamplingSettings(batch, seed, abstraction), console)
            if before is not None:
                run.go_on(before, path)
            if run.form is None and iterations is None:
                raise UserError(
                    f"{game} is too large to tell how exploitable a policy is: say when to stop by --iterations."
                )
            target = until if until is not None else (1e-4 if iterations is None else None)
            run.iterate(target, iterations, path)
            run.save(path)
    run.tell(path)
    return 0


def _usual_path(game: Game[Any, Any], algorithm: str, abstraction: str) -> Path:
    """A file for each game, by all of its options that are not as usual."""
    told = "-".join(filter(None, [game.name, *changed(game), algorithm, abstraction]))
    return Path("runs") / "policies" / f"{re.sub('[^A-Za-z0-9=+.,-]', '_', told)}.npz"


def _check(
    algorithm: str, until: float | None, iterations: int | None, most: int | None, batch: int, abstraction: str
) -> None:
    known = [*ALGORITHMS, MCCFR, BLUEPRINT]
    if algorithm not in known:
        raise UserError(f"There is no algorithm {algorithm!r}; there are: {', '.join(known)}.")
    if abstraction and algorithm != MCCFR:
        raise UserError(f"--abstraction is for {MCCFR}; {algorithm} tells everything apart.")
    if until is not None and not until > 0:
        raise UserError(f"--until must be an exploitability above 0, not {until:g}.")
    for name, value in (("--iterations", iterations), ("--most", most), ("--batch", batch)):
        if value is not None and not 1 <= value <= LARGEST:
            raise UserError(f"{name} must be a whole number from 1 to {LARGEST:,}, not {value}.")


@dataclass(frozen=True)
class _SoFar:
    """What a file says of the run that made it, for that to go on."""

    curve: list[tuple[int, float]]
    seconds: float

    def __post_init__(self) -> None:
        if not self.seconds >= 0 or not all(0 <= x < LARGEST and y < inf for x, y in self.curve):
            raise ValueError("numbers that no run comes to")


@dataclass
class _Run:
    """One run of a solver: what it works on, and what is known of how far it has come."""

    game: Game[Any, Any]
    algorithm: str
    most: int
    sampling: SamplingSettings
    console: Console
    form: SequenceForm | None = None
    solver: Solver | Sampler = field(init=False)
    curve: list[tuple[int, float]] = field(default_factory=list)  # iterations and exploitability
    found: Exploitation | None = None
    seconds: float = 0.0  # of iterations, all sittings together
    stretch: int = 1  # iterations at a time
    kept: int | None = None  # iterations that the file holds
    kept_at: float = -inf

    def __post_init__(self) -> None:
        self.form = self._form()
        if self.form is not None:
            self.console.print(f"{self.form.tree}.", soft_wrap=True)
        if self.algorithm == MCCFR:
            self.solver = Sampler(self.game, self.sampling)
        else:
            assert self.form is not None
            sets = self.form.tree.infosets
            check_size(self.game, 8 * len(sets) + 32 * sets.legal.size)  # keys, the policy and where the run stands
            self.solver = Solver(self.form, ALGORITHMS[self.algorithm])

    def _form(self) -> SequenceForm | None:
        """The tree, if it may be built; sampling does without, but then nothing tells how good it is."""
        try:
            with shown(self.console.status(f"Building the tree of {self.game} ...")) as status:
                told = lambda n: status.update(f"Building the tree of {self.game}: {n:,} positions ...")  # noqa: E731
                most = min(self.most, WATCHED) if self.algorithm == MCCFR else self.most
                return SequenceForm.of(build(self.game, most, told))
        except UserError as why:
            if self.algorithm == MCCFR:
                return None
            if self.game.betting is None or not isinstance(why, NotSmall):
                raise
            raise NotSmall(
                f"{why} --algorithm {BLUEPRINT} --seconds 300 makes a policy for it, as for any game of betting for a pot."
            ) from None

    @property
    def described(self) -> dict[str, Any]:
        """What must be the same for a run to go on, as the command names it."""
        if self.algorithm != MCCFR:
            return {"algorithm": self.algorithm}
        named = {"abstraction": self.sampling.abstraction} if self.sampling.abstraction else {}
        return {"algorithm": self.algorithm, "batch": self.sampling.batch, "seed": self.sampling.seed, **named}

    def go_on(self, saved: SavedPolicy, path: Path) -> None:
        saved.check_for(self.game)
        wanted = {"abstraction": None} | self.described
        differs = [name for name, value in wanted.items() if saved.made.get(name) != value]
        if differs:
            was = ", ".join(f"{name} {saved.made.get(name, 'none')}" for name in differs)
            raise UserError(f"{path} was made with {was}: --fresh begins anew, --out names another file.")
        with refused(f"{path} does not say where its run stood: --fresh begins anew, --out names another file."):
            so_far = read(_SoFar, {name: saved.made[name] for name in ("curve", "seconds")})
            self.solver.restore(saved.run)
        self.curve, self.seconds, self.kept = so_far.curve, so_far.seconds, self.solver.iterations
        self.console.print(f"Going on from {path} after {self.kept:,} iterations.")
        self._look()

    def iterate(self, until: float | None, iterations: int | None, path: Path) -> None:
        """Run until good enough or long enough, keeping it from time to time and where Ctrl-C ends it."""
        live = Live(console=self.console, refresh_per_second=4, transient=True) if self.console.is_terminal else None
        with shown(self.console.status("Compiling ...")):
            self.solver.run(0)
        try:
            with shown(live) if live else nullcontext():
                while not self._done(until, iterations):
                    goal = ceil(self.solver.iterations * GROWTH) + 1
                    self._run(min(goal, iterations or goal), path)
                    self._look()
                    if live:
                        live.update(self._shown())
        except KeyboardInterrupt:
            self.save(path)
            raise

    def _run(self, goal: int, path: Path) -> None:
        """Iterate as far as that, in stretches short enough to stop after."""
        while self.solver.iterations < goal:
            start, now = time.monotonic(), min(self.stretch, goal - self.solver.iterations)
            self.solver.run(now)
            took = time.monotonic() - start
            self.seconds += took
            self.stretch = blueprint.next_stretch(self.stretch, now, took)
            if time.monotonic() - self.kept_at > KEEP_EVERY:
                self.save(path)
            check()

    def _done(self, until: float | None, iterations: int | None) -> bool:
        enough = iterations is not None and self.solver.iterations >= iterations
        good = until is not None and self.found is not None and self.found.exploitability <= until
        return enough or good

    def _look(self) -> None:
        if self.form is not None:
            self.found = exploit(self.form, self._policy())
            here = (self.solver.iterations, self.found.exploitability)
            self.curve = [point for point in self.curve if point[0] < here[0]] + [here]

    def _policy(self) -> np.ndarray:
        if isinstance(self.solver, Solver):
            return self.solver.average()
        assert self.form is not None
        return self.solver.average_on(self.form.tree.infosets)

    def _shown(self) -> Group:
        parts = [Text(self._facts())]
        if self.curve:
            parts += [
                Text("exploitability by iterations"),
                Text(log_curve(self.curve, min(72, self.console.width - 10), plain=self.console.options.ascii_only)),
            ]
        return Group(*parts)

    def _facts(self) -> str:
        rate = self.solver.iterations / max(self.seconds, 1e-9)
        facts = f"{self.algorithm}: {self.solver.iterations:,} iterations, {self.seconds:.1f} s, {rate:,.0f} a second"
        return facts + (f", exploitability {self.found.exploitability:.3g}" if self.found else "")

    def save(self, path: Path) -> None:
        if isinstance(self.solver, Sampler):
            sets, policy = self.solver.average()
        else:
            assert self.form is not None
            sets, policy = self.form.tree.infosets, self.solver.average()
        made: dict[str, Any] = {
            **self.described,
            "iterations": self.solver.iterations,
            "seconds": round(self.seconds, 3),
            "curve": self.curve,
            "command": self._command(),
        }
        if self.found:
            made |= {"exploitability": self.found.exploitability, "values": self.found.values.tolist()}
        SavedPolicy.of(self.game, sets, policy, made, self.solver.arrays(), self.sampling.abstraction).save(path)
        self.kept, self.kept_at = made["iterations"], time.monotonic()

    def _command(self) -> str:
        """What gives the same policy again."""
        settings = [f"--{name} {value}" for name, value in self.described.items()]
        return " ".join(["feint solve", self._named(), *settings, f"--iterations {self.solver.iterations}"])

    def _named(self) -> str:
        """The game as a command names it, with the options that are not as usual."""
        return " ".join([self.game.name, *(f"-o {text}" for text in changed(self.game))])

    def tell(self, path: Path) -> None:
        self.console.print(self._shown())
        if self.found:
            self.console.print(f"Value by seat: {_numbers(self.found.values)}; to gain: {_numbers(self.found.gains)}.")
        seats = ",".join(["me", *[f"policy:{path}"] * (self.game.players - 1)])
        self.console.print(f"Saved. Play it: feint play {self._named()} --seats {seats}", soft_wrap=True)


def _numbers(values: np.ndarray) -> str:
    return ", ".join(f"{value:.6g}" for value in values)


def how_exploitable(
    game: Game[Any, Any], agents: Sequence[str], draws: int = 2000, seed: int = 0, most: int = MOST
) -> int:
    """Say what agents earn, one for all seats or one for each, and what a best response to the others would. The exit code."""
    from feint.arena.show import grid
    from feint.registry import make_agent

    if len(agents) not in (1, game.players):
        raise UserError(f"Name one agent for all seats or one for each of the {game.players}, not {len(agents)}.")
    console = Paper()
    made = [make_agent(spec, game) for spec in agents]
    try:
        with shown(console.status(f"Building the tree of {game} ...")):
            form = SequenceForm.of(build(game, most))
    except NotSmall as large:
        local = " or --local" if game.betting else ""
        raise NotSmall(f"{large} For a lower bound instead, add --train STEPS{local}.") from None
    console.print(f"{form.tree}.", soft_wrap=True)
    with shown(console.status("Asking the agents at every information set ...")):
        found = exploit(form, profile_of(form, made, seed, draws))
    table = grid(
        "Payoffs of each seat against the others", ["Seat", "Agent", "Earns", "Best response", "Gain"], words=2
    )
    for seat in range(game.players):
        row = found.values[seat], found.best[seat], found.gains[seat]
        table.add_row(f"{seat + 1}", agents[seat % len(agents)], *(f"{value:.6f}" for value in row))
    console.print(table)
    console.print(f"NashConv {found.nash_conv:.6g}, exploitability (the mean gain) {found.exploitability:.6g}.")
    return 0
