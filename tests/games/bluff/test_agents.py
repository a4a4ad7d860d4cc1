"""Each agent on positions worked out by hand."""

from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from feint import chance
from feint.agent import is_compiled
from feint.games.bluff.agents import Anxious, Dump, NoBluff, Smart, TitForTat, turns_until_due
from feint.games.bluff.beliefs import beliefs, hypergeometric
from feint.games.bluff.counter import Counter
from feint.games.bluff.game import Bluff
from feint.games.bluff.reinforcement import Reinforcement, shipped_rewards
from feint.registry import agent_names, make_agent
from tests.games.bluff.positions import RANKS, card, position

RULES = Bluff()
OTHERS = ["2s 3s", "4s 5s", "6s 7s"]
OBSERVE = jax.jit(RULES.observe)
STEP = jax.jit(RULES.step)
ACT = jax.jit(lambda agent, *seen: agent.act(*seen))
OFTEN = jax.jit(
    jax.vmap(lambda agent, memory, view, legal, key: agent.act(memory, view, legal, key)[0], (*[None] * 4, 0))
)


def lays(agent, hand, turn=0, seed=0):
    """The cards an agent in the first seat lays of a hand, as ranks: told by its actions, one by one."""
    state = position(RULES, [hand, *OTHERS], turn=turn)
    memory = agent.begin(RULES, jnp.int32(0), chance.key(0))
    picked = []
    for move in range(6):
        action, memory = ACT(
            agent, memory, OBSERVE(state, 0), state.legal_action_mask, chance.move_key(chance.key(seed), move)
        )
        assert state.legal_action_mask[action]
        if action == RULES.lay:
            return "".join(picked)
        picked.append(RANKS[(turn + int(action)) % 13])
        state = STEP(state, action)
    raise AssertionError("never laid down")


def calls(agent, hand, claim="2s", left="3s 8c 9c", turn=0, tries=2000, pile=()):
    """How often an agent in the second seat calls a claim of the first one, who has some cards left."""
    state = position(RULES, [left, hand, *OTHERS[1:]], turn=turn, claim=claim, asked=1, pile=list(pile))
    view = OBSERVE(state, 1)
    memory = agent.begin(RULES, jnp.int32(1), chance.key(0))
    keys = jax.random.split(chance.key(3), tries)
    actions = OFTEN(agent, memory, view, state.legal_action_mask, keys)
    return float((np.asarray(actions) == RULES.call).mean())


class TestNoBluff:
    def test_lays_all_true_cards(self):
        assert lays(NoBluff(), "Kd As 5c Ah") == "AA"

    def test_else_the_first_card(self):
        assert lays(NoBluff(), "9d Ks 2h 9s") == "9"

    def test_never_calls(self):
        assert calls(NoBluff(), "As Ah Ad Ac") == 0


class TestSmart:
    def test_lays_all_true_cards(self):
        assert lays(Smart(), "Kd As 5c Ah") == "AA"

    def test_else_the_rank_needed_last(self):
        # Table 1 of the thesis: after the ace come 5 9 K 4 8 Q 3 7 J 2 6 T, so a ten is needed last, then a six, a two.
        assert lays(Smart(), "5d 2h 6c Ts Qd") == "T"
        assert lays(Smart(), "5d 2h 6c Qd") == "6"
        assert lays(Smart(), "5d 2h Qd") == "2"

    def test_the_next_four_turns_are_left_out(self):
        assert lays(Smart(), "9s 5d Kc 4h") == "9"  # nothing else: its first card
        assert lays(Smart(), "9s 5d Kc 4h 8c") == "8"  # five turns ahead

    def test_calls_by_how_many_it_holds(self):
        assert calls(Smart(), "Kd 9c") == 0
        assert calls(Smart(), "As 9c") == 0
        assert calls(Smart(), "As Ah 9c") == pytest.approx(0.25, abs=0.04)
        assert calls(Smart(), "As Ah Ad 9c") == pytest.approx(0.75, abs=0.04)
        assert calls(Smart(), "As Ah Ad Ac 9c") == 1
        assert calls(Smart(call_two=0.5), "As Ah 9c") == pytest.approx(0.5, abs=0.05)

    def test_sharp_calls_what_it_can_prove(self):
        assert calls(Smart(), "As 9c", claim="2s 3h 4h 5h") == 0
        assert calls(Smart(sharp=True), "As 9c", claim="2s 3h 4h 5h") == 1
        assert calls(Smart(sharp=True), "As 9c", claim="2s 3h 4h") == 0


