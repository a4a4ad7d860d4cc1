"""Hands of limit Hold'em in the PHH format (poker hand history), written and read by pokerkit, which plays every one of them itself."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any

import jax
import numpy as np

from feint import interrupts, reading
from feint.errors import UserError
from feint.files import write_whole
from feint.games.holdem import acpc
from feint.games.holdem import cards as written_cards
from feint.games.holdem.acpc import Hand, Log
from feint.games.holdem.game import Holdem
from feint.games.holdem.state import CALL, FOLD, RAISE

ONE, MANY = ".phh", ".phhs"  # the endings of files
VARIANT = "FT"  # fixed-limit Texas Hold'em
MOST_RAISES = 4  # in a round, by pokerkit's rules
STACKS = 100  # times the most that a hand can cost: nobody is ever all-in


def write(path: Path, rules: Holdem, log: Log) -> None:
    """Write all hands of a log to a file."""
    if path.suffix not in (ONE, MANY) or (path.suffix == ONE and len(log.hands) != 1):
        raise UserError(f"{path} must end in {MANY}, or in {ONE} for a single hand; there are {len(log.hands)}.")
    history = _pokerkit().HandHistory
    found = list(_histories(rules, log.hands))
    write_whole(path, found[0].dumps() if path.suffix == ONE else history.dumps_all(found), "The hands")


def _histories(rules: Holdem, hands: Sequence[Hand]) -> Iterator[Any]:
    """Hands as pokerkit has them."""
    _check(rules)
    kit = _pokerkit()
    game = kit.FixedLimitTexasHoldem((), False, 0, rules.blinds, rules.bets[0], rules.bets[-1])
    stack = -STACKS * int(rules.payoff_range[0])
    for hand in hands:
        interrupts.check()
        with _refused(f"Hand {hand.number} is not one that pokerkit would play: {hand}."):
            yield from kit.HandHistory.from_acpc_protocol(game, stack, str(hand), error_status=True)


def _check(rules: Holdem) -> None:
    """Refuse what the format has no words for."""
    usual = Holdem(players=rules.players, blinds=rules.blinds, bets=(rules.bets[0],) * 2 + (rules.bets[-1],) * 2)
    same = (rules.board, rules.bets, rules.openers) == (usual.board, usual.bets, usual.openers)
    if not same or max(rules.raises) > MOST_RAISES:
        raise UserError(
            f"PHH has limit Hold'em with its usual rounds, two sizes of bets and at most {MOST_RAISES} raises; {rules} is another game."
        )


def read(path: Path) -> tuple[Holdem, Log]:
    """The game that the hands of a file are of, and the hands, with what they pay by the rules."""
    content = BytesIO(reading.content(path))
    with _refused(f"{path} is not a file of poker hands in the PHH format."):
        return _read(path, content)


def _read(path: Path, content: BytesIO) -> tuple[Holdem, Log]:
    history = _pokerkit().HandHistory
    found = [history.load(content)] if path.suffix == ONE else list(history.load_all(content))
    if not found:
        raise UserError(f"{path} has no hands.")
    rules = _rules(found[0], path)
    if any(_rules(each, path) != rules for each in found):
        raise UserError(f"{path} has hands of several games: a log is of one.")
    hands = [_hand(each, number, path) for number, each in enumerate(found)]
    states = acpc.replay(rules, [hand for hand, _ in hands])
    paid = []
    for index, (hand, payoffs) in enumerate(hands):
        values = acpc.values_of(jax.tree.map(lambda leaf, index=index: leaf[index], states))
        if not states.terminated[index] or not np.allclose(
            values, payoffs, rtol=0, atol=1
        ):  # odd chips are not split there
            raise UserError(f"{path}: hand {hand.number} pays {payoffs} there, and {values} by the rules of {rules}.")
        paid.append(replace(hand, values=tuple(values)))
    return rules, _log(paid)


def _rules(history: Any, path: Path) -> Holdem:
    if history.variant != VARIANT or any(history.antes):
        raise UserError(f"{path} has hands of another game than fixed-limit Texas Hold'em (FT) without antes.")
    bets = (history.small_bet,) * 2 + (history.big_bet,) * 2
    rules = Holdem(players=len(history.starting_stacks), blinds=tuple(history.blinds_or_straddles), bets=bets)
    if min(history.starting_stacks) < -rules.payoff_range[0]:
        raise UserError(f"{path} has stacks of less than {-rules.payoff_range[0]:g}, so that somebody may be all-in.")
    return rules


def _hand(history: Any, number: int, path: Path) -> tuple[Hand, list[float]]:
    """A hand, and what pokerkit pays for it."""
    kit = _pokerkit()
    number = history.hand if isinstance(history.hand, int) else number
    with _refused(f"{path}: hand {number} is not one that pokerkit would play."):
        *_, last = history  # every state from the deal on
    hole: dict[int, list[int]] = {}
    betting: list[list[int]] = [[]]
    board: list[tuple[int, ...]] = []
    for done in last.operations:
        if isinstance(done, kit.HoleDealing):
            hole.setdefault(done.player_index, []).extend(_cards(done.cards, number, path))
        elif isinstance(done, kit.BoardDealing):
            board.append(tuple(_cards(done.cards, number, path)))
            betting.append([])
        elif isinstance(done, kit.Folding | kit.CheckingOrCalling | kit.CompletionBettingOrRaisingTo):
            action = (
                FOLD if isinstance(done, kit.Folding) else CALL if isinstance(done, kit.CheckingOrCalling) else RAISE
            )
            betting[-1].append(action)
    players = len(history.starting_stacks)
    names = history.players or [f"p{(position + number) % players + 1}" for position in range(players)]
    own = tuple(tuple(hole.get(position, ())) for position in range(players))
    return Hand(number, tuple(map(tuple, betting)), own, tuple(board), names=tuple(names)), list(last.payoffs)


def _cards(cards: Iterable[Any], number: int, path: Path) -> list[int]:
    text = "".join(map(repr, cards))
    if "?" in text:
        raise UserError(f"{path}: hand {number} does not tell all cards, and a log has them all.")
    return written_cards.read(text)


def _log(hands: Sequence[Hand]) -> Log:
    """A log of hands, with a score where seats rotate from hand to hand."""
    by_seat = {tuple(np.roll(hand.names, hand.number)) for hand in hands}
    if len(by_seat) > 1:
        return Log(tuple(hands))
    score = np.sum([hand.paid for hand in hands], axis=0)
    return Log(tuple(hands), (), tuple(score.tolist()), tuple(map(str, by_seat.pop())))


@contextmanager
def _refused(sentence: str) -> Iterator[None]:
    """Whatever pokerkit stumbles over within is said by a sentence; what it only wonders at is checked elsewhere."""
    with reading.refused(sentence), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _pokerkit() -> Any:
    try:
        import pokerkit
    except ImportError as missing:
        raise UserError("PHH files need pokerkit: pip install 'feint[connect]'.") from missing
    return pokerkit
