"""Commands that solve small games."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from feint.cli import completion
from feint.cli.app import GameName, On, Options, Players, app, load_engine
from feint.cli.typed import MOST, path, within
from feint.options import with_players


@app.command()
def solve(
    game: GameName,
    algorithm: Annotated[
        str,
        typer.Option(help="cfr, cfr+, linear, dcfr, pcfr+, mccfr for large games, or blueprint for games of betting."),
    ] = "dcfr",
    until: Annotated[
        float | None,
        typer.Option(callback=within(1e-12, 1e12), help="Stop at this exploitability; 1e-4 by default."),
    ] = None,
    iterations: Annotated[
        int | None, typer.Option(callback=within(1, MOST), help="Stop after so many iterations.")
    ] = None,
    players: Players = None,
    option: Options = None,
    out: Annotated[
        Path | None,
        typer.Option(
            parser=path,
            metavar="PATH",
            help="The policy's file; runs/policies/GAME-OPTIONS-ALGORITHM.npz by default.",
        ),
    ] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Begin anew, whatever the file holds.")] = False,
    most: Annotated[
        int | None,
        typer.Option(callback=within(1, MOST), help="Refuse a tree of more positions than this, or 5,000,000."),
    ] = None,
    seed: Annotated[
        int,
        typer.Option(callback=within(0, MOST), help="For mccfr and blueprint: the same seed gives the same policy."),
    ] = 0,
    batch: Annotated[
        int, typer.Option(callback=within(1, 10**6), help="For mccfr and blueprint: the deals of an iteration.")
    ] = 1024,
    abstraction: Annotated[
        str, typer.Option(help="For mccfr: tell apart only what this abstraction of the game keeps.")
    ] = "",
    buckets: Annotated[
        int | None,
        typer.Option(callback=within(1, 1000), help="For blueprint: kinds of hands told apart in a round."),
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option(callback=within(0.001, 1e9), help="For blueprint: stop after so many seconds of iterations."),
    ] = None,
    company: Annotated[
        str,
        typer.Option(
            metavar="NAMES", help="For blueprint: agents that it meets besides itself, such as tanh,always-raise."
        ),
    ] = "",
    share: Annotated[
        float, typer.Option(callback=within(0.01, 0.99), help="For --company: how likely a seat is one of theirs.")
    ] = 0.4,
) -> None:
    """Compute an equilibrium of a small game and save it. The policy plays wherever agents do. Stopped, it can go on."""
    load_engine()
    from feint.commands.solve import solve as run
    from feint.terminal.seating import chosen_game

    chosen = chosen_game(game, with_players(option, players))
    rest = seed, batch, abstraction, buckets, seconds, company, share
    raise typer.Exit(run(chosen, algorithm, until, iterations, out, fresh, most, *rest))


@app.command()
def exploit(
    ctx: typer.Context,
    game: GameName,
    agents: Annotated[
        list[str], typer.Argument(autocompletion=completion.agents, help="One agent for all seats, or one for each.")
    ],
    players: Players = None,
    option: Options = None,
    draws: Annotated[
        int,
        typer.Option(
            callback=within(1, 10**7),
            help="Of an agent that draws its actions: draws by which its probabilities are told.",
        ),
    ] = 2000,
    seed: Annotated[int, typer.Option(callback=within(0, MOST), help="Another seed has other draws.")] = 0,
    most: Annotated[int, typer.Option(callback=within(1, MOST), help="Refuse a tree of more positions.")] = 5_000_000,
    local: Annotated[
        bool, typer.Option("--local", help="What a local best response wins, in games of betting too large for more.")
    ] = False,
    hands: Annotated[int, typer.Option(callback=within(1, 10**9), help="For --local: the hands that it plays.")] = 8192,
    train: Annotated[
        int | None,
        typer.Option(
            metavar="STEPS",
            callback=within(1, 10**13),
            help="What a best response wins that is trained for so many steps, in any game: a lower bound. Stopped, it can go on.",
        ),
    ] = None,
    seeds: Annotated[
        int, typer.Option(callback=within(1, 1000), help="For --train: responses trained, of which the best counts.")
    ] = 3,
    games: Annotated[
        int, typer.Option("--games", "-n", callback=within(2, MOST), help="For --train: fresh games that measure it.")
    ] = 20_000,
    length: Annotated[
        int, typer.Option(callback=within(1, 10**6), help="For --train: games in a row through which agents remember.")
    ] = 1,
    set: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VALUE", help="For --train: a setting of ppo; see feint train --algorithm ppo --settings."
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            parser=path,
            metavar="PATH",
            help="For --train: the result's .json file; runs/exploit/GAME-AGENT.json by default. The runs are beside it.",
        ),
    ] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="For --train: begin anew, whatever was kept.")] = False,
    on: On = "here",
) -> None:
    """Say how exploitable agents are. In a small game that is exact; a trained best response (--train) gives a lower bound in any game, a local one (--local) in games of betting."""
    load_engine()
    from feint.commands.local_best_response import how_locally_exploitable
    from feint.commands.solve import how_exploitable
    from feint.commands.trained_response import how_trainably_exploitable
    from feint.errors import UserError
    from feint.terminal.seating import chosen_game

    sources = {name: ctx.get_parameter_source(name) for name in ctx.params}
    given = {name for name, source in sources.items() if source and source.name == "COMMANDLINE"}
    if train is None and given & {"seeds", "games", "length", "set", "out", "fresh"}:
        raise UserError(
            "--seeds, --games, --length, --set, --out and --fresh are for --train STEPS, which trains a best response."
        )
    if not local and "hands" in given:
        raise UserError("--hands is for --local, which plays hands against a local best response.")
    if (local or train is not None) and given & {"draws", "most"}:
        raise UserError("--draws and --most are for exact answers, not for a response that is local or trained.")
    if train is None and on != "here":
        raise UserError("--on is for --train STEPS: everything else about an agent is worked out here.")
    if train is not None and local:
        raise UserError("Ask for one kind of response at a time: --local or --train.")
    chosen = chosen_game(game, with_players(option, players))
    if train is not None:
        raise typer.Exit(
            how_trainably_exploitable(chosen, agents, train, seeds, seed, games, set or [], out, fresh, on, length)
        )
    if local:
        raise typer.Exit(how_locally_exploitable(chosen, agents, hands, seed))
    raise typer.Exit(how_exploitable(chosen, agents, draws, seed, most))
