"""The command line. Each command's work is done in the room it belongs to, which is imported only when it is asked for."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import Annotated

import typer

from feint import __version__
from feint.errors import UserError

app = typer.Typer(
    help="feint: a laboratory for games of bluff.",
    no_args_is_help=True,
    rich_markup_mode=None,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

GameName = Annotated[str, typer.Argument(help="A game; feint games lists them.")]
Options = Annotated[
    list[str] | None,
    typer.Option("--option", "-o", metavar="NAME=VALUE", help="An option of the rules; may be given several times."),
]
Players = Annotated[int | None, typer.Option(help="Seats at the table.")]


@app.command()
def play(
    game: Annotated[str | None, typer.Argument(help="A game; with --resume, a file of one that was left.")] = None,
    seats: Annotated[
        str | None,
        typer.Option(
            help="Who sits where: me or me:NAME for people, else agents, such as me:Ann,me:Ben,smart,anxious(2)."
        ),
    ] = None,
    players: Players = None,
    option: Options = None,
    seed: Annotated[int | None, typer.Option(help="The same seed deals the same game.")] = None,
    watch: Annotated[bool, typer.Option("--watch", help="Agents alone, with pauses.")] = False,
    pause: Annotated[float | None, typer.Option(min=0, help="Seconds after each thing that is told.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the game left last, or with FILE.")] = False,
) -> None:
    """Play a game, or watch agents play it. People at one keyboard do not see each other's cards."""
    _spare_the_accelerator()
    _load_engine()
    from feint.terminal import play as at_keyboard

    if resume:
        given = {"--seats": seats, "--players": players, "--option": option, "--seed": seed, "--watch": watch or None}
        if clash := [name for name, value in given.items() if value is not None]:
            raise UserError(f"--resume goes on with a game as it was: leave out {' and '.join(clash)}.")
        raise typer.Exit(at_keyboard.resume(game, pause))
    if game is None:
        from feint.registry import game_names

        raise UserError(f"Play which game? There are: {', '.join(game_names())}; for instance: feint play bluff.")
    raise typer.Exit(at_keyboard.start(game, seats, players, option, seed, watch, pause))


@app.command()
def replay(
    file: Annotated[Path, typer.Argument(help="A saved game.")],
    everything: Annotated[bool, typer.Option("--all", help="All of it at once, without waiting for Enter.")] = False,
) -> None:
    """Look back at a game with all hands open and every lie shown."""
    _spare_the_accelerator()
    _load_engine()
    from feint.terminal.replay import replay

    replay(file, everything)


Seed = Annotated[int, typer.Option(help="The same seed gives the same games.")]
Level = Annotated[float, typer.Option(help="The confidence of every interval.")]
Save = Annotated[Path | None, typer.Option(help="Keep the result: a .json, .csv or .parquet file.")]


@app.command()
def match(
    game: GameName,
    agents: Annotated[list[str], typer.Argument(help="Who plays, such as no-bluff smart 'anxious(2)'.")],
    games: Annotated[int, typer.Option("--games", "-n", help="Games in all.")] = 1000,
    seats: Annotated[
        str, typer.Option(help="rotations: everybody in every seat; all: every order; given: as named.")
    ] = "rotations",
    duplicate: Annotated[bool, typer.Option("--duplicate", help="Every seating plays the same deals.")] = False,
    length: Annotated[int, typer.Option(help="Games in a row through which agents keep their memory.")] = 1,
    option: Options = None,
    seed: Seed = 0,
    level: Level = 0.99,
    save: Save = None,
    plot: Annotated[Path | None, typer.Option(help="Draw win rates into a .png, .svg or .pdf file.")] = None,
) -> None:
    """Play many games between agents and say who wins how often, with intervals."""
    _load_engine()
    from feint.terminal.match import play_match

    raise typer.Exit(
        play_match(
            game,
            agents,
            options=option or [],
            games=games,
            seats=seats,
            duplicate=duplicate,
            length=length,
            seed=seed,
            level=level,
            save=save,
            plot=plot,
        )
    )


@app.command()
def tournament(
    game: GameName,
    agents: Annotated[list[str], typer.Argument(help="Who plays: as many as there are seats, or more.")],
    games: Annotated[int, typer.Option("--games", "-n", help="Games in all.")] = 10000,
    seats: Annotated[
        str, typer.Option(help="all: every order; rotations: everybody in every seat; given: as named.")
    ] = "all",
    option: Options = None,
    seed: Seed = 0,
    level: Level = 0.99,
    save: Save = None,
) -> None:
    """Play everybody against everybody: standings, cross-table and rating list."""
    _load_engine()
    from feint.terminal.match import play_tournament

    raise typer.Exit(
        play_tournament(game, agents, options=option or [], games=games, seats=seats, seed=seed, level=level, save=save)
    )


@app.command()
def games() -> None:
    """List the games and the options of their rules."""
    _load_engine()
    from feint.terminal.lists import list_games

    list_games()


@app.command()
def agents(game: GameName) -> None:
    """List the agents that play a game and what can be set."""
    _load_engine()
    from feint.terminal.lists import list_agents

    list_agents(game)


