"""What a network remembers of a match: what games tell, whose they are when positions rotate, and that it pays."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import feint
from feint import chance
from feint.arena import rollout
from feint.errors import UserError
from feint.games.small.kuhn import Deal
from feint.learn import trajectories
from feint.learn.experiment import Experiment
from feint.learn.inputs import Layout
from feint.learn.networks import Architecture, Network, RecallingAgent, agent_of
from feint.learn.policy_file import PolicyFile
from feint.learn.recall import Recall, has_tells
from feint.learn.stages import Staged
from feint.learn.tables import LEARNER, Tables
from feint.learn.train import POLICY, Run
from tests.toys import LEAVE, Stay, Until

KUHN = feint.make("kuhn")


def ended(game, deal, actions):
    """The end of a game, through everybody's eyes."""
    state = game.deal(deal)
    for action in actions:
        state = game.step(state, jnp.int32(action))
    assert state.terminated
    return [game.observe(state, jnp.int32(seat)) for seat in range(game.players)]


def kuhn(cards, actions):
    return ended(KUHN, Deal(jnp.asarray(cards, jnp.int32)), actions)


def test_kuhn_tells_who_did_what_with_and_without_a_bet():
    """Check, bet, call: the first player checked and then called, the second bet; both cards are shown."""
    view = kuhn((2, 0), (0, 1, 1))[0]
    told = KUHN.tells(view)
    assert told["acts"].tolist() == [[[1, 0], [0, 1]], [[0, 1], [0, 0]]]
    assert told["shown"].tolist() == [[0, 0, 1], [1, 0, 0]]
    folded = KUHN.tells(kuhn((2, 0), (1, 0))[1])
    assert folded["acts"].tolist() == [[[0, 1], [0, 0]], [[0, 0], [1, 0]]]
    assert not folded["shown"].any()


def test_it_is_averaged_over_games_and_counted_clockwise_from_oneself():
    recall = Recall.blank(KUHN)
    assert not np.concatenate([each.ravel() for each in recall.pieces().values()]).any()
    recall = recall.after(KUHN, kuhn((2, 0), (1, 0))[1])  # sits second: the opponent bets
    recall = recall.after(KUHN, kuhn((2, 0), (0, 0))[0])  # sits first: the opponent checks
    pieces = recall.pieces()
    assert list(pieces) == ["match games", "match acts", "match shown"]
    assert pieces["match games"] == pytest.approx(2 / 12)
    own, other = pieces["match acts"].tolist()
    assert own == [[0.5, 0], [0.5, 0]]  # checked once, folded once
    assert other == [[0.5, 0.5], [0, 0]]
    assert pieces["match shown"].tolist() == [[0, 0, 0.5], [0.5, 0, 0]]


def test_what_other_games_tell():
    bidding = feint.make("bidding", players=3, coins=10)
    state = bidding.init(chance.key(0))
    for bid in (4, 3, 5, 6, 5):  # the second goes out with 3 of 10; the other two have to bid all that is left
        state = bidding.step(state, jnp.int32(bid))
    told = bidding.tells(bidding.observe(state, jnp.int32(0)))
    assert told["out"].tolist() == [[0, 0], [1, 0], [0, 1]]
    np.testing.assert_allclose(told["lowest"], [[0, 0], [0.3, 0], [0, 0.5]], rtol=1e-6)

    holdem = feint.make("holdem")
    state = holdem.init(chance.key(0))
    for act in (2, 1, 1, 2, 0):  # raised and called; then checked, bet and folded to
        state = holdem.step(state, jnp.int32(act))
    assert state.terminated
    acts = np.asarray(holdem.tells(holdem.observe(state, jnp.int32(0)))["acts"])
    assert acts.sum() == 5
    opener, other = np.argsort([-acts[seat, 0, 1, 2] for seat in (0, 1)])
    assert acts[opener, 0, 1].tolist() == [0, 0, 1]  # before the flop there are blinds to answer
    assert acts[other, 0, 1].tolist() == [0, 1, 0]
    assert acts[:, 1].sum(axis=0).tolist() == [[0, 1, 1], [1, 0, 0]]

    state = holdem.init(chance.key(0))
    for act in (1, 1, 2, 0):  # called, and the big blind has nothing to answer
        state = holdem.step(state, jnp.int32(act))
    acts = np.asarray(holdem.tells(holdem.observe(state, jnp.int32(0)))["acts"])[:, 0]
    assert sorted(acts.tolist()) == [[[0, 0, 0], [0, 1, 0]], [[0, 1, 0], [0, 0, 0]]]

    bluff = feint.make("bluff", players=2, ranks=2, suits=1)
    state = bluff.init(chance.key(0))
    state = bluff.step(bluff.step(state, jnp.argmax(state.legal_action_mask)), jnp.int32(bluff.lay))
    state = bluff.step(state, jnp.int32(bluff.call))
    told = bluff.tells(bluff.observe(state, jnp.int32(0)))
    assert told["asked"].tolist() == told["called"].tolist() == [[0, 0, 0, 0], [1, 0, 0, 0]]


