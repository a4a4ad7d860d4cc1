"""A game at the keyboard: scripted through a pipe, stopped, gone on with, looked back at."""

import io
import re

import pytest

from feint.errors import UserError
from feint.record import Record
from feint.table import Table
from feint.terminal import play
from feint.terminal.replay import replay
from feint.terminal.screen import Screen
from feint.terminal.seating import chosen_game
from feint.terminal.session import Session

GAME = chosen_game("bluff", [], 2)


@pytest.fixture(autouse=True)
def _own_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))


@pytest.fixture
def typing(monkeypatch):
    """Answers through a pipe."""

    def answers(*lines: str) -> None:
        monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))

    return answers


def saved(tmp_path) -> list:
    return sorted((tmp_path / "feint" / "games").glob("*.json"))


class Truster(Screen):
    """Somebody who lays the first card of the hand and believes everybody."""

    def ask(self, prompt: str) -> str:
        print(prompt)
        return "#1" if prompt.startswith("Lay") else ""


def test_a_scripted_game_reads_like_the_screen(typing, capsys, tmp_path):
    typing("Help", "I", "1x", "1 2", "u", "#1", "", "y", "q", "never read")
    assert play.start("bluff", seats="me,no-bluff", seed=1) == 0
    out = capsys.readouterr().out
    assert out.startswith(
        "Bluff with seed 1: You, No-Bluff.\nType ? for help, q to save the game and stop.\n\nRank to play: Aces."
    )
    assert "Lay 1 to 4 cards as Aces: Help\n\nThe aim is to be the first without cards." in out
    assert "Lay 1 to 4 cards as Aces: I\nNo-Bluff: nothing known.\n" in out
    assert "Lay 1 to 4 cards as Aces: 1x\n'1x' is not a card" in out
    assert re.search(
        r"You will lay \S+ \S+ as 2 Aces. Enter to lay, u to take back: u\nLay 1 to 4 cards as Aces: #1\n", out
    )
    assert re.search(
        r"You will lay \S+ as an Ace. Enter to lay, u to take back: \nYou lay 1 card as an Ace, 25 left.\n", out
    )
    assert re.search(r"Call bluff\? \[y/N\] y\nYou call bluff: No-Bluff shows ", out)
    assert out.endswith("q\nThe game is saved; go on with: feint play --resume\n")
    assert "never read" not in out
    assert "\x1b" not in out
    assert max(map(len, out.splitlines())) <= 80
    [path] = saved(tmp_path)
    assert re.fullmatch(r"bluff-\d{4}-\d\d-\d\d-\d{6}-1\.json", path.name)
    assert not Record.load(path).over


def test_other_cards_may_replace_those_shown_back(typing, capsys):
    typing("#1", "#2 #3", "")
    play.start("bluff", seats="me,no-bluff", seed=1)
    assert "You lay 2 cards as Aces, 24 left." in capsys.readouterr().out


def test_a_game_stopped_again_and_again_is_the_game_played_through(typing, capsys, tmp_path):
    whole = Session(Table(GAME, ["me", "smart"], 5), Truster(), tmp_path / "whole.json", 0)
    assert whole.run()
    out = capsys.readouterr().out
    assert "The game is saved; look back at it with: feint replay\n" in out
    assert re.search(r"The winning play was (a lie|the truth): \S+ .*as .*\.\n", out)
    assert re.search(r"You: \d+ plays?, \d+ lies?, \d+ caught; \d+ calls?, \d+ right\.\n", out)
    assert re.search(r"\nCards left:\n(You|Smart) +\S+[♠♥♦♣]", out)
    assert re.search(r"(You win|Smart wins) after \d+ turns, with no cards left\.", out)

    typing("#1", "", "n")  # the answers end: as good as q
    assert play.start("bluff", seats="me,smart", seed=5) == 0
    typing("#1", "", "q")
    assert play.resume() == 0
    out = capsys.readouterr().out
    assert "Going on with bluff, seed 5, after " in out
    assert out.count("Smart lays") >= 2  # the last of it is told again
    [path] = saved(tmp_path)
    left = Record.load(path)
    session = Session(left.reopened(), Truster(), path, 0)
    session.catch_up(left)
    session.run()
    assert Record.load(path) == Record.load(tmp_path / "whole.json")
    with pytest.raises(UserError, match="That game is over; look back at it"):
        play.resume(str(path))
    with pytest.raises(UserError, match="no unfinished game"):
        play.resume()


