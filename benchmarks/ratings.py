"""The rating lists that the lab has before a tournament is run in it: of each game, those whom the lobby seats, at the usual table.

python -m benchmarks.ratings                all games
python -m benchmarks.ratings kuhn leduc     some of them; the lists of the others stay as they are
python -m benchmarks.ratings okey --games 400
"""

from __future__ import annotations

import argparse
import json
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from feint import catalogue, registry
from feint.files import write_whole
from feint.terminal.seating import rivals
from feint.web.ratings import SHIPPED, rated

GAMES = 4000  # of a tournament, unless told


def command(name: str, games: int) -> list[str]:
    """The tournament of a game."""
    game = registry.make(name)
    agents = dict.fromkeys(agent for level in catalogue.LEVELS for agent in rivals(game, level))
    lone = ["random"] if len(agents) == 1 else []
    return ["tournament", name, *agents, *lone, "--games", str(games), "--seed", "1"]


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("names", nargs="*")
    asked.add_argument("--games", type=int, default=GAMES)
    given = asked.parse_args()
    lists = json.loads(SHIPPED.read_text("utf-8")) if SHIPPED.exists() else {}
    for name in given.names or registry.game_names():
        words = command(name, given.games)
        with tempfile.TemporaryDirectory() as folder:
            result = Path(folder) / "result.json"
            subprocess.run([sys.executable, "-m", "feint.cli", *words, "--save", str(result)], check=True)
            lists[name] = {"command": f"feint {shlex.join(words)}", "ratings": rated(result)}
        write_whole(SHIPPED, json.dumps(dict(sorted(lists.items())), indent=1) + "\n", "The rating lists")


if __name__ == "__main__":
    main()
