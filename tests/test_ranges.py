"""Every number that can be chosen, of games, agents and algorithms, has a range: what is outside is refused, what is inside is not."""

from dataclasses import MISSING, fields, is_dataclass
from math import inf, nan, nextafter

import pytest

import feint
from feint import catalogue, registry
from feint.errors import UserError
from feint.learn.experiment import Experiment
from feint.options import checked, make

ODD_TYPES = ("x", None, [], {}, (1,))


def numbers(kind):
    """The fields of a class that are numbers to choose, or tuples of them."""
    for each in fields(kind) if is_dataclass(kind) else ():
        like = each.default[0] if isinstance(each.default, tuple) and each.default else each.default
        if each.init and like is not MISSING and type(like) in (int, float):
            yield each


def owners():
    for name in catalogue.GAMES:
        yield name, registry.game_class(name)
    for name in catalogue.AGENTS:
        game, _, agent = name.rpartition(".")
        yield name, registry.agent_class(agent, game or "bluff")
    for name in catalogue.ALGORITHMS:
        yield name, registry.algorithm_class(name)
    yield "A run", Experiment


@pytest.mark.parametrize(("owner", "kind"), list(owners()))
def test_numbers_have_ranges(owner, kind):
    for each in numbers(kind):
        least, most = each.metadata.get("least"), each.metadata.get("most")
        assert least is not None, f"{owner}: {each.name} has no least"
        assert most is not None, f"{owner}: {each.name} has no most"
        several = isinstance(each.default, tuple)
        whole = isinstance(each.default[0] if several else each.default, int)
        below, above = (least - 1, most + 1) if whole else (nextafter(least, -inf), nextafter(most, inf))
        for value in (least, most, *(each.default if several else [each.default])):
            given = (value, value) if several else value
            assert checked(owner, each, given) == given
        for value in (below, above, nan, inf, -inf, 10**400, True, *ODD_TYPES):
            with pytest.raises(
                UserError, match=rf"^{owner}: {each.name} must be (a )?(whole )?numbers? from .* to .*, not .*\.$"
            ):
                checked(owner, each, (each.default[0], value) if several else value)


def test_what_is_out_of_range_is_refused_wherever_it_is_made():
    with pytest.raises(UserError, match="players must be a whole number from 2 to 6, not 7"):
        feint.make("kuhn", players=7)
    with pytest.raises(UserError, match="two must be a number from 0 to 1, not 2"):
        feint.make_agent("smart(call_two=2)", feint.make("bluff"))
    with pytest.raises(UserError, match="learning_rate must be a number from 1e-12 to 10, not 0"):
        make(registry.algorithm_class("dqn"), {"learning_rate": 0})


@pytest.mark.parametrize("spec", ["convention()", "convention", "mixed"])
def test_what_has_no_default_must_be_given(spec):
    with pytest.raises(UserError, match=r"has no default for (bids|strategy): write "):
        feint.make_agent(spec, feint.make("bidding"))


@pytest.mark.parametrize("spec", ["convention([99999999999, 1])", "convention([1e999, 1])", "mixed([1e999])"])
def test_lists_have_ranges_too(spec):
    with pytest.raises(UserError, match="must be a list of"):
        feint.make_agent(spec, feint.make("bidding"))