class TestAnxious:
    def test_calls_on_fewer_than_threshold_cards(self):
        assert calls(Anxious(), "Kd 9c", left="3s 8c") == 1
        assert calls(Anxious(), "Kd 9c", left="3s 8c 9h") == 0
        assert calls(Anxious(threshold=2), "Kd 9c", left="3s 8c") == 0
        assert calls(Anxious(threshold=2), "Kd 9c", left="3s") == 1

    def test_lays_as_smart(self):
        assert lays(Anxious(), "5d 2h 6c Ts Qd") == "T"
        assert lays(Anxious(), "5d Ah 6c Ts Ad") == "AA"


class TestDump:
    def test_lays_true_cards_first_then_those_due_latest(self):
        assert sorted(lays(Dump(), "5d Ah 6c Ts Qd 2h")) == sorted("AT62")
        assert sorted(lays(Dump(count=2), "5d Ah 6c Ts Qd 2h")) == sorted("AT")
        assert sorted(lays(Dump(), "5d Kc")) == sorted("5K")

    def test_calls_only_what_it_can_prove(self):
        assert calls(Dump(), "As Ah Ad 9c", claim="2s") == 0
        assert calls(Dump(), "As Ah Ad 9c", claim="2s 3h") == 1


class TestReinforcement:
    def test_ships_a_trained_table_that_honesty_dominates(self):
        rewards = shipped_rewards()
        assert rewards.shape == (13, 13)
        assert (rewards.argmax(axis=1) == np.arange(13)).all()

    def test_lays_what_was_rewarded_most(self):
        rewards = np.zeros((13, 13), np.float32)
        rewards[0, [4, 8, 0]] = [5, 7, 3]
        agent = Reinforcement(rewards=rewards)
        assert lays(agent, "5d 9c As Ah") == "9"  # one card of the best
        assert lays(agent, "5d 5c As Ah") == "5"
        assert lays(agent, "Kd Kc As Ah") == "AA"  # all cards of the rank due itself

    def test_without_reward_any_card(self):
        agent = Reinforcement(rewards=np.zeros((13, 13), np.float32))
        assert {lays(agent, "5d 9c Kh", seed=seed) for seed in range(12)} == {"5", "9", "K"}

    def test_training_fills_both_matrices_unless_caught(self):
        agent = Reinforcement(training=True, rewards=np.zeros((13, 13), np.float32))
        state = position(RULES, ["Ts 5d 5c 9h", "2s 3s", "4s 5s", "6s 7s"])
        memory = agent.begin(RULES, jnp.int32(0), chance.key(0))
        for _ in range(2):  # a ten as an ace, and down
            action, memory = ACT(agent, memory, OBSERVE(state, 0), state.legal_action_mask, chance.key(1))
            state = STEP(state, action)
        assert memory.played[0, 9] == 1
        assert memory.rewards.sum() == 0  # not known yet
        trusted = caught = state
        for _ in range(3):
            trusted = STEP(trusted, RULES.trust)
        caught = STEP(caught, RULES.call)
        for after, reward in ((trusted, 1), (caught, 0)):
            learned = agent.finish(memory, OBSERVE(after, 0), jnp.zeros(4), chance.key(0))
            assert learned.rewards[0, 9] == reward
            assert learned.rewards.sum() == reward

    def test_training_lays_as_smart_with_three_turns_left_out(self):
        agent = Reinforcement(training=True, rewards=np.zeros((13, 13), np.float32))
        assert lays(agent, "9s 5d Kc 4h") == "4"  # four turns ahead counts here


