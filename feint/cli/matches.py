"""Commands for many games: matches and their merging, tournaments, searches and studies."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from feint.cli import completion
from feint.cli.app import GameName, Level, On, Options, Players, Save, Seed, app, load_engine
from feint.cli.typed import MOST, game_name, path, within
from feint.options import with_players

Limit = Annotated[
    float | None,
    typer.Option(
        callback=within(0.001, 86400.0),
        help="Seconds that a plain Python agent may take for an answer, as long as it likes by default, and a bot for a message, 10 by default.",
    ),
]
Length = Annotated[
    int, typer.Option(callback=within(1, 10**6), help="Games in a row through which agents keep their memory.")
]
Fault = Annotated[
    str, typer.Option(help="What a bot that errs does: first, the first legal action; forfeit, it loses the game.")
]


@app.command()
def match(
    game: GameName,
    agents: Annotated[
        list[str],
        typer.Argument(
            autocompletion=completion.agents,
            help="Who plays, such as no-bluff smart 'anxious(2)', or bots: process:./bot, http://localhost:8000.",
        ),
    ],
    games: Annotated[int, typer.Option("--games", "-n", callback=within(1, MOST), help="Games in all.")] = 1000,
    seats: Annotated[
        str, typer.Option(help="rotations: everybody in every seat; all: every order; given: as named.")
    ] = "rotations",
    duplicate: Annotated[bool, typer.Option("--duplicate", help="Every seating plays the same deals.")] = False,
    length: Length = 1,
    players: Players = None,
    option: Options = None,
    seed: Seed = 0,
    level: Level = 0.99,
    part: Annotated[
        str | None, typer.Option(metavar="K/N", help="Play only one of N equal parts; feint merge puts them together.")
    ] = None,
    limit: Limit = None,
    fault: Fault = "first",
    save: Save = None,
    plot: Annotated[
        Path | None,
        typer.Option(parser=path, metavar="PATH", help="Draw the standings into a .png, .svg or .pdf file."),
    ] = None,
    on: On = "here",
) -> None:
    """Play many games between agents and say who wins how often. Every rate has its interval."""
    load_engine()
    from feint.commands.match import play_match

    raise typer.Exit(
        play_match(
            game,
            agents,
            options=option or [],
            players=players,
            games=games,
            seats=seats,
            duplicate=duplicate,
            length=length,
            seed=seed,
            level=level,
            part=part,
            limit=limit,
            fault=fault,
            save=save,
            plot=plot,
            on=on,
        )
    )


@app.command()
def tournament(
    game: GameName,
    agents: Annotated[
        list[str],
        typer.Argument(autocompletion=completion.agents, help="Who plays: as many as there are seats, or more."),
    ],
    games: Annotated[int, typer.Option("--games", "-n", callback=within(1, MOST), help="Games in all.")] = 10000,
    seats: Annotated[
        str, typer.Option(help="all: every order; rotations: everybody in every seat; given: as named.")
    ] = "all",
    players: Players = None,
    option: Options = None,
    seed: Seed = 0,
    level: Level = 0.99,
    limit: Limit = None,
    fault: Fault = "first",
    save: Save = None,
    on: On = "here",
) -> None:
    """Play everybody against everybody, and rate them. It gives standings, a cross-table and a rating list."""
    load_engine()
    from feint.commands.match import play_tournament

    raise typer.Exit(
        play_tournament(
            game,
            agents,
            options=with_players(option, players),
            games=games,
            seats=seats,
            seed=seed,
            level=level,
            limit=limit,
            fault=fault,
            save=save,
            on=on,
        )
    )


@app.command()
def bot_test(
    bot: Annotated[str, typer.Argument(help="A program, such as ./bot or 'node bot.js', or an address of one.")],
    game: Annotated[
        str | None,
        typer.Option(callback=game_name, autocompletion=completion.games, help="A game; every game by default."),
    ] = None,
    players: Players = None,
    option: Options = None,
    games: Annotated[
        int, typer.Option("--games", "-n", callback=within(1, 10**5), help="Games that it plays, all seats of each.")
    ] = 32,
    limit: Annotated[
        float | None,
        typer.Option(callback=within(0.001, 86400.0), help="Seconds that it may take for a message; 10 by default."),
    ] = None,
) -> None:
    """Try a bot, and say what is wrong with it. It plays whole games, and again: what it answers, how fast, and whether it does the same."""
    load_engine()
    from feint.commands.bot_test import test_bot

    raise typer.Exit(test_bot(bot, game, with_players(option, players), games, limit))


@app.command()
def merge(
    results: Annotated[list[Path], typer.Argument(parser=path, help="Results that matches or tournaments saved.")],
    save: Save = None,
) -> None:
    """Put saved results of the same game and agents together. They may be parts of a match, or runs of other seeds."""
    load_engine()
    from feint.commands.match import merge_results

    raise typer.Exit(merge_results(results, save))


@app.command()
def gallery(
    game: GameName,
    agent: Annotated[
        str, typer.Argument(autocompletion=completion.agents, help="Who is measured, such as zoo:bluff-10.")
    ],
    table: Annotated[
        list[str] | None,
        typer.Option(metavar="NAMES", help="The others at a further table, such as policy:old.npz,smart,smart."),
    ] = None,
    games: Annotated[int, typer.Option("--games", "-n", callback=within(2, MOST), help="Games at each table.")] = 4800,
    length: Length = 1,
    players: Players = None,
    option: Options = None,
    seed: Seed = 0,
    save: Annotated[
        Path | None, typer.Option(parser=path, metavar="PATH", help="Keep the result, a .json file, and go on from it.")
    ] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Begin anew, whatever the file holds.")] = False,
    on: On = "here",
) -> None:
    """Measure an agent at the fixed tables of its game. They are told from its worst to its best. Stopped, it can go on."""
    load_engine()
    from feint.commands.gallery import show_gallery
    from feint.terminal.seating import chosen_game

    chosen = chosen_game(game, with_players(option, players))
    raise typer.Exit(show_gallery(chosen, agent, table or [], games, seed, save, fresh, on, length))


@app.command()
def search(
    game: GameName,
    agent: Annotated[
        str, typer.Argument(autocompletion=completion.agents, help="Whose settings to search, such as counter.")
    ],
    table: Annotated[
        list[str] | None,
        typer.Option(help="The others at a table; several are weighed: --table 2*smart,smart,smart --table ..."),
    ] = None,
    vary: Annotated[
        list[str] | None,
        typer.Option(help="A setting to search, alone or with a range: win=0.1..100. All numbers by default."),
    ] = None,
    method: Annotated[str, typer.Option(help="cma: CMA-ES; cem: the cross-entropy method.")] = "cma",
    generations: Annotated[int, typer.Option(callback=within(1, 10**6), help="Stop after so many.")] = 40,
    population: Annotated[int, typer.Option(callback=within(4, 10**4), help="Candidates in a generation.")] = 32,
    deals: Annotated[
        int,
        typer.Option(callback=within(1, 10**6), help="Deals a candidate plays at every seating; all play the same."),
    ] = 128,
    seats: Annotated[
        str, typer.Option(help="rotations: every seat in turn; all: every order; given: the agent last.")
    ] = "rotations",
    by: Annotated[
        str | None, typer.Option(help="What to raise: payoff or wins; by default what the game is measured by.")
    ] = None,
    spread: Annotated[
        float, typer.Option(callback=within(1e-6, 1.0), help="Of the first generation, as a share of each range.")
    ] = 0.2,
    games: Annotated[
        int,
        typer.Option("--games", "-n", callback=within(2, MOST), help="Fresh games a table, to measure what was found."),
    ] = 20000,
    players: Players = None,
    option: Options = None,
    seed: Seed = 0,
    level: Level = 0.99,
    out: Annotated[
        Path | None,
        typer.Option(parser=path, metavar="PATH", help="The search's file; runs/search/GAME-AGENT.json by default."),
    ] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Begin anew, whatever the file holds.")] = False,
    on: On = "here",
) -> None:
    """Search the settings with which an agent does best. It plays at tables that you name. Stopped, it can go on."""
    load_engine()
    from feint.commands.search import search as run
    from feint.evolve.search import Settings

    settings = Settings(method, generations, population, deals, seats, by, spread, seed=seed)  # type: ignore[arg-type]
    raise typer.Exit(
        run(
            game,
            agent,
            table or [],
            options=with_players(option, players),
            vary=vary or [],
            settings=settings,
            games=games,
            level=level,
            out=out,
            fresh=fresh,
            on=on,
        )
    )


@app.command()
def study(
    name: Annotated[str | None, typer.Argument(help="A study; feint study --list lists them.")] = None,
    listing: Annotated[bool, typer.Option("--list", help="List the studies, or the sections of one.")] = False,
    only: Annotated[list[str] | None, typer.Option(help="Run this section only; may be given several times.")] = None,
    games: Annotated[int | None, typer.Option(callback=within(1, 10**8), help="Games behind each figure.")] = None,
    seed: Annotated[int, typer.Option(callback=within(0, MOST), help="The same seed gives the same figures.")] = 0,
    out: Annotated[
        Path | None,
        typer.Option(parser=path, metavar="PATH", help="The folder of the report; runs/studies/NAME by default."),
    ] = None,
    on: On = "here",
) -> None:
    """Run published experiments again and write a report. It has the published figures beside ours. Stopped, it can go on."""
    load_engine()
    from feint.commands.study import study as run_study

    raise typer.Exit(run_study(name, listing=listing, only=only or (), games=games, seed=seed, out=out, on=on))
