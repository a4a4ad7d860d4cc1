"""Trees: sizes as OpenSpiel has them, probabilities that add up, information sets across levels, and refusals."""

from dataclasses import dataclass, replace
from typing import ClassVar

import jax.numpy as jnp
import numpy as np
import pytest
from jax import Array

import feint
from feint import game as contract
from feint.errors import NotSmall, UserError
from feint.game import Game, pytree
from feint.solvers.packed_views import distinct
from feint.solvers.tree import Size, build, estimate
from tests.solvers.openspiel import SMALL, form, names, peer

GAMES = [*SMALL, ("liars-dice", {"sides": 4})]


def their_counts(game):
    """OpenSpiel's decision nodes, ends and names of information sets, walking its tree."""
    decisions, ends, found = 0, 0, set()
    open_states = [game.new_initial_state()]
    while open_states:
        state = open_states.pop()
        if state.is_terminal():
            ends += 1
            continue
        if not state.is_chance_node():
            decisions += 1
            found.add(state.information_state_string())
        open_states += [state.child(action) for action in state.legal_actions()]
    return decisions, ends, found


@pytest.mark.parametrize(("name", "options"), GAMES, ids=str)
def test_sizes_and_information_sets_are_openspiels(name, options):
    ours = form(name, **options)
    decisions, ends, found = their_counts(peer(name, **options))
    assert (ours.tree.decisions, len(ours.tree.terminal)) == (decisions, ends)
    assert set(names(ours)) == found
    assert len(ours.tree.infosets) == len(found)


@pytest.mark.slow
def test_sizes_of_three_player_leduc_are_openspiels():
    ours = form("leduc", players=3)
    decisions, ends, found = their_counts(peer("leduc", players=3))
    assert (ours.tree.decisions, len(ours.tree.terminal), len(ours.tree.infosets)) == (decisions, ends, len(found))


def test_three_player_leduc_as_counted_once():
    tree = form("leduc", players=3).tree
    assert (tree.decisions, len(tree.terminal), len(tree.infosets)) == (95_004, 126_996, 7_428)


def test_dice_that_look_alike_are_merged_but_information_sets_are_the_same():
    ours = form("liars-dice", dice=2, sides=2)
    assert set(names(ours)) == their_counts(peer("liars-dice", dice=2, sides=2))[2]
    assert ours.tree.decisions == 9 * 256  # three different hands each, not four


@pytest.mark.parametrize(("name", "options"), GAMES, ids=str)
def test_probabilities_of_all_ends_add_up_to_one(name, options):
    ours = form(name, **options)
    policy = ours.uniform()
    tree = ours.tree
    reach = np.ones(len(tree.parent))
    for start, end in zip(tree.levels[1:], tree.levels[2:], strict=False):
        before = tree.parent[start:end]
        reach[start:end] = reach[before] * policy[tree.infoset[before], tree.action[start:end]]
    assert (reach * tree.chance)[tree.terminal].sum() == pytest.approx(1)
    assert tree.chance[: tree.levels[1]].sum() == pytest.approx(1)


def test_knuths_estimate_is_roughly_right():
    game = feint.make("leduc", suits=True)
    size = estimate(game)
    assert size.about == pytest.approx(form("leduc", suits=True).tree.positions, rel=0.2)
    assert 0.5 * size.about < size.surely < form("leduc", suits=True).tree.positions


def test_too_large_is_refused_with_an_estimate_before_memory_is_gone():
    with pytest.raises(UserError, match=r"about 2(\.\d)?e\+03 positions, more than the 100 that may be listed"):
        build(feint.make("leduc"), most=100)
    with pytest.raises(UserError, match=r"about [\d.]+e\+\d+ positions"):
        build(feint.make("bluff", players=2, ranks=2, suits=2, cap=500))
    with pytest.raises(NotSmall, match="too many to list"):
        build(feint.make("bluff"))


def test_what_would_take_too_much_memory_is_refused_before_it_is_taken(monkeypatch):
    """Positions of a game with a thousand actions are large, and the first step makes a thousand of each."""
    stepped = []
    game = feint.make("bidding", players=3, coins=1000)
    monkeypatch.setattr(type(game), "step", lambda *_: stepped.append(1))
    monkeypatch.setattr("feint.solvers.tree.estimate", lambda _: Size(4e4, 0.0))
    with pytest.raises(NotSmall, match=r"they take [\d.]+ GB at least, of the 0.0 GB that may be taken.*mccfr"):
        build(game, most=40_000)
    assert not stepped


def test_distinct_rows_are_told_apart_exactly():
    draw = np.random.default_rng(0)
    rows = draw.integers(0, 3, (2000, 7), dtype=np.uint8)
    first, kind = distinct(rows)
    assert len(first) == len(np.unique(rows, axis=0))
    np.testing.assert_array_equal(rows, rows[first[kind]])


@pytree
class Nothing:
    """A deal of a game without chance."""

    nothing: Array


@pytree
class HiddenState(contract.State):
    moves: Array
    waited: Array


@pytree
class HiddenView(contract.View):
    pass


@dataclass(frozen=True)
class Waiting(Game[HiddenState, HiddenView]):
    """The first player may wait once, unseen, before the second guesses whether it did."""

    name: ClassVar[str] = "waiting"
    tells: bool = True

    @property
    def actions(self):
        return 2

    @property
    def max_moves(self):
        return 3

    def draw(self, key):
        return Nothing(jnp.int32(0))

    def deal(self, deal):
        return HiddenState(
            current_player=jnp.int32(0),
            legal_action_mask=jnp.ones(2, bool),
            rewards=jnp.zeros(2),
            terminated=jnp.bool_(False),
            moves=jnp.int32(0),
            waited=jnp.bool_(False),
        )

    def deals(self):
        return Nothing(jnp.zeros(1, jnp.int32)), jnp.ones(1)

    def move(self, state, action):
        guess = state.current_player == 1
        waits = ~guess & (action == 1) & ~state.waited
        right = jnp.where((action == 1) == state.waited, 1.0, -1.0)
        return replace(
            state,
            moves=state.moves + 1,
            waited=state.waited | waits,
            current_player=jnp.where(waits, 0, 1).astype(jnp.int32),
            legal_action_mask=jnp.array([True, True])
            if self.tells
            else jnp.stack([jnp.bool_(True), ~waits & ~state.waited]),
            terminated=guess,
            rewards=jnp.where(guess, jnp.stack([-right, right]), 0.0),
        )

    def observe(self, state, player):
        return HiddenView(seat=jnp.int32(player))

    def encode(self, view):
        return {"seat": view.seat}

    def describe(self, view, action):
        return "wait" if action else "go"

    def spectate(self, state):
        return HiddenView(seat=jnp.int32(contract.SPECTATOR))

    def redeal(self, view, key):
        return self.init(key)


def test_an_information_set_may_reach_over_levels():
    tree = build(Waiting())
    sets = tree.infosets
    # The first player at its first and at its second move, and the second, who cannot tell which it was.
    assert sets.player.tolist() == [0, 0, 1]
    guess = np.flatnonzero(tree.infoset == 2)
    levels = np.searchsorted(tree.levels, guess, side="right") - 1
    assert sorted(set(levels.tolist())) == [1, 2]


def test_a_view_that_does_not_tell_what_is_legal_is_refused():
    with pytest.raises(UserError, match="does not tell what it may do"):
        build(Waiting(tells=False))
