"""The body of `feint zoo`."""

from __future__ import annotations

from rich.console import Console
from rich.padding import Padding

from feint import zoo
from feint.options import written


def list_zoo() -> int:
    """List the agents that ship, how strong they are and what made them. The exit code."""
    console = Console(highlight=False)
    for name in zoo.names():
        entry = zoo.entry(name)
        options = ", ".join(f"{option}={written(value)}" for option, value in entry.file.options.items())
        console.print(
            f"[bold]zoo:{name}[/bold]  {entry.file.game}({options}), {entry.size / 1000:,.0f} kB", soft_wrap=True
        )
        console.print(Padding(entry.about, (0, 0, 0, 2)))
        for each in entry.strength:
            console.print(Padding(f"{each.what}: {each.result}", (0, 0, 0, 2)))
            console.print(f"    {each.command}", soft_wrap=True, markup=False)
        console.print("  made by")
        console.print(f"    {entry.command}", soft_wrap=True, markup=False)
    return 0
