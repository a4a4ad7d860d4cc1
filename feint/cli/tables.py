"""Commands for one table: playing, looking back, and what there is to play."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from feint.cli import completion
from feint.cli.app import GameName, Options, Players, app, load_engine, spare_the_accelerator
from feint.cli.typed import MOST, game_name, path, within
from feint.errors import UserError
from feint.options import with_players


@app.command()
def play(
    game: Annotated[
        str | None,
        typer.Argument(
            callback=game_name,
            autocompletion=completion.games,
            help="A game; with --resume, a file of one that was left.",
        ),
    ] = None,
    seats: Annotated[
        str | None,
        typer.Option(
            autocompletion=completion.seats,
            help="Who sits where: me or me:NAME for people, else agents, such as me:Ann,me:Ben,smart,anxious(2).",
        ),
    ] = None,
    opponents: Annotated[
        str | None,
        typer.Option(
            autocompletion=completion.opponents,
            help="Who plays against you: easy, fair, strong, or names such as smart,counter.",
        ),
    ] = None,
    players: Players = None,
    option: Options = None,
    seed: Annotated[
        int | None, typer.Option(callback=within(0, MOST), help="The same seed deals the same games.")
    ] = None,
    watch: Annotated[bool, typer.Option("--watch", help="Agents alone, with pauses.")] = False,
    pause: Annotated[
        float | None, typer.Option(callback=within(0.0, 3600.0), help="Seconds after each thing that is told.")
    ] = None,
    lies: Annotated[
        bool, typer.Option("--lies", help="With --watch: tell what each move hides, such as lies.")
    ] = False,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the game left last, or with FILE.")] = False,
) -> None:
    """Play a match, or watch agents play a game. People at one keyboard do not see each other's cards."""
    spare_the_accelerator()
    load_engine()
    from feint.connect.bots import hired
    from feint.terminal import play as at_keyboard

    if resume:
        given = {
            "--seats": seats,
            "--opponents": opponents,
            "--players": players,
            "--option": option,
            "--seed": seed,
            "--watch": watch or None,
        }
        if clash := [name for name, value in given.items() if value is not None]:
            raise UserError(f"--resume goes on with a game as it was: leave out {' and '.join(clash)}.")
        raise typer.Exit(at_keyboard.resume(game, pause))
    if lies and not watch:
        raise UserError("--lies goes with --watch: nobody who plays may see what the others hide.")
    if game is None:
        from feint.registry import game_names

        raise UserError(f"Play which game? There are: {', '.join(game_names())}; for instance: feint play bluff.")
    raise typer.Exit(at_keyboard.start(game, seats, players, option, seed, watch, pause, lies, opponents, hired))


@app.command()
def replay(
    file: Annotated[
        str | None,
        typer.Argument(
            callback=game_name,
            autocompletion=completion.games,
            help="A saved game; or the last one of a game's name; or without any, the last one.",
        ),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="All of it at once, without waiting for Enter.")] = False,
    analyse: Annotated[
        bool,
        typer.Option(
            "--analyse", help="What each decision was worth, by playing out every choice; needs a finished game."
        ),
    ] = False,
    agent: Annotated[
        str | None, typer.Option(help="With --analyse: who plays on in all seats; a strong one by default.")
    ] = None,
    play_outs: Annotated[
        int | None,
        typer.Option(callback=within(100, 100_000), help="With --analyse: games for each decision, 2000 by default."),
    ] = None,
    seat: Annotated[
        int | None, typer.Option(help="With --analyse: whose decisions, counted from 1; those of people by default.")
    ] = None,
    seed: Annotated[
        int | None, typer.Option(callback=within(0, MOST), help="With --analyse: of the play-outs.")
    ] = None,
    save: Annotated[Path | None, typer.Option(help="With --analyse: keep the review as JSON.")] = None,
) -> None:
    """Look back at a game: all hands open, every lie shown. --analyse says what its decisions were worth."""
    spare_the_accelerator()
    load_engine()
    if analyse:
        from feint.review.analysis import PLAYOUTS
        from feint.terminal.analysis import analyse as look_at

        return look_at(file, agent, play_outs or PLAYOUTS, seed or 0, seat, everything, save)
    chosen = {"--agent": agent, "--play-outs": play_outs, "--seat": seat, "--seed": seed, "--save": save}
    if alone := [name for name, value in chosen.items() if value is not None]:
        raise UserError(f"{' and '.join(alone)} {'goes' if len(alone) == 1 else 'go'} with --analyse.")
    from feint.terminal.replay import replay

    replay(file, everything)


@app.command()
def records(
    file: Annotated[Path, typer.Argument(parser=path, help="A file with a game on each line (JSONL).")],
    games: Annotated[
        list[Path] | None, typer.Argument(parser=path, help="Games to write; all saved ones unless given.")
    ] = None,
    read: Annotated[bool, typer.Option("--read", help="Save the games of the file among your own instead.")] = False,
) -> None:
    """Write saved games into one file, or read such a file. Each game is a line of it."""
    spare_the_accelerator()
    load_engine()
    from feint.commands.records import read_games, write_games

    if read and games:
        raise UserError("--read takes one file alone: leave out the others.")
    raise typer.Exit(read_games(file) if read else write_games(file, games or []))


@app.command()
def games() -> None:
    """List the games and the options of their rules."""
    load_engine()
    from feint.commands.lists import list_games

    list_games()


@app.command()
def agents(game: GameName, players: Players = None, option: Options = None) -> None:
    """List the agents that play a game. It says what can be set, and who sits down at each level."""
    spare_the_accelerator()
    load_engine()
    from feint.commands.lists import list_agents
    from feint.terminal.seating import chosen_game

    list_agents(chosen_game(game, with_players(option, players)))


@app.command()
def check(
    game: GameName,
    players: Players = None,
    option: Options = None,
    seed: Annotated[int, typer.Option(callback=within(0, MOST), help="Another seed checks other games.")] = 0,
    positions: Annotated[
        int,
        typer.Option(
            callback=within(0, MOST), help="Look at so many positions besides, such as 1000000; that takes minutes."
        ),
    ] = 0,
) -> None:
    """Check that a game keeps the contract all games share."""
    load_engine()
    from feint.commands.check import check as run

    raise typer.Exit(run(game, with_players(option, players), seed, positions))
