"""Text that others wrote, made fit to be shown: nothing in it moves the cursor, turns the line around or goes on for pages."""

from unicodedata import category

UNSEEN = {
    "Cc",
    "Cf",
    "Cs",
    "Zl",
    "Zp",
}  # controls and escapes, turns of direction, halves of characters, other ends of lines
JOINERS = "\u200c\u200d"  # part of how some scripts and many emoji are written


def visible(text: object, keep: str = "") -> str:
    """A text whose control characters are spelled out, as Python spells them, but for those to `keep`."""
    shown = str(text)
    if shown.isprintable():
        return shown
    return "".join(
        each if category(each) not in UNSEEN or each in JOINERS or each in keep else ascii(each)[1:-1] for each in shown
    )


def shortened(text: str, most: int) -> str:
    """A text of at most so many characters: of a longer one the beginning and the end."""
    if len(text) <= most:
        return text
    end = (most - 5) // 3
    return f"{text[: most - 5 - end]} ... {text[len(text) - end :]}"
