"""Lines like those of the protocol, and not them."""

import random

ODD = "fcr/:|AKQs2h09-\r\x00\x1b٣é# ;"


def mutant(draw: random.Random, line: str) -> str:
    """A line with something wrong in it, mostly a little."""
    for _ in range(draw.choice((1, 1, 1, 2, 5))):
        line = _changed(draw, line).replace("\n", "")
    return line


def _changed(draw: random.Random, line: str) -> str:
    first, last = sorted(draw.randrange(len(line) + 1) for _ in range(2))
    odd = draw.choice(ODD)
    match draw.randrange(12):
        case 0:
            return line[:first] + odd + line[first + 1 :]
        case 1:
            return line[:first] + odd + line[first:]
        case 2:
            return line[:first] + line[first + 1 :]
        case 3:
            return line[:first] + line[last:]
        case 4:
            return line[:last] + line[first:]
        case 5:
            return line[:first]
        case 6:
            return line[last:] + line[:first]
        case 7:
            return ":".join(draw.sample(line.split(":"), line.count(":") + 1))
        case 8:
            return line.replace(draw.choice("0123456789"), str(draw.randrange(10**12)))
        case 9:
            return line.swapcase()
        case 10:
            return "".join(chr(draw.randrange(1, 256)) for _ in range(draw.randrange(80)))
        case _:
            return line + odd * draw.choice((1, 100, 6000))
