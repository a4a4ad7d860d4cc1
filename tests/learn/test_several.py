"""One network at tables of several sizes: what it reads, how it learns there, and which tables its file serves."""

import re
from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import feint
from feint import chance
from feint.errors import UserError
from feint.learn.experiment import Experiment
from feint.learn.inputs import Layout
from feint.learn.policy_file import PolicyFile, play_from
from feint.learn.several import resized, served
from feint.learn.stages import Staged
from feint.learn.train import POLICY, Run
from feint.options import chosen
from feint.testing import check_game

KUHN = {
    "game": "kuhn",
    "algorithm": "mmd",
    "also": ["players=3"],
    "games": 10,
    "evaluations": 1,
    "settings": {"total_timesteps": 120 * 2048, "width": 32},
}


def test_smaller_tables_have_zeros_at_the_end():
    """A view of a table for two, read where three may sit: each piece as it is, then nothing, and how many sit there."""
    two, three = feint.make("kuhn"), feint.make("kuhn", players=3)
    layout = Layout.shared([two, three])
    assert [(piece.name, piece.shape) for piece in layout.pieces] == [
        ("seat", (3,)),
        ("card", (4,)),
        ("history", (5, 2)),
        ("option players", (3,)),
    ]
    view = two.observe(two.init(chance.key(0)), jnp.int32(1))
    row, alone = layout.apart(layout.see(two, view)), Layout.of(two).apart(Layout.of(two).see(two, view))
    assert row["seat"].tolist() == [0, 1, 0]
    assert row["card"].tolist() == [*alone["card"].tolist(), 0]
    assert row["history"].values.tolist() == [*alone["history"].values.tolist(), [0, 0], [0, 0]]
    assert row["option players"].tolist() == [1, 1, 0]
    assert Layout.read(layout.as_json()) == layout
    layout.check(two)
    with pytest.raises(
        UserError, match=re.escape("The policy reads seat[3], which kuhn does not give; it gives seat[4]")
    ):
        layout.check(feint.make("kuhn", players=4))


@pytest.mark.parametrize(
    "name", ["kuhn", "leduc", "bluff", "bidding", "holdem", pytest.param("okey", marks=pytest.mark.slow)]
)
def test_larger_tables_only_add_to_the_ends(name):
    """All that games with sizes give has as many axes at a larger table, none of them shorter, and there are no fewer actions."""
    small, large = (feint.make(name, players=players) for players in (3, 4))
    assert "players" in small.varies
    if "most" in small.varies:
        large = replace(large, most=large.most + 1)
    layout = Layout.of(large)
    assert all(there.holds(piece) for there, piece in zip(layout.pieces, Layout.of(small).pieces, strict=True))
    assert small.actions <= large.actions


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    run = Run.start(Experiment.of(KUHN), tmp_path_factory.mktemp("several"))
    before = run.examiner.exploitability(run.agent())
    assert run.train(lambda _: None, lambda: False)
    return run, before


@pytest.mark.slow
def test_one_network_learns_both_sizes(run):
    run, before = run
    after = [one.exploitability(replace(run.agent(), game=one.game)) for one in run.examiner.each]
    assert max(after) < 0.25, "even odds lose 0.46 with two players, 0.69 with three"
    assert before > 0.55
    assert run.news[-1].evaluation.exploitability == pytest.approx(np.mean(after))
    assert [len(score.table) for score in run.news[-1].evaluation.scores] == [2, 3]


@pytest.mark.slow
def test_a_run_goes_on_to_the_same_numbers(run, tmp_path):
    again = Run.start(run[0].experiment, tmp_path / "run")
    assert not again.train(lambda _: None, lambda: again.updates == 3)
    resumed = Run.resume(tmp_path / "run")
    assert len(resumed.learner.envs) == 2
    for one in (again, resumed):
        one.advance()
    for a, b in zip(jax.tree.leaves(again.agent()), jax.tree.leaves(resumed.agent()), strict=True):
        np.testing.assert_array_equal(a, b)


