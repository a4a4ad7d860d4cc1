"""How strong two cards are: the worked example, and beside phevaluator on every hand and every card to come."""

from collections import Counter
from itertools import combinations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from feint.games.holdem import cards
from feint.games.holdem.boards import HOLDINGS, RENAMINGS, alike, number, renamed, sets
from feint.games.holdem.equities import ONE, Equities, KnownEquities, before, build, river_counts
from feint.games.holdem.evaluator import evaluate
from feint.games.holdem.strength import Strength, measured

_measured = jax.jit(measured)


def of(own: str, board: str) -> Strength:
    return _measured(np.array(cards.read(own), np.int8), np.array(cards.read(board), np.int8))


def test_the_worked_example():
    found = of("AdQc", "3h4cJh")
    assert [round(float(each), 3) for each in (found.hs, found.ppot, found.npot)] == [0.585, 0.208, 0.274]
    assert found.betting(2) == pytest.approx(0.585**2 + (1 - 0.585**2) * 0.208, abs=1e-3)


def test_a_hand_that_cannot_lose_and_one_that_cannot_win():
    best = of("AsKs", "QsJsTs2d")
    assert (best.hs, best.npot, best.ehs) == (1, 0, 1)
    worst = of("3d4h", "AsKsQsJsTs")  # which everybody has
    assert (worst.hs, worst.ppot, worst.npot) == (0.5, 0, 0)


# ---- beside a plain enumeration by somebody else's evaluator


def enumerated(own: list[int], board: list[int]) -> Strength:
    evaluated = pytest.importorskip("phevaluator").evaluate_cards  # the best hand is 1
    left = [card for card in range(52) if card not in own + board]
    counts: Counter[tuple[int, int]] = Counter()

    def compared(other: tuple[int, ...], shared: list[int]) -> int:
        return int(np.sign(evaluated(*other, *shared) - evaluated(*own, *shared)))

    for other in combinations(left, 2):
        now = compared(other, board)
        rest = [card for card in left if card not in other]
        for to_come in combinations(rest, 5 - len(board)):
            counts[now, compared(other, [*board, *to_come])] += 1
    ahead, tied, behind = (sum(n for (now, _), n in counts.items() if now == each) for each in (1, 0, -1))
    rises = counts[-1, 1] + counts[-1, 0] / 2 + counts[0, 1] / 2
    falls = counts[1, -1] + counts[1, 0] / 2 + counts[0, -1] / 2
    ups, downs = behind + tied / 2, ahead + tied / 2
    return Strength(downs / counts.total(), rises / ups if ups else 0.0, falls / downs if downs else 0.0)


def spots(seed: int, seen: int, count: int) -> list[tuple[list[int], list[int]]]:
    """Random cards, two of one's own and so many of a board."""
    random = np.random.default_rng(seed)
    dealt = [random.permutation(52)[: 2 + seen].tolist() for _ in range(count)]
    return [(each[:2], each[2:]) for each in dealt]


def check(own: list[int], board: list[int]) -> None:
    ours, theirs = _measured(np.array(own, np.int8), np.array(board, np.int8)), enumerated(own, board)
    for name in ("hs", "ppot", "npot", "ehs"):
        assert getattr(ours, name) == pytest.approx(getattr(theirs, name), abs=2e-6), (own, board, name)


@pytest.mark.parametrize("seen", [4, 5])
def test_random_spots_are_phevaluators(seen):
    for spot in spots(seen, seen, 2):
        check(*spot)


# ---- the tables


def symmetric(board: np.ndarray, holdings: np.ndarray) -> np.ndarray:
    """Some number of a board, int[size, boards], and two cards, int[2, holdings], that does not depend on the names of suits; 0 where they
    share a card. int[boards, holdings]"""
    own = np.broadcast_to(holdings[:, None], (2, board.shape[1], holdings.shape[1]))
    shared = np.broadcast_to(board[:, :, None], (len(board), *own.shape[1:]))
    there = (own[:, None] != shared).all(axis=(0, 1))
    return np.where(there, np.asarray(_evaluate(np.concatenate([own, shared]))) % 1009, 0)


_evaluate = jax.jit(evaluate)


@pytest.mark.parametrize(("size", "boards", "hands"), [(3, 1_755, 22_100), (4, 16_432, 270_725)])
def test_boards_that_differ_by_names_of_suits_are_one(size, boards, hands):
    found, places = alike(size)
    assert found.shape == (boards, size)
    assert places.shape == (hands,)
    assert np.array_equal(number(jnp.asarray(sets(size).T)), np.arange(hands))
    some = np.random.default_rng(0).integers(0, hands, 50)
    for each in some:
        place, renaming = divmod(int(places[each]), 24)
        assert set(renamed(sets(size)[each], RENAMINGS[renaming]).tolist()) == set(found[place].tolist())


