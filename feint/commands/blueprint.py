"""The body of `feint solve --algorithm blueprint`."""

from __future__ import annotations

import time
from contextlib import nullcontext
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Any

import jax
from rich.console import Console
from rich.live import Live
from rich.text import Text

from feint.agent import at_game, is_compiled
from feint.arena.show import Paper
from feint.errors import UserError
from feint.files import check_writable, locked
from feint.game import Game
from feint.interrupts import check, on_ctrl_c, shown
from feint.learn import checkpoint
from feint.learn.policy_file import PolicyFile
from feint.options import changed
from feint.reading import refused
from feint.registry import make_agent
from feint.solvers.betting import MOST, betting_tree
from feint.solvers.blueprint import Blueprint
from feint.solvers.blueprint_agent import BlueprintAgent
from feint.solvers.company import company
from feint.solvers.policy import check_made_for
from feint.specs import split_specs

BLUEPRINT = "blueprint"
AT_A_TIME = 0.1  # seconds of iterations after which Ctrl-C is heeded; twice as many at most, within its grace
KEEP_EVERY = 60.0  # seconds between two savings, at the least
SHARE = 0.4  # of the seats are those of company, where there is any
SAVING_FACTOR = 20  # times as long as a saving takes must pass until the next


@dataclass(frozen=True)
class Plan:
    """How a blueprint is to be made."""

    buckets: int | None  # of each round; as the game has it where None
    batch: int  # deals of an iteration
    seed: int
    iterations: int | None = None  # when to stop, ...
    seconds: float | None = None  # or after so many of iterating
    company: str = ""  # agents that sit at its tables, ...
    share: float = SHARE  # and how likely a seat is theirs

    @property
    def settings(self) -> dict[str, Any]:
        """What must be the same for a run to go on, as the command names it."""
        buckets = {} if self.buckets is None else {"buckets": self.buckets}
        company = {"company": self.company, "share": self.share} if self.company else {}
        return {"algorithm": BLUEPRINT, **buckets, "batch": self.batch, "seed": self.seed, **company}

    def agents(self, game: Game[Any, Any]) -> list[Any]:
        """Those who sit at its tables."""
        agents = [make_agent(spec, game) for spec in split_specs(self.company)] if self.company else []
        if not all(map(is_compiled, agents)):
            raise UserError(
                f"--company names compiled agents, which are asked at every place of the betting; not {self.company!r}."
            )
        return [at_game(agent, game) for agent in agents]


def solve(game: Game[Any, Any], plan: Plan, path: Path, fresh: bool = False, most: int | None = None) -> int:
    """Make a blueprint, showing how it goes, and save it; the same command again goes on where it stood. The exit code."""
    if game.betting is None:
        raise UserError(f"{game.name} is not a game of betting for a pot, as --algorithm {BLUEPRINT} needs.")
    if plan.iterations is None and plan.seconds is None:
        raise UserError("Nobody can tell how good a blueprint is: say when to stop by --iterations or --seconds.")
    agents = plan.agents(game)
    bets = game.betting.of(game, plan.buckets)
    console = Paper()
    check_writable(path, "The policy")
    run: _Run | None = None
    with locked(path, "The policy"):
        held = None if fresh or not path.exists() else _held(game, plan, path)
        if fresh:
            _standing(path).unlink(missing_ok=True)
        before = held.made["iterations"] if held else None
        with on_ctrl_c(lambda: stopped(path, run.kept if run else before)):
            with shown(console.status(f"Listing the betting of {game} ...")) as status:
                told = lambda n: status.update(f"Listing the betting of {game}: {n:,} decisions ...")  # noqa: E731
                tree = betting_tree(bets, most or MOST, told)
            console.print(f"{game}: {tree.decisions:,} decisions of betting, {len(tree.paid):,} ends.", soft_wrap=True)
            solver = Blueprint(bets, tree, plan.batch, plan.seed)
            if agents:
                with shown(console.status(f"Asking {plan.company} what they do at every place of the betting ...")):
                    solver.others = company(bets, tree, solver.first, agents, plan.share)
            run = _Run(solver, plan, path, console)
            if held is not None:
                run.go_on(held)
            run.iterate()
    console.print(run.facts())
    seats = ",".join(["me", *[f"policy:{path}"] * (game.players - 1)])
    console.print(f"Saved. Play it: feint play {_named(game)} --seats {seats}", soft_wrap=True)
    return 0


def _standing(path: Path) -> Path:
    """Where it is kept how far the run of a policy has come: much larger than the policy, and only for going on."""
    return path.with_name(f"{path.name}.run")


