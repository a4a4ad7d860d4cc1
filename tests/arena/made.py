"""Results of matches that were never played, with known totals."""

from feint.arena.result import Result
from feint.arena.seated import ONE, Seated, Slice, pairs
from feint.arena.storage import as_json
from feint.arena.totals import gathered
from feint.game import Unit


def fixed(values):
    """Sums of payoffs as they are kept."""
    return tuple(round(float(value) * ONE) for value in values)


def winners_of(wins, draws):
    """A tally of games that one seat at most won."""
    seats = len(wins)
    alone = {"".join("01"[seat == other] for other in range(seats)): int(won) for seat, won in enumerate(wins)}
    return dict(sorted((key, often) for key, often in ({"0" * seats: int(draws)} | alone).items() if often))


def seated(agents, winners, *, seed=0, first=0, length=1, moves=None, payoffs=None, squares=None, **more):
    """One seating; what its seats' payoffs have to do with one another is left at nothing unless told."""
    games, seats = sum(winners.values()), len(agents)
    payoffs, squares = payoffs if payoffs is not None else [0] * seats, squares if squares is not None else [0] * seats
    products = [squares[one] if one == other else 0 for one, other in pairs(seats)]
    told = {
        "agents": tuple(map(int, agents)),
        "slices": (Slice(seed, first, games // length),),
        "moves": games if moves is None else int(moves),
        "winners": winners,
        "payoffs": fixed(payoffs),
        "products": fixed(products),
        "orders": {},
        "counters": {},
    }
    return Seated(**told | more)


def result(agents, parts, **changes):
    """The result of some seatings."""
    told = {
        "game": "bluff",
        "version": 1,
        "options": {"players": len(parts[0].agents) if parts else 4},
        "measure": "wins",
        "unit": Unit(),
        "payoff_range": (-1.0, 1.0),
        "agents": tuple(agents),
        "length": 1,
        "duplicate": False,
        "level": 0.99,
        "seated": gathered(parts, tuple(agents)),
    }
    return Result(**told | changes)


def same(one, other):
    """Whether two results are the same to the last bit, as their files would be."""
    return as_json(one) == as_json(other)
