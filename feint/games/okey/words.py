"""Okey in a person's words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

import numpy as np

from feint.games.okey.racks import FALSE, JOKER, Arrangement, arranged, named, sign, signs
from feint.games.okey.rules import Rules
from feint.games.okey.state import DECLARE, DISCARD, DRAW, FINISH, FINISH_WITH_JOKER, SHOW, TAKE
from feint.games.okey.tiles import FACES, KINDS, okey_of
from feint.games.okey.view import NONE, View
from feint.words import Choice, Move, Narration, counted, listed

RECENT = 12  # discards of each player that are shown unasked

RULES = """\
The aim is to be the first whose tiles stand in sets and runs{pairs_too}.
The tiles: yellow (Y), blue (B), black (K) and red (R) ones from 1 to 13, two of each, and two false jokers ({false}). One tile is turned up, the \
indicator. The next number of its colour, 1 after 13, is the joker ({joker}), which stands for any tile; a false joker stands for the tile \
that the joker would be.
The deal: {players} players have 14 tiles each, the starter 15, and the rest is the centre. The starter begins by discarding a tile.
A turn: draw a tile from the centre, or take the one just discarded; then discard one.{show}
Melds: a set is three or four tiles of one number in different colours, a run is {runs} numbers in a row in one colour: 12-13-1 is one, 13-1-2 \
is not.{pairs}
Finishing: when 14 of your 15 tiles stand so you may finish, laying the last one face down. {pay}
The end: {end}"""
PAIRS = {
    "none": "",
    "open": " Seven pairs of identical tiles finish as well.",
    "declared": " Seven pairs of identical tiles finish for whoever declares pairs before the first discard, and nothing else does then.",
}
EMPTY = {
    "draw": "nobody wins a hand once the centre is empty",
    "last-discard": "nobody wins a hand once the centre is empty and somebody declines the discard",
    "reshuffle": "once the centre is empty, all discards but the last become a new one",
}


def describe(view: View, action: int) -> str:
    """An action in a person's words."""
    okey = okey_of(int(view.indicator))
    if action >= DISCARD:
        return f"discard {named(action - DISCARD, okey)}"
    return {
        DRAW: "draw from the centre" if view.centre else "end the hand",
        TAKE: f"take {named(int(view.available), okey)}",
        FINISH: "finish",
        FINISH_WITH_JOKER: "finish with the joker",
        SHOW: "show the indicator's twin",
        DECLARE: "declare pairs",
    }[action]


