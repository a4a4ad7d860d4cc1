"""The two readings of the thesis that every experiment is played under."""

from __future__ import annotations

from feint.studies.report import Row, Section, Table, Text, Verdict
from feint.studies.run import Settings, Tell

DIFFERENCES = (
    ("Who is asked about a play", "The others clockwise from the next seat", "The others from seat 1 on"),
    ("After a call on the last seat's play", "Nothing special", "Nobody is asked about seat 1's next play"),
    ("Turns", "2000, then the game is a draw", "Any number (here 20,000)"),
    (
        "Smart without a true card",
        "Lays a card of the rank it will need last, not counting its next four turns; without one, its first card",
        "The same, but its first card if that is of any rank it may lay: the search does not stop at the best",
    ),
    (
        "Reinforcement, training",
        "Over 2400 games, once",
        "The first 25 turns of all learners in each game; they share the rewards, which last for a run of 300 games",
    ),
    (
        "Reinforcement, afterwards",
        "Lays the card most often rewarded; without one, any card",
        "Without one, any card but its first, or nothing if it has no other. Called, it is held to what it laid last "
        "in training",
    ),
    (
        "Anxious",
        "Lays as smart; calls on players with fewer than three cards left, else as smart",
        "Lays one true card, else its first; calls with chance 0.10, not 0.25, on two cards held. In Tables 5 to 7 it "
        "lays as smart",
    ),
)


def readings(_settings: Settings, _tell: Tell) -> Section:
    """What differs between them."""
    return Section(
        "The two readings",
        (
            Text(
                "The thesis leaves much open, and its program was not published. Clean rules are what its text says, "
                "completed where it says nothing; they are what feint plays. The other reading is what its program "
                "must have done for its tables to come out, mistakes included."
            ),
            Table(
                "Where they differ",
                ("", "clean rules", "as the program ran"),
                tuple(Row(what, (clean, ran)) for what, clean, ran in DIFFERENCES),
                "All agents that call do so with chance 0.25, 0.75 and 1 when they hold two, three and four cards of "
                "the rank claimed, unless said otherwise.",
            ),
            Verdict(
                "open",
                "How the program ran is inferred from Tables 2 and 3 and Experiments 2 and 3, so that they agree with "
                "it is how it was found, and no proof; Tables 4, 5 and 7 agree with neither reading.",
            ),
        ),
    )
