"""Tables 1 and 2: the measures of risk, and what the paper's equations advise."""

from __future__ import annotations

from math import exp
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from feint.games.holdem import risk
from feint.games.holdem.risk import Prospects, Stakes
from feint.games.holdem.risk_agents import RiskG
from feint.games.holdem.state import CALL, FOLD, RAISE
from feint.studies.figures import draw
from feint.studies.holdem import published
from feint.studies.report import Cell, Row, Section, Table, Text, Verdict
from feint.studies.run import Settings, Tell

POTS = np.linspace(1, 20, 96)  # in bets
CHANCES = np.linspace(0, 1, 101)  # to win a showdown
ACTIONS = {FOLD: "fold", CALL: "call", RAISE: "raise"}


def table_1(_settings: Settings, _tell: Tell) -> Section:
    """Both measures of risk in both of its games."""
    rows, agree = [], True
    for name, own in published.GAMES.items():
        selten = exp(float(risk.selten(jnp.asarray([own, own]))))
        # With u(row, column), u2(A, B) is what the column player is paid who chose B against A.
        printed = (own[0, 0] - own[1, 0]) / (own[1, 1] - own[1, 0])
        gains = exp(float(risk.ratio(*(jnp.asarray(own[each].mean()) for each in (0, 1)))))
        cells = Cell.exact(published.RATIOS[name], selten), Cell.exact(None, printed), Cell.exact(None, gains)
        rows.append(Row(f"{name}: {_written(own)}", cells))
        agree &= round(selten, 2) == published.RATIOS[name]
    return Section(
        "Table 1: two measures of risk",
        (
            Text(
                "Two players choose A or B at once. A pays more where both choose it, B is safer where the other cannot be trusted. Selten's measure is the logarithm of what it costs to leave (A, A) alone, divided by what it "
                "costs to leave (B, B) alone, on average over the players. The paper's own measure for poker, its equation 6, is the logarithm of the expected gains of both actions, here where the other "
                "does either as likely."
            ),
            Table(
                "Of A over B: the number whose logarithm is R",
                ("", "Selten's", "equation 1 as printed", "the paper's, by gains"),
                tuple(rows),
                "Above 1 A dominates, below 1 B. What a player is paid for A against A and against B; for B against A and against B. Equation 1 is Selten's measure if u2(A, B) is read as player 2's own action A against "
                "B; as row A and column B, as its table has it, A would dominate in both games.",
            ),
            Verdict(
                "holds" if agree else "differs",
                "R = log 2.5 in game 1 and log 0.67 in game 2, where B dominates: they come out with payoffs read as (own action, the other's action).",
            ),
            Verdict(
                "differs",
                "That the measure used for poker is another than that of payoffs: equation 6 compares expected gains, so by it an action dominates another exactly when it is expected to gain more. Where the other is taken to do either as likely, "
                "as here, that is risk dominance in games as symmetric as these; with the opponent's own probabilities, as in poker, it is the usual decision by expectation, and it has no value where a gain is nothing or negative, as that of a fold always is.",
            ),
        ),
    )


def _written(payoffs: np.ndarray) -> str:
    return "; ".join(" ".join(f"{each:g}" for each in row) for row in payoffs)


def equations(_settings: Settings, _tell: Tell) -> Section:
    """What equations 3 to 6 advise with the probabilities of table 3, with nothing to call."""
    advised = {"literal": _advice(risk.literal, {}), "corrected": _advice(risk.corrected, {FOLD: -np.inf})}
    literal = advised["literal"]
    calls = int((literal == CALL).sum())
    from_pot = next((float(pot) for pot, row in zip(POTS, literal, strict=True) if (row == RAISE).all()), None)
    shares = {name: [float((grid == action).mean()) * 100 for action in ACTIONS] for name, grid in advised.items()}
    return Section(
        "Equations 3 to 6: what they advise",
        (
            Text(
                "One opponent, nothing to call, a bet of x, a pot of y from one to twenty bets, any chance p to win a showdown, and the opponent of table 3. `literal` is the paper's equations as printed, in which whoever wins is "
                "credited with its own chips too; `corrected` counts them once, and lets one fold to a raise. Table 2, which should say the same as a matrix, has cells that contain "
                "probabilities, and repeats the row of raises as that of calls."
            ),
            Table(
                "Share of all (y/x, p) at which an action gains most, %",
                ("gains", *(f"{name}" for name in ACTIONS.values())),
                tuple(
                    Row(f"`{name}`", tuple(Cell.exact(None, each, places=1) for each in found))
                    for name, found in shares.items()
                ),
                "By calculation, on a grid of 96 by 101. The printed equations advise a fold where both other actions lose; with nothing to call the rules do not allow one.",
            ),
            draw(
                lambda axes: _advice_maps(axes, advised),
                "What gains most, by pot and chance to win",
                (7.5, 3.4),
                (1, 2),
            ),
            Verdict(
                "differs" if calls == 0 else "open",
                f"That the model explains the raise ratio of table 4 (.249): as printed it {'never calls' if not calls else 'seldom calls'}"
                + (f", and raises with any cards from a pot of {from_pot:.1f} bets on" if from_pot else "")
                + ". With .7278 for a bet after a check, nothing is gained by checking.",
            ),
        ),
    )


def _advice(payoffs: Any, instead: dict[int, float]) -> np.ndarray:
    """The action that gains most, int[pots, chances], with other gains for some actions."""
    not_facing, facing = RiskG().general()
    chances = jnp.stack([jnp.array([1.0, 0.0, 0.0]), not_facing, facing])

    def best(pot: Any, chance: Any) -> Any:
        stakes = Stakes(pot, jnp.float32(1), jnp.float32(0), jnp.float32(1))
        gains = Prospects(payoffs(stakes, chance), chances).gains
        for action, gain in instead.items():
            gains = gains.at[action].set(gain)
        return gains.argmax()

    over = jax.vmap(jax.vmap(best, (None, 0)), (0, None))
    return np.asarray(over(jnp.asarray(POTS, jnp.float32), jnp.asarray(CHANCES, jnp.float32)))


def _advice_maps(axes: Any, advised: dict[str, np.ndarray]) -> None:
    for panel, (name, grid) in zip(axes, advised.items(), strict=True):
        panel.contourf(
            POTS, CHANCES, grid.T, levels=[-0.5, 0.5, 1.5, 2.5], colors=["#8a8f98", "#3f86d1", "#e0862b"], alpha=0.5
        )
        panel.set_title(name, fontsize=10)
        panel.set_xlabel("pot, in bets")
        panel.set_ylabel("chance to win a showdown")
    for colour, name in zip(["#8a8f98", "#3f86d1", "#e0862b"], ACTIONS.values(), strict=True):
        axes[0].plot([], [], color=colour, linewidth=6, alpha=0.5, label=name)
    axes[0].legend(fontsize=8)
