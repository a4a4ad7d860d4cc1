"""The engine: exact counts, no bias, the same games whatever the batch, and the same game as single steps."""

import os
import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import feint
from feint import chance
from feint.agent import Memoryless, Random
from feint.arena import rollout, statistics
from feint.arena.match import match
from feint.errors import UserError
from feint.game import pytree
from feint.registry import make_agent
from tests.arena.playthrough import playthrough

BLUFF = feint.make("bluff")
KUHN = feint.make("kuhn", players=3)
DICE = feint.make("liars-dice")
THESIS = ("anxious", "no-bluff", "reinforcement", "smart")  # in the order in which `match` hands them over
AS_MATCHES = {"lanes": 64, "capacity": 2048}  # the program of a match: it is compiled once


def agents(*names):
    return [make_agent(name, BLUFF) for name in names]


def same(one, other):
    return all(bool((a == b).all()) for a, b in zip(jax.tree.leaves(one), jax.tree.leaves(other), strict=True))


@pytest.mark.parametrize(
    "names",
    [THESIS, pytest.param(("tit-for-tat", "smart", "counter", "random"), marks=pytest.mark.slow)],
    ids=["whole turns", "single steps"],
)
def test_arena_plays_the_games_of_single_steps(names):
    """The same keys give the same game, whether whole turns are played or every move is a step."""
    outcomes, _ = rollout.play(BLUFF, agents(*names), [2, 0, 3, 1], seed=5, first=0, matches=40, **AS_MATCHES)
    seated = [agents(*names)[number] for number in (2, 0, 3, 1)]
    keys = jax.vmap(lambda table: chance.game_key(5, table, 0))(jnp.arange(40))
    games = jax.jit(jax.vmap(playthrough(BLUFF, seated, 1)))(keys)
    assert (games.state.rewards == outcomes.rewards[:, 0]).all()
    assert (games.moves == outcomes.moves[:, 0]).all()


def test_batch_size_does_not_matter():
    playing = agents(*THESIS)
    one, _ = rollout.play(BLUFF, playing, range(4), seed=1, first=0, matches=300, **AS_MATCHES)
    other, _ = rollout.play(BLUFF, playing, range(4), seed=1, first=0, matches=300, lanes=300)
    assert same(one, other)
    # Nor does where a stretch of matches is cut.
    head, _ = rollout.play(BLUFF, playing, range(4), seed=1, first=0, matches=200, **AS_MATCHES)
    tail, _ = rollout.play(BLUFF, playing, range(4), seed=1, first=200, matches=100, **AS_MATCHES)
    assert same(one, jax.tree.map(lambda a, b: np.concatenate([a, b]), head, tail))


TOLD = """
result = match(feint.make("bluff"), ["no-bluff", "smart", "reinforcement", "anxious"], [(0, 1, 2, 3), (3, 2, 1, 0)], 250, seed=2)
told = result.wins.tolist(), result.payoff_sum.tolist(), result.moves.tolist()
"""


def test_number_of_devices_does_not_matter():
    here: dict = {"feint": feint, "match": match}
    exec(TOLD, here)
    flags = f"{os.environ.get('XLA_FLAGS', '')} --xla_force_host_platform_device_count=2"
    there = subprocess.run(
        [
            sys.executable,
            "-c",
            f"import jax, feint; from feint.arena.match import match{TOLD}print(len(jax.devices()), *told)",
        ],
        env={**os.environ, "XLA_FLAGS": flags},
        capture_output=True,
        text=True,
        check=True,
    )
    assert len(jax.devices()) == 1
    assert there.stdout.strip() == " ".join(map(str, (2, *here["told"])))


