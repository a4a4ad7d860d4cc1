"""Who sits where: orders of agents over the seats of a table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations, permutations
from math import comb, factorial
from typing import Literal

from feint.errors import UserError

Seating = tuple[int, ...]  # the agent in each seat
Order = Literal["all", "rotations", "given"]
MOST = 50_000  # seatings: every order of eight


def orders(agents: Sequence[int]) -> list[Seating]:
    """Every ordering of agents over the seats: 24 for four."""
    _check_number(factorial(len(agents)))
    return list(dict.fromkeys(permutations(agents)))


def rotations(agents: Sequence[int]) -> list[Seating]:
    """Every agent once in every seat, neighbours staying neighbours: four for four."""
    turns = [(*agents[turn:], *agents[:turn]) for turn in range(len(agents))]
    return list(dict.fromkeys(turns))


WAYS: dict[str, Callable[[Sequence[int]], list[Seating]]] = {
    "all": orders,
    "rotations": rotations,
    "given": lambda agents: [tuple(agents)],
}


def round_robin(agents: int, seats: int, order: Order = "all") -> list[Seating]:
    """Every choice of as many of the agents as there are seats, each in every order, in every rotation, or as given."""
    if not 1 <= seats <= agents:
        raise UserError(f"A round robin of {seats} seats needs at least as many agents, not {agents}.")
    if order not in WAYS:
        raise UserError(f"Seats are taken in one of {', '.join(WAYS)}, not {order!r}.")
    _check_number(comb(agents, seats) * {"all": factorial(seats), "rotations": seats, "given": 1}[order])
    return [seating for chosen in combinations(range(agents), seats) for seating in WAYS[order](chosen)]


def _check_number(seatings: int) -> None:
    if seatings > MOST:
        raise UserError(
            f"That is {float(seatings):.3g} seatings, and at most {MOST} are played: name fewer agents, or take rotations."
        )
