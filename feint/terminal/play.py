"""A match at the keyboard: one game after the other, with a running score, as long as somebody wants another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from secrets import randbelow
from typing import Any

from feint.chance import MOST_SEED
from feint.errors import UserError
from feint.files import locked
from feint.game import Game
from feint.interrupts import on_ctrl_c
from feint.record import Record, earlier_games, first_of_match, new_path, newest, path_in_match
from feint.registry import game_names
from feint.seating import is_person, names_of
from feint.table import Table
from feint.terminal.screen import Screen, called, titled
from feint.terminal.seating import seated
from feint.terminal.session import Session
from feint.words import score, speech

YES, NO = ("", "y", "yes"), ("n", "no", "q", "quit")


def start(
    name: str,
    seats: str | None = None,
    players: int | None = None,
    options: list[str] | None = None,
    seed: int | None = None,
    watch: bool = False,
    pause: float | None = None,
    lies: bool = False,
    opponents: str | None = None,
    hired: Callable[[Sequence[str], Game], AbstractContextManager[Sequence[Any]]] | None = None,
) -> int:
    """Play a new match; gives the exit code. Bots among the seats sit down if `hired` brings them."""
    game, specs = seated(name, seats, players, options or [], watch, opponents)
    seed = randbelow(MOST_SEED + 1) if seed is None else seed
    screen = _screen(game, specs)
    with hired(specs, game) if hired else nullcontext(specs) as sitters:
        with screen.busy("Dealing ..."):
            match = Match(Table(game, sitters, seed), screen, new_path(game.name, seed), pause, lies)
        screen.say(f"{titled(game)} with seed {seed}: {', '.join(match.names)}.")
        return match.run()


def resume(which: str | None = None, pause: float | None = None) -> int:
    """Go on with a match that was left: of a file, the last one of a game's name, or the last one; gives the exit code."""
    path = newest(which, unfinished=True) if which is None or which in game_names() else Path(which)
    Record.load(path)  # refused before it is taken in hand
    with locked(path, "The game"):
        record = Record.load(path)
        if record.over:
            raise UserError(f"That game is over; look back at it with {called()} replay {path}.")
        screen = _screen(record.made(), record.seats)
        with screen.busy("Dealing again ..."):
            earlier = earlier_games(path, record)
            match = Match(record.reopened(earlier), screen, first_of_match(path, record), pause)
            session = match.session(path)
            session.catch_up(record)
        if record.number > len(earlier):
            screen.say("The games before it are gone: nobody remembers them, and the score begins anew.")
        over = session.run()
    return match.run(resumed=over)


def _screen(game: Game, seats: Sequence[str]) -> Screen:
    return Screen(speech(game), shared=sum(map(is_person, seats)) > 1)


class Match:
    """A table and the people at one keyboard, who may want another game."""

    def __init__(self, table: Table, screen: Screen, first: Path, pause: float | None, lies: bool = False) -> None:
        self.table, self.screen, self.first, self.pause, self.lies = table, screen, first, pause, lies
        self.people = [chair for chair, spec in enumerate(table.specs) if is_person(spec)]

    @property
    def names(self) -> list[str]:
        """What those in each chair are called."""
        return ["You" if [chair] == self.people else name for chair, name in enumerate(names_of(self.table.specs))]

    def session(self, path: Path) -> Session:
        return Session(self.table, self.screen, path, self.pause, self.lies)

    def run(self, resumed: bool | None = None) -> int:
        """Play until nobody wants another game, from the next one on where one was `resumed`, unless that was left; gives the exit code."""
        over = self.game() if resumed is None else resumed
        while over and self.another():
            with self.screen.busy("Dealing ..."):
                self.table.next_game()
            self.screen.say(f"\nGame {self.table.number + 1}: {', '.join(self.order)}.")
            over = self.game()
        return 0

    def game(self) -> bool:
        """Play a game; whether it came to its end."""
        path = path_in_match(self.first, self.table.number)
        with locked(path, "The game"):
            return self.session(path).run()

    @property
    def order(self) -> list[str]:
        """The names in the order in which they play."""
        return [self.names[self.table.chair(position)] for position in range(self.table.game.players)]

    def another(self) -> bool:
        """Tell the score, and ask people whether they want another game."""
        if not self.people:
            return False
        self.screen.say(self.score())
        try:
            with on_ctrl_c(lambda: "The games are saved."):
                answer = self.screen.ask("Another game? [Y/n] ").lower()
                while answer not in (*YES, *NO):
                    answer = self.screen.ask("Type y for another game, n to stop: ").lower()
                return answer in YES
        except EOFError:
            return False

    def score(self) -> str:
        """What everybody has come to in the match."""
        table = self.table
        by_chair = [table.chair(position) for position in range(table.game.players)]
        wins, paid = table.wins.copy(), table.scores.copy()
        wins[by_chair] += table.winners
        paid[by_chair] += table.rewards
        return score(table.game, self.names, table.number + 1, wins, paid)