class TestTitForTat:
    def ask(self, agent, memory, state, seat):
        return ACT(agent, memory, OBSERVE(state, seat), state.legal_action_mask, chance.key(0))

    def test_calls_back_once_and_forgives(self):
        agent = TitForTat()
        memory = agent.begin(RULES, jnp.int32(0), chance.key(0))
        state = position(RULES, ["As Kd Qd 9d", "2s 3s 4h", "4s 5s 6h", "6s 7s 8h"])
        for _ in range(2):
            action, memory = self.ask(agent, memory, state, 0)
            state = STEP(state, action)
        state = STEP(STEP(state, RULES.trust), RULES.call)  # player 2 calls the true ace
        assert not memory.against.any()

        def round_of(state, memory):
            """Players 1, 2 and 3 lay a card each; tit-for-tat answers, the others trust."""
            answers = []
            for player in (1, 2, 3):
                state = STEP(STEP(state, jnp.argmax(state.legal_action_mask)), RULES.lay)
                while state.asked > 0 and not state.terminated:
                    if state.current_player == 0:
                        action, memory = self.ask(agent, memory, state, 0)
                        answers.append((player, bool(action == RULES.call)))
                    else:
                        action = RULES.trust
                    state = STEP(state, action)
            return answers, state, memory

        answers, state, memory = round_of(state, memory)
        assert answers == [(1, False), (2, True), (3, False)]
        action, memory = self.ask(agent, memory, state, 0)
        state = STEP(STEP(state, action), RULES.lay)
        for _ in range(3):
            state = STEP(state, RULES.trust)
        answers, _, memory = round_of(state, memory)
        assert answers == [(1, False), (2, False), (3, False)]

    def test_forgets_between_games(self):
        agent = TitForTat()
        memory = replace(agent.begin(RULES, jnp.int32(0), chance.key(0)), against=jnp.ones(4, bool))
        view = OBSERVE(position(RULES, ["As", *OTHERS]), 0)
        assert not agent.finish(memory, view, jnp.zeros(4), chance.key(0)).against.any()


class TestCounter:
    def test_hypergeometric_chances(self):
        from scipy.stats import hypergeom

        ours = hypergeometric(jnp.float32(39), jnp.float32(3), jnp.array([13.0, 5.0, 0.0]), 4)
        for row, drawn in zip(ours, (13, 5, 0), strict=True):
            assert np.allclose(row, hypergeom(39, 3, drawn).pmf(range(5)), atol=1e-6)

    def test_counts_what_is_unseen(self):
        state = position(Bluff(), ["As Ah 9c", "2s 3s 4s", "5s 6s 7s", "8s 9s Ts"])
        seen = beliefs(OBSERVE(state, 0))
        assert seen.unseen == 2
        assert seen.known.tolist() == [0, 0, 0, 0]
        assert np.allclose(seen.chances.sum(axis=1), 1, atol=1e-6)

    def test_calls_what_cannot_be(self):
        # Two aces in hand and one laid by itself into the pile leave one: a claim of two is a lie.
        assert calls(Counter(), "As Ah 9c", claim="2s 2h", pile=[(1, "Ad")], tries=4) == 1

    def test_calls_a_last_play_since_nothing_is_left_to_lose(self):
        assert calls(Counter(), "5d 9c", left="", claim="2s", tries=4) == 1

    def test_believes_what_it_knows_to_be_there(self):
        state = position(RULES, ["3s 8c 9h Kd Qd", "5d 9c", *OTHERS[1:]], claim="As", asked=1)
        state = replace(state, located=state.located.at[1, card("As")].set(0))
        view = OBSERVE(state, 1)
        assert beliefs(view).at_least(1)[0] == 1
        assert not Counter().calls(view, chance.key(0))

    def test_lays_its_true_cards(self):
        assert lays(Counter(), "As Ah 9c Kd 2c 2d 3c 3h").startswith("AA")


def test_turns_until_due_follow_the_rotation():
    need = turns_until_due(4, 13)
    assert [int(need[0][RANKS.index(rank)]) for rank in "59K48Q37J26T"] == list(range(1, 13))
    assert (np.roll(need[0], 5) == need[5]).all()


@pytest.mark.parametrize("players", [2, 3, 8])
def test_ranks_that_never_come_are_needed_last(players):
    need = turns_until_due(players, 6)[0]
    assert len(set(need.tolist())) == 6
    never = [rank for rank in range(6) if all(turn * players % 6 != rank for turn in range(1, 7))]
    assert all(need[rank] > 6 for rank in never)


def test_every_named_agent_is_compiled():
    for name in agent_names("bluff"):
        spec = "think(smart)" if name == "think" else name  # which thinks for somebody
        assert is_compiled(make_agent(spec, RULES)), name