@app.command()
def check(
    game: GameName,
    players: Players = None,
    option: Options = None,
    seed: Annotated[int, typer.Option(help="Another seed checks other games.")] = 0,
) -> None:
    """Check that a game keeps the contract all games share."""
    _load_engine()
    from feint.terminal.seating import chosen_game
    from feint.testing import ConformanceError, check_game

    chosen = chosen_game(game, option or [], players)
    try:
        report = check_game(chosen, seed=seed)
    except ConformanceError as broken:
        print(f"{chosen} fails: {broken}", file=sys.stderr)
        raise typer.Exit(1) from None
    print(report)


@app.command()
def study(
    name: Annotated[str | None, typer.Argument(help="A study; feint study --list lists them.")] = None,
    listing: Annotated[bool, typer.Option("--list", help="List the studies, or the sections of one.")] = False,
    only: Annotated[list[str] | None, typer.Option(help="Run this section only; may be given several times.")] = None,
    games: Annotated[int | None, typer.Option(help="Games behind each figure.")] = None,
    seed: Annotated[int, typer.Option(help="The same seed gives the same figures.")] = 0,
    out: Annotated[Path | None, typer.Option(help="The folder of the report; runs/studies/NAME unless given.")] = None,
) -> None:
    """Run published experiments again and write a report: published figures beside ours. Stopped, it can go on."""
    _load_engine()
    from feint.studies.command import study as run_study

    raise typer.Exit(run_study(name, listing=listing, only=only or (), games=games, seed=seed, out=out))


@app.command()
def solve(
    game: GameName,
    algorithm: Annotated[str, typer.Option(help="cfr, cfr+, linear, dcfr, pcfr+, or mccfr for large games.")] = "dcfr",
    until: Annotated[
        float | None, typer.Option(help="Stop at this exploitability; 1e-4 unless told otherwise.")
    ] = None,
    iterations: Annotated[int | None, typer.Option(help="Stop after so many iterations.")] = None,
    players: Players = None,
    option: Options = None,
    out: Annotated[
        Path | None, typer.Option(help="The policy's file; runs/policies/GAME-ALGORITHM.npz unless given.")
    ] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Begin anew, whatever the file holds.")] = False,
    most: Annotated[int, typer.Option(help="Refuse a tree of more positions.")] = 5_000_000,
    seed: Annotated[int, typer.Option(help="For mccfr: the same seed gives the same policy.")] = 0,
    batch: Annotated[int, typer.Option(help="For mccfr: deals each player learns from in an iteration.")] = 1024,
) -> None:
    """Compute an equilibrium of a small game and save it as a policy that plays. Stopped, it can go on."""
    _load_engine()
    from feint.solve.command import solve as run
    from feint.terminal.seating import chosen_game

    chosen = chosen_game(game, option or [], players)
    raise typer.Exit(run(chosen, algorithm, until, iterations, out, fresh, most, seed, batch))


@app.command()
def exploit(
    game: GameName,
    agents: Annotated[list[str], typer.Argument(help="One agent for all seats, or one for each.")],
    players: Players = None,
    option: Options = None,
    draws: Annotated[int, typer.Option(min=1, help="Draws by which an agent that mixes is known.")] = 2000,
    seed: Annotated[int, typer.Option(help="Another seed draws differently.")] = 0,
    most: Annotated[int, typer.Option(min=1, help="Refuse a tree of more positions.")] = 5_000_000,
) -> None:
    """Say exactly how exploitable agents are in a small game: what a best response to them would gain."""
    _load_engine()
    from feint.solve.command import how_exploitable
    from feint.terminal.seating import chosen_game

    raise typer.Exit(how_exploitable(chosen_game(game, option or [], players), agents, draws, seed, most))


@app.command()
def search(
    game: GameName,
    agent: Annotated[str, typer.Argument(help="Whose settings to search, such as counter.")],
    table: Annotated[
        list[str] | None,
        typer.Option(help="The others at a table; several are weighed: --table 2*smart,smart,smart --table ..."),
    ] = None,
    vary: Annotated[
        list[str] | None,
        typer.Option(help="A setting to search, alone or with a range: win=0.1..100. All numbers unless given."),
    ] = None,
    method: Annotated[str, typer.Option(help="cma: CMA-ES; cem: the cross-entropy method.")] = "cma",
    generations: Annotated[int, typer.Option(help="Stop after so many.")] = 40,
    population: Annotated[int, typer.Option(help="Candidates in a generation.")] = 32,
    deals: Annotated[int, typer.Option(help="Deals a candidate plays at every seating; all play the same.")] = 128,
    seats: Annotated[
        str, typer.Option(help="rotations: every seat in turn; all: every order; given: the agent last.")
    ] = "rotations",
    by: Annotated[str, typer.Option(help="What to raise: payoff or wins.")] = "payoff",
    spread: Annotated[float, typer.Option(help="Of the first generation, as a share of each range.")] = 0.2,
    games: Annotated[
        int, typer.Option("--games", "-n", help="Fresh games a table, to measure what was found.")
    ] = 20000,
    option: Options = None,
    seed: Seed = 0,
    level: Level = 0.99,
    out: Annotated[
        Path | None, typer.Option(help="The search's file; runs/search/GAME-AGENT.json unless given.")
    ] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Begin anew, whatever the file holds.")] = False,
) -> None:
    """Search the settings with which an agent does best at some tables. Stopped, it can go on."""
    _load_engine()
    from feint.evolve.search import Settings
    from feint.terminal.search import search as run

    settings = Settings(method, generations, population, deals, seats, by, spread, seed=seed)  # type: ignore[arg-type]
    raise typer.Exit(
        run(
            game,
            agent,
            table or [],
            options=option or [],
            vary=vary or [],
            settings=settings,
            games=games,
            level=level,
            out=out,
            fresh=fresh,
        )
    )


