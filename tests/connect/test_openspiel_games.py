"""Games and bots of OpenSpiel in feint: the contract of games, and what OpenSpiel's own algorithms say of the same policies."""

import sys

import jax
import numpy as np
import pyspiel
import pytest
from open_spiel.python import policy
from open_spiel.python.algorithms import expected_game_score, exploitability

import feint
from feint.agent import Random
from feint.connect import listing_walk
from feint.connect.openspiel_bots import OpenSpielBot
from feint.errors import NotSmall, UserError
from feint.outside import Place, Question
from feint.solvers.best_response import exploit, values
from feint.solvers.cfr import Solver
from feint.solvers.sequence_form import SequenceForm
from feint.solvers.solution import ALGORITHMS
from feint.solvers.tabular import profile_of
from feint.solvers.tree import build
from feint.story import Story
from feint.testing import check_game
from feint.words import narration

LEDUC = "openspiel:leduc_poker"


@pytest.mark.parametrize(
    "name",
    [
        "kuhn_poker",
        pytest.param("leduc_poker", marks=pytest.mark.slow),
        pytest.param("kuhn_poker(players=3)", marks=pytest.mark.slow),
        pytest.param("tic_tac_toe", marks=pytest.mark.slow),
        pytest.param("goofspiel(num_cards=3,imp_info=true)", marks=pytest.mark.slow),
        pytest.param("pig(winscore=6,horizon=8)", marks=pytest.mark.slow),
        pytest.param("tiny_bridge_2p", marks=pytest.mark.slow),
    ],
)
def test_the_contract(name):
    check_game(feint.make(f"openspiel:{name}"))


@pytest.fixture(scope="module")
def leduc():
    """The tree of OpenSpiel's Leduc as ours."""
    return SequenceForm.of(build(feint.make(LEDUC)))


def test_openspiel_finds_our_solution_of_leduc_as_exploitable_as_we_do(leduc):
    solver = Solver(leduc, ALGORITHMS["pcfr+"])
    solver.run(30)
    average = solver.average()
    ours, listed = exploit(leduc, average).exploitability, leduc.tree.game.listing
    theirs = {}
    for number, chances in zip(np.asarray(leduc.tree.views.information), average, strict=True):
        legal = listed.state(listed.tables["member"][listed.tables["begin"][number]]).legal_actions()
        theirs[listed.texts[number]] = [(action, float(chances[action])) for action in legal]
    assert len(theirs) == 936  # as Leduc has where suits are told apart
    found = pyspiel.exploitability(listed.game, theirs)
    assert found == pytest.approx(ours, abs=1e-6)
    assert found < 0.1


def test_random_play_earns_what_openspiel_says(leduc):
    game = leduc.tree.game
    theirs = game.listing.game
    anything = policy.UniformRandomPolicy(theirs)
    value = expected_game_score.policy_value(theirs.new_initial_state(), [anything] * 2)
    assert values(leduc, profile_of(leduc, [Random()])) == pytest.approx(value, abs=1e-6)
    paid = feint.match(game, ["random", "random"], games=4000, seed=3).payoff("random #1", seat=0)
    assert paid.low <= value[0] <= paid.high
    found = exploitability.exploitability(theirs, anything)
    assert exploit(leduc, profile_of(leduc, [Random()])).exploitability == pytest.approx(found, abs=1e-6)


def test_players_who_move_at_once_do_so_unseen():
    game = feint.make("openspiel:matrix_rps")
    solution = feint.solve(game, "pcfr+", until=1e-6)
    assert solution.exploitability <= 1e-6
    assert solution.policy.chances == pytest.approx(np.full((2, 3), 1 / 3), abs=1e-3)
    assert game.listing.last_move(game.listing.tables["sets"][1, 1]) == (-1, "")  # the second does not know the first's
    assert (
        narration(game, ["Ann", "Ben"], 1).tell(
            0, None, 0, game.observe(game.step(game.init(feint.chance.key(0)), 0), 1)
        )
        == ""
    )


def test_ways_meet_in_a_game_without_secrets():
    game = feint.make("openspiel:tic_tac_toe")
    assert len(game.listing.paths) == 5478  # boards of noughts and crosses
    assert game.max_moves == 9
    assert game.payoff_range == (-1.0, 1.0)


