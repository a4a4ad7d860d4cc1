"""Reviews worked out in the background, each as far as it has come: what every decision of a finished game was worth."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from feint.errors import UserError
from feint.record import Record
from feint.review.analysis import reviewing
from feint.seating import is_person
from feint.web.refusals import Refusal

MOST_KEPT = 100  # reviews
MOST_WAITING = 8


class Reviews:
    """One at a time, in a thread of its own; the latest are kept."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, "reviews")
        self._kept: OrderedDict[Any, dict[str, Any] | str | None] = OrderedDict()

    def ask(self, which: Any, record: Callable[[], Record]) -> dict[str, Any]:
        """A review as far as it has come, begun where nobody has asked for it yet."""
        if which not in self._kept:
            if (
                sum(
                    found is None or (isinstance(found, dict) and not found["finished"])
                    for found in self._kept.values()
                )
                >= MOST_WAITING
            ):
                raise Refusal("busy", "Many games are being looked at just now. Try again in a few minutes.")
            self._kept[which] = None
            self._thread.submit(self._work, which, record)
            while len(self._kept) > MOST_KEPT:
                self._kept.popitem(last=False)
        return self.known(which)

    def known(self, which: Any) -> dict[str, Any]:
        """A review as far as it has come."""
        found = self._kept.get(which)
        if isinstance(found, str):
            raise Refusal("refused", found)
        return found or WAITING

    def _work(self, which: Any, record: Callable[[], Record]) -> None:
        try:
            game = record()
            people = any(map(is_person, game.seats))
            for review in reviewing(game, seats=None if people else range(len(game.seats))):
                if which not in self._kept:
                    return  # nobody has asked for long
                self._kept[which] = review.as_data()
        except UserError as wrong:
            self._kept[which] = str(wrong)
        except Exception:
            self._kept[which] = "This game could not be looked at."
            raise

    def close(self) -> None:
        self._kept.clear()
        self._thread.shutdown(wait=False, cancel_futures=True)


WAITING: dict[str, Any] = {
    "finished": False,
    "done": 0,
    "work": 1,
    "unit": "chance",
    "level": 0.99,
    "agent": "",
    "names": [],
    "turns": [],
    "curve": [],
    "decisions": [],
    "answers": [],
    "costliest": [],
}  # a review that is yet to be begun
