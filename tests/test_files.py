"""Files are there whole or as they were, and a file that cannot be written is refused in one sentence."""

import re
import resource
import subprocess
import sys
from contextlib import contextmanager

import pytest

from feint.errors import UserError
from feint.files import append_whole, check_writable, locked, write_whole


def test_a_file_is_written_with_its_folder_and_nothing_beside_it(tmp_path):
    path = tmp_path / "new" / "folder" / "file.txt"
    write_whole(path, "Zwölf\n")
    assert path.read_bytes() == "Zwölf\n".encode()
    write_whole(path, b"\x00\r\n")
    assert path.read_bytes() == b"\x00\r\n"
    assert list(path.parent.iterdir()) == [path]


@contextmanager
def no_file_longer_than(size):
    """As on a full disk, of which there are none to be had everywhere."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_file_that_cannot_be_written_stays_as_it_was(tmp_path):
    path = tmp_path / "file.txt"
    write_whole(path, "as it was")
    full = pytest.raises(UserError, match=r"^The game cannot be saved as .*file.txt: File too large\.$")
    with no_file_longer_than(12), full:
        write_whole(path, "another that is longer", "The game")
    with no_file_longer_than(12), full:
        append_whole(path, " and more", "The game")
    assert path.read_text() == "as it was"
    assert list(tmp_path.iterdir()) == [path]
    append_whole(path, " and more")
    assert path.read_text() == "as it was and more"


def test_a_file_is_in_the_hands_of_one_process_at_a_time(tmp_path):
    path = tmp_path / "new" / "file.txt"
    refused = pytest.raises(
        UserError, match=r"^The search .*file.txt is in use by another feint: wait for that to end, "
    )
    with locked(path, "The search"), locked(tmp_path / "new" / "other.txt"):
        with refused, locked(path, "The search"):
            pass
        with refused, locked(path, "The search"):  # to be refused takes nothing away
            pass
    assert list(path.parent.iterdir()) == []
    with locked(path):
        pass
    with locked("/proc/feint.txt"):  # nothing can be written there, which is told when it is tried
        pass


def test_who_is_killed_lets_go(tmp_path):
    path = tmp_path / "file.txt"
    program = f"from feint.files import locked\nwith locked({str(path)!r}): print('held', flush=True); input()"
    with subprocess.Popen([sys.executable, "-c", program], stdin=-1, stdout=-1) as other:
        assert other.stdout.readline() == b"held\n"
        with pytest.raises(UserError, match="in use"), locked(path):
            pass
        other.kill()
    with locked(path):
        pass
    assert list(tmp_path.iterdir()) == []


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