def _held(game: Game[Any, Any], plan: Plan, path: Path) -> PolicyFile:
    """The policy of a run to go on with, refused where it is of another."""
    held = PolicyFile.load(path)
    check_made_for(game, held.game, held.options, held.version)
    names = {"buckets", "company", "share", *plan.settings}
    differs = [name for name in sorted(names) if held.made.get(name) != plan.settings.get(name)]
    if differs:
        was = ", ".join(f"{name} {held.made[name]}" if name in held.made else f"no --{name}" for name in differs)
        raise UserError(f"{path} was made with {was}: --fresh begins anew, --out names another file.")
    if not _standing(path).exists():
        raise UserError(f"{_standing(path)} is not there, so that the run cannot go on: --fresh begins anew.")
    with refused(f"{path} does not say how far its run has come: --fresh begins anew."):
        int(held.made["iterations"]), float(held.made["seconds"])
    return held


def stopped(path: Path, kept: int | None) -> str:
    """What is said after Ctrl-C, where the file holds so many iterations."""
    if kept is None:
        return "Stopped before the first iterations were kept; the same command begins again."
    iterations = "1 iteration is" if kept == 1 else f"{kept:,} iterations are"
    return f"Stopped; {iterations} kept in {path}, and the same command goes on."


def next_stretch(stretch: int, done: int, took: float) -> int:
    """How many iterations to run at a time, after so many, of a stretch, took so long."""
    return max(1, done // 2) if took > AT_A_TIME else max(stretch, 2 * done)


@dataclass
class _Run:
    """One run: what it works on, and what is known of how far it has come."""

    solver: Blueprint
    plan: Plan
    path: Path
    console: Console
    seconds: float = 0.0  # of iterations, all sittings together
    stretch: int = 1  # iterations at a time
    kept: int | None = None  # iterations that the file holds
    keep_at: float = inf  # when to save next

    def go_on(self, held: PolicyFile) -> None:
        self.solver.known = checkpoint.load(_standing(self.path), self.solver.known)
        self.kept, self.seconds = self.solver.iterations, float(held.made["seconds"])
        self.console.print(f"Going on from {self.path} after {self.kept:,} iterations.", soft_wrap=True)

    def iterate(self) -> None:
        """Run for as long as was said, keeping it from time to time and where Ctrl-C ends it."""
        with shown(self.console.status("Compiling ...")):
            self.solver.run(0)
        self.keep_at = time.monotonic() + KEEP_EVERY
        live = Live(console=self.console, refresh_per_second=4, transient=True) if self.console.is_terminal else None
        try:
            with shown(live) if live else nullcontext():
                while not self._done():
                    self._stretch()
                    if live:
                        live.update(Text(self.facts()))
                    if time.monotonic() > self.keep_at:
                        self.save()
                    check()
        except KeyboardInterrupt:
            self.save()
            raise
        self.save()

    def _done(self) -> bool:
        enough = self.plan.iterations is not None and self.solver.iterations >= self.plan.iterations
        return enough or (self.plan.seconds is not None and self.seconds >= self.plan.seconds)

    def _stretch(self) -> None:
        """As many iterations as take a moment."""
        left = self.plan.iterations - self.solver.iterations if self.plan.iterations is not None else self.stretch
        start, now = time.monotonic(), min(self.stretch, left)
        self.solver.run(now)
        took = time.monotonic() - start
        self.seconds += took
        self.stretch = next_stretch(self.stretch, now, took)

    def facts(self) -> str:
        deals = self.solver.iterations * self.plan.batch
        rate = deals / max(self.seconds, 1e-9)
        return (
            f"{BLUEPRINT}: {self.solver.iterations:,} iterations on {deals:,} deals, {self.seconds:.1f} s, "
            f"{rate:,.0f} deals a second"
        )

    def save(self) -> None:
        start = time.monotonic()
        game, done = self.solver.bets.game, self.solver.iterations
        settings = " ".join(f"--{name} {value}" for name, value in self.plan.settings.items())
        command = f"feint solve {_named(game)} {settings} --iterations {done}"
        made = {**self.plan.settings, "iterations": done, "seconds": round(self.seconds, 3), "command": command}
        agent = BlueprintAgent.of(self.solver)
        checkpoint.save(_standing(self.path), jax.tree.map(jax.device_get, self.solver.known))
        PolicyFile.of(agent, game, made).save(self.path)
        self.kept, now = done, time.monotonic()
        self.keep_at = now + max(KEEP_EVERY, SAVING_FACTOR * (now - start))


def _named(game: Game[Any, Any]) -> str:
    """The game as a command names it, with the options that are not as usual."""
    return " ".join([game.name, *(f"-o {text}" for text in changed(game))])