def unbiased(game, playing, games):
    """Auto-reset against a run in which every game has a table of its own, with other seeds."""
    seating = [seat % len(playing) for seat in range(game.players)]
    reset, _ = rollout.play(game, playing, seating, seed=11, first=0, matches=games, lanes=games // 50)
    whole, _ = rollout.play(game, playing, seating, seed=12, first=0, matches=games, lanes=games)
    for seat in range(game.players):
        wins = [int((each.rewards[..., seat] > 0).sum()) for each in (reset, whole)]
        assert statistics.two_rates(wins[0], games, wins[1], games).difference.holds(0)
    lengths = [np.asarray(each.moves, float).ravel() for each in (reset, whole)]
    error = np.sqrt(sum(each.var() / games for each in lengths))
    assert abs(lengths[0].mean() - lengths[1].mean()) < 2.58 * error


def test_automatic_reset_is_unbiased():
    unbiased(DICE, [Random()], 6_000)


@pytest.mark.slow
def test_automatic_reset_is_unbiased_in_200_000_games():
    unbiased(BLUFF, agents("no-bluff", "smart", "dump", "anxious"), 200_000)


@pytest.mark.slow
def test_batches_of_64_and_4096_give_the_same_totals():
    names = ["no-bluff", "smart", "reinforcement", "anxious"]
    totals = [match(BLUFF, names, games=20_000, seed=4, lanes=lanes) for lanes in (64, 4096)]
    assert totals[0].wins.tolist() == totals[1].wins.tolist()
    assert totals[0].payoff_sum.tolist() == totals[1].payoff_sum.tolist()
    assert {k: v.tolist() for k, v in totals[0].counters.items()} == {
        k: v.tolist() for k, v in totals[1].counters.items()
    }


@pytree
class Remembers(Memoryless):
    """Counts its moves and games; checks the first and bets later."""

    def begin(self, game, seat, key):
        return {"moves": jnp.int32(0), "games": jnp.int32(0), "seat": seat}

    def act(self, memory, view, legal, key):
        return jnp.where(memory["games"] > 0, 1, 0), memory | {"moves": memory["moves"] + 1}

    def finish(self, memory, view, rewards, key):
        return memory | {"games": memory["games"] + 1}


def test_memory_lasts_a_match_and_no_longer():
    outcomes, memories = rollout.play(
        KUHN, [Remembers(), Random()], [0, 1, 0], seed=0, first=0, matches=6, length=4, lanes=3
    )
    assert outcomes.rewards.shape == (6, 4, 3)
    first = outcomes.events == {} and outcomes.moves[:, 0]
    assert ((first >= 3) & (first <= 5)).all()
    mine = memories[0]
    assert (mine["games"] == 4).all()
    assert (mine["seat"] == jnp.array([0, 2])).all()  # a memory for each chair it has
    single, _ = rollout.play(KUHN, [Remembers(), Random()], [0, 1, 0], seed=0, first=3, matches=1, length=4)
    assert same(single, jax.tree.map(lambda leaf: leaf[3:4], outcomes))


def test_every_seating_of_a_duplicate_match_plays_the_same_deals():
    seatings = [(0, 1, 2), (2, 0, 1)]
    result = match(KUHN, ["random"] * 3, seatings, 100, seed=3, duplicate=True)
    assert (result.wins[0] == result.wins[1]).all()
    apart = match(KUHN, ["random"] * 3, seatings, 100, seed=3)
    assert (apart.wins[0] != apart.wins[1]).any()
    assert result.deal_scores("payoff").shape == (50, 3)
    assert np.allclose(result.deal_scores("payoff").sum(axis=1), 0, atol=1e-5)


def test_counters_add_up():
    result = match(BLUFF, ["no-bluff", "smart", "reinforcement", "anxious"], games=200, seed=8)
    counted = {name: counts.sum() for name, counts in result.counters.items()}
    assert counted["bluffs"] >= counted["calls right"] > 0
    assert result.counters["calls right"][0, 0] == 0  # no-bluff believes everybody
    assert result.wins.sum() + result.draws.sum() == result.played == 200


class Bare(Memoryless):
    def act(self, memory, view, legal, key):
        return jnp.argmax(legal), memory


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: match(BLUFF, ["smart", "smart"]), "players=2"),
        (lambda: match(BLUFF, [Bare()] * 4), "Bare is not a pytree: write @feint.game.pytree above its class"),
        (lambda: match(BLUFF, ["smart"] * 4, [(0, 1, 2, 9)]), "agents from 0 to 3"),
        (lambda: match(BLUFF, ["smart"] * 4, games=0), "one or more"),
        (lambda: match(BLUFF, ["smart"] * 4, length=0), "one or more"),
        (lambda: match(BLUFF, ["smartest"] * 4), "Did you mean smart"),
    ],
)
def test_bad_input_gets_one_sentence(call, sentence):
    with pytest.raises(UserError, match=sentence):
        call()


def test_progress_is_told_and_what_was_played_so_far_can_be_had():
    told, so_far = [], []

    def interrupt(played):
        told.append(played)
        if len(told) == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        match(KUHN, ["random"] * 3, games=80, seed=0, lanes=1, progress=interrupt, begun=so_far.append)
    assert so_far[0]().played == sum(told) < 80