@app.command()
def train(
    game: Annotated[str | None, typer.Argument(help="A game; feint games lists them.")] = None,
    algorithm: Annotated[str | None, typer.Option(help="How to learn; ppo unless given.")] = None,
    table: Annotated[
        list[str] | None,
        typer.Option(
            "--table",
            "--opponents",
            metavar="NAMES",
            help="Who sits with the learner, such as no-bluff,smart,past; me is the learner, past one of its past selves. "
            "May be given several times, 3*no-bluff,smart,past for three of a kind; without any, the learner has every seat.",
        ),
    ] = None,
    seats: Annotated[
        str | None, typer.Option(help="all: seats drawn for every game; rotations; given: as named.")
    ] = None,
    set: Annotated[
        list[str] | None, typer.Option(metavar="NAME=VALUE", help="A setting of the algorithm; see --settings.")
    ] = None,
    config: Annotated[Path | None, typer.Option(help="A TOML file such as the run.toml of another run.")] = None,
    steps: Annotated[int | None, typer.Option(help="Steps to learn from in all.")] = None,
    seed: Annotated[int | None, typer.Option(help="The same seed gives the same agent.")] = None,
    against: Annotated[
        list[str] | None, typer.Option(metavar="NAMES", help="Another table at which the learner is evaluated.")
    ] = None,
    evaluations: Annotated[int | None, typer.Option(help="How often it is evaluated; 20 times unless given.")] = None,
    games: Annotated[int | None, typer.Option(help="Games at each table of an evaluation; 1000 unless given.")] = None,
    option: Options = None,
    out: Annotated[
        Path | None, typer.Option(help="The run's folder; runs/train/GAME-ALGORITHM-SEED unless given.")
    ] = None,
    resume: Annotated[Path | None, typer.Option(metavar="RUN", help="Go on with the run in this folder.")] = None,
    settings: Annotated[bool, typer.Option("--settings", help="List the settings of the algorithm.")] = False,
) -> None:
    """Train an agent by playing: against itself, named agents or its past selves. Stopped, it can go on."""
    _load_engine()
    from feint.learn import command
    from feint.terminal.seating import chosen_options

    if settings:
        raise typer.Exit(command.explain(algorithm or "ppo"))
    given = {
        "game": game,
        "options": chosen_options(game, option or []) if game else None,
        "algorithm": algorithm,
        "tables": table,
        "seats": seats,
        "seed": seed,
        "against": against,
        "evaluations": evaluations,
        "games": games,
    }
    chosen = [*(set or []), *([f"steps={steps}"] if steps is not None else [])]
    raise typer.Exit(command.train(given, chosen, config, out, resume))


@app.command()
def zoo() -> None:
    """List the trained agents that ship, how strong they are and the commands that made them."""
    _spare_the_accelerator()
    _load_engine()
    from feint.zoo.command import list_zoo

    raise typer.Exit(list_zoo())


@app.command()
def curves(
    runs: Annotated[list[Path], typer.Argument(help="Folders of training runs.")],
    out: Annotated[Path, typer.Option(help="The figure: a .png, .svg or .pdf file.")] = Path("curves.png"),
) -> None:
    """Draw the learning curves of training runs into one figure."""
    from feint.learn.command import curves as draw

    raise typer.Exit(draw(runs, out))


def _spare_the_accelerator() -> None:
    # One game needs no accelerator, and waking one takes longer than the deal; JAX_PLATFORMS still has the last word.
    os.environ.setdefault("JAX_PLATFORMS", "cpu")


def _load_engine() -> None:
    # Python cannot be interrupted in the middle of loading JAX without a traceback or a crash: until it is loaded, Ctrl-C ends the process.
    before = signal.signal(signal.SIGINT, signal.SIG_DFL)
    import feint.engine  # noqa: F401

    signal.signal(signal.SIGINT, before)


def _version(asked: bool) -> None:
    if asked:
        print(f"feint {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Say the version.")
    ] = False,
) -> None:
    pass


def main() -> None:
    """Run the command line: bad input costs one sentence and exit code 2."""
    try:
        app(prog_name="feint")
    except UserError as wrong:
        print(f"feint: {wrong}", file=sys.stderr)
        raise SystemExit(2) from None


if __name__ == "__main__":
    main()
