"""What ships: each agent loads, plays its game, is small, and says how strong it is and what made it."""

import subprocess
import sys

import pytest

import feint
from feint import registry, zoo
from feint.agent import is_compiled
from feint.errors import UserError


@pytest.mark.parametrize("name", zoo.names())
def test_every_agent_of_the_zoo_plays_and_says_where_it_comes_from(name):
    entry = zoo.entry(name)
    game = feint.make(entry.file.game, **entry.file.options)
    assert is_compiled(registry.make_agent(f"zoo:{name}", game))
    assert entry.size <= 3_000_000
    assert entry.command.startswith("feint train ")
    assert entry.strength
    assert all(each.command.startswith("feint ") for each in entry.strength)


def test_a_name_that_is_not_there():
    with pytest.raises(UserError, match="There is no 'nobody' in the zoo"):
        registry.make_agent("zoo:nobody", feint.make("kuhn"))


def test_the_list_names_all():
    listed = subprocess.run(
        [sys.executable, "-m", "feint.cli", "zoo"], capture_output=True, encoding="utf-8", timeout=300
    )
    assert listed.returncode == 0, listed.stderr
    assert all(f"zoo:{name}" in listed.stdout for name in zoo.names())
