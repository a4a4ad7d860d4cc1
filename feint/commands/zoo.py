"""The body of `feint zoo`."""

from __future__ import annotations

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from feint import zoo
from feint.options import written
from feint.visible import visible


def list_zoo() -> int:
    """List the agents that ship, how strong they are and what made them. The exit code."""
    console = Console(highlight=False)
    for name in zoo.names():
        entry = zoo.entry(name)
        options = ", ".join(f"{option}={written(value)}" for option, value in entry.file.options.items())
        about = visible(f"  {entry.file.game}({options}), {entry.size / 1000:,.0f} kB")
        console.print(Text.assemble((f"zoo:{name}", "bold"), about), soft_wrap=True)
        console.print(Padding(_shown(entry.about), (0, 0, 0, 2)))
        for each in entry.strength:
            console.print(Padding(_shown(f"{each.what}: {each.result}"), (0, 0, 0, 2)))
            console.print(_shown(f"    {each.command}"), soft_wrap=True)
        console.print("  made by")
        console.print(_shown(f"    {entry.command}"), soft_wrap=True)
    return 0


def _shown(text: str) -> Text:
    """What a file says, and nothing that the terminal or its markup would obey."""
    return Text(visible(text, keep="\n"))