def test_an_interrupt_keeps_the_game(capsys, tmp_path):
    class Impatient(Truster):
        def ask(self, prompt: str) -> str:
            if prompt.startswith("Call"):
                raise KeyboardInterrupt
            return super().ask(prompt)

    path = tmp_path / "left.json"
    session = Session(Table(GAME, ["me", "smart"], 5), Impatient(), path, 0)
    with pytest.raises(SystemExit) as left:
        session.run()
    assert left.value.code == 130
    assert capsys.readouterr().err == "The game is saved; go on with: feint play --resume\n"
    assert len(Record.load(path).actions) == session.table.moves > 0


def test_an_agent_that_fails_costs_no_game(tmp_path):
    class Broken:
        def act(self, view, legal):
            raise RuntimeError("out of ideas")

    path = tmp_path / "left.json"
    with pytest.raises(RuntimeError, match="out of ideas"):
        Session(Table(GAME, ["me", Broken()], 5), Truster(), path, 0).run()
    assert Record.load(path).seats == ["me", "Broken"]


def test_a_folder_that_cannot_be_written_is_told_once_and_the_game_goes_on(capsys, tmp_path):
    (tmp_path / "wall").write_text("")
    session = Session(Table(GAME, ["me", "no-bluff"], 5), Truster(), tmp_path / "wall" / "game.json", 0)
    assert session.run()
    out = capsys.readouterr().out
    assert out.count("The game cannot be saved") == 1
    assert "feint replay" not in out


def test_people_at_one_keyboard_do_not_see_each_others_cards(capsys, monkeypatch):
    monkeypatch.setattr(Screen, "hide", lambda _: print("[hidden]") is None)

    class Both(Truster):
        asked = 0

        def ask(self, prompt: str) -> str:
            self.asked += 1
            if self.asked > 12:
                raise EOFError
            return super().ask(prompt)

    session = Session(
        Table(chosen_game("bluff", [], 3), ["me:Ann", "no-bluff", "me:Ben"], 5), Both(), play.new_path("bluff", 5), 0
    )
    session.run()
    out = capsys.readouterr().out
    assert "Your 18 cards" in out
    screens = out.split("[hidden]\n")
    called = [n for n, seen in enumerate(screens) if "press Enter" in seen]
    assert len(called) >= 3
    for n in called[1:]:  # what the one saw is gone when the other is called to the keyboard
        assert re.fullmatch(r"(Ann|Ben), press Enter when nobody else is looking. \n", screens[n])
    # Then comes what happened since, and one's own cards.
    assert screens[called[1] + 1].startswith("Ann lays 1 card as an Ace, 17 left.\nYou hold ")
    assert "You call" not in out  # what all may read names everybody
    assert "You lay" not in out


def test_agents_can_be_watched_and_looked_back_at(capsys, tmp_path):
    assert play.start("bluff", seats="smart,anxious", seed=9, watch=True) == 0
    out = capsys.readouterr().out
    assert "Type ?" not in out
    assert "Another game?" not in out
    [path] = saved(tmp_path)
    replay(path)
    open_hands = capsys.readouterr().out
    assert re.search(r"\nTurn 1\. Rank to play: Aces\. The pile is empty\.\nSmart    A?", open_hands)
    assert re.search(r"lays? .*: a lie\.\n", open_hands)
    called = [line for line in out.splitlines() if "calls bluff" in line]
    assert called == [line for line in open_hands.splitlines() if "calls bluff" in line]
    plays = re.findall(r"(\w+) lays (\d) cards? as", out)
    shown = re.findall(r"(\w+) lays (.*) as .*: (?:a lie|the truth)\.", open_hands)
    assert plays == [(name, str(len(cards.split()))) for name, cards in shown]
    assert re.search(r"Smart: \d+ plays, \d+ lies?, \d+ caught; \d+ calls?, \d+ right\.\n", open_hands)


def test_a_game_that_was_left_is_looked_back_at_as_far_as_it_came(typing, capsys, tmp_path):
    typing("#1", "", "q")
    play.start("bluff", seats="me:Ann,smart", seed=5)
    [path] = saved(tmp_path)
    capsys.readouterr()
    replay(path)
    out = capsys.readouterr().out
    assert f"The game was left here; go on with: feint play --resume {path}" in out
    assert "Ann: 1 play, " in out


def test_stepping_waits_until_a_key_says_all(capsys, tmp_path, monkeypatch):
    play.start("bluff", seats="smart,anxious", seed=9, watch=True)
    [path] = saved(tmp_path)
    capsys.readouterr()
    answers = iter(["", "a"])
    monkeypatch.setattr(Screen, "ask", lambda *_: next(answers))
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    replay(path)
    assert next(answers, None) is None
    assert "after" in capsys.readouterr().out
    answers = iter(["q"])
    replay(path)
    assert "wins" not in capsys.readouterr().out


