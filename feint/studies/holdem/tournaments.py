"""Figures 8 and 9: tournaments of 1,000 and 3,000 hands, and how much of their outcome is luck."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, partial
from itertools import permutations
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from numpy.typing import NDArray

from feint import chance
from feint.arena import rollout
from feint.arena.match import match
from feint.arena.result import Result
from feint.games.holdem.equities import Equities
from feint.learn.tables import compiled_agent
from feint.studies.figures import draw
from feint.studies.holdem.cells import Values, mean, sign, told
from feint.studies.holdem.watched import AGENTS, GAME, MATCH
from feint.studies.report import Cell, Row, Section, Table, Text, Verdict
from feint.studies.run import Settings, Tell

TANH, RISK_G, RISK_S = range(3)
LONG = 3000  # hands
EARLY = 300  # hands in which the paper's plain player is ahead
SCALE = GAME.unit.scale
CHAIRS = ((0, 1, 2), (0, 2, 1))  # both orders round the table


# ---- what is played


@cache
def duplicate(settings: Settings) -> Result:
    """Matches of 1,000 hands, every deal in all six orders of seats."""
    seatings = list(permutations(range(len(AGENTS))))
    return match(
        GAME,
        AGENTS,
        seatings,
        len(seatings) * settings.games,
        settings.seed,
        duplicate=True,
        length=length_of(settings, MATCH),
    )


def length_of(settings: Settings, most: int) -> int:
    return min(most, settings.games)


def short_tournaments(settings: Settings) -> Values:
    """What every hand of tournaments of 1,000 paid, float[tournaments, hands, agents]: those of all orders of seats."""
    found = []
    for seated in duplicate(settings).seated:
        assert seated.deals is not None
        found.append(seated.deals.payoffs[..., np.argsort(seated.agents)])
    return np.concatenate(found).astype(float)


@dataclass(frozen=True, eq=False)
class Tournaments:
    """Those of 3,000 hands: what every hand paid, and what luck its cards were."""

    paid: NDArray[np.float64]  # [tournaments, hands, agents]
    luck: NDArray[np.float64]  # [tournaments, hands, agents, controls]: each is nothing on average, whoever plays


@cache
def long_tournaments(settings: Settings) -> Tournaments:
    agents = tuple(compiled_agent(name, GAME) for name in AGENTS)
    many, length = max(2, settings.games // LONG), length_of(settings, LONG)
    paid, luck = [], []
    for number, seating in enumerate(CHAIRS):
        seed = settings.seed + 1 + number
        outcomes, _ = rollout.play(
            GAME, agents, seating, seed=seed, first=0, matches=many, length=length, lanes=many, counts=(1, 1, 1)
        )
        chairs = np.argsort(seating)  # of each agent
        paid.append(np.asarray(outcomes.rewards, float)[..., chairs])
        luck.append(_luck(seed, many, length)[:, :, chairs])
    return Tournaments(np.concatenate(paid), np.concatenate(luck))


def _luck(seed: int, matches: int, length: int) -> Values:
    """By chair, [matches, length, chairs, controls]: how much more than a third of the showdown its cards would win if nobody folded, and how
    much stronger than others they are before the flop, each in one of the controls of the position that it is in."""
    made = jax.jit(partial(_lucky, seed=seed, length=length))
    return np.asarray(jax.lax.map(partial(made, Equities()), jnp.arange(matches), batch_size=8))


def _lucky(equities: Equities, match: Array, seed: int, length: int) -> Array:
    def one(number: Array) -> Array:
        key = jax.random.fold_in(jax.random.fold_in(chance.key(seed), match), number)
        deal = GAME.draw(chance.deal_key(key))
        strengths = GAME.strengths(deal)
        best = strengths == strengths.max()
        wins = best / best.sum() - 1 / GAME.players
        early = jax.vmap(lambda own: equities.when(own, deal.board, 0))(deal.hole)
        both = jnp.stack([wins, early - early.mean()], axis=-1)  # by position: together they are nothing
        apart = (jnp.eye(GAME.players)[..., None] * both[:, None]).reshape(GAME.players, -1)
        return jnp.roll(apart, number, axis=0)  # by chair

    return jax.vmap(one)(jnp.arange(length))


# ---- figures 8 and 9


def figure_8(settings: Settings, tell: Tell) -> Section:
    paid = short_tournaments(settings)
    tell(0.99)
    return _section("Figure 8: tournaments of 1,000 hands", paid)


def figure_9(settings: Settings, tell: Tell) -> Section:
    paid = long_tournaments(settings).paid
    tell(0.99)
    return _section("Figure 9: tournaments of 3,000 hands", paid)


def _section(title: str, paid: Values) -> Section:
    bankrolls = paid.cumsum(axis=1)  # [tournaments, hands, agents]
    many, length, _ = bankrolls.shape
    final, early = bankrolls[:, -1], bankrolls[:, min(EARLY, length) - 1]
    order = (final[:, RISK_S] > final[:, TANH]) & (final[:, TANH] > final[:, RISK_G])
    ahead, behind = mean(early[:, TANH] - early[:, RISK_S]), mean(final[:, RISK_S] - final[:, TANH])
    last = final[:, RISK_G] == final.min(axis=1)
    return Section(
        title,
        (
            Text(
                f"{many} tournaments of {length:,} hands of `tanh` (the paper's Hitsz13), `risk-g` and `risk-s`, each from a bankroll of 0 that may become negative, positions rotating. Left the first of them, as the paper shows one; "
                "right the medians of all, and the range that eight of ten are in."
            ),
            draw(lambda axes: _bankrolls(axes, bankrolls), title, (9.0, 3.8), (1, 2)),
            Table(
                "Bankrolls, chips",
                (
                    "agent",
                    f"after {min(EARLY, length)} hands",
                    f"after {length:,} hands",
                    "standard deviation of one tournament",
                ),
                tuple(
                    Row(
                        f"`{agent}`",
                        (
                            mean(early[:, number]),
                            mean(final[:, number]),
                            Cell.exact(None, float(final[:, number].std(ddof=1)), places=0),
                        ),
                    )
                    for number, agent in enumerate(AGENTS)
                ),
            ),
            Table(
                "In how many tournaments, %",
                ("", "share"),
                (
                    Row(
                        "`risk-s` before `tanh` before `risk-g` at the end",
                        (Cell.share(None, 0, int(order.sum()), many),),
                    ),
                    Row("`risk-g` last", (Cell.share(None, 0, int(last.sum()), many),)),
                    Row(
                        f"`tanh` before `risk-s` after {min(EARLY, length)} hands",
                        (Cell.share(None, 0, int((early[:, TANH] > early[:, RISK_S]).sum()), many),),
                    ),
                ),
            ),
            Verdict(
                "holds" if sign(ahead) > 0 else "differs" if sign(ahead) < 0 else "open",
                f"That the plain player is ahead in the first {EARLY} hands: on average `tanh` has {told(ahead)} chips more than `risk-s` then.",
            ),
            Verdict(
                "holds" if sign(behind) > 0 else "differs" if sign(behind) < 0 else "open",
                f"That `risk-s` overtakes it: after {length:,} hands it has {told(behind)} chips more, and more than `tanh` in {100 * float((final[:, RISK_S] > final[:, TANH]).mean()):.0f}% of tournaments.",
            ),
            Verdict(
                "holds" if float(last.mean()) > 0.95 else "partly" if float(last.mean()) > 0.5 else "differs",
                f"That `risk-g` is totally defeated: it is last in {100 * float(last.mean()):.0f}% of tournaments.",
            ),
        ),
    )


def _bankrolls(axes: Any, bankrolls: Values) -> None:
    every = max(1, bankrolls.shape[1] // 200)
    at = np.arange(0, bankrolls.shape[1], every)
    for number, agent in enumerate(AGENTS):
        axes[0].plot(at, bankrolls[0, at, number], label=agent, linewidth=1.2)
        low, middle, high = np.quantile(bankrolls[:, at, number], (0.1, 0.5, 0.9), axis=0)
        (line,) = axes[1].plot(at, middle, linewidth=1.2)
        axes[1].fill_between(at, low, high, color=line.get_color(), alpha=0.2, linewidth=0)
    for panel in axes:
        panel.set_xlabel("hands")
    axes[0].set_ylabel("bankroll, chips")
    axes[0].legend()
