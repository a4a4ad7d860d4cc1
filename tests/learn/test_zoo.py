"""What ships: each agent loads, plays its game, is small, and says how strong it is and what made it."""

import pytest

import feint
from feint import registry, zoo
from feint.agent import is_compiled
from feint.arena.match import match
from feint.arena.seatings import Seating, orders, rotations
from feint.arena.statistics import Interval
from feint.errors import UserError
from tests.commands.typed import typed
from tests.learn import shipped

LOOKING_UP = ["holdem-2p-2", "holdem-3p-1", "holdem-model"]  # by tables of Hold'em that take a minute to be made
OF_A_KIND = ["okey-2", "okey-2p-2"]  # as okey-3 is, which plays at more tables


def all_but(left: list[str], names: list[str]) -> list[object]:
    """Names as parameters, of which those that are `left` to `make test-slow`."""
    return [pytest.param(name, marks=pytest.mark.slow) if name in left else name for name in names]


@pytest.mark.parametrize("name", all_but(["holdem-model"], zoo.names()))
def test_every_agent_of_the_zoo_plays_and_says_where_it_comes_from(name):
    entry = zoo.entry(name)
    game = feint.make(entry.file.game, **entry.file.options)
    assert is_compiled(registry.make_agent(f"zoo:{name}", game))
    assert entry.size <= 3_000_000
    assert all(each.startswith(("feint train ", "feint solve ")) for each in entry.commands)
    assert entry.strength
    assert all(each.command.startswith("feint ") for each in entry.strength)


@pytest.mark.parametrize("name", all_but([*LOOKING_UP, *OF_A_KIND], shipped.trained()))
def test_what_ships_judges_positions_as_it_did_when_it_was_made(name):
    for now, then in zip(shipped.judged(name), shipped.kept()[name], strict=True):
        assert now == pytest.approx(then, abs=2e-3)


def test_a_name_that_is_not_there():
    with pytest.raises(UserError, match="There is no 'nobody' in the zoo"):
        registry.make_agent("zoo:nobody", feint.make("kuhn"))


def test_the_list_names_all():
    listed = typed("zoo")
    assert listed.code == 0, listed.stderr
    rows = [line for line in listed.stdout.splitlines() if line.startswith(" zoo:")]
    assert [row.split()[0] for row in rows] == [f"zoo:{name}" for name in zoo.names()]
    told = typed("zoo", "leduc-1").stdout
    assert "feint exploit leduc zoo:leduc-1" in told
    assert "Made by\n  feint train leduc" in told


CALLERS = {"": 0.908, "(sharp=true)": 0.559}  # by what is added to the callers' names: the win rate to beat


def bluffs_won(added: str, games: int, seatings: list[Seating]) -> Interval:
    """What bluff-12 wins beside the thesis' agents."""
    agents = ["zoo:bluff-12", "no-bluff", f"smart{added}", f"reinforcement{added}"]
    return match(feint.make("bluff"), agents, seatings, games, seed=3, level=0.99).win_rate(0)


@pytest.mark.slow
def test_bluff_12_wins_at_the_thesis_table():
    assert bluffs_won("", 480, rotations(range(4))).estimate > 0.9


@pytest.mark.slow
@pytest.mark.parametrize("added", CALLERS)
def test_bluff_12_is_stronger_than_any_heuristic_found(added):
    assert bluffs_won(added, 20_016, orders(range(4))).low > CALLERS[added]


@pytest.mark.slow
def test_bluff_12_is_not_beaten_at_a_mixed_table():
    agents = ["zoo:bluff-12", "counter", "dump(4)", "anxious"]
    result = match(feint.make("bluff"), agents, orders(range(4)), 20_016, seed=3, level=0.99)
    assert result.win_rate(0).low > max(result.win_rate(other).high for other in (1, 2, 3))
