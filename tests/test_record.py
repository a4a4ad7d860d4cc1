"""A record replays to the identical game, or says where it differs; a file that is none is refused in one sentence."""

import json
import os
from dataclasses import replace

import pytest

import feint
from feint import record
from feint.errors import UserError
from feint.record import Record
from feint.table import Table

GAME = feint.make("bluff", players=3)
SEATS = ["smart", "tit-for-tat", "smart"]  # one remembers, two draw at random


def play(table: Table, moves: int | None = None) -> Table:
    while not table.over and (moves is None or table.moves < moves):
        table.act()
    return table


@pytest.fixture(scope="module")
def finished() -> Table:
    return play(Table(GAME, SEATS, seed=11))


@pytest.fixture
def file(finished, tmp_path):
    path = tmp_path / "game.json"
    Record.of(finished).save(path)
    return path


def replayed(kept: Record) -> Table:
    table = kept.review()
    for _ in kept.replay(table):
        pass
    return table


def test_a_saved_game_replays_to_the_identical_game(finished, file):
    again = replayed(Record.load(file))
    assert again.actions == finished.actions
    assert again.fingerprints == finished.fingerprints
    assert again.over
    assert again.names == ["Smart 1", "Tit-For-Tat", "Smart 2"]


def test_a_record_is_small_and_leaves_nothing_beside_it(finished, file):
    assert file.stat().st_size < 430 + 2 * finished.moves
    assert [path.name for path in file.parent.iterdir()] == ["game.json"]


@pytest.mark.parametrize("cut", [0, 1, 17, 60])
def test_a_game_left_at_any_move_goes_on_as_if_never_left(finished, tmp_path, cut):
    path = tmp_path / "left.json"
    Record.of(play(Table(GAME, SEATS, seed=11), cut)).save(path)
    kept = Record.load(path)
    assert not kept.over
    table = kept.reopened()
    assert list(kept.replay(table)) == finished.actions[:cut]
    assert play(table).actions == finished.actions


def test_the_first_difference_is_named(finished, file):
    kept = Record.load(file)
    spoilt = kept.checks[:9] + ("0" if kept.checks[9] != "0" else "1") + kept.checks[10:]
    with pytest.raises(UserError, match=r"After move 9, by .*, the state has check"):
        replayed(replace(kept, checks=spoilt))
    with pytest.raises(UserError, match="After the deal, the state has check"):
        replayed(replace(kept, checks="-" + kept.checks[1:] if kept.checks[0] != "-" else "_" + kept.checks[1:]))
    lay = finished.actions.index(GAME.lay)
    wrong = kept.actions[:lay] + record.DIGITS[GAME.call] + kept.actions[lay + 1 :]
    with pytest.raises(
        UserError, match=rf"Move {lay + 1}: Smart 1 may not take action 15 \(call bluff\); legal: .*13 \(lay"
    ):
        replayed(replace(kept, actions=wrong))


def test_what_is_lost_or_added_is_noticed(finished, file):
    kept = Record.load(file)
    moves = finished.moves
    with pytest.raises(UserError, match=f"holds {moves - 1} moves but checks for {moves}"):
        replayed(replace(kept, actions=kept.actions[:-1]))
    with pytest.raises(UserError, match="It ends in state"):
        replayed(replace(kept, actions=kept.actions[:-1], checks=kept.checks[:-1]))
    with pytest.raises(UserError, match="game is over"):
        replayed(replace(kept, actions=kept.actions + "0", checks=kept.checks + "0"))
    with pytest.raises(UserError, match=f"After move {moves} it is over"):
        replayed(replace(kept, over=False))
    with pytest.raises(UserError, match="'!' stands among its moves"):
        replayed(replace(kept, actions="!" + kept.actions[1:]))
    with pytest.raises(UserError, match=f"made by feint 0.0.1; this is {feint.__version__}"):
        replayed(replace(kept, feint="0.0.1", fingerprint="0" * 16))


def test_any_other_move_or_seed_is_noticed(finished, file):
    kept = Record.load(file)
    for move in range(0, finished.moves, 5):
        other = record.DIGITS[(finished.actions[move] + 1) % GAME.actions]
        with pytest.raises(UserError):
            replayed(replace(kept, actions=kept.actions[:move] + other + kept.actions[move + 1 :]))
    with pytest.raises(UserError, match="cannot be replayed as recorded"):
        replayed(replace(kept, seed=12))


