"""What people read and type at a table of Okey."""

import jax
import numpy as np
import pytest

from feint.errors import UserError
from feint.games.okey.keyboard import OkeyKeyboard
from feint.games.okey.racks import arranged
from feint.games.okey.state import DISCARD, DRAW, FINISH, FINISH_WITH_JOKER, SHOW, TAKE, State
from feint.games.okey.tiles import okey_of
from feint.games.okey.view import View
from feint.games.okey.words import OkeyNarration
from tests.games.okey.positions import filled, kind, play, started, tiles
from tests.games.okey.test_rules import FOUR, MELDS, PAIRS, TWO, discard

NEARLY = "R1-3 Y7-9 K10-12 B2 K2 Y13 R9 R11 B4"  # three melds, and two tiles of a set


def views(state: State, rules=TWO) -> list[View]:
    return [jax.device_get(rules.observe(state, seat)) for seat in range(rules.players)]


def start(*racks: str, indicator: str = "B4", centre: str = "") -> State:
    return started(TWO, filled(TWO, indicator, *racks, centre=centre))


def words(reader: int | None = None, rules=TWO) -> OkeyNarration:
    return OkeyNarration(rules, ["Ann", "Ben", "Cy", "Di"][: rules.players], reader)


def keys(reader: int = 0) -> OkeyKeyboard:
    return OkeyKeyboard(words(reader))


def text(rack: str, indicator: str = "B4", pairs: bool | None = False) -> str:
    okey = okey_of(kind(indicator))
    return arranged(tiles(rack), okey, 5, pairs).text(okey)


def test_racks_are_arranged_as_somebody_would():
    assert text("R3 R1 R2 Y13 B2") == "[R1 R2 R3] Y13 B2"
    assert text("R1 R3 B5 K7 Y8") == "[R1 ★ R3] Y8 K7"
    assert text("F B6 B7 Y1") == "[☆ B6 B7] Y1"
    assert text("Y2 B2 K2 R2 R1 R3") in ("[Y2 B2 K2] [R1 R2 R3]", "[R1 R2 R3] [Y2 B2 K2]")
    assert text("R12 R13 R1 R2") == "[R12 R13 R1] R2"
    assert text("Y1 Y1 Y3 Y3 R9 B5", pairs=True) == "[Y1 Y1] [Y3 Y3] [R9 ★]"


def test_what_is_missing_is_what_the_solver_says():
    rng = np.random.default_rng(1)
    away = jax.jit(lambda rules, faces, jokers: rules.solver.melds_away(faces, jokers))
    for size in (14, 15) * 10:
        rack = np.bincount(rng.permutation(np.repeat(np.arange(53), 2))[:size], minlength=53).astype(np.int8)
        okey = int(rng.integers(52))
        faces = np.where(np.arange(52) == okey, rack[52], rack[:52]).reshape(4, 13)
        assert arranged(rack, okey, 5, pairs=False).missing == away(TWO, faces, rack[okey])


def test_turns_are_told_without_what_was_drawn():
    state = start("R1 Y7", centre="K9")
    after = play(TWO, state, discard("Y7"))
    assert words(0).tell(0, views(state)[1], discard("Y7"), views(after)[1]) == "You discard Y7."
    drew = play(TWO, after, DRAW)
    assert words().tell(1, views(after)[0], DRAW, views(drew)[0]) == ""
    assert words().reveal(1, views(after)[1], DRAW, views(drew)[1]) == "Ben draws K9."
    done = play(TWO, drew, discard("K9"))
    assert words().tell(1, views(drew)[0], discard("K9"), views(done)[0]) == "Ben draws and discards K9."
    assert words().reveal(1, views(drew)[1], discard("K9"), views(done)[1]) == "Ben discards K9."
    took = play(TWO, after, TAKE)
    done = play(TWO, took, discard("Y7"))
    assert words(1).tell(1, views(took)[0], discard("Y7"), views(done)[0]) == "You take Y7 and discard Y7."


