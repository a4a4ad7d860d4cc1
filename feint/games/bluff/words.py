"""Bluff in a person's words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from feint.games.bluff.view import View

if TYPE_CHECKING:
    from feint.games.bluff.rules import Bluff

RANKS = ("ace", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "jack", "queen", "king")


def describe(rules: Bluff, view: View, action: int) -> str:
    """An action in a person's words."""
    if action < rules.ranks:
        return f"pick a {RANKS[(int(view.turn) + action) % rules.ranks]}"
    return {rules.lay: "lay them down", rules.trust: "let it pass", rules.call: "call bluff"}[action]