def test_a_deal_that_was_written_down_is_kept(tmp_path):
    kuhn = feint.make("kuhn")
    table = Table(kuhn, ["me", "me"], deal={"cards": [2, 0]})
    table.play(0)
    kept = Record.of(table)
    assert kept.deal == {"cards": [2, 0]}
    kept.save(tmp_path / "game.json")
    again = Record.load(tmp_path / "game.json").reopened()
    assert again.deal() == {"cards": [2, 0]}
    assert list(kept.replay(again)) == [0]
    assert Record.of(Table(kuhn, ["me", "me"], seed=5)).deal == {}  # the seed gives it
    with pytest.raises(UserError, match="is not a deal of kuhn"):
        replace(kept, deal={"cards": [1, 1]}).reopened()


def test_a_game_by_other_rules_is_refused_by_name(file):
    kept = Record.load(file)
    with pytest.raises(UserError, match=r"played by version 7 of the rules of bluff; feint .* has version 1"):
        replace(kept, version=7).reopened()


def test_a_file_cut_short_anywhere_is_refused(file):
    text = file.read_bytes()
    for cut in range(len(text) - 2):
        file.write_bytes(text[:cut])
        with pytest.raises(UserError):
            Record.load(file)


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        ({"record": 9, "feint": "9.0"}, "has format 9, made by feint 9.0; feint .* reads 3"),
        ({"record": 9, "feint": "\x1b[2J"}, "made by another version of feint"),
        ({"seed": "eleven"}, "damaged: seed is missing or not"),
        ({"seed": True}, "damaged: seed is missing or not"),
        ({"seats": [1, 2, 3]}, r"damaged: seats\[0\]"),
        ({"seats": ["smart", "\x1b[31mAnn", "smart"]}, r"damaged: seats\[1\]"),
        ({"seats": ["smart", "\u202eAnn", "smart"]}, r"named by visible characters, .* not '\\u202eAnn'"),
        ({"seats": ["smart", "me", "smart"]}, "damaged, or was altered"),
        ({"options": {}}, "damaged, or was altered"),
        ({"seed": 12}, "damaged, or was altered"),
        ({"seal": "0" * 16}, "damaged, or was altered"),
        ({"surprise": 1}, "damaged: there is nothing called 'surprise'"),
        ({"record": None}, "is not a record of a game"),
    ],
)
def test_a_damaged_file_is_refused(file, change, wrong):
    file.write_text(json.dumps(json.loads(file.read_text()) | change))
    with pytest.raises(UserError, match=wrong):
        Record.load(file)


def test_a_game_saved_before_there_were_seals_is_read_and_saved_with_one(file):
    kept = json.loads(file.read_text()) | {"record": 2}
    del kept["seal"]
    file.write_text(json.dumps(kept))
    before = Record.load(file)
    replayed(before)
    before.save(file)
    assert "seal" in json.loads(file.read_text())
    assert Record.load(file) == before


def test_options_and_games_of_another_version_are_refused_by_name(file):
    kept = Record.load(file)
    with pytest.raises(UserError, match="no game called 'tarot'"):
        replace(kept, game="tarot").review()
    with pytest.raises(UserError, match="has no option 'jokers'"):
        replace(kept, options=kept.options | {"jokers": 2}).review()
    with pytest.raises(UserError, match="has 3 seats, not 2"):
        replace(kept, seats=["smart", "smart"]).review()


def test_other_files_are_refused(tmp_path):
    other = tmp_path / "other.json"
    with pytest.raises(UserError, match="There is no file"):
        Record.load(other)
    other.write_text("[1, 2]")
    with pytest.raises(UserError, match="is not a record of a game"):
        Record.load(other)
    other.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UserError, match="not valid JSON"):
        Record.load(other)


def test_a_record_that_cannot_be_written_says_so(finished, tmp_path):
    (tmp_path / "wall").write_text("")
    with pytest.raises(UserError, match="cannot be saved"):
        Record.of(finished).save(tmp_path / "wall" / "game.json")


def test_the_newest_unfinished_game_is_found(finished, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    with pytest.raises(UserError, match="no unfinished game"):
        record.newest(unfinished=True)
    left = record.new_path("bluff", 11)
    assert left.parent == tmp_path / "feint" / "games"
    Record.of(Table(GAME, SEATS, seed=11)).save(left)
    done = record.new_path("bluff", 11)
    assert done != left
    Record.of(finished).save(done)
    (left.parent / "notes.json").write_text("{}")
    (left.parent / "link.json").symlink_to("nowhere")
    (left.parent / "folder.json").mkdir()
    os.mkfifo(left.parent / "pipe.json")
    assert record.newest(unfinished=True) == left


def test_actions_of_large_games_take_more_digits():
    actions = [0, 63, 64, 4095, 5]
    assert record._unpack(record._pack(actions, 2), 2) == actions
    assert len(record._pack(actions, 2)) == 10
