"""One game at the keyboard: people answer, agents act, and whatever happens the game is kept."""

from __future__ import annotations

from collections import defaultdict
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from feint.errors import UserError
from feint.interrupts import on_ctrl_c
from feint.keyboard import Keyboard, keyboard
from feint.record import Record
from feint.seating import Person
from feint.story import Story
from feint.table import Table
from feint.terminal.screen import Screen, called
from feint.terminal.seating import rivals
from feint.visible import shortened
from feint.words import Move, Narration, narration

COMMANDS = """\
At any question, ? or help shows this, i shows what you know of the others, hint says what a strong player would do, and q saves the \
game and stops; feint play --resume goes on with it."""
HINT = "hint"
HELP, NOTES, AGREED, TAKEN_BACK = ("?", "h", "help"), ("i", "info"), ("", "y", "yes"), ("u", "undo", "n", "no")


class Quit(Exception):
    """Somebody typed q."""


def _left() -> str:
    return f"The game is saved; go on with: {called()} play --resume"


class Session:
    """A table and the people at one keyboard."""

    def __init__(self, table: Table, screen: Screen, path: Path, pause: float | None, lies: bool = False) -> None:
        self.table, self.screen, self.path = table, screen, path
        self.lies = lies  # whether whoever watches is told what each move hides
        self.people = [seat for seat, who in enumerate(table.seats) if isinstance(who, Person)]
        # Watching has its pace on a screen; among people, agents answer at once.
        self.pause = pause if pause is not None else float(screen.watched and not self.people)
        self.story = Story(table, self.people[0] if len(self.people) == 1 else None)
        self.read: dict[int, int] = defaultdict(int)  # how much of it each person had been told when last asked
        self.at_keyboard: int | None = None
        self.met: set[type] = set()
        self.keyboards: dict[int, Keyboard] = {}  # by seat: each remembers how its person likes things
        self.moves: list[Move] = []
        self.record = Record.of(table)  # as it can be saved at any time: a move is in it whole or not at all
        self.warned = False

    def run(self) -> bool:
        """Play to the end, or until somebody stops; whether it came to its end."""
        with on_ctrl_c(self.interrupted):
            return self.play()

    def play(self) -> bool:
        if self.people and not self.table.number:
            self.screen.say("Type ? for help, q to save the game and stop.")
        try:
            while not self.table.over:
                self.go_on()
        except (Quit, EOFError):
            if self.save():
                self.screen.say(_left())
            return False
        except BaseException:
            self.save()
            raise
        kept = self.save()
        self.screen.say(self.story.end())
        views = [self.table.view(seat) for seat in range(self.table.game.players)]
        if recap := self.story.narration.recap(self.moves, views):
            self.screen.say(recap)
        if kept and not self.table.number:
            self.screen.say(f"The game is saved; look back at it with: {called()} replay")
        return True

    def go_on(self) -> None:
        if self.table.person:
            for action in self.answer(self.table.player):
                self.move(action)
        else:
            self.move()

    def move(self, action: int | None = None) -> None:
        """Make a person's move, or without one an agent's, and tell it."""
        player, before = self.table.player, self.table.view(self.table.player)
        with self.first_time(self.table.seats[player]):
            answered = action is not None
            action = self.table.act() if action is None else action
            if answered:
                self.table.play(action)
            self.record = Record.of(self.table)
        self.moves.append((player, before, action))
        told = self.story.tell(action)
        if answered and told:
            self.save()  # before it is seen: whatever happens then, nobody is asked again what was answered
        if self.lies:
            told = self.story.narration.reveal(player, before, action, self.table.view(player))
        if told:
            self.screen.say(told)
            self.screen.wait(self.pause)

    def first_time(self, who: object) -> AbstractContextManager[object]:
        """A sign of life while the first move of a kind of player is compiled."""
        if type(who) in self.met:
            return nullcontext()
        self.met.add(type(who))
        return self.screen.busy("A moment ...")

    def answer(self, seat: int) -> list[int]:
        """What the person in a seat wants to do."""
        self.save()
        self.hand_over(seat)
        view, legal = self.table.view(seat), self.table.legal
        keys = self.keyboard(seat)
        shown = keys.show(view)
        self.screen.say(f"\n{shown}" if "\n" in shown else shown)  # what takes several lines stands apart
        actions: list[int] = []
        while True:
            confirm = keys.confirm(view, actions) if actions else ""
            if actions and not confirm:
                return actions
            typed = self.typed(confirm or keys.ask(view, legal), keys.stops)
            said = typed.lower()
            if confirm and said in AGREED:
                return actions
            if confirm and said in TAKEN_BACK:
                actions = []
            elif said in HELP:
                self.screen.say(f"\n{keys.help()}\n{COMMANDS}\n\n{shown}")
            elif said in NOTES:
                self.screen.say(keys.narration.notes(view))
            elif said == HINT:
                self.screen.say(self.hint(keys.narration, view))
            else:
                try:
                    aside = keys.aside(view, typed)
                    if aside is None:
                        actions = keys.read(view, legal, typed)
                    else:
                        self.screen.say(aside)
                except UserError as wrong:
                    self.screen.say(shortened(str(wrong), 400))

    def keyboard(self, seat: int) -> Keyboard:
        """How the person in a seat is asked."""
        if seat not in self.keyboards:
            words = narration(self.table.game, self.table.names, seat)
            self.keyboards[seat] = keyboard(words, self.screen.width)
        return self.keyboards[seat]

    def hint(self, words: Narration, view: object) -> str:
        """What the strongest of those who sit down by themselves would do, and what there is to know for it."""
        strongest = rivals(self.table.game, "strong")[0]
        with self.screen.busy("A moment ..."):
            action = self.table.advice(strongest)
        done = self.table.game.describe(view, action)
        return "\n".join(filter(None, [f"A strong player ({strongest}) would {done}.", words.advice(view)]))

    def typed(self, prompt: str, stops: tuple[str, ...] = Keyboard.stops) -> str:
        typed = self.screen.ask(prompt)
        if typed in stops or typed.lower() == "quit":
            raise Quit
        return typed

    def hand_over(self, seat: int) -> None:
        """Where several people share the keyboard, let nobody see another's cards."""
        if len(self.people) > 1 and seat != self.at_keyboard:
            if self.at_keyboard is not None:
                self.screen.hide()
            self.typed(f"{self.table.names[seat]}, press Enter when nobody else is looking. ")
            if self.screen.hide():
                for told in self.story.told[self.read[seat] :]:
                    self.screen.say(told)
        self.at_keyboard = seat
        self.read[seat] = len(self.story.told)

    def catch_up(self, record: Record) -> None:
        """Follow a record to where it was left, and tell the end of it."""
        player, before = self.table.player, self.table.view(self.table.player)
        for action in record.replay(self.table):
            self.story.tell(action)
            self.moves.append((player, before, action))
            player, before = self.table.player, self.table.view(self.table.player)
        self.record = Record.of(self.table)
        last_round = max(0, len(self.story.told) - len(self.table.seats))
        self.read = defaultdict(lambda: last_round)
        self.screen.say(f"Going on with {record.game}, seed {record.seed}, after {self.table.moves} moves.")
        for told in self.story.told[last_round:]:
            self.screen.say(told)

    def interrupted(self) -> str:
        """Keep the game after Ctrl-C, and the sentence that says so."""
        self.record.save(self.path)
        return _left()

    def save(self) -> bool:
        """Keep the game as far as it has come; a folder that cannot be written is told once and spoils no game."""
        try:
            self.record.save(self.path)
        except UserError as unsaved:
            if not self.warned:
                self.screen.say(str(unsaved))
            self.warned = True
            return False
        return True