def test_a_table_that_ends_in_dots_is_filled_at_every_size():
    tables = ["random,random,random", "2*random,...", "me,...", "me,random,..."]
    given = {"game": "leduc", "also": ["players=4"], "tables": tables}
    experiment = Experiment.of(given)
    two = [("random",), ("random",), ("me", "me"), ("me", "random")]
    four = [("random",) * 3, ("random",) * 3, ("me",) * 4, ("me", "random", "me", "random")]
    assert experiment.tables == (("random",) * 3, *two, *four)
    assert experiment.as_dict()["tables"] == tables, "as it was given"
    assert Experiment.of(experiment.as_dict()) == experiment
    assert Experiment.of({"game": "kuhn", "tables": ["me,..."]}).algorithm.name == "mmd"  # the learner in every seat
    assert Experiment.of(given | {"also": [], "tables": ["past,..."]}).tables == (("past",),)


def test_where_nobody_is_named_the_usual_company_sits_at_every_size():
    told = Experiment.of({"game": "holdem", "also": ["players=4"]})
    assert told.tables == (("tanh",), ("tanh",) * 3)
    assert "--table tanh,..." in told.command()


def test_its_file_says_which_tables_it_serves(tmp_path):
    brief = KUHN | {"settings": {"num_envs": 8, "num_steps": 4, "width": 8, "total_timesteps": 32}}
    run = Run.start(Experiment.of(brief), tmp_path / "run")
    assert run.train(lambda _: None, lambda: False)
    path = str(run.folder / POLICY)
    assert PolicyFile.load(path).serves == {"players": [2, 3]}
    for players in (2, 3):
        game = feint.make("kuhn", players=players)
        agent = play_from(path, game)
        state = game.init(chance.key(1))
        chances = agent.probabilities(game.observe(state, jnp.int32(0)), state.legal_action_mask)
        assert chances.shape == (2,)
        assert chances.sum() == pytest.approx(1)
        assert jnp.isfinite(agent.critic.value(game, state, jnp.int32(0)))
    with pytest.raises(UserError, match=re.escape("made for kuhn(players=2 to 3), not for kuhn(players=4)")):
        play_from(path, feint.make("kuhn", players=4))
    with pytest.raises(UserError, match="not for leduc"):
        play_from(path, feint.make("leduc"))


def test_a_file_serves_no_size_between_those_it_learned_at():
    experiment = Experiment.of(KUHN | {"also": ["players=5", "players=3"]})
    assert served(experiment.sizes) == {"players": [2, 3, 5]}
    file = PolicyFile("NetworkAgent", {}, "kuhn", {"players": 2}, 1, {}, {}, serves=served(experiment.sizes))
    with pytest.raises(UserError, match=re.escape("made for kuhn(players=2, 3 or 5), not for kuhn(players=4)")):
        file.agent_for(feint.make("kuhn", players=4))


def test_a_file_serves_a_size_between_where_it_is_told_to(tmp_path):
    brief = {"num_envs": 8, "num_steps": 4, "width": 8, "total_timesteps": 32}
    told = KUHN | {"also": ["players=4"], "serve": ["players=3"], "settings": brief, "evaluations": 0}
    experiment = Experiment.of(told)
    assert "--also players=4 --serve players=3" in experiment.command()
    assert Experiment.of(experiment.as_dict()) == experiment
    assert [game.players for game in experiment.sizes] == [2, 4]  # which it learns at
    run = Run.start(experiment, tmp_path / "run")
    assert run.train(lambda _: None, lambda: False)
    path = str(run.folder / POLICY)
    assert PolicyFile.load(path).serves == {"players": [2, 3, 4]}
    game = feint.make("kuhn", players=3)
    state = game.init(chance.key(1))
    chances = play_from(path, game).probabilities(game.observe(state, jnp.int32(0)), state.legal_action_mask)
    assert chances.sum() == pytest.approx(1)


