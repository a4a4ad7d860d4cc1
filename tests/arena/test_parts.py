"""Parts of a match, played and merged in any way, are the match to the last bit; and what is counted of it is exact."""

import json
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from math import inf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import feint
from feint.arena.match import _tables, match
from feint.arena.result import Result
from feint.arena.seated import ONE, Slice, pairs
from feint.arena.seatings import rotations
from feint.arena.storage import as_json
from feint.arena.tally import Counting, counted, exact_sums, tally
from feint.errors import UserError
from feint.game import Unit

KUHN = feint.make("kuhn")


@dataclass(frozen=True)
class Toy:
    """As much of a game as counting asks for."""

    players: int = 3
    name = "toy"
    version = 1
    measure = "payoff"
    unit = Unit("chips")
    payoff_range = (-9.0, 9.0)

    def options(self):
        return {"players": 3}


@dataclass
class Played:
    """Outcomes as the arena gives them."""

    rewards: np.ndarray
    winners: np.ndarray
    moves: np.ndarray
    events: dict


SEATINGS = [(0, 1, 2), (2, 0, 1)]
MATCHES, LENGTH = 12, 2


def season(seed):
    """Every game of two seatings, with payoffs that no sum of floats would add up exactly."""
    rng = np.random.default_rng(seed)
    paid = rng.choice([1 / 3, -1 / 3, 0.1, 7.7, 1e-3, 0.0], (2, MATCHES, LENGTH, 3)).astype(np.float32)
    won = rng.random((2, MATCHES, LENGTH, 3)) < 0.4
    return paid, won, rng.integers(1, 9, (2, MATCHES, LENGTH)), rng.integers(0, 4, (2, MATCHES, LENGTH, 3))


def season_of(seed, parts, duplicate):
    """The result of some of its matches, (seating, first, count) each."""
    paid, won, moves, bluffs = season(seed)
    counting = Counting(Toy(), ["a", "b", "c"], SEATINGS, seed=seed, length=LENGTH, duplicate=duplicate, level=0.99)
    for seating, first, count in parts:
        here = np.s_[seating, first : first + count]
        base = 0 if duplicate else seating * MATCHES
        played = Played(paid[here], won[here], moves[here], {"bluffs": bluffs[here]})
        counting.parts.append(counted(Toy(), SEATINGS[seating], seed, base + first, played, duplicate))
    return Result.of(counting.totals())


@st.composite
def partitions(draw):
    """The matches of both seatings and two seeds cut into pieces, and the pieces dealt to some workers in any order."""
    pieces = []
    for seed in (3, 4):
        for seating in (0, 1):
            cuts = sorted(draw(st.sets(st.integers(1, MATCHES - 1), max_size=4)))
            bounds = [0, *cuts, MATCHES]
            pieces += [(seed, (seating, a, b - a)) for a, b in pairwise(bounds)]
    return draw(st.permutations(pieces)), draw(st.booleans())


@settings(max_examples=40)
@given(partitions())
def test_any_partition_merged_in_any_order_gives_the_same_bytes(dealt):
    pieces, duplicate = dealt
    whole = [(seating, 0, MATCHES) for seating in (0, 1)]
    expected = season_of(3, whole, duplicate).merge(season_of(4, whole, duplicate))
    parts = [season_of(seed, [piece], duplicate) for seed, piece in pieces]
    one_by_one = parts[0]
    for part in parts[1:]:
        one_by_one = one_by_one.merge(part)
    assert as_json(one_by_one) == as_json(expected) == as_json(parts[0].merge(*parts[1:]))
    assert one_by_one.seated[0].slices == (Slice(3, 0, MATCHES), Slice(4, 0, MATCHES))


@settings(max_examples=30)
@given(st.integers(0, MATCHES - 2), st.integers(2, MATCHES), st.integers(0, MATCHES - 1), st.integers(1, MATCHES))
def test_what_overlaps_is_refused_and_named(first, count, other, more):
    count, more = min(count, MATCHES - first), min(more, MATCHES - other)
    one, two = (season_of(3, [(0, a, n)], False) for a, n in ((first, count), (other, more)))
    shared = range(max(first, other), min(first + count, other + more))
    if shared:
        with pytest.raises(
            UserError, match=f"Matches {shared[0]} to {shared[-1]} of seed 3 with a, b, c would be counted twice"
        ):
            one.merge(two)
    else:
        assert one.merge(two).played == LENGTH * (count + more)


@settings(max_examples=60)
@given(st.lists(st.tuples(*[st.floats(-1e4, 1e4, width=32) for _ in range(3)]), min_size=1, max_size=30))
def test_sums_are_exact_however_they_are_added_up(games):
    payoffs = np.array(games, np.float32).astype(float)
    sums, products = exact_sums(payoffs.T)

    def fixed(value):
        return round(Fraction(value) * ONE)

    assert sums == tuple(sum(fixed(row[seat]) for row in payoffs.tolist()) for seat in range(3))
    assert products == tuple(sum(fixed(row[i] * row[j]) for row in payoffs.tolist()) for i, j in pairs(3))
    assert exact_sums(payoffs[::-1].T) == (sums, products)


def test_whole_numbers_take_the_short_way_to_the_same_sums():
    rng = np.random.default_rng(0)
    whole = rng.integers(-50, 50, (1000, 4)) / 4
    sums, products = exact_sums(whole.T)
    assert [each / ONE for each in sums] == whole.sum(axis=0).tolist()
    assert [each / ONE for each in products] == [(whole[:, i] * whole[:, j]).sum() for i, j in pairs(4)]
    nudged = np.vstack([whole, [[2.0**-30] * 4]])  # too fine for the short way
    assert [each - (ONE >> 30) for each in exact_sums(nudged.T)[0]] == list(sums)