def test_tables_are_made_and_looked_up_whatever_the_suits():
    """With other numbers than equities, which must come out again for any cards."""
    flops, of_flop = alike(3)
    turns, of_turn = alike(4)
    places = np.unique([of_turn[int(number(jnp.asarray([0, 5, 17, card])))] // 24 for card in range(52)])
    turn = np.zeros((len(turns), len(HOLDINGS)), np.int32)
    turn[places] = symmetric(turns[places].T, HOLDINGS.T)
    board, cards_to_come = sets(3)[int(number(jnp.asarray([0, 5, 17])))], np.setdiff1d(np.arange(52), [0, 5, 17])
    place, renaming = divmod(int(of_flop[int(number(jnp.asarray(board)))]), 24)
    made = before(turn, of_turn, flops[place][None], lambda _: None)[0]
    all_boards = np.stack([np.append(board, card) for card in cards_to_come], axis=1)
    expected = symmetric(all_boards, HOLDINGS.T).sum(axis=0)
    renamed_to = np.asarray(number(jnp.asarray(renamed(HOLDINGS.T, RENAMINGS[renaming]))))
    assert np.array_equal(made[renamed_to], expected)

    tables = {"preflop": np.arange(len(HOLDINGS), dtype=np.uint16), "turn": turn.astype(np.uint16)}
    equities = Equities(tables | {"flop": tables["turn"][: len(flops)], "flops": of_flop, "turns": of_turn})
    looked_up = jax.jit(Equities.ehs)
    for card in (1, 30, 51):
        seen = np.array([17, 0, card, 5, cards.HIDDEN], np.int8)
        for own in ([2, 3], [49, 9]):
            wanted = symmetric(seen[:4, None], np.array(own)[:, None])[0, 0] / ONE
            assert looked_up(equities, np.array(own, np.int8), seen) == pytest.approx(wanted)
    assert looked_up(equities, np.array([51, 50], np.int8), np.full(5, -1, np.int8)) == pytest.approx(1325 / ONE)
    river = looked_up(equities, *(np.array(cards.read(text), np.int8) for text in ("AdQc", "3h4cJh2d5s")))
    assert river == of("AdQc", "3h4cJh2d5s").hs

    known, looked_up_again = jax.jit(KnownEquities.of), jax.jit(KnownEquities.ehs)
    for board in ([-1] * 5, [17, 0, 30, 5, -1], [17, 0, 30, 5, 42]):  # all holdings at once give the same
        for own in ([2, 3], [49, 9], [18, 6]):
            arguments = np.array(own, np.int8), np.array(board, np.int8)
            at_once = looked_up_again(known(equities, arguments[1]), *arguments)
            assert at_once == pytest.approx(float(looked_up(equities, *arguments)), abs=1e-6)


def test_counts_of_rivers_are_those_of_every_hand():
    boards = np.array([board for _, board in spots(0, 5, 256)], np.int8)
    counts = river_counts(boards)
    for row, holding in ((0, 0), (3, 700), (255, 1325)):
        if set(boards[row]) & set(HOLDINGS[holding]):
            assert counts[row, holding] == 0
        else:
            assert counts[row, holding] == pytest.approx(1980 * float(_measured(HOLDINGS[holding], boards[row]).hs))


@pytest.mark.slow
def test_a_thousand_spots_and_all_tables_are_phevaluators():
    """Rivers and turns one by one; flops with all holdings at once, of which an enumeration takes as long as of one."""
    for seen, count in ((5, 850), (4, 150)):
        for spot in spots(seen, seen, count):
            check(*spot)
    tables = build(lambda _: None)
    equities = Equities({name: jnp.asarray(each) for name, each in tables.items()})
    looked_up = jax.jit(jax.vmap(Equities.ehs, (None, 0, None)))
    for _, flop in spots(0, 3, 6):
        held = np.array([each for each in HOLDINGS if not set(each) & set(flop)])
        board = np.array([*flop, -1, -1], np.int8)
        assert np.allclose(looked_up(equities, held, board), flop_equities(held, flop), atol=1e-5)
    for own, board in spots(1, 4, 50):
        seen = np.array([*board, -1], np.int8)
        found = looked_up(equities, np.array([own], np.int8), seen)[0]
        assert found == pytest.approx(float(_measured(np.array(own, np.int8), seen[:4]).ehs), abs=1e-5)
    preflop = {text: tables["preflop"][int(number(jnp.asarray(cards.read(text))))] / ONE for text in ("AsAd", "7s2d")}
    assert preflop == {"AsAd": pytest.approx(0.85204, abs=1e-5), "7s2d": pytest.approx(0.34584, abs=1e-5)}
    assert len(np.unique(tables["preflop"])) <= 169


def flop_equities(held: np.ndarray, flop: list[int]) -> np.ndarray:
    """How likely each holding wins against a random hand, float[holdings], by phevaluator."""
    evaluated = pytest.importorskip("phevaluator").evaluate_cards
    clash = (held[:, None, :, None] == held[None, :, None, :]).any(axis=(2, 3))
    points, chances = np.zeros(len(held)), np.zeros(len(held))
    for to_come in held.tolist():  # any two other cards
        there = ~(held[:, :, None] == np.array(to_come)).any(axis=(1, 2))
        worth = np.array([-evaluated(*own, *flop, *to_come) for own in held[there].tolist()])
        beats = (worth[:, None] > worth) + 0.5 * (worth[:, None] == worth)
        possible = ~clash[np.ix_(there, there)]
        points[there] += (beats * possible).sum(axis=1)
        chances[there] += possible.sum(axis=1)
    return points / chances
