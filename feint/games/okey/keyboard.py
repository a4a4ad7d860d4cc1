"""Okey at a keyboard: tiles are typed as they are shown; the rack is arranged by itself, or by hand."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from feint.errors import UserError
from feint.games.okey.racks import FALSE, JOKER, LETTERS, held, sign, signs
from feint.games.okey.rules import Rules
from feint.games.okey.state import DECLARE, DISCARD, DRAW, FINISH, FINISH_WITH_JOKER, SHOW, TAKE
from feint.games.okey.tiles import COLOURS, FALSE_JOKER, NUMBERS, okey_of
from feint.games.okey.view import NONE, View
from feint.games.okey.words import OkeyNarration
from feint.keyboard import Keyboard

TYPING = """\
To begin a turn type draw (or d) or take (or t). To end it type the tile to discard, such as R7 or red 7, * or joker for a joker, o or \
false for a false joker; or type finish. "finish joker" lays down a joker. show and pairs are typed before your first turn.
Your rack stands in order by itself: what is in brackets is complete. "group R7 R8 K8" puts tiles side by side as you like, again and \
again, and "sort" gives them back. "hint" says what a strong player would do, and which tiles help you."""
LEGEND = (
    ", ".join(f"{letter} {colour}" for letter, colour in zip(LETTERS, COLOURS, strict=True))
    + "; in brackets, what is complete."
)
WORDS = {
    DRAW: ("d", "draw", "centre", "center", "draw from the centre"),
    TAKE: ("t", "take", "take it"),
    FINISH: ("f", "finish"),
    FINISH_WITH_JOKER: ("fj", "finish joker", "finish with joker", "finish with the joker", "finish *", "finish ★"),
    SHOW: ("show", "show the indicator's twin", "show indicator"),
    DECLARE: ("p", "pairs", "declare", "declare pairs"),
}
END = ("e", "end", "pass", "end the hand")
TILE = re.compile(rf"(?:discard )?(?:([{LETTERS.lower()}])|({'|'.join(COLOURS)}) ?) ?(\d\d?)")
JOKERS = ("*", JOKER, "joker", "okey", "a joker", "discard a joker", "discard joker")
FALSE_JOKERS = ("o", FALSE, "false", "false joker", "a false joker", "discard a false joker", "discard false joker")


class OkeyKeyboard(Keyboard):
    """Tiles by name; groups are what the person has put side by side, and last until the next "sort"."""

    narration: OkeyNarration
    game: Rules

    def __init__(self, narration: OkeyNarration, width: int = 80) -> None:
        super().__init__(narration, width)
        self.groups: list[list[int]] = []

    def show(self, view: View) -> str:
        rack = self.narration.rack(view, self._by_hand(view))
        if view.drew != NONE:
            return rack  # the table was shown before the draw
        legend = [LEGEND] if view.hand == 0 and view.turn < view.players else []
        return "\n".join([*legend, *self.narration.table(view), rack])

    def _by_hand(self, view: View) -> str:
        """The rack with its groups first, empty where there are none."""
        okey, left, shown = okey_of(int(view.indicator)), view.rack.copy(), []
        for group in self.groups:
            there = []
            for kind in group:
                if left[kind]:
                    left[kind] -= 1
                    there.append(kind)
            shown += [signs(there, okey)] if there else []
        rest = self.narration.arrangement(view, left).text(okey)
        return f"{', '.join(shown)}; {rest}" if shown else ""

    def ask(self, view: View, legal: np.ndarray) -> str:
        also = ["show"] * bool(legal[SHOW]) + ["pairs"] * bool(legal[DECLARE])
        if view.drawing:
            tile = sign(int(view.available), okey_of(int(view.indicator)))
            first = f"Draw, or take {tile}? [d/t] " if view.centre else f"Take {tile}, or end the hand? [t/e] "
        else:
            also += ["finish"] * bool(legal[FINISH]) + ["finish joker"] * bool(legal[FINISH_WITH_JOKER])
            first = "Discard which tile? "
        return f"{first}({', '.join(also)}) " if also else first

    def read(self, view: View, legal: np.ndarray, typed: str) -> list[int]:
        said = " ".join(typed.lower().split())
        if said in END and view.drawing and not view.centre:
            return [DRAW]
        for action, words in WORDS.items():
            if said in words or (action == TAKE and self._is_taken(view, said)):
                return [self._allowed(view, legal, action)]
        kind = self._tile(view, said)
        if kind is None:
            such = "draw or take" if view.drawing else f"a tile as it is shown, such as {self._such(view)}"
            raise UserError(f"{typed.strip()!r} is not an answer: type {such}; ? shows how.")
        if view.drawing:
            raise UserError("First draw from the centre or take the discard: type draw or take.")
        if not view.rack[kind]:
            raise UserError(
                f"You hold no {sign(kind, okey_of(int(view.indicator)))}: type a tile of your rack, such as {self._such(view)}."
            )
        return [DISCARD + kind]

    def _is_taken(self, view: View, said: str) -> bool:
        """Whether the discard that may be taken is named: "take R7"."""
        tile = said.removeprefix("take ")
        return bool(view.drawing) and tile != said and self._tile(view, tile) == view.available

    def _allowed(self, view: View, legal: np.ndarray, action: int) -> int:
        """An action that was named, where it may be done now; else why not."""
        if action in (DRAW, TAKE) and not view.drawing:
            raise UserError(f"You have your tile for this turn: now discard one, such as {self._such(view)}.")
        if action == DRAW and not view.centre:
            raise UserError("The centre is empty: type take for the discard, or end to end the hand.")
        if legal[action]:
            return action
        if action in (FINISH, FINISH_WITH_JOKER):
            raise UserError(self._unfinished(view, action, bool(legal[FINISH])))
        if action == SHOW:
            why = (
                "you do not hold the indicator's twin, or your first turn is over"
                if self.game.show_indicator
                else "these rules have no such thing"
            )
            raise UserError(f"There is nothing to show: {why}.")
        why = (
            "your first turn is over, or you have done so"
            if self.game.pairs == "declared"
            else "these rules have no such thing"
        )
        raise UserError(f"Pairs cannot be declared: {why}.")

    def _unfinished(self, view: View, action: int, with_another: bool) -> str:
        if view.drawing:
            return "You can finish only after your draw: type draw or take."
        if action == FINISH_WITH_JOKER and with_another:
            return "You cannot lay down a joker: type finish, and another tile is laid down."
        missing = self.narration.arrangement(view, view.rack).missing
        tiles = "1 tile is" if missing == 1 else f"{missing} tiles are"
        return f"You have not finished: {tiles} missing. Discard one, such as {self._such(view)}."

    def _tile(self, view: View, said: str) -> int | None:
        """The kind that a text in lower case names."""
        if said in JOKERS:
            return okey_of(int(view.indicator))
        if said in FALSE_JOKERS:
            return FALSE_JOKER
        found = TILE.fullmatch(said)
        if not found or not 1 <= int(found[3]) <= NUMBERS:
            return None
        colour = LETTERS.lower().index(found[1]) if found[1] else COLOURS.index(found[2])
        return colour * NUMBERS + int(found[3]) - 1

    def _such(self, view: View) -> str:
        """One of the tiles held, as an example: the last that stands in no meld."""
        spare = self.narration.arrangement(view, view.rack).spare
        return sign((spare or held(view.rack))[-1], okey_of(int(view.indicator)))

    def aside(self, view: View, typed: str) -> str | None:
        command, *names = typed.lower().split()[:16] or [""]
        if command == "sort":
            self.groups = []
        elif command == "group":
            group = self._group(view, names)
            # A tile stands in one group: the newest.
            self.groups = [[kind for kind in each if kind not in group] for each in self.groups] + [group]
        else:
            return None
        return self.narration.rack(view, self._by_hand(view))

    def _group(self, view: View, names: Sequence[str]) -> list[int]:
        kinds = [self._tile(view, name) for name in names]
        okey, left = okey_of(int(view.indicator)), view.rack.copy()
        for name, kind in zip(names, kinds, strict=True):
            if kind is None or not left[kind]:
                raise UserError(
                    f"{name!r} is not a tile of your rack: write group and tiles as they are shown, such as group {self._such(view)}."
                )
            left[kind] -= 1
        if not kinds:
            raise UserError(
                f"Write group and the tiles that are to stand together, such as group {signs(held(view.rack)[:2], okey)}."
            )
        return [kind for kind in kinds if kind is not None]

    def confirm(self, view: View, actions: Sequence[int]) -> str:
        okey = okey_of(int(view.indicator))
        if actions[-1] - DISCARD == okey:
            return f"You will discard a joker ({JOKER}). Enter to do so, u to take back: "
        return ""

    def typing(self) -> str:
        return TYPING
