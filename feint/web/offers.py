"""What the lab offers: the games, who plays them, and what is said of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from functools import lru_cache
from inspect import Parameter
from itertools import cycle, islice
from typing import Any

from feint import catalogue, registry
from feint.commands.lists import first_line, trained
from feint.errors import UserError
from feint.game import Game
from feint.seating import names_of
from feint.terminal.screen import titled
from feint.terminal.seating import can_play
from feint.web.refusals import Refusal
from feint.words import narration

FIRST = ("bluff", "holdem", "okey", "bidding")  # in the lobby; the others follow by name
USUAL_LEVEL = "fair"
MOST_OPTIONS = 40  # that a request may name


class Offers:
    """The games of this server; all there are, unless it names some."""

    def __init__(self, names: Sequence[str] = ()) -> None:
        known = [name for name in registry.game_names() if _can_be_made(name)]
        for name in names:
            registry.game_class(name)  # says what there is, where this is none
        offered = [name for name in known if not names or name in names]
        self.names = sorted(offered, key=lambda name: (FIRST.index(name) if name in FIRST else len(FIRST), name))
        self.usual = {name: registry.make(name) for name in self.names}

    def make(self, name: str, players: int | None = None, options: Mapping[str, Any] | None = None) -> Game:
        """A game that is asked for."""
        if name.partition(":")[0] not in self.names:
            raise Refusal(
                "no_such_game", f"There is no game called {name[:40]!r} here. There are: {', '.join(self.names)}."
            )
        given = dict(options or {})
        if players is not None:
            given["players"] = players
        if len(given) > MOST_OPTIONS:
            raise Refusal("refused", "Those are more options than any game has.")
        try:
            return registry.make(
                name, **{key: tuple(value) if isinstance(value, list) else value for key, value in given.items()}
            )
        except UserError as wrong:
            raise Refusal("refused", str(wrong)) from None

    def company(self, game: Game, level: str) -> list[str]:
        """Who sits down with one person."""
        if level not in catalogue.LEVELS:
            raise Refusal("refused", f"The level is {', '.join(catalogue.LEVELS)}, not {level[:40]!r}.")
        return [*islice(cycle(_rivals(game, level)), game.players - 1)]

    def strongest(self, game: Game) -> str:
        return _rivals(game, "strong")[0]

    def character(self, game: Game, spec: str) -> str:
        """An agent in one line."""
        return _character(game, spec)

    def told(self, name: str) -> dict[str, Any]:
        """All that the lobby says of a game."""
        game = self.usual[name]
        offered = [spec for spec in [*registry.agent_names(name), *_trained(game)] if _sits_down(spec, game)]
        return {
            "name": name,
            "title": titled(game),
            "sentence": first_line(type(game)),
            "players": _players(game),
            "options": [_option(each) for each in fields(type(game)) if each.name != "players"],
            "levels": {level: _rivals(game, level) for level in catalogue.LEVELS},
            "agents": [
                {"agent": spec, "name": names_of([spec])[0], "character": _character(game, spec)} for spec in offered
            ],
            "rules": narration(game, [f"Player {seat + 1}" for seat in range(game.players)]).rules(),
            "measure": game.measure,
            "unit": game.unit.total or game.unit.name,
        }


_trained = lru_cache(maxsize=256)(trained)


@lru_cache(maxsize=256)
def _rivals(game: Game, level: str) -> list[str]:
    """Who sits down at a level. Of agents that were trained at this very game none is made to find out: that takes seconds, and the lobby waits."""
    named, known = registry.rivals(game.name, level), _trained(game)
    return [spec for spec in named if ":" not in spec or spec in known or can_play(spec, game)] or ["random"]


@lru_cache(maxsize=1024)
def _character(game: Game, spec: str) -> str:
    if ":" in spec:
        return _trained(game).get(spec, "")
    try:
        return first_line(registry.agent_class(spec.partition("(")[0].strip(), game.name))
    except UserError:
        return ""


def _can_be_made(name: str) -> bool:
    try:
        registry.make(name)
    except (UserError, TypeError):
        return False
    return True


def _sits_down(spec: str, game: Game) -> bool:
    """Whether an agent needs nothing but its name."""
    if ":" in spec:
        return True
    try:
        settings = registry.agent_settings(registry.agent_class(spec, game.name))
    except UserError:
        return False
    return all(default is not Parameter.empty for default in settings.values())


def _players(game: Game) -> dict[str, int]:
    known = next(each for each in fields(type(game)) if each.name == "players").metadata
    return {"usual": game.players, "least": known.get("least") or 2, "most": known.get("most") or game.players}


def _option(each: Any) -> dict[str, Any]:
    known = each.metadata
    told = {"name": each.name, "usual": list(each.default) if isinstance(each.default, tuple) else each.default}
    limits = {"least": known.get("least"), "most": known.get("most"), "choices": list(known.get("choices") or ())}
    return told | {"help": known.get("help", "")} | limits
