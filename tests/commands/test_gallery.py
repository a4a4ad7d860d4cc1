"""`feint gallery`: the tables of a game, the worst first; stopped, it goes on; what is wrong is said at once."""

import pytest

import feint
from feint import chance, registry, zoo
from feint.learn import gallery
from feint.learn.gallery import tables_of
from feint.learn.inputs import Layout
from feint.learn.networks import Architecture, Network, NetworkAgent
from feint.learn.policy_file import PolicyFile
from tests.commands.typed import typed


def test_the_worst_table_comes_first_and_what_was_played_is_kept(tmp_path, monkeypatch):
    command = ["gallery", "kuhn", "zoo:kuhn-1", "--table", "zoo:kuhn-1", "--games", 200]
    whole = typed(*command, "--save", tmp_path / "whole.json")
    assert whole.code == 0, whole.stderr
    rows = [line.split()[:2] for line in whole.stdout.splitlines() if " 200 " in line]
    assert rows == [["zoo:kuhn-1", "200"], ["random", "200"]]  # an equal is harder to beat than one who plays at random

    step = gallery.Gallery.step

    def once(self):
        if self.scores:
            raise KeyboardInterrupt
        step(self)

    monkeypatch.setattr(gallery.Gallery, "step", once)
    stopped = typed(*command, "--save", tmp_path / "parts.json")
    assert stopped.code == 130
    assert "Stopped after 1 of 2 tables, kept in" in stopped.stderr
    monkeypatch.setattr(gallery.Gallery, "step", step)
    assert typed(*command, "--save", tmp_path / "parts.json").stdout == whole.stdout
    assert (tmp_path / "parts.json").read_bytes() == (tmp_path / "whole.json").read_bytes()

    longer = typed(*command, "--length", 20, "--save", tmp_path / "whole.json")
    assert longer.code == 2
    assert "is of another length: --fresh begins anew" in longer.stderr
    other = typed("gallery", "kuhn", "random", "--games", 200, "--save", tmp_path / "whole.json")
    assert other.code == 2
    assert "is of another agent, fingerprint, tables: --fresh begins anew" in other.stderr
    (tmp_path / "whole.json").write_text((tmp_path / "whole.json").read_text().replace("200", "300"))
    assert (
        "is not a gallery that feint saved, or it is damaged"
        in typed(*command, "--save", tmp_path / "whole.json").stderr
    )


def test_a_gallery_does_not_go_on_beside_a_file_that_was_replaced(tmp_path):
    beside = tmp_path / "policy.npz"
    command = ["gallery", "kuhn", "random", "--table", f"policy:{beside}", "--games", 20, "--save", tmp_path / "g.json"]
    kuhn = feint.make("kuhn")
    for greedy, code in ((False, 0), (False, 0), (True, 2)):
        network = Network(Architecture(width=8), Layout.of(kuhn), kuhn.actions, chance.key(0))
        PolicyFile.of(NetworkAgent(network, kuhn, greedy), kuhn, {}).save(beside)
        said = typed(*command)
        assert said.code == code, said.stderr
    assert "is of another company: --fresh begins anew" in said.stderr


@pytest.mark.parametrize("name", registry.game_names())
def test_every_game_has_tables_that_can_be_played(name):
    game = registry.make(name)
    tables = tables_of(game, "nobody")
    assert tables
    assert {len(table) for table in tables} == {game.players - 1}
    shipped = {f"zoo:{name}" for name in zoo.names()}
    assert all(name in shipped for table in tables for name in table if ":" in name)


def test_a_table_of_the_agents_own_kind_and_those_of_other_games_are_left_out():
    bluff = feint.make("bluff")
    assert ("zoo:bluff-12",) * 3 in tables_of(bluff, "smart")
    assert ("zoo:bluff-12",) * 3 not in tables_of(bluff, "zoo:bluff-12")
    pair = tables_of(feint.make("bluff", players=2), "smart", ["random"])
    assert {name for table in pair for name in table if ":" in name} == {"zoo:bluff-13"}  # the others play four
    assert pair[-1] == ("random",)


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (["kuhn", "smart"], "no kuhn agent called 'smart'"),
        (
            ["kuhn", "random", "--table", "random,random"],
            "random,random names 2, but besides the agent kuhn(players=2) seats 1.",
        ),
        (["kuhn", "random", "--table", "zoo:nobody"], "There is no 'nobody' in the zoo."),
        (["kuhn", "random", "--save", "x.csv"], "A gallery must be a .json file, not x.csv."),
        (["kuhn", "random", "--games", 0], "--games must be a whole number from 2"),
    ],
)
def test_bad_input_is_one_clear_sentence(wrong, says):
    refused = typed("gallery", *wrong)
    assert refused.code == 2
    assert says in refused.stderr
