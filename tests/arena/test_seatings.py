from itertools import permutations

import numpy as np
import pytest

from feint.arena import seatings
from feint.errors import UserError


def test_the_24_orders_of_four_and_their_rotations():
    assert seatings.orders(range(4)) == list(permutations(range(4)))
    assert seatings.rotations([0, 1, 2]) == [(0, 1, 2), (1, 2, 0), (2, 0, 1)]
    assert seatings.orders([7, 7]) == [(7, 7)]
    assert seatings.rotations([1, 2, 1, 2]) == [(1, 2, 1, 2), (2, 1, 2, 1)]


def test_a_round_robin_seats_every_choice_and_balances_every_seat():
    seated = seatings.round_robin(5, 3)
    assert len(seated) == 10 * 6
    assert len(set(seated)) == 60
    for seat in range(3):
        assert np.bincount([seating[seat] for seating in seated]).tolist() == [12] * 5
    assert len(seatings.round_robin(5, 3, "rotations")) == 30
    assert seatings.round_robin(4, 4, "given") == [(0, 1, 2, 3)]


@pytest.mark.parametrize("bad", [(2, 3, "all"), (3, 0, "all"), (3, 2, "some"), (9, 9, "all"), (40, 20, "rotations")])
def test_impossible_schedules_are_told_so(bad):
    with pytest.raises(UserError):
        seatings.round_robin(*bad)
