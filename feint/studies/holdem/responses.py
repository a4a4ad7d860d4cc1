"""Table 3 and figures 4 to 6: how the agents answer bets, and what that depends on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from feint.games.holdem.modelling import DEEP, PUBLIC
from feint.games.holdem.state import CALL, FOLD, RAISE
from feint.learn.opponent_model import Example, Networks, foretold
from feint.studies.figures import draw
from feint.studies.holdem import published
from feint.studies.holdem.cells import Values, all_say, difference, ratio, share, told
from feint.studies.holdem.models import NAME, networks
from feint.studies.holdem.watched import AGENTS, Decisions, watched
from feint.studies.report import Cell, Row, Section, Table, Text, Verdict
from feint.studies.run import Settings, Tell

ACTIONS = {"fold": FOLD, "call": CALL, "raise": RAISE}
ROUNDS = ("preflop", "flop", "turn", "river")
# What p(f|r) is drawn against: its name, where its parts begin, and the low and the high end that are compared.
FACTORS = {
    "EHS": (np.linspace(0, 1, 11), (0.4, 0.6)),
    "board potential": (np.array([0, 0.1, 0.25, 0.4, 0.55, 0.7, 1.01]), (0.25, 0.4)),
    "pot, in bets": (np.array([1.5, 2.5, 3.5, 4.5, 6, 8, 10, 13, 17, 60]), (4.5, 8)),
}
ASKED = 20_000  # decisions by which a network is drawn, at the most


def table_3(settings: Settings, tell: Tell) -> Section:
    """The arithmetic of table 3, the same of the agents here, and what they do round by round."""
    seen = watched(settings, tell)
    return Section(
        "Table 3: how bets are answered",
        (
            Text(
                "The paper's example of a general table is that of “marv”, of the 2013 competition, whose hands are not at hand. Its counts and probabilities are checked, and its probabilities are what `risk-g` goes by here. "
                "Beside them stand those of the agents at the paper's own table of three, each in matches of 1,000 hands with the two others."
            ),
            _arithmetic(),
            Table(
                "Answers to a raise, and after calls or checks alone, %",
                ("", "P(r|r)", "P(c|r)", "P(f|r)", "P(r|c)", "P(c|c)"),
                (
                    Row("marv, as printed", tuple(f"{100 * each:.1f}" for each in _printed())),
                    *(Row(f"`{agent}`", tuple(_answers(seen, number))) for number, agent in enumerate(AGENTS)),
                ),
                "P(a|r): there is a raise to pay in this round. P(a|c): nothing is to be paid, and somebody has checked or called before in this round. Intervals are over matches.",
            ),
            Table(
                "What everybody does, by round, % of its decisions there",
                ("agent", *(f"{name} {what}" for name in ROUNDS for what in ACTIONS)),
                tuple(Row(f"`{agent}`", tuple(_by_round(seen, number))) for number, agent in enumerate(AGENTS)),
                "A check counts as a call, a bet as a raise.",
            ),
            Verdict(
                "holds" if _agrees() else "differs",
                "The probabilities of table 3 follow from its counts.",
            ),
            Text(f"{seen.hands:,} hands, {len(seen.of.action):,} decisions."),
        ),
    )


def _printed() -> list[float]:
    after = published.AFTER_RAISE
    return [
        after["raise"][1],
        after["call"][1],
        after["fold"][1],
        *(published.AFTER_CALL[a][1] for a in ("raise", "call")),
    ]


def _arithmetic() -> Table:
    rows = []
    for name, counts, total in (
        ("after a raise", published.AFTER_RAISE, published.OPPONENT_RAISES),
        ("after a call", published.AFTER_CALL, published.OPPONENT_CALLS),
    ):
        cells = (
            Cell.exact(counts[action][1], counts[action][0] / total, places=7) for action in ("raise", "call", "fold")
        )
        rows.append(Row(name, tuple(cells)))
    return Table("Table 3: probabilities from its counts", ("", "raise", "call", "fold"), tuple(rows))


def _agrees() -> bool:
    agree, of = _arithmetic().counted()
    return agree == of


def _answers(seen: Decisions, agent: int) -> list[Cell]:
    of = seen.of
    own = of.agent == agent
    to_raise, to_call = own & of.raised, own & ~of.facing & ~of.begins
    cells = [share(of.action == ACTIONS[what], to_raise, of.match) for what in ("raise", "call", "fold")]
    return cells + [share(of.action == ACTIONS[what], to_call, of.match) for what in ("raise", "call")]


def _by_round(seen: Decisions, agent: int) -> list[Cell]:
    of = seen.of
    return [
        share(of.action == action, (of.agent == agent) & (of.round == number), of.match)
        for number in range(len(ROUNDS))
        for action in ACTIONS.values()
    ]


def figures_4_to_6(settings: Settings, tell: Tell) -> Section:
    """p(f|r) against the three factors that the paper divides its tables by."""
    seen = watched(settings, tell)
    of = seen.of
    values = dict(zip(FACTORS, (of.ehs, of.board, of.pot), strict=True))
    among = {name: of.raised & ((of.round > 0) if name == "board potential" else True) for name in FACTORS}
    drawn = _asked(of.example, of.raised & (of.round > 0))
    curves = {
        name: [_curve(seen, values[name], among[name], number, edges) for number in range(3)]
        for name, (edges, _) in FACTORS.items()
    }
    network = {name: _network_curve(networks(), drawn, name, edges) for name, (edges, _) in FACTORS.items()}
    ends = {
        name: [_ends(seen, values[name], among[name], number, *FACTORS[name][1]) for number in range(3)]
        for name in FACTORS
    }
    claims = {
        "EHS": (-1, "Figure 4: the stronger its cards, the less likely a player folds to a raise"),
        "board potential": (1, "Figure 5: the more the board may have helped somebody, the more cautious a player is"),
        "pot, in bets": (-1, "Figure 6: players fold more likely when the pot is small"),
    }
    return Section(
        "Figures 4 to 6: p(f|r) by strength, board and pot",
        (
            Text(
                "The paper draws what its network says when one input is moved and all others stay, without numbers on its axes. Here are the shares of folds among decisions with a raise to pay, by what was true then, of each agent, "
                f"and as a dashed line what the network of `{NAME}` foretells, on average over {len(drawn.action):,} such decisions after the flop, if one input is set to each value. Of boards only decisions after the flop count."
            ),
            draw(
                lambda axes: _panels(axes, curves, network),
                "p(f|r) by strength, board potential and pot",
                (9.5, 3.6),
                (1, 3),
            ),
            Table(
                "p(f|r) at the high end less that at the low end, points",
                ("factor", *(f"`{agent}`" for agent in AGENTS)),
                tuple(
                    Row(f"{name}: {high:g} and more, less below {low:g}", tuple(ends[name]))
                    for name, (_, (low, high)) in FACTORS.items()
                ),
                "Of decisions with a raise to pay. Each factor by itself: others differ with it.",
            ),
            *(
                Verdict(all_say(ends[name], wanted), f"{claim}: {_listed(ends[name])} points from low to high.")
                for name, (wanted, claim) in claims.items()
            ),
        ),
    )


def _listed(cells: Sequence[Cell]) -> str:
    return ", ".join(f"`{agent}` {told(cell)}" for agent, cell in zip(AGENTS, cells, strict=True))


def _curve(
    seen: Decisions, values: Values, among: Values, agent: int, edges: Values
) -> list[tuple[float, float, float]]:
    """By part: the mean of the factor, the share of folds and its standard error."""
    of, found = seen.of, []
    for low, high in pairwise(edges):
        here = among & (of.agent == agent) & (values >= low) & (values < high)
        rate, error, total = ratio(of.action == FOLD, here, of.match)
        if total >= 100:
            found.append((float(values[here].mean()), rate, error))
    return found


def _ends(seen: Decisions, values: Values, among: Values, agent: int, low: float, high: float) -> Cell:
    of = seen.of
    own, folds = among & (of.agent == agent), of.action == FOLD
    return difference((folds, own & (values >= high)), (folds, own & (values < low)), of.match)


def _asked(example: Example, among: Values) -> Example:
    """A few decisions, evenly taken."""
    at = np.flatnonzero(among)
    at = at[:: max(1, -(-len(at) // ASKED))]
    return jax.tree.map(lambda leaf: leaf[at], example)


def _network_curve(model: Networks, examples: Example, factor: str, edges: Values) -> list[tuple[float, float]]:
    """The mean chance of a fold, by the network that sees everything, if one input of all these decisions had each value."""
    middles = (edges[:-1] + np.minimum(edges[1:], edges[:-1] * 1.5 + 1)) / 2
    found = jax.jit(partial(_folds, factor=factor))(model, examples, jnp.asarray(middles, jnp.float32))
    return list(zip(middles.tolist(), np.asarray(found).tolist(), strict=True))


def _folds(model: Networks, examples: Example, values: Array, factor: str) -> Array:
    public = jnp.asarray(examples.public)
    big_blinds = jnp.where(
        public[:, PUBLIC.index("round")] > 0.5, 2.0, 1.0
    )  # that a bet is: twice as many from the turn on

    def at(value: Array) -> Array:
        if factor == "EHS":
            moved = replace(examples, hidden=jnp.full_like(examples.hidden, value))
        elif factor == "board potential":
            moved = replace(examples, public=public.at[:, PUBLIC.index("board")].set(value))
        else:
            moved = replace(examples, public=public.at[:, PUBLIC.index("pot")].set(jnp.log(big_blinds * value) / DEEP))
        return jax.vmap(lambda each: foretold(model, each).seen[FOLD])(moved).mean()

    return jax.lax.map(at, values)


def _panels(axes: Any, curves: dict[str, list[Any]], network: dict[str, Any]) -> None:
    for panel, name in zip(axes, FACTORS, strict=True):
        for agent, points in zip(AGENTS, curves[name], strict=True):
            if points:
                at, rate, error = (np.array(each) for each in zip(*points, strict=True))
                panel.errorbar(at, 100 * rate, 258 * error, fmt="o-", markersize=3, capsize=2, label=agent)
        at, rate = (np.array(each) for each in zip(*network[name], strict=True))
        panel.plot(at, 100 * rate, "--", color="#8a8f98", label="network")
        panel.set_xlabel(name)
        panel.set_ylim(bottom=0)
    axes[0].set_ylabel("p(f|r), %")
    axes[0].legend(fontsize=8)
