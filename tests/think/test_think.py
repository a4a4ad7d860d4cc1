"""Thinking: choices worked out by hand, worlds weighed by what was seen, and matches in which nothing depends on the batch."""

import re
from dataclasses import replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import feint
from feint import chance
from feint.agent import Memoryless, Random
from feint.arena import rollout
from feint.errors import UserError
from feint.game import pytree
from feint.games.bluff.agents import NoBluff
from feint.games.small.kuhn import Kuhn
from feint.think.agent import Think, best, liked, sifted
from feint.think.worlds import replayed, tells_moves

KUHN = feint.make("kuhn")
JACK, QUEEN, KING = range(3)
PASS, BET = 0, 1


@pytree
class Honest(Memoryless):
    """Bets and calls with a king, and with nothing else."""

    def probabilities(self, view, legal):
        return jnp.where(view.card == KING, jnp.array([0.0, 1.0]), jnp.array([1.0, 0.0]))

    def act(self, memory, view, legal, key):
        return jnp.argmax(self.probabilities(view, legal)), memory


@jax.jit
def asked(think, cards, moves, key):
    """What is done with a card after these moves, int[2], -1 for those to come."""
    state = KUHN.deal(replace(KUHN.draw(key), cards=cards))
    for nth in range(2):
        after = KUHN.step(state, moves[nth])
        state = jax.tree.map(lambda on, off: jnp.where(moves[nth] >= 0, on, off), after, state)  # noqa: B023
    return think.act((), KUHN.observe(state, state.current_player), state.legal_action_mask, key)[0]


def answers(think, own, moves):
    """The answers of twelve keys with a card, in whichever seat has the turn after these moves."""
    seat = len(moves) % 2
    cards = [own, (own + 1) % 3] if seat == 0 else [(own + 1) % 3, own]
    padded = jnp.asarray([*moves, -1, -1][:2])
    return jax.vmap(lambda key: asked(think, jnp.asarray(cards), padded, key))(jax.random.split(chance.key(3), 12))


# Against somebody who does anything at all: to open with a bet is worth 1.5, 0.5 and -0.5 antes with a king, queen and jack, to pass 0.75,
# -0.25 and -1.25; to call a bet 2, 0 and -2, to fold -1. What one does next oneself is random, too.
@pytest.mark.parametrize(
    ("card", "moves", "right"),
    [
        (KING, [], BET),
        (QUEEN, [], BET),
        (JACK, [], BET),
        (KING, [BET], BET),
        (QUEEN, [BET], BET),
        (JACK, [BET], PASS),
        (JACK, [PASS, BET], PASS),
        (KING, [PASS, BET], BET),
    ],
)
def test_what_is_best_against_random_play_is_found(card, moves, right):
    think = Think(Random(), worlds=256, sure=0.0, game=KUHN)
    assert (answers(think, card, moves) == right).all()


def test_worlds_are_weighed_by_what_was_seen():
    """Who bets has the king, if it plays as one does oneself: a queen that calls would lose 2, where worlds all alike are worth nothing."""
    by_luck = Think(Honest(), worlds=256, sure=0.0, game=KUHN, playout=Random())
    assert (answers(by_luck, QUEEN, [BET]) == PASS).all()
    assert (answers(replace(by_luck, weigh=False), QUEEN, [BET]) == BET).all()


def test_the_agents_own_choice_stays_unless_another_is_clearly_better():
    values = jnp.array([[0.0, 1, 0], [0, 1, 0], [0, -1, 0], [0, 1, 1]])
    even, there = jnp.full(4, 0.25), jnp.ones(3, bool)
    # Action 1 gains 0.5 on average, with a standard error of sqrt(3 x 0.25 + 2.25) / 4 = 0.433.
    assert best(values, even, there, 0.0) == 1
    assert best(values, even, there, 1.1) == 1
    assert best(values, even, there, 1.2) == 0
    assert best(values, even, there.at[1].set(False), 0.0) == 2
    assert best(values, jnp.array([0, 0, 1.0, 0]), there, 0.0) == 0
    assert best(jnp.zeros((4, 3)), even, there, 0.0) == 0  # as good is not better


def test_worlds_are_kept_as_often_as_they_are_likely():
    assert sifted(jnp.array([0.1, 0, 0.6, 0.3]), 10).tolist() == [0] + [2] * 6 + [3] * 3
    assert sifted(jnp.array([0, 1.0, 0]), 3).tolist() == [1, 1, 1]