@settings(max_examples=40)
@given(st.integers(1, 30), st.integers(1, 20), st.integers(0, 2**32))
def test_every_set_of_winners_is_counted(games, seats, seed):
    won = np.random.default_rng(seed).random((games, seats)) < 0.3
    found = tally(won.T, 2)
    rows = ["".join("01"[each] for each in row) for row in won.tolist()]
    assert found == {key: rows.count(key) for key in set(rows)}
    assert list(found) == sorted(found)


# ---- by playing


@pytest.mark.parametrize(("duplicate", "length"), [(False, 1), (True, 1), (False, 3)])
def test_parts_of_a_match_are_the_match(tmp_path, duplicate, length):
    def played(part=None):
        return match(
            KUHN, ["random", "random"], rotations(range(2)), 120, 5, part=part, duplicate=duplicate, length=length
        )

    whole, parts = played(), [played((first, count)) for first, count in ((30, 30), (0, 12), (12, 18))]
    for i, part in enumerate(parts):
        part.save(tmp_path / f"{i}.json")
    loaded = [Result.load(tmp_path / f"{i}.json") for i in (1, 0, 2)]
    assert as_json(loaded[0].merge(*loaded[1:])) == as_json(whole)
    with pytest.raises(UserError, match="counted twice"):
        whole.merge(parts[1])
    first = 0 if duplicate else 60 // length
    assert whole.seated[1].slices == (Slice(5, first, 60 // length),)


@pytest.mark.parametrize("part", [(0, 0), (-3, 6), (54, 9), (1, 3), (0, 4)])
def test_parts_are_whole_matches_of_those_there_are(part):
    with pytest.raises(UserError, match="A part is one or more whole matches of 3 out of 60 games"):
        match(KUHN, ["random", "random"], games=60, length=3, part=part)


def test_no_seating_plays_a_deal_twice():
    with pytest.raises(UserError, match="none may be named twice"):
        match(KUHN, ["random", "random"], [(0, 1), (0, 1)], 10, duplicate=True)


def test_a_match_that_is_stopped_has_played_all_seatings_alike_and_goes_on(monkeypatch):
    monkeypatch.setattr("feint.arena.match.QUICK", 0.0)
    told = []

    def interrupt(count):
        told.append(count)
        if sum(told) >= 75:
            raise KeyboardInterrupt

    def played(games=200, **how):
        return match(KUHN, ["random", "random"], rotations(range(2)), games, **how)

    so_far = []
    with pytest.raises(KeyboardInterrupt):
        played(lanes=1, progress=interrupt, begun=so_far.append)
    cut = so_far[0]()
    assert cut.played == sum(told)
    ahead, behind = (part.slices[0].count for part in cut.seated)
    assert 0 < behind < ahead < 100
    assert ahead - behind == told[0]  # one portion, of several
    rests = [played(part=(count, 100 - count)) for count in (ahead, behind)]
    with pytest.raises(UserError, match="counted twice"):
        cut.merge(rests[1])  # the first seating was ahead
    whole = played()
    apart = [replace(rest, seated=rest.seated[seat : seat + 1]) for seat, rest in enumerate(rests)]
    assert as_json(cut.merge(*apart)) == as_json(whole)
    assert as_json(played(after=cut)) == as_json(whole)
    with pytest.raises(UserError, match="longer"):
        played(part=(0, 10), after=cut)


@pytest.mark.parametrize(("quick", "portions"), [(0.0, [25] * 8), (inf, [25, 25, 32, 32, 32, 32, 11, 11])])
def test_a_quick_match_plays_the_same_games_in_fewer_portions(monkeypatch, quick, portions):
    monkeypatch.setattr("feint.arena.match.QUICK", quick)
    told = []
    seatings = rotations(range(2))
    played = match(KUHN, ["random", "random"], seatings, 200, lanes=1, progress=told.append)
    assert told == portions
    assert as_json(played) == as_json(match(KUHN, ["random", "random"], seatings, 200))


def test_files_are_plain_json(tmp_path):
    match(KUHN, ["random", "random"], games=20).save(tmp_path / "kuhn.json")
    told = json.loads((tmp_path / "kuhn.json").read_text())
    assert (told["format"], told["game"], told["version"], told["measure"]) == ("feint result 3", "kuhn", 1, "payoff")
    assert told["unit"] == {"name": "antes", "scale": 1.0, "places": 3, "total": ""}
    assert told["seated"][0]["slices"] == [[0, 0, 20]]


@pytest.mark.parametrize(
    ("given", "wrong"),
    [
        ({"level": 2}, "A level must be a number between 0 and 1, such as 0.99, not 2."),
        ({"level": 0.9999999999999999}, "A level must be a number between 0 and 1"),
        ({"seed": 2**32}, "The seed must be a whole number from 0 to 2147483647, not 4294967296."),
        ({"limit": float("inf")}, "The limit must be a number of seconds above 0, not inf."),
        ({"games": 2**31}, "A match has at most 2147483647 games, not 2147483648."),
        ({"games": 0}, "There must be one game or more"),
    ],
)
def test_numbers_are_checked_before_anything_is_played(given, wrong, monkeypatch):
    monkeypatch.setattr("feint.arena.portions.Player.__call__", lambda *_: pytest.fail("it was played"))
    with pytest.raises(UserError, match=wrong):
        match(KUHN, ["random", "random"], **given)


def test_long_matches_are_played_side_by_side():
    """Short games leave tables waiting for the longest of them, long matches do not: as many tables as matches, in few numbers."""
    assert [_tables(4096, matches, 1) for matches in (10, 600, 2000)] == [64, 64, 512]
    assert [_tables(4096, matches, 1000) for matches in (10, 600, 2000)] == [64, 512, 4096]
