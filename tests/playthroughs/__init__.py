"""Recorded games, one text for each; `make playthroughs` makes them anew."""

from pathlib import Path

import pytest

FOLDER = Path(__file__).parent

GAMES: dict[str, tuple[str, dict]] = {
    "bidding": ("bidding", {}),
    "bidding-5-players-played": ("bidding", {"players": 5, "coins": 12, "final": "played"}),
    "bluff": ("bluff", {}),
    "bluff-2-players": ("bluff", {"players": 2}),
    "bluff-5-players-unused": ("bluff", {"players": 5, "remainder": "unused"}),
    "holdem": ("holdem", {}),
    "holdem-3-players": ("holdem", {"players": 3}),
    "kuhn": ("kuhn", {}),
    "kuhn-3-players": ("kuhn", {"players": 3}),
    "leduc": ("leduc", {}),
    "leduc-3-players": ("leduc", {"players": 3, "suits": True}),
    "liars-dice": ("liars-dice", {}),
    "liars-dice-3-players": ("liars-dice", {"players": 3, "dice": 2, "sides": 4}),
    "okey": ("okey", {}),
    "okey-thesis": ("okey:thesis", {}),
}

# Every game once, and one of them at another size; the rest is left to `make test-slow`.
QUICK = ["bidding", "bluff", "holdem", "kuhn", "kuhn-3-players", "leduc", "liars-dice", "okey"]
EACH = [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in GAMES]