def test_a_finish_is_told_with_its_melds_and_paid():
    state = start(f"{MELDS} B5")
    over = play(TWO, state, FINISH_WITH_JOKER)
    told = words().tell(0, views(state)[1], FINISH_WITH_JOKER, views(over)[1])
    assert told.startswith("Ann finishes with the joker: [")
    assert told.endswith("; ★ is laid down.")
    assert words(1).end(views(over)[1], over.rewards) == "Ann wins: Ann +4, You -4."
    assert words(0).end(views(over)[0], over.rewards) == "You win: You +4, Ben -4."
    assert words().recap([], views(over)).startswith("Racks at the end:\nBen\t")
    state = start(f"{PAIRS} Y13")
    told = words().tell(0, views(state)[1], FINISH, views(play(TWO, state, FINISH))[1])
    assert told == "Ann finishes with seven pairs: [Y1 Y1] [Y3 Y3] [☆ ☆] [B9 B9] [K2 K2] [K4 K4] [R6 R6] Y13."


def test_a_match_tells_its_points_and_who_starts():
    state = started(FOUR, filled(FOUR, "B4", f"{MELDS} Y13"))
    after = play(FOUR, state, FINISH)
    told = words(rules=FOUR).tell(0, views(state, FOUR)[1], FINISH, views(after, FOUR)[1])
    assert told.split("\n")[1] == (
        "Points: Ann 20, Ben 18, Cy 20, Di 18. Hand 2: Ben starts. Indicator B4: ★ is the joker, ☆ stands for B5."
    )
    shown = words(0, FOUR).show(views(after, FOUR)[0])
    assert shown.startswith("Hand 2. Points: You 20, Ben 18, Cy 20, Di 18.\n")
    assert "Cy (partner)\t-" in shown


def test_the_table_and_the_rack_are_seen():
    state = play(TWO, start("Y7 Y7", "K9 K9"), discard("Y7"), TAKE, discard("K9"))
    view = views(state)[0]
    lines = words(0).show(view).split("\n")
    assert lines[0] == "Indicator B4: ★ is the joker, ☆ stands for B5. 76 tiles in the centre."
    assert lines[1:3] == ["Ben\tK9", "You\t(Y7)"]
    assert lines[3].startswith("Your rack\t")
    assert words(0).notes(view).endswith("Ben holds\tY7")
    assert words(0).question(view, state.legal_action_mask) == "It is your turn: draw from the centre, or take black 9."
    assert "Your rack" not in words().show(jax.device_get(TWO.spectate(state)))
    assert words().scene(views(state)).count("\n") == 2
    assert words().scene(views(play(TWO, state, DRAW))) == ""


@pytest.mark.parametrize("typed", ["R9", " r9 ", "red 9", "discard R9", "Discard red 9", "r 9"])
def test_tiles_are_typed_as_they_are_shown(typed):
    state = start(NEARLY)
    assert keys().read(views(state)[0], state.legal_action_mask, typed) == [discard("R9")]


def test_draws_finishes_and_jokers_are_typed_by_their_names():
    state = start(f"{MELDS} B5", centre="Y1")
    view, legal = views(state)[0], state.legal_action_mask
    assert keys().ask(view, legal) == "Discard which tile? (finish, finish joker) "
    assert keys().read(view, legal, "Finish") == [FINISH]
    assert keys().read(view, legal, "finish joker") == [FINISH_WITH_JOKER]
    for typed in ("*", "★", "joker"):
        assert keys().read(view, legal, typed) == [discard("B5")]
    assert keys().confirm(view, [discard("B5")]).startswith("You will discard a joker (★).")
    assert keys().confirm(view, [discard("Y7")]) == ""
    state = play(TWO, start("Y7", "B4 F"), discard("Y7"))
    view, legal = views(state)[1], state.legal_action_mask
    assert keys(1).ask(view, legal) == "Draw, or take Y7? [d/t] (show) "
    assert keys(1).read(view, legal, "d") == [DRAW]
    assert keys(1).read(view, legal, "take Y7") == keys(1).read(view, legal, "t") == [TAKE]
    assert keys(1).read(view, legal, "show") == [SHOW]
    state = play(TWO, state, DRAW)
    assert keys(1).read(views(state)[1], state.legal_action_mask, "false") == [DISCARD + 52]