LENGTH = 5
ROUNDS = (1, 2)  # in which the first and the second opponent stay
STAYS = Stay(stakes=(1, 2, 1))  # positions rotate


def test_people_are_told_apart_wherever_they_sit():
    """What the learner keeps of each, counted clockwise from itself, is what that one did in every game, whichever positions they had."""
    tables = Tables(
        tuple(map(Until, ROUNDS)),
        jnp.array([[1, 2, LEARNER]], jnp.int32),
        STAYS,
        seats="rotations",
        length=LENGTH,
        recalls=True,
    )

    def leave(turn):
        mine = jax.tree.map(lambda leaf: leaf[turn.seat], turn.recalls)
        return jnp.int32(LEAVE), (mine.games, mine.pieces()["match stayed"])

    @jax.jit
    def learned(tables, key):
        envs = trajectories.begin(tables, 4, key, 8)
        return trajectories.collect(tables, envs, leave, 40, 8)[1]

    steps = jax.device_get(learned(tables, chance.key(0)))
    games, stayed = (each[steps.acted] for each in steps.noted)
    assert set(games.tolist()) == set(range(LENGTH))
    assert (stayed[games == 0] == 0).all()
    assert (stayed[games > 0] == (0, *ROUNDS)).all()  # itself, and the two behind it


@pytest.fixture(scope="module")
def agent():
    layout = Layout.of(STAYS, match=True)
    return agent_of(Network(Architecture(width=8), layout, STAYS.actions, chance.key(0)), STAYS)


def test_an_agent_remembers_the_same_in_the_arena(agent):
    assert isinstance(agent, RecallingAgent)
    agents = [agent, *map(Until, ROUNDS)]
    _, memories = rollout.play(STAYS, agents, [0, 1, 2], seed=1, first=0, matches=4, length=LENGTH, lanes=4)
    recall = jax.tree.map(lambda leaf: np.asarray(leaf)[:, 0], memories[0])
    assert (recall.games == LENGTH).all()
    assert (recall.told["stayed"][:, 1:] == np.multiply(ROUNDS, LENGTH)).all()


def test_what_it_remembers_makes_a_difference_and_its_chances_are_those_of_a_first_game(agent):
    state = STAYS.init(chance.key(3))
    view, legal = STAYS.observe(state, jnp.int32(0)), state.legal_action_mask
    fresh = agent.begin(STAYS, jnp.int32(0), chance.key(0))
    known = Recall(jnp.float32(100), {"stayed": jnp.array([0.0, 300.0, 300.0])})
    np.testing.assert_array_equal(agent.logits(view, legal, fresh), agent.preferences(view, legal))
    assert np.abs(agent.logits(view, legal, known) - agent.logits(view, legal, fresh)).max() > 1e-4


KUHN_RUN = {
    "game": "kuhn",
    "algorithm": "ppo",
    "tables": ["random"],
    "length": 4,
    "games": 40,
    "evaluations": 1,
    "settings": {"total_timesteps": 512, "num_envs": 16, "num_steps": 8, "width": 8, "match_memory": True},
}


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    run = Run.start(Experiment.of(KUHN_RUN), tmp_path_factory.mktemp("recall"))
    assert run.train(lambda _: None, lambda: False)
    return run


def test_its_policy_file_plays_and_learns_on(run):
    path = run.folder / POLICY
    found = PolicyFile.load(path).agent_for(KUHN)
    assert isinstance(found, RecallingAgent)
    assert found.network.layout.recalls
    going_on = {**KUHN_RUN["settings"], "start": f"policy:{path}", "match_memory": False}
    algorithm = Experiment.of({**KUHN_RUN, "settings": going_on}).algorithm
    assert algorithm._first([KUHN], chance.key(0), chance.key(0))[0].layout.recalls


