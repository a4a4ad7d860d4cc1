"""What can go wrong with Bidding at the command line is said in one sentence."""

import pytest

from tests.commands.typed import typed


@pytest.mark.parametrize(
    ("args", "wrong"),
    [
        ("play bidding --option coins=0", "coins must be a whole number from 1 to 1000, not 0."),
        ("solve bidding --option players=1", "players must be a whole number from 2 to 300, not 1."),
        (
            "match bidding mixed([0.5,0.4,0.2]) uniform uniform --option coins=2",
            "sum to 1; those of [0.5, 0.4, 0.2] sum",
        ),
        (
            "match bidding mixed([0.5,0.5]) uniform uniform --option coins=2",
            "A strategy for 2 coins has 3 probabilities",
        ),
        ("match bidding convention([5,-1]) uniform uniform", "A convention must be a list of whole numbers of coins"),
        ("match bidding optim uniform uniform uniform --option players=4", "optim plays bidding with players=3"),
        ("solve bidding --option players=10 --option coins=50", "which are the ways ties can be broken"),
        ("study bidding --only figure-9", "has no section 'figure-9'"),
    ],
)
def test_bad_input_is_one_sentence(args, wrong):
    done = typed(*args.split())
    assert done.code == 2
    assert wrong in done.stderr
    assert sum(line.startswith("feint: ") for line in done.stderr.splitlines()) == 1
    assert "Traceback" not in done.stderr
