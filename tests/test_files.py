"""Files are there whole or as they were, and a file that cannot be written is refused in one sentence."""

import re

import pytest

from feint.errors import UserError
from feint.files import check_writable, write_whole


def test_a_file_is_written_with_its_folder_and_nothing_beside_it(tmp_path):
    path = tmp_path / "new" / "folder" / "file.txt"
    write_whole(path, "Zwölf\n")
    assert path.read_bytes() == "Zwölf\n".encode()
    write_whole(path, b"\x00\r\n")
    assert path.read_bytes() == b"\x00\r\n"
    assert list(path.parent.iterdir()) == [path]


def test_a_file_that_cannot_be_written_stays_as_it_was(tmp_path, monkeypatch):
    path = tmp_path / "file.txt"
    write_whole(path, "as it was")

    def full(draft, content):
        with draft.open("wb") as file:
            file.write(content[:2])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pathlib.Path.write_bytes", full)
    with pytest.raises(UserError, match=r"^The game cannot be saved as .*file.txt: No space left on device\.$"):
        write_whole(path, "another", "The game")
    assert path.read_text() == "as it was"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("tried", [check_writable, lambda path: write_whole(path, "content")])
def test_where_no_file_can_be_is_refused_in_one_sentence(tried, tmp_path):
    (tmp_path / "taken").write_text("")
    wrong = {
        tmp_path: "Is a directory",
        tmp_path / "taken" / "file": "Not a directory",
        tmp_path / ("long" * 100) / "file": "File name too long",
    }
    for path, why in wrong.items():
        with pytest.raises(UserError, match=f"^The file cannot be saved as {re.escape(str(path))}: {why}.$"):
            tried(path)
    assert [each.name for each in tmp_path.iterdir()] == ["taken"]


def test_to_ask_leaves_no_trace(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for path in ("file.txt", tmp_path / "new" / "folder" / "file.txt"):
        check_writable(path)
    (tmp_path / "there.txt").write_text("as it was")
    check_writable(tmp_path / "there.txt")
    assert [each.name for each in tmp_path.iterdir()] == ["there.txt"]


def test_a_folder_in_which_nothing_can_be_written_is_refused():
    with pytest.raises(UserError, match=r"The result cannot be saved as /proc/feint\.json: "):
        check_writable("/proc/feint.json", "The result")