@pytest.mark.parametrize(
    ("typed", "wrong"),
    [
        ("R5", "You hold no R5: type a tile of your rack, such as R11."),
        ("R14", "'R14' is not an answer: type a tile as it is shown, such as R11; ? shows how."),
        ("", "'' is not an answer: type a tile as it is shown, such as R11; ? shows how."),
        ("*", "You hold no ★: type a tile of your rack, such as R11."),
        ("draw", "You have your tile for this turn: now discard one, such as R11."),
        ("finish", "You have not finished: 3 tiles are missing. Discard one, such as R11."),
        ("finish joker", "You have not finished: 3 tiles are missing. Discard one, such as R11."),
        ("pairs", "Pairs cannot be declared: these rules have no such thing."),
    ],
)
def test_what_cannot_be_discarded_is_refused_in_a_sentence(typed, wrong):
    state = start(NEARLY)
    with pytest.raises(UserError) as refused:
        keys().read(views(state)[0], state.legal_action_mask, typed)
    assert str(refused.value) == wrong


@pytest.mark.parametrize(
    ("typed", "wrong"),
    [
        ("R1", "First draw from the centre or take the discard: type draw or take."),
        ("finish", "You can finish only after your draw: type draw or take."),
        ("7", "'7' is not an answer: type draw or take; ? shows how."),
        ("take R1", "'take R1' is not an answer: type draw or take; ? shows how."),
        ("show", "There is nothing to show: you do not hold the indicator's twin, or your first turn is over."),
    ],
)
def test_what_cannot_begin_a_turn_is_refused_in_a_sentence(typed, wrong):
    state = play(TWO, start("Y7 B4"), discard("Y7"))
    with pytest.raises(UserError) as refused:
        keys(1).read(views(state)[1], state.legal_action_mask, typed)
    assert str(refused.value) == wrong


def test_an_empty_centre_is_told():
    state = play(TWO, start("Y7 B4"), discard("Y7"))
    view = views(state)[1]
    view.centre[...] = 0
    assert keys(1).ask(view, state.legal_action_mask) == "Take Y7, or end the hand? [t/e] "
    assert keys(1).read(view, state.legal_action_mask, "end") == [DRAW]
    with pytest.raises(UserError, match="The centre is empty: type take for the discard, or end to end"):
        keys(1).read(view, state.legal_action_mask, "draw")


def test_racks_are_arranged_by_hand():
    view, mine = views(start(NEARLY))[0], keys()
    assert mine.aside(view, "group R11 B4").startswith("Your rack\tR11 B4; [")
    assert "R11 B4; [" in mine.show(view)
    assert mine.aside(view, "group B4 y13").startswith("Your rack\tR11, B4 Y13; [")
    assert mine.aside(view, "sort").startswith("Your rack\t[")
    assert mine.aside(view, "R11") is None
    for typed, wrong in (("group R5", "'r5' is not a tile of your rack"), ("group", "Write group and the tiles")):
        with pytest.raises(UserError, match=wrong):
            mine.aside(view, typed)


def test_a_hint_names_the_tiles_that_help():
    advice = words(0).advice(views(start(NEARLY))[0])
    assert advice.startswith("You are 3 tiles from a finished hand. Unseen tiles that bring it nearer: ")
    assert "★ (2)" in advice
    assert "Y2 (2)" in advice
    offered = play(TWO, start("Y7", "R1-3 Y8-9"), discard("Y7"))
    assert "You may take Y7, which brings it nearer." in words(1).advice(views(offered)[1])
    assert words(0).advice(views(start(f"{MELDS} B5"))[0]).startswith("Your tiles are a finished hand")
