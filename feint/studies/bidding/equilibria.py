"""Section V.A: payoffs, equation (1) and the equilibria of three players; conventions of more."""

from __future__ import annotations

from fractions import Fraction

from feint.games.bidding import analysis
from feint.solvers.normal_form import pure_equilibria
from feint.studies.report import Cell, Row, Section, Table, Text, Verdict
from feint.studies.run import Settings, Tell

COINS = range(2, 11)
STARTS = 4  # of the search on each support
HALF = Fraction(1, 2)
EXAMPLE = (0, 2, 2)  # bids of Figure 1's example; payoffs (0, 1/2, 1/2)
# Equation (1): the worth of bidding 0, 1 and 2, by powers of a and b.
EQUATION_1: list[analysis.Polynomial] = [
    {(2, 0): Fraction(-2, 3), (1, 0): Fraction(1)},
    {(2, 0): Fraction(-2), (0, 2): Fraction(-2, 3), (1, 1): Fraction(-2), (1, 0): Fraction(2), (0, 1): Fraction(1)},
    {
        (0, 0): Fraction(1, 3),
        (1, 0): Fraction(1, 3),
        (0, 1): Fraction(1, 3),
        (2, 0): Fraction(-2, 3),
        (0, 2): Fraction(-2, 3),
        (1, 1): Fraction(-4, 3),
    },
]
GAMES = ((4, 6), (4, 10), (5, 6))  # players and coins for which every convention is tried


def equilibria(settings: Settings, tell: Tell) -> Section:
    """Figure 1, equation (1), and every symmetric equilibrium by proof and by search."""
    cube = analysis.payoffs(2)
    example = [Fraction(float(cube[(player, *EXAMPLE)])).limit_denominator(12) for player in range(3)]
    right = analysis.equation_one() == EQUATION_1
    half_half = (HALF, HALF, Fraction(0))
    worth = analysis.utilities(analysis.exact(cube), half_half)

    rows, agree = [], True
    for number, coins in enumerate(COINS):
        pure = len(pure_equilibria(analysis.payoffs(coins)))
        proven = analysis.proven_equilibria(coins)
        searched = analysis.searched_equilibria(coins, STARTS, settings.seed)
        agree &= sorted(tuple(map(float, each)) for each in proven) == sorted(
            tuple(round(float(chance), 9) for chance in each) for each in searched
        )
        mixed = sum(max(strategy) < 1 for strategy in proven)
        rows.append(
            Row(
                f"m = {coins}",
                (
                    Cell.exact(coins + 1, pure, 0),
                    Cell.exact(0, mixed, 0),
                    Cell.exact(None, len(proven), 0),
                    Cell.exact(None, len(searched), 0),
                ),
            )
        )
        tell((number + 1) / len(COINS))
    return Section(
        "Section V.A: equilibria of three players",
        (
            Text(
                "With three players only the first bids are a choice, and the median bid wins, ties split. From the rules, over all "
                f"ways to break ties: bids of 0, 2 and 2 pay {', '.join(map(str, example))}, as in the paper's example, and equation "
                f"(1) is {'exactly as printed' if right else 'not as printed'}."
                "\n\n"
                "No mixed equilibrium? The paper solved for one in which every bid is made, found none, and concluded that there is "
                "none. But let two players bid 0 or 1 of two coins, one half each: the third then wins "
                f"{', '.join(map(str, worth))} of the games by bidding 0, 1, 2. No bid does better than a half-half of 0 and 1: that is "
                "an equilibrium."
                "\n\n"
                "And these are all. In a symmetric equilibrium everybody wins a third of the games, and so does every bid that is "
                "made. The lowest, made with probability p, wins when it is tied with one (half the time) or two others: "
                "p - 2/3 p² = 1/3, so p is 1/2 or 1. The same goes for the highest: so one bid, or two with one half each. The "
                "proof is checked in exact arithmetic; the search solves every set of bids by Newton's method and knows nothing of it."
            ),
            Table(
                "Symmetric equilibria of three players",
                ("coins", "pure (all bid x)", "mixed", "in all, by proof", "in all, by search"),
                tuple(rows),
                "Pure ones are enumerated over all bids of all three players, and no asymmetric one is among them.",
            ),
            Verdict(
                "holds" if right else "differs",
                "The payoffs, equation (1) and the m + 1 pure equilibria “all bid x” are right.",
            ),
            Verdict(
                "differs" if agree else "open",
                "“No mixed equilibrium” is false for every m: a half-half of x and x + 1 is one for each x, 2m + 1 symmetric equilibria "
                f"in all. Proof and search find {'the same ones' if agree else 'different ones'} for m = 2 to 10. The paper looked at full "
                "support only.",
            ),
        ),
    )


def conventions(_settings: Settings, tell: Tell) -> Section:
    """Every bidding convention of more players is an equilibrium."""
    rows, kept = [], True
    for number, (players, coins) in enumerate(GAMES):
        holds = analysis.every_convention_holds(players, coins)
        kept &= holds
        count = analysis.count_conventions(players, coins)
        said = "all of them" if holds else "not all of them"
        rows.append(Row(f"{players} players, {coins} coins", (Cell.exact(None, count, 0), said)))
        tell((number + 1) / len(GAMES))
    return Section(
        "Equilibria of more players",
        (
            Text(
                "Let everybody agree on a bid for each round that spends all coins by the last. Whoever bids less in a round is out, "
                "whoever bids more is short of a coin later. So each such convention is an equilibrium in which everybody wins one "
                "game in n; here every one is tried against the best answer to it."
            ),
            Table("Conventions", ("", "conventions", "equilibria"), tuple(rows)),
            Verdict(
                "differs" if kept else "open",
                "The paper hopes that equilibria help to play well. Hardly: there are so many that two players who each keep to "
                "their own lose to one another; to win is to learn what the others do (see cross-play).",
            ),
        ),
    )