def test_keys_go_back_to_the_next_lie_and_to_the_end(capsys, monkeypatch):
    play.start("bluff", seats="smart,anxious", seed=9, watch=True)
    capsys.readouterr()
    replay()  # the last game
    turns = [turn for turn in capsys.readouterr().out.split("\n\n") if "Rank to play" in turn]
    lies = [number for number, turn in enumerate(turns) if "a lie" in turn]
    answers = iter(["", "b", "l", "next", "e"])
    monkeypatch.setattr(Screen, "ask", lambda *_: next(answers))
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    replay("bluff")
    shown = re.findall(r"Turn (\d+)\.", capsys.readouterr().out)
    lie = lies[0] if lies[0] else lies[1]
    assert [int(number) - 1 for number in shown] == [0, 1, 0, lie, lie + 1, len(turns) - 1]
    assert next(answers, None) is None  # at the end nobody is asked


def test_every_game_can_be_played_in_plain_words(typing, capsys):
    typing("x", "C", "call")
    assert play.start("kuhn", "me,random", seed=3) == 0
    out = capsys.readouterr().out
    assert re.search(
        r"You hold the \w+; the deck is jack, queen and king\.\nCheck or bet\? \[c/b\] x\n'x' is not one of", out
    )
    assert "You check." in out
    assert re.search(r"You:\s[+-]\d, Random:\s[+-]\d\.", out.replace("\n", " "))
    typing("?", "i", "c", "c", "c", "c", "c", "c")
    assert play.start("leduc", "me,random", seed=3) == 0
    out = capsys.readouterr().out
    assert "pays an ante of 1 into the pot" in out
    assert "Answer with the words of your choice" in out


def test_a_match_goes_on_with_a_running_score_and_what_was_hidden(typing, capsys, tmp_path):
    typing("c", "fold", "", "check", "c", "Y", "b", "sure", "no", "never read")
    assert play.start("kuhn", "me,random", seed=3) == 0
    out = capsys.readouterr().out
    assert "You held the jack and Random held the king.\n" in out
    assert "Score after 1 game, in antes: You -1, Random +1.\nAnother game? [Y/n] \n\nGame 2: You, Random.\n" in out
    assert out.endswith(
        "Score after 3 games, in antes: You -2, Random +2.\nAnother game? [Y/n] sure\nType y for another game, n to stop: no\n"
    )
    assert "Random held the king. Random folded the best hand.\n" in out
    assert [Record.load(path).number for path in saved(tmp_path)] == [1, 2, 0]


class Counts:
    """An agent that remembers how many games it has been told of."""

    games = 0

    def begin(self, game, seat):
        self.games = 0

    def act(self, view, legal):
        return self.games % 2

    def finish(self, view, rewards):
        self.games += 1


def test_a_match_that_was_left_goes_on_with_its_memory_and_its_score(typing, capsys, tmp_path, monkeypatch):
    monkeypatch.setattr("feint.seating.make_agent", lambda *_: Counts())
    typing("c", "y", "c", "q")
    assert play.start("kuhn", "me,counts", seed=3) == 0
    assert "Another game? [Y/n] y\n\nGame 2: You, Counts.\n" in capsys.readouterr().out
    typing("c")
    assert play.resume() == 0
    out = capsys.readouterr().out
    assert "Counts bets." in out  # as only in the second game of a match
    assert re.search(r"Score after 2 games, in antes: You [+-]\d, Counts [+-]\d\.\n", out)
    first, _ = sorted(saved(tmp_path), key=lambda path: len(path.name))
    left = Record.load(saved(tmp_path)[0])
    assert left.number == 1
    first.unlink()
    saved(tmp_path)[0].write_text(left.__class__.of(left.reopened())._text())
    typing()
    play.resume()
    assert "The games before it are gone" in capsys.readouterr().out


def test_whoever_watches_may_be_told_of_every_lie(capsys):
    assert play.start("bluff", seats="smart,anxious", seed=9, watch=True, lies=True) == 0
    out = capsys.readouterr().out
    told = re.findall(r"lays .*: (a lie|the truth)\.", out)
    assert set(told) == {"a lie", "the truth"}
    assert sum(map(int, re.findall(r"(\d+) lies?, \d+ caught", out))) == told.count("a lie")


def test_a_hint_says_what_a_strong_player_would_do(typing, capsys):
    typing("hint", "Hint", "q")
    play.start("kuhn", seats="me,random", seed=2)
    out = capsys.readouterr().out
    said = re.findall(r"(?i)hint\nA strong player \(zoo:kuhn-1\) would (check|bet)\.", out)
    assert len(said) == 2
    assert "it is your turn" not in out
