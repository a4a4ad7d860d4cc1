"""What the paper leaves open or has wrong, and how it is read here."""

from __future__ import annotations

from feint.studies.report import Row, Section, Table, Text
from feint.studies.run import Settings, Tell

# What it is about, what the paper says, and how it is read.
DECIDED = (
    (
        "Table 1, equation 1",
        "R = log 2.5 and log 0.67",
        "They come out only if u is read as (own action, the other's action)",
    ),
    (
        "Table 2",
        "Its row of calls repeats its row of raises, and its cells contain probabilities",
        "Not used; equations 3 to 5 are",
    ),
    (
        "Equations 3 and 4",
        "Whoever wins is credited with its own chips, whoever loses is charged for them; nothing is to be called; nobody folds to a re-raise",
        '`gains="literal"` as printed, for several opponents and with something to call; unless told otherwise `corrected`: net of one\'s own chips, with the choice to fold',
    ),
    (
        "Equation 6",
        "R = log(Gi / Gj), undefined where a gain is nothing or negative, as that of a fold is",
        'The same with the most that can be lost added to both; actions within 2% of the best are drawn from. Selten\'s measure of deviations is `measure="selten"`',
    ),
    (
        "Hitsz13",
        "A program of the 2013 competition; formula 2 is “most betting strategy decision models”",
        "`tanh`: formula 2 with EHS to the power of the number of opponents, calls by pot odds, and the shift by which its raises are 27.3% of all decisions",
    ),
    (
        "Risk_g",
        "A general probability table; that of “marv” is printed",
        "`risk-g`: the table of marv for everybody",
    ),
    (
        "Risk_s",
        "m by n by k classes of strength, board and pot for each opponent; sizes are not said",
        "`risk-s`: five of EHS, three of boards, four of pots, from marv's table as a prior; hands that are shown are counted by what was shown",
    ),
    (
        "The networks",
        "14 inputs in three groups, 12 hidden units; whether the cards of whoever acts are among them is not said",
        "11 public numbers, two of habits in the match, EHS; once with it and once without. Trained on hands played here",
    ),
    (
        "800,000 hands of the competition",
        "Training data",
        "Not to be had; hands of named agents, and other agents for the test",
    ),
    (
        "Table 4",
        "Hitsz13 never differs from itself, but has a success rate and a payoff; payoffs add up to 524",
        "Success and payoff are those of hands with a differing decision; they are no bankrolls",
    ),
    ("Table 6", "Headed “Prediction accuracy of Risk_g”", "Of Risk_s"),
)


def readings(_settings: Settings, _tell: Tell) -> Section:
    """A table of them."""
    return Section(
        "What the paper leaves open",
        (
            Text(
                "The paper has a plain player, Hitsz13, and two that decide by “risk dominance”, Risk_g with one table of how anybody answers a bet and Risk_s with tables for each opponent and situation. The three play limit Hold'em with each other, "
                "1,000 and 3,000 hands once. Nothing was published but the paper."
            ),
            Table(
                "How it is read here",
                ("", "in the paper", "here"),
                tuple(Row(what, (said, here)) for what, said, here in DECIDED),
                "`feint agents holdem` lists the agents and their settings.",
            ),
        ),
    )
