"""Games and agents by name, feint's own and those of installed packages."""

import re
import sys

import pytest

import feint
from feint import catalogue, registry, zoo
from feint.agent import Random, is_compiled
from feint.errors import UserError
from feint.games.bluff.agents import Anxious, Smart
from feint.specs import split_specs

BLUFF, KUHN = feint.make("bluff"), feint.make("kuhn")


def test_every_own_name_leads_to_its_class():
    for name in catalogue.GAMES:
        assert registry.game_class(name).name == name
    for name in catalogue.AGENTS:
        game, _, agent = name.rpartition(".")
        assert callable(registry.agent_class(agent, game or "bluff"))
    for name in catalogue.ALGORITHMS:
        assert registry.algorithm_class(name).name == name
    for name in catalogue.POLICIES:
        assert registry.policy_class(name).__name__ == name
    for name in catalogue.STUDIES:
        assert registry.find_study(name).name == name


def test_those_who_sit_down_by_themselves_play_the_game():
    for game in registry.game_names():
        for level in catalogue.LEVELS:
            for name in registry.rivals(game, level):
                kind, _, entry = name.partition(":")
                options = (
                    zoo.entry(entry).file.options if kind == "zoo" else {}
                )  # a specialist sits down at its own tables
                assert feint.make_agent(name, feint.make(game, **options))
    assert registry.rivals("bluff", trained=False) == ("smart", "anxious", "no-bluff")
    with pytest.raises(UserError, match="Opponents are easy, fair or strong, not 'hard'"):
        registry.rivals("bluff", "hard")


def test_a_game_with_options():
    game = feint.make("bluff", players=5, remainder="unused")
    assert (game.players, game.remainder) == (5, "unused")
    assert str(feint.make("kuhn", players=3)) == "kuhn(players=3)"


@pytest.mark.parametrize(
    ("name", "options", "wrong"),
    [
        ("blufff", {}, "There is no game called 'blufff'. Did you mean bluff? There are: "),
        ("", {}, "There is no game called ''. There are: "),
        ("bluff", {"player": 3}, "bluff has no option 'player'. Did you mean players? It has: players, most, "),
        ("bluff", {"players": "3"}, "bluff: players must be a whole number from 2 to 16, not '3'."),
        ("bluff", {"players": True}, "bluff: players must be a whole number from 2 to 16, not True."),
        ("bluff", {"players": 1}, "bluff: players must be a whole number from 2 to 16, not 1."),
        ("bluff", {"players": 9}, "bluff: 9 players need decks=2; one deck serves at most 8."),
    ],
)
def test_wrong_games_are_refused_in_one_sentence(name, options, wrong):
    with pytest.raises(UserError, match=re.escape(wrong)):
        feint.make(name, **options)


@pytest.mark.parametrize(
    ("spec", "agent"),
    [
        ("smart", Smart()),
        (" smart ", Smart()),
        ("smart()", Smart()),
        ("bluff.smart", Smart()),
        ("smart(0.1)", Smart(call_two=0.1)),
        ("smart(0.1, sharp=True)", Smart(call_two=0.1, sharp=True)),
        ("smart(sharp=true, soon=3)", Smart(sharp=True, soon=3)),
        ("smart(call_two=1)", Smart(call_two=1)),
        ("anxious(threshold=2)", Anxious(threshold=2)),
        ("random", Random()),
    ],
)
def test_agents_by_specification(spec, agent):
    assert feint.make_agent(spec, BLUFF) == agent


@pytest.mark.parametrize(
    ("spec", "wrong"),
    [
        ("smort", "There is no bluff agent called 'smort'. Did you mean smart? There are: anxious, "),
        ("", "There is no bluff agent called ''."),
        ("kuhn.random", "There is no bluff agent called 'kuhn.random'."),
        ("smart(", "'smart(' is not an agent: write a name, or a name with settings such as anxious(2)."),
        ("smart(1)(2)", "'smart(1)(2)' is not an agent"),
        ("smart(call_two=x)", "'smart(call_two=x)' is not an agent"),
        ("smart(**{})", "'smart(**{})' is not an agent"),
        ("smart(call_two=0.1, call_two=0.2)", "is not an agent"),
        ("smart(0.1, call_two=0.2)", "sets call_two twice, by place and by name."),
        ("smart(1, 2, 3, 4, 5)", "smart takes at most 4 settings (call_two, call_three, sharp, soon), but "),
        ("random(3)", "random takes no settings, but random(3) gives 1."),
        (
            "smart(call_tow=1)",
            "smart has no setting 'call_tow'. Did you mean call_two? It has: call_two, call_three, sharp, soon.",
        ),
        ("smart(call_two=0.1, 0.2)", "is not an agent"),
        ("smart('x')", "smart: call_two must be a number from 0 to 1, not 'x'."),
        ("smart(call_two=2)", "smart: call_two must be a number from 0 to 1, not 2."),
        ("smart(1e999)", "smart: call_two must be a number from 0 to 1, not inf."),
        ("smart(sharp=1)", "smart: sharp must be true or false, not 1."),
        ("anxious(threshold=2.5)", "anxious: threshold must be a whole number from 0 to 104, not 2.5."),
        ("anxious(99999999999)", "anxious: threshold must be a whole number from 0 to 104, not 99999999999."),
        ("anxious({[]:1})", "'anxious({[]:1})' is not an agent"),
        (f"anxious({'-' * 5000}1)", "----1)' is not an agent: write a name"),
        (f"anxious({'9' * 5000})", "9999)' is not an agent: write a name"),
        (f"anxious({'[' * 5000})", "[[[[)' is not an agent: write a name"),
    ],
)
def test_wrong_agents_are_refused_in_one_sentence(spec, wrong):
    with pytest.raises(UserError, match=re.escape(wrong)):
        feint.make_agent(spec, BLUFF)