def test_candidates_are_what_the_agent_likes():
    @pytree
    class Liking(Memoryless):
        def preferences(self, view, legal):
            return jnp.array([5.0, 1, 4, 2, 3])

    legal = jnp.array([False, True, True, True, True])
    actions, there = liked(Liking(), None, legal, jnp.int32(3), 3)
    assert (actions.tolist(), there.tolist()) == ([3, 2, 4], [True] * 3)
    actions, there = liked(Liking(), None, jnp.array([False, False, False, True, True]), jnp.int32(3), 9)
    assert (actions[:2].tolist(), there.tolist()) == ([3, 4], [True, True, False, False, False])


@pytest.mark.slow
def test_thinking_wins_and_depends_on_no_batch():
    playing = [feint.make_agent(spec, KUHN) for spec in ("think(random, worlds=16)", "random")]
    few, many = (
        rollout.play(KUHN, playing, [0, 1], seed=2, first=0, matches=1000, lanes=lanes)[0].rewards
        for lanes in (50, 1000)
    )
    assert np.array_equal(few, many)
    won = np.asarray(few)[:, 0, 0]
    assert won.mean() > 2.6 * won.std() / 1000**0.5


@pytest.mark.parametrize("name", ["kuhn", "leduc", "liars-dice", "holdem"])
def test_views_tell_the_moves(name):
    game = feint.make(name, players=3)
    assert tells_moves(game)

    @jax.jit
    def step(game, state, key):
        action = chance.choice(key, state.legal_action_mask)
        after = game.step(state, action)
        return action, after, game.moves_seen(game.observe(after, jnp.int32(1)))

    state, made = game.init(chance.key(4)), []
    while not state.terminated:
        action, state, seen = step(game, state, jax.random.fold_in(chance.key(5), len(made)))
        made.append(int(action))
        assert seen.shape == (game.max_moves,)
        assert seen.tolist() == made + [-1] * (game.max_moves - len(made))
    assert len(made) > 1


@pytest.mark.parametrize(
    ("spec", "wrong"),
    [
        ("think", "think has no default for agent: write think(agent)"),
        ("think(3)", "think: agent must be an agent such as random, not 3."),
        ("think(smort)", "There is no kuhn agent called 'smort'."),
        ("think(zoo:nobody)", "There is no 'nobody' in the zoo."),
        ("think(random, worlds=0)", "think: worlds must be a whole number from 1 to 100000, not 0."),
        ("think(random, aim=money)", "think: aim must be one of measure, wins, payoff, not 'money'."),
        ("think(random, playout=random(2))", "random takes no settings, but random(2) gives 1."),
        ("think(random, worlds=x)", "'think(random, worlds=x)' is not an agent"),
        ("think(random", "'think(random' is not an agent"),
        ("think(random))", "'think(random))' is not an agent"),
        ("think(" * 2000 + ")" * 2000, "is not an agent"),
    ],
)
def test_wrong_settings_are_refused_in_one_sentence(spec, wrong):
    with pytest.raises(UserError, match=re.escape(wrong)):
        feint.make_agent(spec, KUHN)


def test_a_game_must_deal_worlds():
    class Closed(Kuhn):
        def redeal(self, view, key):
            raise NotImplementedError

    game = Closed()
    state = game.init(chance.key(0))
    with pytest.raises(UserError, match=r"Nobody can think in kuhn: it deals no hidden worlds \(redeal\)\."):
        Think(Random(), game=game).act((), game.observe(state, jnp.int32(0)), state.legal_action_mask, chance.key(0))


@pytree
class Told:
    """A critic who expects ten wherever it is asked."""

    def value(self, game, state, seat):
        return jnp.float32(10)


@pytree
class Judged(Random):
    critic: Any = Told()


def test_play_outs_may_stop_at_a_critics_word():
    """The first player decides again only after a pass and a bet, the second and the last move of a game of three: to pass is worth 4.5 with
    a jack where that is judged by the critic, a bet -0.5; played on to the end, a bet is better."""
    assert (answers(Think(Judged(), worlds=256, sure=0.0, depth=2, game=KUHN), JACK, []) == PASS).all()
    assert (answers(Think(Judged(), worlds=256, sure=0.0, depth=3, game=KUHN), JACK, []) == BET).all()


def test_depth_needs_a_critic_and_counts_payoffs():
    with pytest.raises(UserError, match="think: depth asks the agent's critic, and this agent keeps none"):
        feint.make_agent("think(zoo:kuhn-1, depth=2)", KUHN).begin(KUHN, jnp.int32(0), chance.key(0))
    with pytest.raises(UserError, match="think: critics tell payoffs, not wins"):
        Think(Judged(), depth=2, aim="wins", game=KUHN).begin(KUHN, jnp.int32(0), chance.key(0))


