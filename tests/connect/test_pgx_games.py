"""Games of pgx in feint: the contract of games, and pgx's Leduc hold'em beside ours."""

import json
import sys
from collections import Counter

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

import feint
from feint import chance
from feint.agent import Random
from feint.connect.pgx_games import Deal
from feint.errors import NotSmall, UserError
from feint.solvers.best_response import exploit
from feint.solvers.sequence_form import SequenceForm
from feint.solvers.tabular import profile_of
from feint.solvers.tree import build
from feint.story import Story
from feint.testing import check_game
from feint.views import as_json, from_json
from feint.words import narration

LONG = pytest.mark.slow
THEIRS = np.array([2, 0, 1])  # pgx's fold, call and raise, in the order of ours


@pytest.mark.parametrize(
    "name",
    [
        "kuhn_poker",
        pytest.param("leduc_holdem", marks=LONG),
        pytest.param("tic_tac_toe", marks=LONG),
        pytest.param("connect_four", marks=LONG),
        pytest.param("othello", marks=LONG),
        pytest.param("backgammon", marks=LONG),
        pytest.param("chess", marks=LONG),
    ],
)
def test_the_contract(name):
    check_game(feint.make(f"pgx:{name}"))


@pytest.fixture(scope="module")
def leduc():
    return feint.make("pgx:leduc_holdem")


def test_leduc_of_pgx_is_ours_move_by_move(leduc):
    """All deals in which the first seat begins, each played at random several times, in both games at once."""
    ours = feint.make("leduc")
    begins = np.flatnonzero(leduc.starts.current_player == 0)
    assert len(begins) == 24
    numbers = jnp.asarray(np.repeat(begins, 20), jnp.uint32)

    def play(start, key):
        their = leduc.deal(Deal(start, jnp.zeros(0, jnp.uint32)))
        own = ours.deal(type(ours.draw(key))(their.inner._cards))

        def move(states, number):
            their, own = states
            action = chance.choice(chance.move_key(key, number), own.legal_action_mask)
            over = own.terminated
            same = (their.current_player == own.current_player) & (their.terminated == over)
            same &= (their.legal_action_mask[THEIRS] == own.legal_action_mask).all()
            their, own = leduc.step(their, jnp.asarray(THEIRS)[action]), ours.step(own, action)
            return (their, own), ((same | over) & (their.rewards == own.rewards).all(), own.rewards)

        (their, own), (same, paid) = jax.lax.scan(move, (their, own), jnp.arange(ours.max_moves))
        return same.all() & their.terminated & own.terminated, paid.sum(axis=0)

    keys = jax.random.split(chance.key(0), len(numbers))
    same, paid = jax.jit(jax.vmap(play))(numbers, keys)
    assert same.all()
    assert len(np.unique(paid[:, 0])) > 10


@LONG
def test_random_play_at_leduc_is_as_exploitable_in_both(leduc):
    sides = []
    for game in (leduc, feint.make("leduc")):
        form = SequenceForm.of(build(game))
        sides.append(exploit(form, profile_of(form, [Random()])).exploitability)
    assert sides[0] == pytest.approx(sides[1], abs=1e-6)


def test_starts_are_as_likely_as_pgx_draws_them(leduc):
    drawn = jax.jit(jax.vmap(leduc.env.init))(jax.random.split(chance.key(3), 6000))
    counts = Counter(zip(drawn.current_player.tolist(), map(tuple, drawn._cards.tolist()), strict=True))
    listed = zip(leduc.starts.current_player.tolist(), map(tuple, leduc.starts._cards.tolist()), strict=True)
    found = np.array([counts.pop(start) for start in listed])
    assert not counts
    assert stats.chisquare(found, leduc.deals()[1] * 6000).pvalue > 1e-4


def test_it_is_matched_and_solved():
    game = feint.make("pgx:kuhn_poker")
    solution = feint.solve(game, "pcfr+", until=1e-4)
    assert solution.values[0] == pytest.approx(0, abs=1e-4)  # each seat begins every second game
    result = feint.match(game, ["random", "random"], games=400, seed=1)
    assert result.payoff_sum.sum() == 0


def test_programs_that_are_kept_tell_its_games_apart():
    trees = {
        str(jax.tree.structure(feint.make(f"pgx:{name}"))) for name in ("kuhn_poker", "leduc_holdem", "tic_tac_toe")
    }
    assert len(trees) == 3
    both = [str(jax.tree.structure(feint.make(f"openspiel:{name}"))) for name in ("matrix_rps", "matrix_pd")]
    assert both[0] != both[1]


def test_a_board_is_seen_whole_and_told_in_squares():
    game = feint.make("pgx:tic_tac_toe")
    state = game.deal(Deal(jnp.uint32(0), jnp.zeros(0, jnp.uint32)))
    for action in (4, 0):
        state = jax.jit(game.step)(state, jnp.int32(action))
    view = jax.device_get(game.observe(state, state.current_player))
    first = "xo"[int(view.seat)]
    second = "xo"[1 - int(view.seat)]
    shown = narration(game, ["Ann", "Ben"], int(view.seat)).show(view).splitlines()
    assert shown[:4] == ["   a b c", f" 1 {second} . .", f" 2 . {first} .", " 3 . . ."]
    assert game.describe(view, 5) == "c2"
    again = from_json(game, json.loads(json.dumps(as_json(view))))
    assert jax.tree.all(jax.tree.map(np.array_equal, view, again))
    same = game.redeal(again, chance.key(0))
    assert jax.tree.all(jax.tree.map(np.array_equal, same, state))


def test_a_game_is_told_move_by_move(leduc):
    table = feint.Table(leduc, ["me:Ann", "me:Ben"], seed=2)
    begins = int(table.state().current_player)
    story = Story(table, reader=1 - begins)
    table.play(1)
    story.tell(1)
    message = story.message(table.view(1 - begins))
    assert message["told"] == [f"{['Ann', 'Ben'][begins]}: raise."]
    assert message["seen"].endswith("; you have bet 1, the other 3")
    assert [choice["label"] for choice in message["choices"]] == ["call", "raise", "fold"]


@LONG
def test_tiles_are_played_and_not_dealt_anew():
    game = feint.make("pgx:sparrow_mahjong")
    result = feint.match(game, ["random"] * 3, games=96, seed=1)
    assert result.payoff_sum.sum() == pytest.approx(0, abs=1e-4)
    with pytest.raises(UserError, match="cannot be dealt: pgx does not tell which of them fit"):
        game.redeal(game.observe(game.init(chance.key(0)), jnp.int32(0)), chance.key(1))
    with pytest.raises(NotSmall, match="too many deals"):
        game.deals()


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("leduc_holdm", "Did you mean leduc_holdem"),
        ("leduc", "Did you mean leduc_holdem"),
        ("2048", "it is for one player alone"),
        ("minatar-breakout", "it is for one player alone"),
        ("bridge_bidding", "it needs results of deals that pgx does not bring"),
        ("", "It has: animal_shogi"),
    ],
)
def test_what_is_no_game_is_said_in_a_sentence(name, said):
    with pytest.raises(UserError, match=said):
        feint.make(f"pgx:{name}")


def test_without_pgx_its_games_name_what_brings_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "pgx", None)
    with pytest.raises(UserError, match=r"pip install 'feint\[peers\]'"):
        feint.make("pgx:hex")