def test_an_agent_plays_its_own_game_only():
    for spec in ("smart", "bluff.smart"):
        with pytest.raises(UserError, match=rf"There is no kuhn agent called '{spec}'. There are: random"):
            feint.make_agent(spec, KUHN)


MODULE = '''
from feint.agent import Random
from feint.games.small.kuhn import Kuhn


class Kuhn2(Kuhn):
    """Kuhn by another name."""

    name = "kuhn2"


class Folder:
    def __init__(self, often=1.0):
        self.often = often

    def act(self, view, legal):
        return 0


class Impostor:
    pass


class Luck:
    """An algorithm, a kind of policy, a study: whatever it is taken for."""


rivals = ("anywhere", "folder")
'''

ENTRY_POINTS = """
[feint.games]
kuhn2 = somebodys:Kuhn2
bluff = somebodys:Impostor

[feint.agents]
kuhn2.folder = somebodys:Folder
anywhere = somebodys:Random
kuhn2.lost = nowhere:Agent
random = somebodys:Impostor

[feint.rivals]
kuhn2 = somebodys:rivals
bluff = somebodys:rivals
kuhn3 = somebodys:Luck

[feint.algorithms]
luck = somebodys:Luck
ppo = somebodys:Impostor

[feint.policies]
Luck = somebodys:Luck

[feint.studies]
luck = somebodys:Luck
gone = somebodys:Gone
"""


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package of somebody else's, installed."""
    info = tmp_path / "somebodys-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: somebodys\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(ENTRY_POINTS)
    (tmp_path / "somebodys.py").write_text(MODULE)
    monkeypatch.syspath_prepend(tmp_path)
    registry._added.cache_clear()
    yield
    registry._added.cache_clear()
    sys.modules.pop("somebodys", None)


@pytest.mark.usefixtures("package")
def test_a_package_adds_games_and_agents():
    assert "kuhn2" in feint.game_names()
    game = feint.make("kuhn2", players=3)
    assert str(game) == "kuhn2(players=3)"
    assert feint.agent_names("kuhn2") == ["anywhere", "folder", "lost", "random", "think"]
    assert "anywhere" in feint.agent_names("bluff")
    assert "folder" not in feint.agent_names("bluff")
    folder = feint.make_agent("folder(0.5)", game)
    assert not is_compiled(folder)
    assert folder.often == 0.5
    assert is_compiled(feint.make_agent("anywhere", BLUFF))
    with pytest.raises(UserError, match="think: agent must be an agent that is compiled, and folder is plain Python"):
        feint.make_agent("think(folder)", game)


@pytest.mark.usefixtures("package")
def test_a_package_adds_algorithms_policies_studies_and_rivals():
    assert registry.algorithm_class("luck").__name__ == "Luck"
    assert "Luck" in registry.policy_kinds()
    assert registry.policy_class("Luck") is registry.find_study("luck") is registry.algorithm_class("luck")
    assert registry.study_names() == ["bidding", "bluff", "gone", "holdem", "luck", "okey"]
    assert registry.rivals("kuhn2") == ("anywhere", "folder")
    with pytest.raises(UserError, match="The rivals of kuhn3 are a tuple of names"):
        registry.rivals("kuhn3")


@pytest.mark.parametrize(
    ("find", "wrong"),
    [
        (registry.algorithm_class, "There is no algorithm called 'luk'. Did you mean luck? There are: actor-critic, "),
        (registry.find_study, "There is no study called 'luk'. Did you mean luck? There are: bidding, "),
        (
            registry.policy_class,
            "There is no kind of policy called 'luk'. There are: AfterstateAgent, AverageAgent, BlueprintAgent, Luck, ",
        ),
    ],
)
@pytest.mark.usefixtures("package")
def test_what_there_is_not_is_refused_in_one_sentence(find, wrong):
    with pytest.raises(UserError, match=re.escape(wrong)):
        find("luk")


@pytest.mark.usefixtures("package")
def test_a_package_does_not_replace_what_is_feints():
    assert feint.make("bluff") == BLUFF
    assert feint.make_agent("random", KUHN) == Random()
    assert registry.algorithm_class("ppo").name == "ppo"
    assert registry.rivals("bluff") == catalogue.RIVALS["bluff"]["fair"]


@pytest.mark.usefixtures("package")
def test_what_cannot_be_imported_is_said():
    with pytest.raises(UserError, match="lost is registered as nowhere:Agent, which cannot be imported: No module"):
        feint.make_agent("lost", feint.make("kuhn2"))
    with pytest.raises(UserError, match="gone is registered as somebodys:Gone, which cannot be imported: "):
        registry.find_study("gone")


def test_what_feint_does_not_have_is_said():
    with pytest.raises(AttributeError, match="module 'feint' has no attribute 'fold'"):
        feint.fold  # noqa: B018


def test_commas_within_brackets_do_not_part_seats():
    assert split_specs("a(1,2),b(3)") == ["a(1,2)", "b(3)"]
