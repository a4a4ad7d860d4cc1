"""The store of things that can be made again: whole or not at all, private, bounded, and of former layouts nothing is left."""

import os
import subprocess
import sys

import numpy as np
import pytest

from feint import engine
from feint.store import Store, open_store

CONTENT = bytes(range(256)) * 4


@pytest.fixture
def store(tmp_path):
    return open_store(tmp_path / "kept")


def entries(store):
    return sorted(store.folder.iterdir())


def test_what_was_put_is_found_under_its_name_alone(store):
    store.put("one", CONTENT)
    store.put("none", b"")
    assert store.get("one") == CONTENT
    assert store.get("none") == b""
    assert store.get("two") is None


def test_whatever_is_altered_is_as_if_it_were_not_there(store):
    store.put("one", CONTENT)
    (file,) = entries(store)
    whole = file.read_bytes()
    for at in range(len(whole)):
        file.write_bytes(whole[:at] + bytes([whole[at] ^ 1 << at % 8]) + whole[at + 1 :])
        assert store.get("one") is None
        assert not file.exists()  # it would never be of use again
    for other in (b"", whole[:31], whole[:32], whole[:-1], whole + b"0"):
        file.write_bytes(other)
        assert store.get("one") is None


def test_what_belongs_to_another_name_is_not_taken(store):
    store.put("one", CONTENT)
    (one,) = entries(store)
    store.put("two", CONTENT)
    (two,) = set(entries(store)) - {one}
    two.write_bytes(one.read_bytes())
    assert store.get("two") is None


def test_what_was_used_last_stays_when_there_is_too_much(tmp_path):
    store = Store(tmp_path, most=16 * 1100)
    for number in range(40):
        store.put(f"{number}", CONTENT)
        os.utime(store._file(f"{number}"), (number, number))  # as if they had come a second apart
        if number == 5:
            assert store.get("0") == CONTENT
    assert store.get("0") == CONTENT  # read just now, so newer than all
    assert store.get("1") is None
    assert store.get("39") == CONTENT
    assert sum(file.stat().st_size for file in entries(store)) <= store.most


def test_a_full_disk_costs_speed_and_nothing_else(store, monkeypatch):
    monkeypatch.setattr("pathlib.Path.replace", lambda *_: (_ for _ in ()).throw(OSError(28, "No space left")))
    store.put("one", CONTENT)
    assert store.get("one") is None
    assert not entries(store)


def test_the_folder_is_private_whatever_it_was(tmp_path):
    before = os.umask(0)
    try:
        made = open_store(tmp_path / "a" / "b")
    finally:
        os.umask(before)
    assert [made.folder.stat().st_mode & 0o777, made.folder.parent.stat().st_mode & 0o777] == [0o700, 0o700]
    made.folder.chmod(0o755)
    assert open_store(made.folder)
    assert made.folder.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("mode", [0o777, 0o757, 0o775, 0o1777])
@pytest.mark.parametrize("which", ["kept", "."])
def test_a_folder_that_others_can_write_is_refused_in_one_sentence(tmp_path, caplog, mode, which, monkeypatch):
    monkeypatch.setattr("feint.store._is_own_group", lambda _: False)
    made = open_store(tmp_path / "kept")
    made.put("one", CONTENT)
    (tmp_path / which).chmod(mode)
    if mode == 0o1777 and which == ".":
        assert open_store(made.folder)  # nobody but its owner can move what is in such a folder
        return
    assert open_store(made.folder) is None
    assert len(caplog.messages) == 1
    assert caplog.messages[0].endswith(f"{(tmp_path / which).resolve()} belongs to others or can be written by them.")


def test_a_folder_of_somebody_else_is_refused(tmp_path, caplog):
    folder = tmp_path / "kept"
    folder.mkdir(mode=0o700)
    if os.geteuid() != 0:
        pytest.skip("only root can give a folder away")
    os.chown(folder, 12345, -1)
    assert open_store(folder) is None
    assert "belongs to others" in caplog.text


def test_a_link_is_as_safe_as_where_it_leads(tmp_path):
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o777)
    (tmp_path / "kept").symlink_to(tmp_path / "open")
    assert open_store(tmp_path / "kept") is None


def test_where_there_can_be_no_folder_there_is_none(tmp_path):
    (tmp_path / "file").write_text("")
    assert open_store(tmp_path / "file" / "kept") is None
    assert open_store(tmp_path / "file") is None


def test_of_former_layouts_nothing_is_left_and_of_others_things_everything(tmp_path, monkeypatch):
    monkeypatch.setenv(engine.SWITCH, str(tmp_path))
    former = [
        f"jit_add-{'0a' * 32}-cache",
        f"jit_add-{'0a' * 32}-atime",
        f"programs/{'0b' * 16}",
        f"tables/x-{'0c' * 8}.npz",
    ]
    others = ["mine-cache", "programs/mine", "notes.txt"]
    for name in (*former, *others):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    assert engine.program_store()
    left = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*")}
    assert left == {*others, "programs", "kept"}


def test_without_a_home_nothing_is_kept(monkeypatch):
    monkeypatch.delenv(engine.SWITCH, raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr("pathlib.Path.expanduser", lambda _: (_ for _ in ()).throw(RuntimeError))
    assert engine.program_store() is None


PROGRAM = """
import feint.engine, jax
found = []
jax.monitoring.register_event_listener(lambda event, **_: found.append(event) if event.endswith("cache_hits") else None)
print(float(jax.jit(lambda x: (x * 3).sum())(jax.numpy.arange(5.0))), len(found))
"""


def test_what_jax_keeps_is_checked_as_well(tmp_path):
    """In processes of their own, since JAX settles where its cache is when it is loaded."""

    def run():
        setting = {**os.environ, engine.SWITCH: str(tmp_path), "JAX_PLATFORMS": "cpu"}
        setting.pop("JAX_COMPILATION_CACHE_DIR", None)
        done = subprocess.run([sys.executable, "-c", PROGRAM], env=setting, capture_output=True, text=True, check=True)
        assert not done.stderr
        return done.stdout.split()

    assert run() == ["30.0", "0"]
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert files
    assert {path.parent for path in files} == {tmp_path / "kept"}
    assert run() == ["30.0", f"{len(files)}"]
    random = np.random.default_rng(0)
    for path in files:
        whole = bytearray(path.read_bytes())
        whole[random.integers(len(whole))] ^= 1
        path.write_bytes(whole)
    assert run() == ["30.0", "0"]
