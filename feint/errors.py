"""What a user did wrong, said in one sentence."""

from collections.abc import Iterable
from difflib import get_close_matches


class UserError(ValueError):
    """Bad input: the message says what was wrong and what would be right. Commands print it and exit with code 2."""


class NotSmall(UserError):
    """The game is too large to enumerate."""


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """The question to put after a name that there is not, where one that there is looks like it; with a space before it."""
    wanted, known = str(name), list(known)  # a file may hold anything for a name
    near = get_close_matches(wanted, known, n=1) or [
        each for each in known if len(wanted) > 2 and each.startswith(wanted)
    ]
    return f" Did you mean {near[0]}?" if near else ""
