"""What the thesis leaves open, and how it is read here."""

from __future__ import annotations

from feint.studies.okey.published import EXPERIMENTS, OPPONENT_WON
from feint.studies.report import Row, Section, Table, Text
from feint.studies.run import Settings, Tell

# What is open, what the thesis says, and what answers it: rules of `okey:thesis`, or another option to try.
DECIDED = (
    ("Who starts", "Not said", "In turns: positions move one chair on after every game"),
    ("Tiles in the centre", "Not said", "What is left: 106 less the indicator and 29 dealt, 76"),
    ("False jokers, 12-13-1", "The first explained, the second not", "Both as in the real game"),
    (
        "Melds",
        "Values for three, four and five tiles; its ordering makes none of five",
        "Runs of three and four (`longest_run=4`), so that 14 tiles are 3+3+4+4; `longest_run=5` allows any",
    ),
    (
        "When a finished hand is noticed",
        "“Until a player finishes her/his hand by having no free tile left”",
        "After a draw, before the discard: 14 of 15 tiles in melds, the last laid face down",
    ),
    (
        "The centre is empty",
        "A draw",
        "`exhausted=draw`; another round by discards is `last-discard`, a new centre `reshuffle`",
    ),
    ("A game that does not end", "Not said", "A draw after 200 turns (`cap`): discards may be taken for ever"),
    (
        "Pairs, finishing with the joker",
        "Not implemented",
        "`pairs=none`, `joker_finish=false`; the real game has both",
    ),
    (
        "Score",
        "The winner is deducted 2 or 4 from 20",
        "Losers pay; experiments count games won, so nothing depends on it",
    ),
    ("The opponent's draws", "“Randomly” from the centre or the discards", "By a fair coin"),
    (
        "The opponent's discards",
        "“Always discards a free tile” that is in no group of three or four; what if no tile is free is not said",
        "Any free tile, each as likely; where none is, any tile; a joker never before another",
    ),
    (
        "How it knows which are free",
        "An ordering of tiles that is not described",
        "`computer`: tiles in no complete meld without jokers, whichever these are, and it finishes whenever it can. `arranger`: what runs from left to right and then "
        "sets leave over, never thought about again, no joker used; it finishes only what it has arranged so. `exact`: what the arrangement worth most points leaves over",
    ),
)


def readings(_settings: Settings, _tell: Tell) -> Section:
    """A table of them."""
    drawn = [each.drawn / 1000 for each in EXPERIMENTS.values()]
    lost = [each.lost / 1000 for each in EXPERIMENTS.values()]
    return Section(
        "What the thesis leaves open",
        (
            Text(
                "A learner plays Okey for two against a computer opponent. The program was not published, and of the rules and of the opponent only the outline is "
                f"told. What must come out of any reading: {min(drawn):.0f} to {max(drawn):.0f}% of episodes drawn, {min(lost):.0f} to {max(lost):.0f}% won by "
                f"the opponent ({OPPONENT_WON:g}% on average), and the rest by the learner."
            ),
            Table(
                "How it is read here",
                ("", "in the thesis", "here"),
                tuple(Row(what, (said, here)) for what, said, here in DECIDED),
                "`okey:thesis` is `players=2`, `pairs=none`, `joker_finish=false` and `longest_run=4`; sections on its limitations change one of these at a time.",
            ),
        ),
    )