def test_a_file_serves_the_sizes_it_learned_at_and_no_others_made_of_their_parts():
    given = {
        "game": "bidding",
        "options": {"players": 5, "coins": 20},
        "also": ["players=3,coins=10", "players=3,coins=50"],
    }
    sizes = Experiment.of(given | {"algorithm": "ppo"}).sizes
    assert served(sizes) == {"players": [3, 3, 5], "coins": [10, 50, 20]}
    options = {"players": 5, "coins": 20, "final": "all-in"}
    file = PolicyFile("NetworkAgent", {}, "bidding", options, 1, {}, {}, serves=served(sizes))
    for players, coins in ((3, 10), (3, 50), (5, 20)):
        game = feint.make("bidding", players=players, coins=coins)
        assert file.options_for(game) == chosen(game)
    told = [
        ((5, 10), "players=5, coins=20"),
        ((3, 20), "players=3, coins=10 or 50"),
        ((4, 30), "players=3 or 5, coins=10, 20 or 50"),
    ]
    for (players, coins), may_be in told:
        game = feint.make("bidding", players=players, coins=coins)
        with pytest.raises(UserError, match=re.escape(f"bidding({may_be}, final=all-in), not for {game}")):
            file.agent_for(game)


@pytest.mark.slow
def test_actions_may_be_fewer_at_smaller_tables():
    """Bidding with 4 coins and with 6: what may be bid at the larger table alone is never bid at the smaller."""
    given = {
        "game": "bidding",
        "options": {"coins": 4},
        "also": ["coins=6"],
        "settings": {"num_envs": 2, "num_steps": 2},
    }
    experiment = Experiment.of(given | {"algorithm": "ppo"})
    learner = experiment.algorithm.begin(experiment.training_tables(), chance.key(0))
    assert learner.network.outputs == 7
    agent = experiment.algorithm.agent(experiment.training_tables(), learner)
    state = experiment.game.init(chance.key(0))
    assert agent.probabilities(experiment.game.observe(state, jnp.int32(0)), state.legal_action_mask).shape == (5,)


@pytest.mark.parametrize(
    ("given", "wrong"),
    [
        (
            {"game": "liars-dice"},
            "liars-dice has no inputs that fit tables of several sizes: one network plays one of them.",
        ),
        ({"also": ["cards=3"]}, "Tables of kuhn for one network differ in players alone, not in cards."),
        ({"also": ["players=9"]}, "kuhn: players must be a whole number from 2 to 6, not 9."),
        (
            {"serve": ["players=4"]},
            "--serve names sizes between those that are learned at, with players from 2 to 3, not players=4.",
        ),
        ({"serve": ["cards=3"]}, "Tables of kuhn for one network differ in players alone, not in cards."),
        ({"also": ["3"]}, "The size '3' must be written as NAME=VALUE, such as players=3."),
        (
            {"algorithm": "dqn", "settings": {}},
            "One network learns at tables of several sizes by ppo, mmd or after-states, not by dqn.",
        ),
        (
            {"bars": ["50@random,random,random"], "tables": ["random,..."]},
            "The bar 50@random,random,random is of no table where the learner trains with named agents alone.",
        ),
        ({"tables": ["random,random,random"]}, "random,random,random is a table of no size that is trained at."),
        ({"tables": ["..."]}, "Before ... stands who sits at the table, as in smart,past,..."),
    ],
)
def test_what_cannot_be_trained_is_refused_in_one_sentence(given, wrong):
    with pytest.raises(UserError, match=re.escape(wrong)):
        Experiment.of(KUHN | given)


def test_who_cannot_play_with_a_drawn_purse_does_not_evaluate_there():
    drawn = Experiment.of(
        {"game": "bidding", "options": {"players": 3, "coins": 10}, "also": ["players=4,coins=1..10"]}
    )
    assert [each.tables for each in drawn.examiner().each] == [
        [("adaptive", "composition", "me")],
        [("composition", "share", "composition", "me")],
    ]


