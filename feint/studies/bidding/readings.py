"""What the paper leaves open, and how it is read here."""

from __future__ import annotations

from feint.studies.report import Row, Section, Table, Text
from feint.studies.run import Settings, Tell

DECIDED = (
    (
        "The last two",
        "Said of three players only: they bid all that is left",
        "So do they in every game; it is never worse",
    ),
    (
        "Opponents' strategies, three players",
        "Not said how they are drawn",
        "Dirichlet(1), every strategy as likely as any other, and Dirichlet(0.1), narrow ones",
    ),
    (
        "“Change roughly every 50 games”",
        "Not said when, nor whether both change",
        "Both at once, after each game with probability 1/50",
    ),
    ("What somebody sees who is out", "Not said", "Every lowest bid and who went out, until the game is over"),
    (
        "Value iteration's model",
        "“A set number of transitions”",
        "Those of 10,000 games of random bids; a bid never tried counts as lost; of equally good bids any, by lot",
    ),
    (
        "“Random” opponents, more players",
        "Not said",
        "Any bid that can be paid; other readings stand beside it (see the table of ten players)",
    ),
    ("P2 in Figure 2", "(0.20, 0.55, 0.15), which sums to 0.90", "(0.20, 0.55, 0.25)"),
)


def readings(_settings: Settings, _tell: Tell) -> Section:
    """A table of them."""
    return Section(
        "What the paper leaves open",
        (
            Text(
                "Everybody has m coins. In each round all still in bid in secret and pay what they bid; the lowest bid is announced, "
                "its bidder is out, by lot among several, and the last one standing wins."
            ),
            Table(
                "How it is read here",
                ("", "in the paper", "here"),
                tuple(Row(what, (said, here)) for what, said, here in DECIDED),
            ),
        ),
    )
