"""A review by command: printed and kept, or refused in one sentence before any work is done."""

import re
from dataclasses import replace

import jax.numpy as jnp
import pytest

import feint
from feint import chance
from feint.errors import UserError
from feint.learn.inputs import Layout
from feint.learn.networks import Architecture, Network, agent_of
from feint.record import Record
from feint.review import hint, review
from feint.review.answers import sampled, told
from feint.review.played import Played
from feint.table import Table
from tests.commands.typed import typed


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Files: a game that is over, one that was left, one of agents alone, and something else."""
    folder = tmp_path_factory.mktemp("games")
    for name, seats, actions in (
        ("over", ["me:Ann", "me:Ben"], [0, 1, 0]),
        ("left", ["me:Ann", "me:Ben"], [0]),
        ("agents", ["random", "random"], [1, 0]),
    ):
        table = Table(feint.make("kuhn"), seats)
        for action in actions:
            table.play(action)
        Record.of(table).save(folder / f"{name}.json")
    (folder / "other.json").write_text("[]\n")
    return folder


@pytest.mark.parametrize(
    ("file", "options", "said"),
    [
        ("other", [], "is not a record of a game"),
        ("none", [], "none.json"),
        ("left", [], "This game was left before its end"),
        ("over", ["--agent", "smart"], "There is no kuhn agent called 'smart'"),
        ("over", ["--agent", "zoo:leduc-1"], "leduc"),
        ("over", ["--seat", "3"], "There is no seat 3 in this game, which has: 1 Ann, 2 Ben."),
        ("over", ["--seat", "0"], "There is no seat 0"),
        ("over", ["--play-outs", "5"], "play-outs"),
        ("agents", [], "Nobody in this game is a person: choose a seat to look at, of 1 Random 1, 2 Random 2."),
    ],
)
def test_bad_input(folder, file, options, said):
    done = typed("replay", folder / f"{file}.json", "--analyse", *options)
    assert done.code == 2
    assert said in " ".join(done.stderr.split())
    assert len(done.stderr.strip().splitlines()) <= 4
    assert "Traceback" not in done.stderr


def test_options_of_an_analysis_go_with_it(folder):
    done = typed("replay", folder / "over.json", "--agent", "random", "--seat", "1")
    assert done.code == 2
    assert "--agent and --seat go with --analyse." in done.stderr


def test_python(folder):
    with pytest.raises(UserError, match="This game is over: a hint is for a game that is on"):
        hint(Record.load(folder / "over.json"), "random")
    with pytest.raises(UserError, match="Play-outs must be a whole number from 100"):
        review(Record.load(folder / "over.json"), "random", playouts=1)

    class Plain:
        def act(self, view, legal):
            return int(legal.argmax())

    with pytest.raises(UserError, match="Plain is not compiled"):
        review(Record.load(folder / "over.json"), Plain())


def test_a_review_is_printed_and_kept(folder, tmp_path):
    done = typed(
        "replay",
        folder / "over.json",
        "--analyse",
        "--agent",
        "random",
        "--play-outs",
        400,
        "--save",
        tmp_path / "r.json",
    )
    assert done.code == 0, done.stderr
    assert "Played out by random in all seats, 400 games a decision; intervals at 99%." in done.stdout
    assert "the costliest first" in done.stdout
    assert '"finished": true' in (tmp_path / "r.json").read_text()


@feint.pytree
class OfThreeKinds:
    """Tells no chances. Drawn once: one kind checks and folds, the two others always bet and call."""

    def begin(self, game, seat, key):
        return chance.choice(key, jnp.ones(3, bool))

    def act(self, memory, view, legal, key):
        return jnp.int32(memory > 0), memory


def test_an_agent_that_tells_no_chances_is_asked_again(folder):
    """One in three checks first; whoever has, folds: what it remembers is that of one who did what was done."""
    kinds = replace(Played.of(Record.load(folder / "over.json")), specs=[OfThreeKinds(), "random"])
    assert told(kinds, [0]) == []
    first, second = sampled(kinds, [0], seed=0)
    assert (first.move, first.asked, second.move) == (0, 256, 2)
    by_action = {each.action: each for each in first.likely}
    assert by_action[0].low < 1 / 3 < by_action[0].high < by_action[1].low < 2 / 3 < by_action[1].high
    assert [(each.action, each.chance) for each in second.likely] == [(0, 1.0), (1, 0.0)]
    assert 0.9 < second.likely[0].low < 1  # as far as 256 times can tell
    assert sampled(replace(kinds, first=False), [0], seed=0) == []  # what it remembers of earlier games is not known


def test_who_reads_of_the_games_before_tells_chances_of_a_first_game_alone(folder):
    game = feint.make("kuhn")
    network = Network(Architecture(width=8), Layout.of(game, match=True), game.actions, chance.key(0))
    over = replace(Played.of(Record.load(folder / "over.json")), specs=[agent_of(network, game), "random"])
    assert [each.move for each in told(over, [0])] == [0, 2]
    assert told(replace(over, first=False), [0]) == []


def test_the_terminal_shows_what_agents_did(folder):
    done = typed("replay", folder / "agents.json", "--analyse", "--agent", "random", "--play-outs", 400, "--seat", 1)
    assert done.code == 0, done.stderr
    table = done.stdout[done.stdout.index("What agents did, the least likely first") :]
    assert re.search(r"1 +Random 1 +bet +50% +check 50%", table), table


def test_agents_say_how_likely_their_moves_were(folder):
    answers = review(Record.load(folder / "agents.json"), "random", 400, seats=[0]).answers
    assert [(each.move, each.seat, each.chosen) for each in answers] == [(0, 0, 1), (1, 1, 0)]
    assert all([(each.chance, each.low) for each in answer.likely] == [(0.5, 0.5)] * 2 for answer in answers)
    assert [each.asked for each in answers] == [0, 0]  # it tells them itself
    assert "You pay 1 for a pot of 3" in answers[1].advice  # what the second had to go on after a bet
