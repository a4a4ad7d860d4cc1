"""Commands that meet the programs of the Annual Computer Poker Competition."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import typer

from feint.cli import completion
from feint.cli.app import Level, Seed, app, load_engine, spare_the_accelerator
from feint.cli.typed import MOST, path, within
from feint.errors import UserError

acpc = typer.Typer(
    help="Play Limit Hold'em with dealers and bots of the ACPC. That is the Annual Computer Poker Competition.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
app.add_typer(acpc, name="acpc")

LOOPBACK = "127.0.0.1"
LONGEST = 10**6  # seconds
PORT = within(1, 65535)


def _agents(incomplete: str) -> list[str]:
    return completion.playing("holdem", incomplete)


@acpc.command()
def play(
    agent: Annotated[str, typer.Option(autocompletion=_agents, help="Who plays; feint agents holdem lists them.")],
    port: Annotated[int, typer.Option(callback=PORT, help="The port of the seat.")],
    host: Annotated[str, typer.Option(help="Where the dealer is.")] = LOOPBACK,
    game: Annotated[
        Path | None,
        typer.Option(
            parser=path,
            metavar="FILE",
            help="The dealer's game definition, so that all is compiled before the match; "
            "by default the ACPC's limit game for as many players as there are.",
        ),
    ] = None,
    seed: Seed = 0,
    wait: Annotated[
        float, typer.Option(callback=within(0.0, LONGEST), help="Seconds to wait for a dealer that is not there yet.")
    ] = 10.0,
    level: Level = 0.99,
) -> None:
    """Sit an agent down at a dealer's table, and play until the dealer hangs up."""
    spare_the_accelerator()
    load_engine()
    from feint.commands.acpc import play as run

    raise typer.Exit(run(host, port, agent, game, seed, wait, level))


@acpc.command()
def deal(
    game: Annotated[Path, typer.Option(parser=path, metavar="FILE", help="The game definition.")],
    hands: Annotated[int, typer.Option("--hands", "-n", callback=within(1, MOST), help="Hands in all.")],
    seed: Seed = 0,
    ports: Annotated[
        str | None,
        typer.Option(metavar="PORTS", help="A port for each bot, such as 9001,9002; any that are free by default."),
    ] = None,
    names: Annotated[
        str | None,
        typer.Option(metavar="NAMES", help="What everybody is called, such as Ann,Ben; p1,p2 and so on by default."),
    ] = None,
    seat: Annotated[
        list[str] | None,
        typer.Option(
            metavar="N=AGENT", help="An agent within the dealer, such as 2=always-call; may be given several times."
        ),
    ] = None,
    host: Annotated[str, typer.Option(help="Where bots can connect: 0.0.0.0 is from everywhere.")] = LOOPBACK,
    log: Annotated[
        Path | None,
        typer.Option(parser=path, metavar="FILE", help="The log; runs/acpc/GAME-HANDS-SEED.log by default."),
    ] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Begin anew, whatever the log holds.")] = False,
    timeout: Annotated[
        float, typer.Option(callback=within(0.001, LONGEST), help="Seconds that a bot may take for an answer.")
    ] = 600.0,
    hand_timeout: Annotated[
        float, typer.Option(callback=within(0.001, LONGEST), help="Seconds that a bot may take in a hand.")
    ] = 600.0,
    average: Annotated[
        float, typer.Option(callback=within(0.001, LONGEST), help="Seconds a hand that a bot may take on average.")
    ] = 7.0,
    start: Annotated[
        float | None,
        typer.Option(callback=within(0.001, LONGEST), help="Seconds in which bots must connect; any by default."),
    ] = None,
    level: Level = 0.99,
) -> None:
    """Host a match for bots, one port a seat, with a log as the ACPC's dealer writes it. Broken off, it can go on."""
    spare_the_accelerator()
    load_engine()
    from feint.commands.acpc import deal as run
    from feint.connect.acpc.dealer import Limits

    called = [name.strip() for name in names.split(",")] if names is not None else []
    limits = Limits(timeout, hand_timeout, average, start)
    raise typer.Exit(run(game, hands, seed, _ports(ports), called, seat or [], host, log, fresh, limits, level))


@acpc.command()
def check(
    log: Annotated[Path, typer.Argument(parser=path, help="A dealer's log.")],
    game: Annotated[
        Path | None,
        typer.Option(parser=path, metavar="FILE", help="Its game definition; the ACPC's limit game by default."),
    ] = None,
    level: Level = 0.99,
) -> None:
    """Check a log against the rules, and say what everybody won."""
    spare_the_accelerator()
    load_engine()
    from feint.commands.acpc import check_log

    raise typer.Exit(check_log(log, game, level))


@acpc.command()
def phh(
    file: Annotated[Path, typer.Argument(parser=path, help="A dealer's log, or hands in a .phh or .phhs file.")],
    out: Annotated[
        Path, typer.Option(parser=path, metavar="FILE", help="The hands: a .phhs file of a log, a log of a .phhs file.")
    ],
    game: Annotated[
        Path | None,
        typer.Option(parser=path, metavar="FILE", help="A log's game definition; the ACPC's limit game by default."),
    ] = None,
) -> None:
    """Write the hands of a log in the PHH format, or those of a PHH file as a log. It takes the extra "connect"."""
    spare_the_accelerator()
    load_engine()
    from feint.commands.acpc import phh as run

    raise typer.Exit(run(file, out, game))


def _ports(text: str | None) -> list[int]:
    parts = text.split(",") if text is not None else []
    if not all(re.fullmatch(r"\s*\d{1,5}\s*", part) and 1 <= int(part) <= 65535 for part in parts):
        raise UserError(f"--ports must be numbers from 1 to 65535 with commas between them, not {text!r}.")
    return [int(part) for part in parts]