def test_a_purse_drawn_anew_is_read_as_a_table_of_its_own():
    """A game of Bidding whose purse happens to be 37 gives a network what a game with 37 coins gives, and lets it do the same."""
    largest = feint.make("bidding", players=4, coins=50)
    drawn, own = resized(largest, "coins=1..50"), feint.make("bidding", players=4, coins=37)
    layout = Layout.shared([largest, drawn])
    state = own.init(chance.key(3))
    other = drawn.deal(replace(drawn.draw(chance.key(3)), purse=jnp.int32(37), ties=state.ties))
    for bid in (9, 9, 12, 10, 5, 4, 6, 23, 21):
        state, other = own.step(state, jnp.int32(bid)), drawn.step(other, jnp.int32(bid))
        np.testing.assert_array_equal(other.legal_action_mask[:38], state.legal_action_mask)
        assert not other.legal_action_mask[38:].any()
        for seat in map(jnp.int32, range(4)):
            views = own.observe(state, seat), drawn.observe(other, seat)
            np.testing.assert_array_equal(layout.see(own, views[0]), layout.see(drawn, views[1]))
    assert state.terminated
    assert other.rewards.tolist() == state.rewards.tolist()


@pytest.mark.parametrize("most", [1, 3])
def test_the_most_cards_drawn_anew_are_read_as_a_table_of_its_own(most):
    """A game of Bluff in which so many cards happen to be the most gives a network and an agent what a game with that option gives."""
    own = feint.make("bluff", players=3, most=most)
    largest = replace(own, most=4)
    drawn = resized(largest, "most=1..4")
    layout = Layout.shared([largest, drawn])
    agent = feint.make_agent("counter", own)
    step, see, act = (
        jax.jit(type(own).step, static_argnums=0),
        jax.jit(layout.see, static_argnums=0),
        jax.jit(agent.act),
    )
    observe = jax.jit(lambda game, state: game.observe(state, state.current_player), static_argnums=0)
    deal = drawn.draw(chance.key(3))
    state, other = own.deal(deal), drawn.deal(replace(deal, limit=jnp.int8(most)))
    for moves in range(60):
        np.testing.assert_array_equal(other.legal_action_mask, state.legal_action_mask)
        views = observe(own, state), observe(drawn, other)
        np.testing.assert_array_equal(see(own, views[0]), see(drawn, views[1]))
        chosen = [act((), view, state.legal_action_mask, chance.key(moves))[0] for view in views]
        assert chosen[0] == chosen[1]
        state, other = step(own, state, chosen[0]), step(drawn, other, chosen[0])
    assert other.turn > 10


def test_who_learns_at_any_most_cards_serves_each_of_them():
    game = feint.make("bluff", players=2, ranks=3, suits=2)
    games = [game, resized(game, "most=1..3")]
    assert served(games) == {"most": [1, 2, 3, 4]}
    check_game(games[1])
    assert {int(games[1].init(chance.key(seed)).limit) for seed in range(40)} == {1, 2, 3}


@pytest.mark.parametrize("players", [3, 4])
def test_who_counts_bids_of_one_purse_is_refused_where_purses_are_drawn_anew(players):
    given = {
        "game": "bidding",
        "options": {"players": players, "coins": 9},
        "algorithm": "ppo",
        "tables": ["adaptive,..."],
    }
    Experiment.of(given)
    with pytest.raises(UserError, match="adaptive learns how others bid with one purse, and coins are drawn anew"):
        Experiment.of(given | {"also": [f"players={players},coins=1..9"]})


def test_who_learns_at_purses_drawn_anew_serves_each_of_them():
    largest = feint.make("bidding", coins=4)
    games = [largest, resized(largest, "players=4,coins=2..4")]
    assert served(games) == {"players": [3, 4, 4, 4], "coins": [4, 2, 3, 4]}
    assert Layout.shared(games).varied == ["players", "coins"]
    check_game(games[1])
    assert {int(games[1].init(chance.key(seed)).coins[0]) for seed in range(40)} == {2, 3, 4}


@pytest.mark.parametrize(
    ("size", "message"),
    [
        ("coins=50..1", "coins=50..1 begins after its end: the smaller number stands first."),
        ("coins=0..5", "bidding: coins must be a whole number from 1 to 1000, not 0."),
        ("players=3..5", "In bidding, players cannot be drawn anew for every game: name one after another."),
        ("coin=1..5", "Tables of bidding for one network differ in players and coins alone, not in coin."),
    ],
)
def test_a_range_that_cannot_be_drawn_is_refused(size, message):
    with pytest.raises(UserError, match=re.escape(message)):
        resized(feint.make("bidding"), size)


