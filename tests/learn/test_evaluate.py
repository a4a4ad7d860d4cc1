"""What a learner is worth is told by what the game is measured by."""

import pytest
from matplotlib.figure import Figure

from feint.arena.statistics import Interval
from feint.commands.train import _cell
from feint.game import Unit
from feint.learn.evaluate import Evaluation, Score
from feint.learn.plot import _scores
from feint.learn.train import News

WON, PAID = Interval(0.5, 0.4, 0.6), Interval(0.25, 0.125, 0.375)
BY_WINS = Score(("me", "random"), 100, WON, PAID)
BY_PAYOFF = Score(("me", "random"), 100, WON, PAID, "payoff", Unit("mbb/h", 1000.0, 0))


def test_what_the_game_is_measured_by_is_told_first_in_its_unit():
    assert _cell(BY_WINS) == "wins 50.0% [40.0, 60.0], earns +0.250 [+0.125, +0.375]"
    assert _cell(BY_PAYOFF) == "earns +250 mbb/h [+125, +375], wins 50.0% [40.0, 60.0]"


@pytest.mark.parametrize("score", [BY_WINS, BY_PAYOFF])
def test_a_score_comes_back_from_its_line(score):
    assert Score.from_dict(score.as_dict()) == score


@pytest.mark.parametrize(("score", "label", "height"), [(BY_WINS, "games won, %", 50.0), (BY_PAYOFF, "mbb/h", 250.0)])
def test_curves_are_of_what_the_game_is_measured_by(score, label, height):
    axes = Figure().subplots()
    _scores(axes, "run", [News(0, 0, 0.0, {}, Evaluation((score,)))], several=False)
    assert axes.get_ylabel() == label
    assert axes.lines[0].get_ydata().tolist() == [height]
