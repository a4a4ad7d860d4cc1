"""The rooms of feint: imports point down in the order that CONTRIBUTING.md draws, and never in a circle."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

# Imports that close a circle between two files all the same. A comment in the first of them says why it has to be.
EXCUSED: set[tuple[str, str]] = set()

GENERAL = {"agent", "arena", "evolve", "game", "learn", "solvers", "table"}  # rooms that know no particular game


def files(root: Path) -> dict[str, Path]:
    """Every module below a folder by its name; a package by the name of its folder."""
    found = {".".join(path.relative_to(root).with_suffix("").parts): path for path in (root / "feint").rglob("*.py")}
    return {name.removesuffix(".__init__"): path for name, path in found.items()}


def imported(path: Path) -> Iterator[str]:
    """The dotted name of everything a file imports, wherever it does: within functions and for the checker of types, too."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path} has a relative import, which nothing else here does."
            yield from (f"{node.module}.{each.name}" for each in node.names)


def graph_of(root: Path) -> dict[str, set[str]]:
    """Which modules each module imports. A name within a module is that module's; a package alone is its `__init__`."""
    modules = files(root)
    graph = {}
    for name, path in modules.items():
        longest = (next((each for each in _prefixes(wanted) if each in modules), None) for wanted in imported(path))
        graph[name] = {each for each in longest if each is not None and each != name}
    return graph


def _prefixes(name: str) -> Iterator[str]:
    parts = name.split(".")
    return (".".join(parts[:length]) for length in range(len(parts), 0, -1))


def circles(graph: dict[str, set[str]]) -> list[list[str]]:
    """Groups of those that lead to each other."""
    reach = {each: _reached(graph, each) for each in graph}
    groups = {
        frozenset(other for other in reach[each] if each in reach[other]) for each in graph if each in reach[each]
    }
    return sorted(map(sorted, groups))


def _reached(graph: dict[str, set[str]], start: str) -> set[str]:
    found: set[str] = set()
    ahead = list(graph[start])
    while ahead:
        if (here := ahead.pop()) not in found:
            found.add(here)
            ahead += graph[here]
    return found


def room(module: str) -> str:
    """The file or folder right below feint; each game is a room of its own. The front doors are rooms at the top."""
    front, *parts = module.split(".")
    if parts in ([], ["__main__"]):
        return "cli" if parts else front
    return "/".join(parts[:2]) if parts[0] == "games" and parts[1:] else parts[0]


def rooms_of(graph: dict[str, set[str]]) -> dict[str, set[str]]:
    between: dict[str, set[str]] = {room(module): set() for module in graph}
    for module, wanted in graph.items():
        between[room(module)] |= {room(each) for each in wanted} - {room(module)}
    return between


def drawn() -> dict[str, int]:
    """The line of each room in the drawing of CONTRIBUTING.md, from the top: names two spaces apart, then what they are."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    drawing = text.partition("## The rooms")[2].partition("```text\n")[2].partition("```")[0]
    names = (re.split(r" {3,}", line)[0].split("  ") for line in drawing.splitlines())
    return {name.removesuffix(" ..."): number for number, line in enumerate(names) for name in line}


@pytest.fixture(scope="module")
def graph() -> dict[str, set[str]]:
    return graph_of(ROOT)


def line_of(name: str) -> int:
    lines = drawn()
    return lines[name] if name in lines or not name.startswith("games") else lines["games/bluff"]


def test_no_circle_between_files(graph):
    excused = {name: {each for each in wanted if (name, each) not in EXCUSED} for name, wanted in graph.items()}
    assert circles(excused) == []


def test_excuses_are_needed(graph):
    for name, wanted in EXCUSED:
        assert any({name, wanted} <= set(circle) for circle in circles(graph))


def test_no_circle_between_rooms(graph):
    assert circles(rooms_of(graph)) == []


def test_every_room_is_drawn_and_every_room_that_is_drawn_is_there(graph):
    there = {name for name in rooms_of(graph) if name != "games"}
    assert {name for name in there if not name.startswith("games/")} | {"games/bluff", "games/small"} == set(drawn())


def test_imports_point_down(graph):
    upwards = [
        f"{module} imports {wanted}"
        for module, all_wanted in graph.items()
        for wanted in all_wanted
        if room(module) != room(wanted) and line_of(room(module)) >= line_of(room(wanted))
    ]
    assert sorted(upwards) == []


def test_general_rooms_know_no_particular_game(graph):
    knowing = {name for name, wanted in rooms_of(graph).items() if any(each.startswith("games") for each in wanted)}
    assert knowing & GENERAL == set()


# ---- the walk itself, on a tree of its own


@pytest.fixture
def tree(tmp_path):
    texts = {
        "__init__": "",
        "low": "import os\nimport feint.bottom\n",
        "bottom": "",
        "high": "from feint.low import name\n",
        "games/__init__": "",
        "games/chess/__init__": "",
        "games/chess/rules": "from feint import low\ndef late():\n    from feint.games.chess.words import Words\n",
        "games/chess/words": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from feint.games.chess import rules\n",
    }
    for name, text in texts.items():
        path = tmp_path / "feint" / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return graph_of(tmp_path)


def test_imports_are_found_wherever_they_are(tree):
    assert tree["feint.low"] == {"feint.bottom"}
    assert tree["feint.high"] == {"feint.low"}
    assert tree["feint.games.chess.rules"] == {"feint.low", "feint.games.chess.words"}
    assert tree["feint.games.chess.words"] == {"feint.games.chess.rules"}


def test_a_circle_is_found(tree):
    assert circles(tree) == [["feint.games.chess.rules", "feint.games.chess.words"]]
    assert circles(rooms_of(tree)) == []
    assert rooms_of(tree)["games/chess"] == {"low"}
    tree["feint.bottom"] = {"feint.high"}
    assert circles(rooms_of(tree)) == [["bottom", "high", "low"]]