@pytest.mark.parametrize("options", [{"remainder": "unused", "cap": 50}, {"remainder": "unused", "cap": 4000}])
def test_a_network_plays_with_any_value_of_what_it_is_not_told(options):
    game, other = feint.make("bluff"), feint.make("bluff", **options)
    feint.make_agent("zoo:bluff-10", other)
    state = game.init(chance.key(3))
    for action in (chance.first(state.legal_action_mask), game.lay, game.trust):
        state = game.step(state, action)
    view = game.observe(state, state.current_player)
    shown, there = (each.encode(view) for each in (game, other))
    assert all(map(np.array_equal, jax.tree.leaves(shown), jax.tree.leaves(there)))
    with pytest.raises(UserError, match="most=4"):
        feint.make_agent("zoo:bluff-10", feint.make("bluff", most=3, **options))


@pytest.fixture(scope="module")
def for_two(tmp_path_factory) -> str:
    """The policy of a run at tables for two alone."""
    brief = {"num_envs": 8, "num_steps": 4, "width": 8, "total_timesteps": 32}
    run = Run.start(Experiment.of(KUHN | {"also": [], "settings": brief}), tmp_path_factory.mktemp("two") / "run")
    assert run.train(lambda _: None, lambda: False)
    return f"policy:{run.folder / POLICY}"


def test_a_network_goes_on_at_larger_tables_as_it_played_at_smaller_ones(for_two):
    """What it could not read so far, the size of the table and a third player, counts for nothing yet; so it is with its critic."""
    two, three = feint.make("kuhn"), feint.make("kuhn", players=3)
    before = feint.make_agent(for_two, two)
    algorithm = Experiment.of(KUHN | {"settings": {"width": 8, "start": for_two}}).algorithm
    network, critic = algorithm._first([two, three], chance.key(0), chance.key(0))
    assert network.layout == Layout.shared([two, three])
    state = two.step(two.init(chance.key(1)), jnp.int32(1))
    view = two.observe(state, state.current_player)
    after = replace(before, network=network, critic=replace(before.critic, network=critic))
    np.testing.assert_allclose(
        after.logits(view, state.legal_action_mask), before.logits(view, state.legal_action_mask), atol=1e-6
    )
    values = [each.critic.value(two, state, state.current_player) for each in (before, after)]
    assert values[0] == pytest.approx(float(values[1]), abs=1e-6)
    assert critic.views == 3
    wider = network.trunk[0].weight
    assert not wider[:, 2].any(), "the third of seat[3]"
    assert wider.shape == (8, 20)


def test_a_network_that_reads_row_by_row_stays_at_its_sizes(tmp_path):
    settings = {"num_envs": 2, "num_steps": 2, "network": "attention", "total_timesteps": 4}
    said = KUHN | {"also": [], "settings": settings, "stages": [{}, {"also": ["players=3"]}]}
    with pytest.raises(
        UserError, match="network=attention plays at tables of the sizes it began with: only mlp and residual"
    ):
        Staged(said, tmp_path)


def test_a_later_stage_may_have_more_sizes_and_none_fewer(tmp_path):
    settings = {"num_envs": 8, "num_steps": 4, "width": 8, "total_timesteps": 32}
    said = KUHN | {"also": [], "settings": settings, "stages": [{}, {"also": ["players=3"]}]}
    staged = Staged(said, tmp_path / "run")
    staged.start()
    for nth in (1, 2):
        assert staged.run(nth).train(lambda _: None, lambda: False)
    file = PolicyFile.load(staged.part(2) / POLICY)
    assert file.serves == {"players": [2, 3]}
    assert file.agent_for(feint.make("kuhn", players=3)).network.layout.varied == ["players"]
    with pytest.raises(UserError, match="each has tables of all sizes that those before it have"):
        Staged(said | {"stages": said["stages"][::-1]}, tmp_path)
