"""From what was typed on the command line to a game and who sits at it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle, islice

from feint import catalogue, registry
from feint.errors import UserError
from feint.game import Game
from feint.options import typed, with_players
from feint.seating import is_person
from feint.specs import split_specs
from feint.words import listed


def chosen_game(name: str, options: Sequence[str] = (), seats: int | None = None) -> Game:
    """A game with options written as `most=3`; where seats are named, as many players as there are seats."""
    given = typed(options, registry.game_class(name).options(), "option", "players=3")
    if seats == 1:
        raise UserError(f"One player makes no game: name everybody at the table of {name}.")
    if seats is not None and given.setdefault("players", seats) != seats:
        raise UserError(f"The rules are to have {given['players']} players, but the table has {seats} seats.")
    return registry.make(name, **given)


def seated(
    name: str, seats: str | None, players: int | None, options: Sequence[str], watch: bool, opponents: str | None = None
) -> tuple[Game, list[str]]:
    """The game and its seats: those asked for, or one person (nobody, to watch) and opponents by name or of a level."""
    people = [] if watch else ["me"]
    if seats is not None and opponents is not None:
        raise UserError("--seats names the opponents: leave out --opponents, or --seats.")
    if opponents is not None and opponents.lower() not in catalogue.LEVELS:
        if opponents.isalpha() and not is_person(opponents) and opponents.lower() not in registry.agent_names(name):
            levels = listed(catalogue.LEVELS, "or")
            raise UserError(f"--opponents must be {levels}, or the names of agents, not {opponents!r}.")
        seats = ",".join([*people, opponents])
    if seats is None:
        game = chosen_game(name, with_players(options, players))
        return game, [*people, *islice(cycle(rivals(game, opponents)), game.players - len(people))]
    specs = split_specs(seats)
    if players is not None and players != len(specs):
        raise UserError(f"--seats names {len(specs)} seats, but --players asks for {players}.")
    if watch and any(is_person(spec) for spec in specs):
        raise UserError("--watch is for agents alone: leave out --watch, or the people among the seats.")
    return chosen_game(name, options, len(specs)), specs


def rivals(game: Game, level: str | None = None) -> list[str]:
    """Who sits down with whoever names nobody: of those that were trained, the ones that know this game."""
    named = registry.rivals(game.name, level.lower()) if level else registry.rivals(game.name)
    return [spec for spec in named if ":" not in spec or can_play(spec, game)] or ["random"]


def can_play(spec: str, game: Game) -> bool:
    """Whether an agent knows this game; it is made to find out."""
    try:
        registry.make_agent(spec, game)
    except UserError:
        return False
    return True
