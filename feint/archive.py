"""Arrays by name in one file, as `numpy.savez` writes them. What is in it is known, and can be refused, before anything is unpacked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from io import BytesIO
from math import prod
from typing import Any, BinaryIO, Literal
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

import numpy as np

from feint.errors import UserError
from feint.reading import refused

ENDING = ".npy"
BEGINNING = 2**14  # bytes in which an array says its shape and type
KINDS = "biufU"  # truths, numbers and texts
LONGEST = 2**24  # bytes of a text
MOST = 2**30  # bytes that one unpacks to, unless told otherwise


@dataclass(frozen=True)
class Layout:
    """What an array is, but for its numbers."""

    shape: tuple[int, ...]
    dtype: np.dtype

    @classmethod
    def of(cls, array: Any) -> Layout:
        return cls(tuple(array.shape), np.dtype(array.dtype))


class Archive(Mapping[str, np.ndarray]):
    """The arrays of an open file, each unpacked and checked when it is asked for; `sentence` refuses a file that is damaged."""

    def __init__(self, file: BinaryIO, sentence: str, most: int = MOST) -> None:
        self.sentence = sentence
        with refused(sentence):
            self._zip = ZipFile(file)
            self._members = {each.filename.removesuffix(ENDING): each for each in self._zip.infolist()}
            if len(self._members) < len(self._zip.infolist()):
                raise ValueError("two arrays have one name")
            size = sum(each.file_size for each in self._members.values())
            if size > most:
                raise UserError(
                    f"{sentence} It would unpack to {size / 1e9:,.1f} GB, where {most / 1e9:,.1f} are read."
                )
            self.layout = {name: self._layout(each) for name, each in self._members.items()}

    def _layout(self, member: ZipInfo) -> Layout:
        # Of the other ways of packing, Python unpacks all at once, however much it is.
        if member.compress_type not in (ZIP_STORED, ZIP_DEFLATED) or not member.filename.endswith(ENDING):
            raise ValueError(member.filename)
        with self._zip.open(member) as file:
            layout, _, begin = _said(file.read(BEGINNING))
        if begin + prod(layout.shape) * layout.dtype.itemsize != member.file_size:
            raise ValueError(member.filename)
        return layout

    def __getitem__(self, name: str) -> np.ndarray:
        member = self._members[name]
        with refused(self.sentence):
            with self._zip.open(member) as file:
                # Asking for a byte more than there is reaches the end, where the checksum is compared.
                whole = file.read(member.file_size + 1)
            layout, order, begin = _said(whole[:BEGINNING])
            return np.frombuffer(whole, layout.dtype, offset=begin).reshape(layout.shape, order=order)

    def take_text(self, name: str) -> str:
        """A text that is kept as an array, and is then no longer among them."""
        with refused(self.sentence):
            if self.layout[name].shape or self.layout[name].dtype.itemsize > LONGEST:
                raise ValueError(name)
            text = str(self[name])
            del self.layout[name], self._members[name]
            return text

    def __iter__(self) -> Iterator[str]:
        return iter(self._members)

    def __len__(self) -> int:
        return len(self._members)


def _said(beginning: bytes) -> tuple[Layout, Literal["C", "F"], int]:
    """What an array says of itself, in which order its numbers are, and where they begin."""
    file = BytesIO(beginning)
    version = np.lib.format.read_magic(file)
    header = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    shape, by_columns, dtype = header(file)
    if dtype.kind not in KINDS or min(shape, default=0) < 0:
        raise ValueError(f"{dtype}{shape}")
    return Layout(shape, dtype), "F" if by_columns else "C", file.tell()


def packed(arrays: Mapping[str, np.ndarray], compressed: bool = True) -> bytes:
    """Arrays as the content of a file."""
    buffer = BytesIO()
    (np.savez_compressed if compressed else np.savez)(buffer, allow_pickle=False, **arrays)
    return buffer.getvalue()
