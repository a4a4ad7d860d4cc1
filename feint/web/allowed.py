"""What a visitor may name: agents by name and those of the zoo, never a file, a program or another machine."""

from __future__ import annotations

import re

# Whatever makes an agent of a file or a program has a colon before it, so that none but the zoo's is let through; there are no slashes.
_WORDS = re.compile(r"(?!-)(?:[\w .,()=*+\[\]'\"-]|(?<=\bzoo):){1,200}", re.ASCII)


def goes_by_name(words: str) -> bool:
    """Whether everything that is named is named by what feint calls it."""
    return _WORDS.fullmatch(words) is not None
