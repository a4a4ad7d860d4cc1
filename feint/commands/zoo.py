"""The body of `feint zoo`."""

from __future__ import annotations

from rich.text import Text

from feint import zoo
from feint.arena.show import Paper, grid
from feint.visible import visible


def list_zoo() -> int:
    """List the agents that ship, a row each. The exit code."""
    table = grid("", ["Agent", "Game", "Players", "What it is"], words=4)
    for column in table.columns[:-1]:
        column.no_wrap = True
    for entry in map(zoo.entry, zoo.names()):
        table.add_row(f"zoo:{entry.name}", entry.file.game, entry.options.get("players", ""), _line(entry.about))
    console = Paper()
    console.print(table)
    console.print("feint zoo NAME says how strong one of them is, and what made it.")
    return 0


def describe(name: str) -> int:
    """Say how strong an agent that ships is, and what made it. The exit code."""
    entry = zoo.entry(name.lower().removeprefix("zoo:"))
    options = ", ".join(f"{option}={value}" for option, value in entry.options.items())
    console = Paper()
    console.print(f"zoo:{entry.name} plays {entry.file.game}({options}); its file has {entry.size / 1000:,.0f} kB.")
    console.print(entry.about)
    for each in entry.strength:
        console.print(f"\n{each.what}: {each.result}")
        _command(console, each.command)
    console.print("\nMade by")
    for command in entry.commands:
        _command(console, command)
    return 0


def _line(text: str) -> Text:
    """As much of a text as one line has room for."""
    return Text(visible(text), no_wrap=True, overflow="ellipsis")


def _command(console: Paper, command: str) -> None:
    """A command, in one piece so that it can be copied."""
    console.print(f"  {command}", soft_wrap=True)
