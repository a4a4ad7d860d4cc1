"""What there is to play and to play against."""

from __future__ import annotations

from dataclasses import fields
from shutil import get_terminal_size
from textwrap import fill
from typing import Any

from feint import catalogue, registry, zoo
from feint.errors import UserError
from feint.game import Game
from feint.options import written
from feint.terminal.seating import rivals
from feint.visible import visible


def list_games() -> None:
    """Print every game with the options of its rules."""
    for name in registry.game_names():
        try:
            cls = registry.game_class(name)
        except UserError as broken:
            _entry(name, str(broken))
            continue
        _entry(name, f"{cls.speech.title}. {first_line(cls)}" if cls.speech and cls.speech.title else first_line(cls))
        for each in fields(cls):
            _entry(
                f"    {each.name}={written(each.default)}",
                f"{each.metadata.get('help', '')}{_range(each.metadata)}",
                margin=22,
            )
        for preset, options in cls.presets.items():
            _entry(
                f"    {name}:{preset}",
                ", ".join(f"{each}={written(value)}" for each, value in options.items()),
                margin=22,
            )


def list_agents(game: Game) -> None:
    """Print every agent that plays a game with what can be set, those of the zoo, and who sits down at each level."""
    of_zoo = trained(game)
    margin = 2 + max(map(len, [*registry.agent_names(game.name), *of_zoo]))
    for name in registry.agent_names(game.name):
        try:
            cls = registry.agent_class(name, game.name)
        except UserError as broken:
            _entry(name, str(broken), margin)
            continue
        _entry(name, first_line(cls), margin)
        if settings := registry.agent_settings(cls):
            _entry("", ", ".join(_setting(*each) for each in settings.items()), margin)
    for name, about in of_zoo.items():
        _entry(name, about, margin)
    print()
    for level in catalogue.LEVELS:
        _entry(f"--opponents {level}", ", ".join(rivals(game, level)), len("--opponents strong") + 2)


def trained(game: Game) -> dict[str, str]:
    """The agents of the zoo that play a game as it is, and what is said of each in a sentence."""
    playing = (entry for entry in map(zoo.entry, zoo.names()) if entry.plays(game))
    return {f"zoo:{entry.name}": visible(entry.about.partition(". ")[0].rstrip(".") + ".") for entry in playing}


def _entry(name: str, text: str, margin: int = 15) -> None:
    print(fill(f"{name:<{margin - 1}} {text}", get_terminal_size().columns, subsequent_indent=" " * margin))


def first_line(cls: type) -> str:
    """What a class says of itself."""
    return (cls.__doc__ or "").strip().partition("\n")[0]


def _range(metadata: Any) -> str:
    if choices := metadata.get("choices"):
        return f" ({' or '.join(choices)})"
    least, most = metadata.get("least"), metadata.get("most")
    return f" ({least} to {most})" if least is not None and most is not None else ""


def _setting(name: str, default: Any) -> str:
    return f"{name}={default}" if isinstance(default, bool | int | float | str) else name
