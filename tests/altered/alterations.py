"""What may happen to a file: on a disk, on its way, or by somebody who alters it and seals it again."""

import json
import random
import re
from io import BytesIO
from typing import Any

import numpy as np

from feint import archive
from feint.arena import storage
from feint.learn.train import METRICS
from tests.altered.kinds import Kind


def flipped(content: bytes, chance: random.Random) -> bytes:
    spoilt = bytearray(content)
    for _ in range(chance.choice((1, 1, 1, 3, 20))):
        spoilt[chance.randrange(len(spoilt))] ^= 1 << chance.randrange(8)
    return bytes(spoilt)


def cut(content: bytes, chance: random.Random) -> bytes:
    return content[: chance.randrange(len(content))]


def spliced(content: bytes, chance: random.Random) -> bytes:
    """A stretch taken out, put in twice, overwritten by noise, or all of it from another place."""
    begin, end = sorted(chance.randrange(len(content) + 1) for _ in range(2))
    end = min(end, begin + chance.choice((1, 8, 200)))
    middle = (b"", content[begin:end] * 2, chance.randbytes(end - begin), content[: end - begin])
    return content[:begin] + chance.choice(middle) + content[end:]


def replaced(content: bytes, chance: random.Random) -> bytes:
    """Another digit, which leaves everything as well formed as it was."""
    places = [match.start() for match in re.finditer(rb"\d", content)]
    at = chance.choice(places or [0])
    return content[:at] + chance.choice((b"0", b"1", b"7", b"9")) + content[at + 1 :]


def other(content: bytes, chance: random.Random) -> bytes:
    deep = 100_000
    return chance.choice(
        (
            b"",
            b"\x00",
            b"\n",
            b"null",
            b"{}",
            b"[]",
            b'"text"',
            b"NaN",
            b"\xff\xfe\x00",
            b"[" * deep,
            b'{"a":' * deep,
            b"[" * deep + b"]" * deep,
            b"# " + b"[" * deep,
            b"a = " + b"[" * deep,
            b"1" * 5000,
            content + content,
            content[::-1],
            content.replace(b"\n", b"\r\n"),
            chance.randbytes(300),
        )
    )


ALTERED = (flipped, flipped, cut, spliced, replaced, other)

VALUES: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2, 0.5, -0.5, 1e308, 10**18, 10**400, -(10**30), float("nan"), float("inf"), "", "x", "1",
    "0", "\x1b[31m", "\u202e", "\ud800", "$^$", "[/x]", "a" * 5000, "../..", [], [[]], [None], [1, 2, 3], ["x"], {}, {"x": 1}, [[[[]]]] * 9,
)  # fmt: skip


def mutated(data: Any, chance: random.Random) -> Any:
    """Plain data with another value, a value less or one more somewhere."""
    if isinstance(data, dict | list) and data and chance.random() < 0.85:
        copy: Any = data.copy()
        at = chance.choice(list(copy) if isinstance(copy, dict) else range(len(copy)))
        what = chance.random()
        if what < 0.15:
            del copy[at]
        elif what < 0.25 and isinstance(copy, dict):
            copy[chance.choice(("surprise", "kind", "\x1b", ""))] = copy[at]
        elif what < 0.25:
            copy.append(copy[at])
        else:
            copy[at] = mutated(copy[at], chance)
        return copy
    if isinstance(data, int | float) and chance.random() < 0.4:
        return data + chance.choice((1, -1, 0.5, 64, 2**31, 2**63))
    return chance.choice(VALUES)


def resealed_json(content: bytes, kind: Kind, chance: random.Random) -> bytes:
    """JSON with something else in it, and a seal that fits."""
    data = mutated(json.loads(content), chance)
    return json.dumps(kind.sealed(data) if kind.sealed and isinstance(data, dict) else data).encode()


def resealed_archive(content: bytes, chance: random.Random) -> bytes:
    """Arrays of which one is gone, new or different, or the header is, with checksums that fit."""
    with np.load(BytesIO(content), allow_pickle=False) as file:
        arrays = dict(file)
    name = "header" if "header" in arrays and chance.random() < 0.6 else chance.choice(list(arrays))
    if name == "header":
        arrays[name] = np.array(json.dumps(mutated(json.loads(str(arrays[name])), chance)))
    else:
        old = arrays[name]
        arrays[name] = chance.choice(
            (
                old.astype(np.float64), old.astype("U9"), old.astype(complex), old.ravel(), old[..., None], np.zeros(0), np.array("text"),
                np.full(old.shape, np.nan), np.full(old.shape, np.inf, np.float32), np.zeros((3, 0, 2)), np.asfortranarray(old), old[:0] if old.ndim else old,
                np.full(old.shape, 2**31 - 1), np.full(old.shape, -1, old.dtype if old.dtype.kind != "u" else np.int32), old.astype(">f4"),
                np.zeros(old.shape, [("a", int)]),
            )
        )  # fmt: skip
    if chance.random() < 0.2:
        arrays[chance.choice(("surprise", "header", "run_x", ".network"))] = arrays.pop(name)
    return archive.packed(arrays)


def resealed_result(content: bytes, chance: random.Random) -> bytes:
    """A result of the form that had no seal, with something else in it."""
    data = json.loads(content) | {"format": storage.UNSEALED}
    return json.dumps(mutated(data, chance), indent=1).encode()


def resealed_lines(content: bytes, chance: random.Random) -> bytes:
    """Metrics as they were before they had seals, with something else in one of the lines."""
    lines = [
        {name: value for name, value in json.loads(line).items() if name != "seal"} for line in content.splitlines()
    ]
    at = chance.randrange(len(lines))
    lines[at] = mutated(lines[at], chance)
    return "".join(f"{json.dumps(line)}\n" for line in lines).encode()


def by_another(content: bytes, kind: Kind, chance: random.Random) -> bytes:
    if content.startswith(b"PK"):
        return resealed_archive(content, chance)
    if kind.file == METRICS:
        return resealed_lines(content, chance)
    if kind.file == "result.json":
        return resealed_result(content, chance)
    return resealed_json(content, kind, chance)
