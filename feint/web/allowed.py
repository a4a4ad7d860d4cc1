"""What a visitor may name: agents by name and those of the zoo, and the experiments of such; never a file, a program or another machine."""

from __future__ import annotations

import re

from feint.web.refusals import Refusal

# Whatever makes an agent of a file or a program has a colon before it, so that none but the zoo's is let through; there are no slashes.
_WORDS = re.compile(r"(?!-)(?:[\w .,()=*+\[\]'\"-]|(?<=(?<![\w-])zoo):){1,200}", re.ASCII)

NUMBER = re.compile(r"[0-9]{1,13}")
NAME = re.compile(r"[a-z0-9-]{1,40}(:[a-z0-9-]{1,40})?")
# By command: options with a number, options with words, and options alone. Nothing here names a file.
OPTIONS: dict[str, tuple[set[str], set[str], set[str]]] = {
    "match": ({"--games", "--seed", "--players", "--length"}, {"--seats", "--option"}, {"--duplicate"}),
    "tournament": ({"--games", "--seed", "--players"}, {"--seats", "--option"}, set()),
    "train": (
        {"--steps", "--seed", "--players", "--games", "--evaluations", "--length"},
        {"--algorithm", "--opponents", "--table", "--against", "--option", "--set"},
        set(),
    ),
    "study": ({"--games", "--seed"}, {"--only"}, set()),
}


def goes_by_name(words: str) -> bool:
    """Whether everything that is named is named by what feint calls it."""
    return _WORDS.fullmatch(words) is not None


def checked(words: list[str]) -> list[str]:
    """The words of a command that the lab runs; whatever names a file, a program or another machine is refused."""
    if not words or words[0] not in OPTIONS:
        raise Refusal(
            "refused", f"The lab runs {', '.join(list(OPTIONS)[:-1])} and {[*OPTIONS][-1]}, and no other command."
        )
    numbers, texts, alone = OPTIONS[words[0]]
    rest = iter(words[1:])
    plain = 0
    for word in rest:
        if word in alone:
            continue
        if word in numbers | texts:
            value = next(rest, "")
            if word in numbers and not NUMBER.fullmatch(value):
                raise Refusal("refused", f"{word} must be a whole number.")
            _check_word(value)
        elif word.startswith("-"):
            raise Refusal("refused", f"The lab does not take {word[:40]} for {words[0]}.")
        else:
            plain += 1
            if plain == 1 and not NAME.fullmatch(word):
                raise Refusal("refused", f"{word[:40]!r} is not the name of a game or a study.")
            if plain > 1:
                _check_word(word)
    if not plain:
        raise Refusal("refused", f"{words[0]} needs the name of a {'study' if words[0] == 'study' else 'game'}.")
    return words


def _check_word(word: str) -> None:
    if not goes_by_name(word):
        raise Refusal("refused", f"{word[:40]!r} cannot be run here: agents of feint and of its zoo can, files cannot.")