def test_chance_of_many_shapes_is_drawn_beforehand():
    """Rolls of a die after moves, of which there may be more or fewer: what is drawn is as likely as OpenSpiel says."""
    game = feint.make("openspiel:pig(winscore=6,horizon=4)")
    theirs, total = game.listing.game, np.zeros(2)

    def walk(state, chance):
        if state.is_terminal():
            total[:] += chance * np.array(state.returns())
            return
        follow = state.chance_outcomes() if state.is_chance_node() else [(state.legal_actions()[0], 1.0)]
        for action, likely in follow:
            walk(state.child(action), chance * likely)

    walk(theirs.new_initial_state(), 1.0)
    deals, chances = game.deals()
    assert np.sum(chances) == pytest.approx(1.0)
    state = jax.vmap(game.deal)(deals)
    for _ in range(game.max_moves):
        state = jax.vmap(game.step)(state, np.zeros(len(chances), np.int32))  # the first action, as above
    assert state.terminated.all()
    paid = game.tables["returns"][state.number]
    assert chances @ np.asarray(paid, float) == pytest.approx(total, abs=1e-6)


def test_a_bot_of_openspiel_plays_as_openspiel_says():
    game = feint.make("openspiel:kuhn_poker")
    bets = OpenSpielBot("fixed_action_preference(actions=1:0)", game)
    result = feint.match(game, [bets, "random"], games=200, seed=1)
    seated = policy.tabular_policy_from_callable(game.listing.game, lambda _: {0: 0.0, 1: 1.0})
    anything = policy.UniformRandomPolicy(game.listing.game)
    value = expected_game_score.policy_value(game.listing.game.new_initial_state(), [seated, anything])
    paid = result.payoff(0, seat=0)
    assert paid.low <= value[0] <= paid.high
    again = feint.match(game, [OpenSpielBot("fixed_action_preference(actions=1:0)", game), "random"], games=200, seed=1)
    assert again.payoff_sum.tolist() == result.payoff_sum.tolist()


def test_its_bots_sit_at_our_own_games():
    game = feint.make("kuhn")
    bot = feint.registry.make_agent("openspiel-bot:uniform_random", game)
    view = jax.device_get(game.observe(game.init(feint.chance.key(1)), 0))
    place = [Place(seed=1, table=table) for table in range(40)]
    answers = bot.decide([Question(view, np.ones(2, bool), each) for each in place])
    assert set(answers) == {0, 1}
    assert answers == bot.decide([Question(view, np.ones(2, bool), each) for each in place])


def test_a_search_wins_noughts_and_crosses():
    game = feint.make("openspiel:tic_tac_toe")
    bot = feint.registry.make_agent("openspiel-bot:mcts(simulations=200)", game)
    state = game.init(feint.chance.key(0))
    for action in (0, 3, 1, 4):  # the first has two in its row, and so has the second
        state = game.step(state, action)
    view = jax.device_get(game.observe(state, 0))
    assert bot.act(view, np.asarray(state.legal_action_mask)) == 2


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("leduk_poker", "Did you mean leduc_poker"),
        ("leduc_poker(players=77)", "from 2 to 10 players, not 77"),
        ("leduc_poker(jokers=1)", "no parameter 'jokers'"),
        ("leduc_poker(", "write NAME"),
        ("mfg_crowd_modelling", "it is of a crowd"),
        ("blackjack(players=9)", "OpenSpiel|players"),
    ],
)
def test_what_is_no_game_is_said_in_a_sentence(name, said):
    with pytest.raises(UserError, match=said):
        feint.make(f"openspiel:{name}")


def test_a_game_that_is_too_large_is_said_to_be(monkeypatch):
    monkeypatch.setattr(listing_walk, "MOST", 1000)
    with pytest.raises(UserError, match="1,000 states were seen, which is the limit"):
        feint.make("openspiel:liars_dice")


def test_a_game_with_too_much_chance_is_played_and_not_solved():
    with pytest.raises(NotSmall, match=r"has 1,679,616 deals .* it can be played, not solved"):
        feint.make("openspiel:pig(winscore=4,horizon=9,diceoutcomes=6)").deals()


def test_what_is_no_bot_is_said_in_a_sentence():
    game = feint.make("openspiel:kuhn_poker")
    for spec, said in (
        ("uniform", "Did you mean uniform_random"),
        ("mcts(depth=3)", "simulations=100"),
        ("mcts(", "write a name"),
    ):
        with pytest.raises(UserError, match=said):
            feint.registry.make_agent(f"openspiel-bot:{spec}", game)
    with pytest.raises(UserError, match="too many to list"):
        feint.registry.make_agent("openspiel-bot:uniform_random", feint.make("bluff"))


def test_without_openspiel_its_games_name_what_brings_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    with pytest.raises(UserError, match=r"pip install 'feint\[peers\]'"):
        feint.make("openspiel:matrix_pd")


def test_a_game_is_told_move_by_move():
    table = feint.Table(feint.make(LEDUC), ["me:Ann", "me:Ben"], seed=2)
    story = Story(table, reader=1)
    table.play(2)
    story.tell(2)
    message = story.message(table.view(1))
    assert message["told"] == ["Ann: Raise."]
    assert "[Observer: 1][Private: " in message["seen"]
    assert [choice["label"] for choice in message["choices"]] == ["Fold", "Call", "Raise"]
