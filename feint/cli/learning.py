"""Commands that train agents and show what came of it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from feint.cli import completion
from feint.cli.app import On, Options, Players, app, load_engine, spare_the_accelerator
from feint.cli.typed import MOST, game_name, path, within
from feint.errors import UserError
from feint.options import with_players


@app.command()
def train(
    game: Annotated[
        str | None,
        typer.Argument(callback=game_name, autocompletion=completion.games, help="A game; feint games lists them."),
    ] = None,
    algorithm: Annotated[
        str | None,
        typer.Option(
            help="How to learn; by default mmd where the learner has every seat, ppo where others play, and in some games another: see --settings."
        ),
    ] = None,
    table: Annotated[
        list[str] | None,
        typer.Option(
            "--table",
            "--opponents",
            metavar="NAMES",
            help="Who sits with the learner, such as no-bluff,smart,past; me is the learner, past one of its past selves. "
            "May be given several times, 3*no-bluff,smart,past for three of a kind; smart,past,... fills a table of any size with these in turn; "
            "without any, the learner has every seat. "
            "An opponent-model has none: name all who sit there.",
        ),
    ] = None,
    seats: Annotated[
        str | None, typer.Option(help="all: seats drawn for every game; rotations; given: as named.")
    ] = None,
    length: Annotated[
        int | None,
        typer.Option(
            callback=within(1, 10**6),
            help="Games in a row that the same people play, who keep their memory through them; 1 by default.",
        ),
    ] = None,
    set: Annotated[
        list[str] | None, typer.Option(metavar="NAME=VALUE", help="A setting of the algorithm; see --settings.")
    ] = None,
    config: Annotated[
        Path | None,
        typer.Option(
            parser=path,
            metavar="PATH",
            help="A TOML file such as the run.toml of another run, or one with [[stages]] that are trained one after another.",
        ),
    ] = None,
    steps: Annotated[int | None, typer.Option(callback=within(1, 10**13), help="Steps to learn from in all.")] = None,
    seed: Annotated[
        int | None, typer.Option(callback=within(0, MOST), help="The same seed gives the same agent.")
    ] = None,
    against: Annotated[
        list[str] | None, typer.Option(metavar="NAMES", help="Another table at which the learner is evaluated.")
    ] = None,
    evaluations: Annotated[
        int | None,
        typer.Option(
            callback=within(0, 10**6), help="How often it is evaluated; by default 20 times, at Okey once; 0 is never."
        ),
    ] = None,
    games: Annotated[
        int | None,
        typer.Option(
            callback=within(1, 10**7), help="Games at each table of an evaluation; by default 1000, at Okey 96."
        ),
    ] = None,
    bar: Annotated[
        list[str] | None,
        typer.Option(
            metavar="GOAL",
            help="What is to be reached at every table of named agents, such as 50 (percent won, or payoff), or at one, "
            "90@no-bluff,smart,reinforcement. Half of all games are then played where most is missing.",
        ),
    ] = None,
    exploiters: Annotated[
        int | None,
        typer.Option(
            callback=within(0, 10**6),
            help="How often somebody is trained to win from the learner, to sit in seats of past where it does.",
        ),
    ] = None,
    exploiter_steps: Annotated[
        int | None, typer.Option(callback=within(1, 10**13), help="Steps each learns from; 10,000,000 by default.")
    ] = None,
    exploiter_delay: Annotated[
        int | None,
        typer.Option(
            callback=within(0, 2**31 - 1),
            help="Updates from when each is begun to when it sits down; 0 by default. With --on ray it is trained meanwhile.",
        ),
    ] = None,
    restarts: Annotated[
        int | None,
        typer.Option(
            callback=within(0, 1000), help="How often it may begin again from its best policy where it collapses early."
        ),
    ] = None,
    also: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SIZE",
            help="Tables of another size, such as players=3, players=10,coins=50 or, drawn anew for every game, coins=1..50, "
            "at which the same network learns in turn; may be given several times.",
        ),
    ] = None,
    serve: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SIZE",
            help="A size of table between those learned at, such as players=5, that the policy file serves, too; may be given several times.",
        ),
    ] = None,
    devices: Annotated[
        int | None,
        typer.Option(
            callback=within(1, 2**20),
            help="GPUs, or other devices of this machine, that the tables are divided among; 1 by default. --resume takes another number.",
        ),
    ] = None,
    players: Players = None,
    option: Options = None,
    out: Annotated[
        Path | None,
        typer.Option(parser=path, metavar="PATH", help="The run's folder; runs/train/GAME-ALGORITHM-SEED by default."),
    ] = None,
    resume: Annotated[
        Path | None, typer.Option(parser=path, metavar="RUN", help="Go on with the run in this folder.")
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(
            "--from",
            parser=path,
            metavar="DIR",
            help="Learn to do what was done in a data set that feint dataset made, and play nothing.",
        ),
    ] = None,
    on: On = "here",
    settings: Annotated[
        bool, typer.Option("--settings", help="List the settings of the algorithm, as they are by default at the game.")
    ] = False,
) -> None:
    """Train an agent by self-play, against others or from data. Others are agents that you name, or its past selves. Stopped, it can go on."""
    load_engine()
    from feint.commands import stages
    from feint.commands import train as command

    if settings and data is None:
        raise typer.Exit(command.explain(algorithm, game))
    given = {
        "game": game,
        "algorithm": algorithm,
        "tables": table or None,  # what may be given several times is an empty list where it is not
        "seats": seats,
        "length": length,
        "seed": seed,
        "against": against or None,
        "evaluations": evaluations,
        "games": games,
        "bars": bar or None,
        "exploiters": exploiters,
        "exploiter_steps": exploiter_steps,
        "exploiter_delay": exploiter_delay,
        "restarts": restarts,
        "also": also or None,
        "serve": serve or None,
    }
    if data is not None:
        from feint.commands import cloning

        others = {
            name: value for name, value in given.items() if name not in ("game", "seed") and value is not None
        } | {
            name: value
            for name, value in (
                ("config", config),
                ("resume", resume),
                ("steps", steps),
                ("devices", devices),
                ("on", on),
            )
            if value not in (None, "here")
        }
        if others:
            raise UserError(f"--from learns from games that were played: leave out {', '.join(others)}.")
        if settings:
            raise typer.Exit(cloning.explain())
        raise typer.Exit(cloning.clone(data, game, with_players(option, players), set or [], seed or 0, out))
    chosen = [*(set or []), *([f"total_timesteps={steps}"] if steps is not None else [])]
    options = with_players(option, players)
    if stages.asked(config, resume):
        beside = {**given, "set": chosen or None, "option": options or None}
        raise typer.Exit(stages.train(beside, config, out, resume, devices, on))
    raise typer.Exit(command.train(given, chosen, config, out, resume, options, devices, on))


@app.command()
def zoo(
    name: Annotated[
        str | None,
        typer.Argument(
            autocompletion=completion.shipped, help="An agent, such as leduc-1: how strong it is, and what made it."
        ),
    ] = None,
) -> None:
    """List the trained agents that ship, or describe one."""
    spare_the_accelerator()
    load_engine()
    from feint.commands.zoo import describe, list_zoo

    raise typer.Exit(describe(name) if name else list_zoo())


@app.command()
def curves(
    runs: Annotated[list[Path], typer.Argument(parser=path, help="Folders of training runs.")],
    out: Annotated[
        Path, typer.Option(parser=path, metavar="PATH", help="The figure: a .png, .svg or .pdf file.")
    ] = Path("curves.png"),
) -> None:
    """Draw the learning curves of training runs into one figure."""
    from feint.commands.train import curves as draw

    raise typer.Exit(draw(runs, out))
