"""Packed hands: the small arithmetic against lists, and whole games against the rules themselves."""

from dataclasses import dataclass

import jax
import jax.numpy as jnp
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from feint.arena import rollout
from feint.games.bluff.agents import NoBluff, Smart
from feint.games.bluff.bits import Counts, Line
from feint.games.bluff.game import Bluff
from feint.games.bluff.packed import Packed, packed_turns
from feint.games.bluff.turns import Whole, whole_turns
from feint.registry import make_agent

RANKS = 13
hands = st.lists(st.integers(0, RANKS - 1), max_size=40)


def line(cards, longest=104):
    words = list(Line.empty(longest).words)
    for place, rank in enumerate(cards):
        words[place // 8] |= jnp.uint32((rank + 1) << 4 * (place % 8))
    return Line(tuple(words))


def listed(line):
    entries = [int(word) >> 4 * place & 15 for word in line.words for place in range(8)]
    cards = [entry - 1 for entry in entries if entry]
    assert entries[: len(cards)] == [card + 1 for card in cards]  # no gaps
    return cards


@given(hands, st.integers(0, RANKS - 1))
@settings(max_examples=60)
def test_the_first_card_of_a_rank_leaves_a_line(cards, rank):
    expected = list(cards)
    if rank in cards:
        expected.remove(rank)
    assert listed(line(cards).without(jnp.int32(rank), jnp.bool_(True))) == expected
    assert listed(line(cards).without(jnp.int32(rank), jnp.bool_(False))) == cards


@given(hands, hands)
@settings(max_examples=60)
def test_one_line_follows_another(cards, others):
    assert listed(line(cards).followed_by(line(others), jnp.int32(len(cards)))) == cards + others


@given(st.integers(0, RANKS - 1), st.integers(1, 8), hands)
@settings(max_examples=30)
def test_cards_that_are_alike(rank, count, cards):
    alike = Line.alike(jnp.int32(rank), jnp.int32(count))
    assert listed(alike) == [rank] * count
    assert listed(line(cards).followed_by(alike, jnp.int32(len(cards)))) == cards + [rank] * count


@pytest.mark.parametrize("ranks", [2, 7, 8, 9, 13])
def test_counts_go_round_with_the_rank_due(ranks):
    counts = Counts.none(ranks)
    for above in range(ranks):
        counts += Counts.of(jnp.int32(above), jnp.int32(above % 9), ranks)
    for due in range(ranks + 1):
        assert [int(counts[above]) for above in range(ranks)] == [(due + above) % ranks % 9 for above in range(ranks)]
        counts = counts.next_due()


@dataclass(frozen=True)
class ByPieces(Bluff):
    def ways(self, agents):
        return whole_turns(self, agents)


@dataclass(frozen=True)
class ByStep(Bluff):
    def ways(self, agents):
        return None


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [
        {"players": 3, "most": 2, "remainder": "unused", "cap": 60, "ranks": 7},
        {},  # of which test_second_opinion has the wins
        {"players": 5},
        {"players": 2, "ranks": 5, "suits": 3},
        {"players": 12, "decks": 2, "most": 8},
    ],
    ids=str,
)
def test_packed_hands_play_the_games_of_the_rules(options):
    names = ["no-bluff", "smart(sharp=true)", "reinforcement", "anxious(4)"]

    def play(kind):
        game = kind(**options)
        agents = [make_agent(name, game) for name in names]
        seating = [seat % 4 for seat in range(game.players)]
        return rollout.play(game, agents, seating, seed=8, first=0, matches=60, lanes=32)[0]

    packed, pieces, steps = play(Bluff), play(ByPieces), play(ByStep)
    for other in (pieces, steps):
        assert jax.tree.structure(packed) == jax.tree.structure(other)
        assert all(bool((a == b).all()) for a, b in zip(jax.tree.leaves(packed), jax.tree.leaves(other), strict=True))


class GoesItsOwnWay(Smart):
    """Reads the log, which no glance shows."""

    def calls(self, view, key):
        return view.log.count[0] > 1


def test_only_agents_that_say_so_are_packed():
    rules = Bluff()
    assert isinstance(rules.ways([NoBluff(), Smart()]), Packed)
    assert packed_turns(rules, [NoBluff(), GoesItsOwnWay()]) is None
    assert isinstance(rules.ways([NoBluff(), GoesItsOwnWay()]), Whole)
    assert rules.ways([make_agent("tit-for-tat", rules)]) is None