def test_agents_within_agents():
    made = feint.make_agent("think(think(random, 2), worlds=3, playout=random, aim=wins)", KUHN)
    assert made == Think(Think(Random(), 2, game=KUHN), 3, playout=Random(), aim="wins", game=KUHN)
    assert np.array_equal(
        feint.make_agent("think(zoo:kuhn-1)", KUHN).agent.keys, feint.make_agent("zoo:kuhn-1", KUHN).keys
    )
    with pytest.raises(UserError, match="must know the game that it plays"):
        Think(Random()).begin(KUHN, jnp.int32(0), chance.key(0))


BLUFF = feint.make("bluff", players=3, ranks=5, suits=3, most=3)
NO_BLUFF = feint.make_agent("no-bluff", BLUFF)
SEEN = jax.jit(lambda state: BLUFF.observe(state, jnp.int32(1)))  # by whoever is asked about the first claim
HONEST = jax.jit(jax.vmap(BLUFF.honest))


@jax.jit
def laid(before, keys):
    """Worlds that fit a view of the start, in each of which the first player has laid its cards."""

    def one(key):
        def advance(state):
            action, _ = NO_BLUFF.act((), BLUFF.observe(state, jnp.int32(0)), state.legal_action_mask, key)
            return BLUFF.step(state, action)

        return jax.lax.while_loop(lambda state: state.asked == 0, advance, BLUFF.redeal(before, key))

    return jax.vmap(one)(keys)


@jax.jit
def claimed_again(view, keys):
    """Worlds dealt at a claim, and whether the agent makes it there again: whether it was honest before and is then, and what is seen."""

    def one(key):
        world = BLUFF.redeal(view, key)
        again, fits = replayed(BLUFF, NO_BLUFF, world, view, key)
        return BLUFF.honest(world), BLUFF.honest(again), fits, BLUFF.observe(again, view.seat)

    return jax.vmap(one)(keys)


@pytest.fixture(scope="module")
def watched():
    """Worlds in each of which the first player laid its cards, all alike to the second before that, and how many it laid."""
    states = laid(SEEN(BLUFF.init(chance.key(8))), jax.random.split(chance.key(9), 4000))
    return states, np.asarray((states.place == BLUFF.in_claim).sum(axis=1))


@pytest.mark.parametrize("claim", [1, 2])
def test_claims_are_as_true_as_those_who_make_them(watched, claim):
    """Worlds dealt at a claim in which somebody who lies only where it must makes it again are honest as often as those in which it was watched."""
    states, claims = watched
    truths = HONEST(states)[claims == claim]
    asked = jax.tree.map(lambda leaf: leaf[np.argmax(claims == claim)], states)
    view = SEEN(asked)
    dealt, honest, fits, seen = jax.tree.map(np.asarray, claimed_again(view, jax.random.split(chance.key(10), 4000)))
    assert 400 < fits.sum() < 4000
    assert (dealt == honest)[~fits].all(), "where it does something else, the world stays as it was"
    for one, other in zip(jax.tree.leaves(view), jax.tree.leaves(seen), strict=True):
        assert (np.asarray(one) == other).all()
    assert dealt.mean() < 0.5 < honest[fits].mean()
    error = np.sqrt(0.25 / len(truths) + 0.25 / fits.sum())
    assert abs(honest[fits].mean() - truths.mean()) < 4 * error


@pytree
class Counting:
    """A critic to whom cards are all that counts."""

    def value(self, game, state, seat):
        sizes = game.observe(state, seat).sizes
        return jnp.where(jnp.arange(game.players) == seat, -1.0, 1 / (game.players - 1)) @ sizes


@pytree
class Trusting(NoBluff):
    critic: Any = Counting()


@jax.jit
def answered(think, states, keys):
    """What the second player does about claims, thought over."""

    def one(state, key):
        return think.act((), BLUFF.observe(state, jnp.int32(1)), state.legal_action_mask, key)[0]

    return jax.vmap(one)(states, keys)


def test_who_believes_that_others_play_as_honestly_does_not_call_true_claims(watched):
    """Two cards at once are never a lie of no-bluff. Where worlds are all alike, they are nearly always: two of three that only one player can have."""
    states, claims = watched
    states = jax.tree.map(lambda leaf: leaf[np.flatnonzero(claims == 2)[:32]], states)
    assert HONEST(states).all()
    think = Think(Trusting(), worlds=128, sure=0.0, depth=1, game=BLUFF)
    keys = jax.random.split(chance.key(3), 32)
    assert (answered(think, states, keys) == BLUFF.trust).mean() > 0.9
    assert (answered(replace(think, worlds=8, sift=16), states, keys) == BLUFF.trust).mean() > 0.9
    assert (answered(replace(think, weigh=False), states, keys) == BLUFF.call).mean() > 0.9