def test_a_run_that_was_stopped_comes_to_the_same(run, tmp_path):
    part = Run.start(Experiment.of(KUHN_RUN), tmp_path)
    part.advance()
    part.save()
    again = Run.resume(tmp_path)
    assert again.train(lambda _: None, lambda: False)
    whole = PolicyFile.load(run.folder / POLICY).numbers
    parts = PolicyFile.load(tmp_path / POLICY).numbers
    assert {name: parts[name].tobytes() for name in parts} == {name: whole[name].tobytes() for name in whole}


def test_stages_read_the_same(tmp_path):
    first = {"settings": {**KUHN_RUN["settings"], "match_memory": False}}
    said = {**KUHN_RUN, "stages": [first, {"settings": {"match_memory": True}}]}
    with pytest.raises(UserError, match="match_memory and unread are the same in each"):
        Staged(said, tmp_path)


def test_it_is_refused_where_there_is_nothing_to_remember():
    assert not has_tells(feint.make("liars-dice"))
    with pytest.raises(UserError, match="A game of liars-dice tells nothing of how people play"):
        Experiment.of({**KUHN_RUN, "game": "liars-dice"})
    with pytest.raises(UserError, match="match_memory is for matches of several games"):
        Experiment.of({**KUHN_RUN, "length": 1})
    begins = {**KUHN_RUN["settings"], "start": "zoo:leduc-1"}
    with pytest.raises(UserError, match="zoo:leduc-1 reads nothing of the match"):
        Experiment.of({**KUHN_RUN, "game": "leduc", "settings": begins})


def test_pieces_can_be_left_unread(run):
    layout = Layout.of(KUHN, match=True)
    assert [piece.name for piece in layout.without(["history", "match shown"]).pieces] == [
        "seat",
        "card",
        "match games",
        "match acts",
    ]
    settings = {**KUHN_RUN["settings"], "unread": "history, match shown"}
    network = Experiment.of({**KUHN_RUN, "settings": settings}).algorithm._first([KUHN], chance.key(0), chance.key(0))[
        0
    ]
    assert network.layout == layout.without(["history", "match shown"])
    for unread, says in [
        ("story", "there is no piece 'story' to leave out; there are: seat, card, history, match games, match acts"),
        ("seat,card,history,match games,match acts,match shown", "leave it some pieces"),
    ]:
        with pytest.raises(UserError, match=says):
            Experiment.of({**KUHN_RUN, "settings": {**settings, "unread": unread}})
    with pytest.raises(UserError, match="kuhn has no log to read"):
        Experiment.of({**KUHN_RUN, "settings": {**settings, "network": "attention"}})
    with pytest.raises(UserError, match="All that match_memory reads is left unread"):
        Experiment.of({**KUHN_RUN, "settings": {**settings, "unread": "match games,match acts,match shown"}})
    with pytest.raises(UserError, match="reads card: leave unread or start out"):
        Experiment.of(
            {**KUHN_RUN, "settings": {**settings, "unread": "card", "start": f"policy:{run.folder / POLICY}"}}
        )


def test_the_learner_keeps_nothing_unless_asked():
    tables = Tables((Until(1),), jnp.array([[1, 1, LEARNER]], jnp.int32), STAYS, length=LENGTH)
    assert jax.eval_shape(lambda key: trajectories.dealt(tables, 2, key), chance.key(0)).recalls is None


@pytest.mark.slow
def test_who_remembers_wins_more_from_people_of_several_kinds(tmp_path):
    """Two kinds of bidders, against each of which another opening is good: only who knows which they are can have both."""
    bidding = {
        "game": "bidding",
        "options": {"players": 4, "coins": 10},
        "algorithm": "ppo",
        "tables": ["fraction,fraction,fraction", "split,split,split"],
        "length": 50,
        "games": 6000,
        "evaluations": 1,
    }

    def won(remembers):
        how = {**bidding, "settings": {"total_timesteps": 1_000_000, "match_memory": remembers}}
        run = Run.start(Experiment.of(how), tmp_path / str(remembers))
        assert run.train(lambda _: None, lambda: False)
        return sum(score.wins.estimate for score in run.examiner.examine(run.agent()).scores)

    assert won(True) > won(False) + 0.1
