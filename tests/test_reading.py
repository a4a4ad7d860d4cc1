"""Files that anybody may have made: JSON, seals, plain data and archives of arrays, each refused where it is not what it should be."""

import zipfile
from dataclasses import dataclass
from io import BytesIO

import numpy as np
import pytest

from feint import plain
from feint.archive import Archive, Layout, packed
from feint.errors import UserError
from feint.reading import brought, content, is_sealed, noted, parsed, seal

WRONG = "It is damaged."


@pytest.mark.parametrize(
    "text", ["", "[" * 10**5, "[" * 50 + "]" * 50, '{"a": 1, "a": 2}', "NaN", "-Infinity", "1e999", "9" * 5000, b"\xff"]
)
def test_what_is_no_json_or_no_number_is_refused(text):
    with pytest.raises(ValueError):  # noqa: PT011
        parsed(text)


def test_numbers_without_end_pass_where_they_may():
    assert parsed("[Infinity, 1e999]", infinite=True) == [np.inf, np.inf]


def test_a_seal_stands_for_all_entries_in_any_order():
    data = {"a": [1, 2.5], "b": "x"}
    sealed = data | {"seal": seal(data)}
    assert is_sealed(dict(reversed(sealed.items())))
    assert not is_sealed(sealed | {"b": "y"})
    assert not is_sealed(data)


def test_files_are_no_larger_than_they_may_be(tmp_path):
    (tmp_path / "file").write_bytes(bytes(11))
    assert content(tmp_path / "file", 11) == bytes(11)
    with pytest.raises(UserError, match="larger than"):
        content(tmp_path / "file", 10)
    with pytest.raises(UserError, match="not the name of a file"):
        content("a\0b")


@dataclass(frozen=True)
class Held:
    many: tuple[int, ...]
    named: dict[str, float]
    perhaps: str | None = None


def test_plain_data_has_the_types_that_hints_say():
    assert plain.read(Held, {"many": [1, 2], "named": {"a": 1}}) == Held((1, 2), {"a": 1})
    for change in (
        {"many": [1.0]},
        {"many": [True]},
        {"named": {"a": "1"}},
        {"perhaps": "\x1b[0m"},
        {"more": 1},
        {"many": [2**300]},
    ):
        with pytest.raises(ValueError):  # noqa: PT011
            plain.read(Held, {"many": [1], "named": {}} | change)


def test_an_archive_says_what_is_in_it_before_it_is_unpacked():
    arrays = {
        "zeros": np.zeros((1000, 1000)),
        "columns": np.asfortranarray(np.arange(6).reshape(2, 3)),
        "none": np.zeros((0, 2)),
    }
    file = packed(arrays)
    assert len(file) < 20_000
    with pytest.raises(UserError, match=r"It would unpack to 0\.0 GB"):
        Archive(BytesIO(file), WRONG, most=8_000_000)
    archive = Archive(BytesIO(file), WRONG)
    assert archive.layout["zeros"] == Layout((1000, 1000), np.dtype(float))
    assert all(np.array_equal(archive[name], each) for name, each in arrays.items())


@pytest.mark.parametrize("way", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_what_unpacks_all_at_once_is_refused(way):
    file, array = BytesIO(), BytesIO()
    np.save(array, np.zeros(1000))
    with zipfile.ZipFile(file, "w", way) as archive:
        archive.writestr("zeros.npy", array.getvalue())
    with pytest.raises(UserError, match=WRONG):
        Archive(file, WRONG)


def test_an_archive_that_says_less_than_it_holds_is_cut_and_refused():
    whole = packed({"zeros": np.zeros(100_000)})
    size, less = (800_128).to_bytes(4, "little"), (8128).to_bytes(4, "little")
    assert size in whole
    with pytest.raises(UserError, match=WRONG):
        Archive(BytesIO(whole.replace(size, less)), WRONG)["zeros"]


def test_objects_are_never_unpickled():
    file = BytesIO()
    np.savez(file, thing=np.array([{}], object))
    with pytest.raises(UserError, match=WRONG):
        Archive(file, WRONG)


def test_files_that_were_noted_are_brought_to_where_they_are_not(tmp_path):
    path = tmp_path / "policy"
    path.write_bytes(b"numbers")
    with noted() as files:
        assert content(path) == b"numbers"
    assert files == {str(path): b"numbers"}
    path.unlink()
    with brought(files):
        assert content(str(path)) == b"numbers"
    with pytest.raises(UserError, match="There is no file"):
        content(path)