class OkeyNarration(Narration):
    """Tiles by letter and number; racks arranged as somebody would."""

    emphasis: ClassVar[dict[str, str]] = {
        r"\bR1?\d\b": "red",
        r"\bY1?\d\b": "yellow",
        r"\bB1?\d\b": "blue",
        rf"\bK1?\d\b|[{JOKER}{FALSE}]": "strong",
    }
    signs: ClassVar[dict[str, str]] = {JOKER: "*", FALSE: "o"}
    game: Rules

    # ---- told to everybody

    def tell(self, player: int, before: View, action: int, after: View) -> str:
        return "\n".join(filter(None, [self._move(player, before, action, after), *self._ended(before, after)]))

    def _move(self, player: int, before: View, action: int, after: View) -> str:
        if action >= DISCARD:
            return f"{self._turn(player, before)} {sign(action - DISCARD, okey_of(int(before.indicator)))}."
        if action in (FINISH, FINISH_WITH_JOKER):
            return self._finish(player, after)
        if action == SHOW:
            worth = 2 if self.game.doubled != "none" and before.indicator >= FACES // 2 else 1
            return f"{self.does(player, 'show')} the indicator's twin: the others lose {counted(worth, 'point')}."
        if action == DECLARE:
            return f"{self.does(player, 'declare')} pairs."
        declined = action == DRAW and not before.centre
        return f"{self.does(player, 'leave')} the discard, and the centre is empty." if declined else ""

    def _turn(self, player: int, before: View) -> str:
        """A turn up to what is discarded: it began with a tile from the centre, or with the discard before."""
        discards = self.does(player, "discard")
        turn = int(before.turn)
        if turn == 0:
            return discards
        taken = signs(before.log[turn - 1 : turn], okey_of(int(before.indicator)))
        begun = self.does(player, "take") + f" {taken}" if before.took[turn] else self.does(player, "draw")
        return f"{begun} and {discards.removeprefix(self.name(player)).strip()}"

    def _finish(self, player: int, after: View) -> str:
        past = after.past
        okey = okey_of(int(past.indicator))
        way = ["seven pairs"] * bool(past.by_pairs) + ["the joker"] * bool(past.with_joker)
        rack = past.rack.copy()
        rack[okey] -= past.with_joker
        shown = arranged(rack, okey, self.game.longest_run, bool(past.by_pairs))
        left = f"; {JOKER} is laid down" if past.with_joker else ""
        return f"{self.does(player, 'finish')}{f' with {listed(way)}' if way else ''}: {shown.text(okey)}{left}."

    def _ended(self, before: View, after: View) -> Iterator[str]:
        """What is said when a hand is over, and of the next one."""
        if not after.over and after.hand == before.hand:
            return
        if after.past.winner == NONE and self.game.countdown:
            yield "Nobody wins the hand."
        if not after.over:
            starts = self.does(int(after.starter), "start", begins=False)
            yield f"{self._points(after)} Hand {int(after.hand) + 1}: {starts}. {_indicator(after)}"

    def _points(self, view: View) -> str:
        return (
            f"Points: {', '.join(f'{self.name(seat)} {points}' for seat, points in enumerate(view.points.tolist()))}."
        )

    def end(self, view: View, rewards: np.ndarray) -> str:
        winners = np.asarray(self._winners(view, rewards))
        names = [self.name(seat) for seat in np.flatnonzero(winners).tolist()]
        you = self.reader is not None and winners[self.reader]
        win = f"{listed(names)} {'win' if len(names) > 1 or you else 'wins'}" if names else ""
        if self.game.countdown:
            over = f"The match is over after {counted(int(view.hand) + 1, 'hand')}. {self._points(view)}"
            return f"{over} {win}." if win else over
        paid = ", ".join(f"{self.name(seat)} {each:+.4g}" for seat, each in enumerate(rewards))
        return f"{win or 'A draw, nobody has finished'}{f': {paid}' if rewards.any() else ''}."

    def _winners(self, view: View, rewards: np.ndarray) -> np.ndarray:
        if self.game.countdown:
            return (rewards == rewards.max()) & rewards.any()
        apart = abs(np.arange(self.game.players) - int(view.past.winner))
        return (view.past.winner != NONE) & ((apart == 0) | ((apart == 2) & self.game.partners))

    def rules(self) -> str:
        game = self.game
        dear = ["with seven pairs"] * (game.pairs != "none") + ["with the joker"] * game.joker_finish
        more = f", 4 if you finish {listed(dear, 'or')}" if dear else ""
        both = ", 8 if both" if len(dear) == 2 and game.both == 8 else ""
        double = "; all that is double when the indicator is red or black" if game.doubled != "none" else ""
        partner = " but your partner" if game.partners else ""
        match = (
            f" Everybody has {game.countdown} points to begin with. The match is over when a hand leaves somebody with none, or after "
            f"{counted(game.hands, 'hand')}; most points win."
        )
        show = " Before the first turn, whoever holds the indicator's twin may show it: the others lose 1 point."
        return RULES.format(
            pairs_too=", or in seven pairs" if game.pairs != "none" else "",
            joker=JOKER,
            false=FALSE,
            players=game.players,
            show=show if game.show_indicator else "",
            runs="three or more" if game.longest_run == 5 else "three or four",
            pairs=PAIRS[game.pairs],
            pay=f"Everybody else{partner} loses 2 points{more}{both}{double}.",
            end=f"{EMPTY[game.exhausted]}, and after {game.cap} turns it is over.{match if game.countdown else ''}",
        )

    # ---- told to whoever's view it is

    def show(self, view: View) -> str:
        return "\n".join([*self.table(view), *([] if view.seat < 0 else [self.rack(view)])])

    def table(self, view: View) -> list[str]:
        """What lies open, in lines."""
        match = [f"Hand {int(view.hand) + 1}. {self._points(view)}"] if self.game.countdown else []
        facts = f"{_indicator(view)} {counted(int(view.centre), 'tile')} in the centre."
        return [*match, facts, *(self._discards(view, seat, RECENT) for seat in self._order(view))]

    def _discards(self, view: View, seat: int, most: int) -> str:
        """A player's last discards, those taken by the next one in brackets."""
        turns = [turn for turn in range(int(view.turn)) if (view.hand + turn) % view.players == seat]
        okey = okey_of(int(view.indicator))
        shown = [(sign(int(view.log[turn]), okey), _taken(view, turn)) for turn in turns[-most:]]
        tiles = " ".join(f"({tile})" if taken else tile for tile, taken in shown)
        more = "... " if len(turns) > most else ""
        partner = self.game.partners and view.seat >= 0 and (seat - int(view.seat)) % view.players == 2
        also = ["partner"] * partner + ["pairs"] * bool(view.declared[seat])
        return f"{self.name(seat)}{f' ({listed(also)})' if also else ''}\t{more}{tiles or '-'}"

    def _order(self, view: View) -> list[int]:
        """Everybody in the order of turns, the reader last."""
        return [(int(view.seat) + step) % view.players for step in range(1, view.players + 1)]

    def rack(self, view: View, arrangement: str = "") -> str:
        """One's own tiles, and the one just drawn."""
        okey = okey_of(int(view.indicator))
        text = arrangement or self.arrangement(view, view.rack).text(okey)
        drew = f"\nYou {'took' if _took(view) else 'drew'}\t{sign(int(view.drew), okey)}" if view.drew != NONE else ""
        return f"Your rack\t{text}{drew}"

    def question(self, view: View, legal: np.ndarray) -> str:
        if view.drawing:
            tile = named(int(view.available), okey_of(int(view.indicator)))
            other = "draw from the centre" if view.centre else "end the hand"
            return f"It is your turn: {other}, or take {tile}."
        return f"It is your turn: discard a tile{', or finish' if legal[FINISH] else ''}."

    def choices(self, view: View, legal: np.ndarray) -> list[Choice]:
        return [self._choice(view, int(action)) for action in np.flatnonzero(legal)]

    def _choice(self, view: View, action: int) -> Choice:
        group = "discard" if action >= DISCARD else "draw" if action in (DRAW, TAKE) else "say"
        return Choice(action, describe(view, action), group)

    def notes(self, view: View) -> str:
        okey = okey_of(int(view.indicator))
        lines = ["All discards, those taken by the next player in brackets:"]
        lines += [self._discards(view, seat, self.game.cap) for seat in self._order(view)]
        for seat in self._order(view):
            kinds = np.repeat(np.arange(KINDS), view.known[seat])
            if seat != view.seat and len(kinds):
                lines.append(f"{self.does(seat, 'hold')}\t{signs(kinds, okey)}")
        return "\n".join(lines)

    def advice(self, view: View) -> str:
        okey = okey_of(int(view.indicator))
        missing = self.arrangement(view, view.rack).missing
        if not missing:
            return "Your tiles are a finished hand but for the one to lay down."

        def helps(kind: int) -> bool:
            return self.arrangement(view, view.rack + (np.arange(KINDS) == kind)).missing < missing

        unseen = np.asarray(view.unseen)
        helpful = sorted(filter(helps, np.flatnonzero(unseen).tolist()), key=lambda kind: -unseen[kind])
        named = ", ".join(f"{sign(kind, okey)} ({unseen[kind]})" for kind in helpful) or "nothing"
        offered = int(view.available) if view.drawing else NONE
        take = (
            f" You may take {sign(offered, okey)}, which brings it nearer."
            if offered != NONE and helps(offered)
            else ""
        )
        return f"You are {counted(missing, 'tile')} from a finished hand.{take} Unseen tiles that bring it nearer: {named}."

    # ---- after the game, with nothing hidden

    def scene(self, views: Sequence[View]) -> str:
        view = views[0]
        if not (view.drawing or view.turn == 0):
            return ""
        racks = [self._open(each, seat) for seat, each in enumerate(views)]
        return "\n".join(
            [
                f"Turn {int(view.turn) + 1}. {_indicator(view)} {counted(int(view.centre), 'tile')} in the centre.",
                *racks,
            ]
        )

    def _open(self, view: View, seat: int) -> str:
        return f"{self.name(seat)}\t{self.arrangement(view, view.rack).text(okey_of(int(view.indicator)))}"

    def arrangement(self, view: View, rack: Any) -> Arrangement:
        """Tiles as whoever's view it is has use for them: in melds, in pairs once they are declared, in what is nearer where both finish."""
        pairs = None if self.game.pairs == "open" else bool(view.declared[view.seat])
        return arranged(rack, okey_of(int(view.indicator)), self.game.longest_run, pairs)

    def reveal(self, player: int, before: View, action: int, after: View) -> str:
        okey = okey_of(int(before.indicator))
        if action in (DRAW, TAKE) and after.drew != NONE:
            return f"{self.does(player, 'draw' if action == DRAW else 'take')} {sign(int(after.drew), okey)}."
        if action >= DISCARD:
            told = [f"{self.does(player, 'discard')} {sign(action - DISCARD, okey)}.", *self._ended(before, after)]
            return "\n".join(told)
        return self.tell(player, before, action, after)

    def recap(self, moves: Sequence[Move], views: Sequence[View]) -> str:
        """What was left on the racks."""
        racks = [self._open(view, seat) for seat, view in enumerate(views) if seat != view.past.winner]
        return "\n".join(["Racks at the end:", *racks])


def _indicator(view: View) -> str:
    okey = okey_of(int(view.indicator))
    return f"Indicator {sign(int(view.indicator), NONE)}: {JOKER} is the joker, {FALSE} stands for {sign(okey, NONE)}."


def _taken(view: View, turn: int) -> bool:
    return turn + 1 < len(view.took) and bool(view.took[turn + 1])


def _took(view: View) -> bool:
    return bool(view.took[int(view.turn)])
