"""The agents of the paper on risk dominance in poker: they weigh what a bet may gain by how others are expected to answer it."""

from __future__ import annotations

from dataclasses import field
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from feint import chance
from feint.agent import Memory
from feint.chance import Key
from feint.game import Game, option, pytree
from feint.games.holdem import risk
from feint.games.holdem.beliefs import BINS, FINE, Course, bin_of, filtered, shipped
from feint.games.holdem.equities import Equities
from feint.games.holdem.risk import Prospects, Stakes
from feint.games.holdem.situation import BOARD_KINDS, FACING, POT_KINDS, Decisions, decisions, pot_kind, situation
from feint.games.holdem.state import CALL, FOLD, RAISE
from feint.games.holdem.view import View


@pytree
class Answers:
    """What a player expects of others, by how far they sit from it, the next one first."""

    to_raise: Array  # float32[players - 1, 3]: how likely each action is after a raise of one's own
    to_call: Array  # float32[players - 1, 3]: and after a call or a check
    wins: Array  # float32[players - 1]: how likely one beats each at a showdown
    wins_raise: Array  # float32[players - 1, 3]: the same if each answers a raise so
    wins_call: Array  # float32[players - 1, 3]: or a call


@pytree
class RiskG:
    """Takes the action that dominates by risk, by one table of how anybody answers a bet; it learns nothing."""

    heavy: ClassVar[bool] = True

    gains: str = option(
        "corrected",
        "how gains are reckoned: as the paper prints it, or net",
        choices=("literal", "corrected"),
        static=True,
    )
    measure: str = option(
        "paper",
        "the measure of risk: the paper's, by gains, or Selten's, by deviations",
        choices=("paper", "selten"),
        static=True,
    )
    raise_after_raise: float = option(0.1466, "how likely others raise when there is a bet to pay", least=0, most=1)
    fold_after_raise: float = option(0.1583, "how likely they fold then", least=0, most=1)
    raise_after_call: float = option(0.7278, "how likely they bet when there is none", least=0, most=1)
    answered: bool = option(False, "weigh what each answer tells of the cards of whoever gives it", static=True)
    equities: Equities = Equities()
    game: Any = None  # whose rules it plays by: given when it sits down

    def begin(self, game: Game[Any, Any], seat: Array, key: Key) -> Memory:
        return ()

    def act(self, memory: Memory, view: View, legal: Array, key: Key) -> tuple[Array, Memory]:
        return chance.drawn(key, self.weights(memory, view, legal)), memory

    def probabilities(self, view: View, legal: Array) -> Array:
        """How likely each action is in the first hand of a match, float32[3]."""
        weights = self.weights(self.begin(self.game, view.seat, chance.key(0)), view, legal)
        return weights / weights.sum()

    def weights(self, memory: Memory, view: View, legal: Array) -> Array:
        """The same in any hand, in proportion."""
        return self.chosen(self.answers(memory, view, self.equities.ehs(view.cards, view.board)), view, legal)

    def finish(self, memory: Memory, view: View, rewards: Array, key: Key) -> Memory:
        return memory

    def answers(self, memory: Memory, view: View, ehs: Array) -> Answers:
        not_facing, facing = self.general()
        to_call = jnp.where(owing(view)[:, None], facing, not_facing)
        wins = jnp.full(to_call.shape, ehs)
        return Answers(jnp.broadcast_to(facing, to_call.shape), to_call, wins[:, 0], wins, wins)

    def general(self) -> Array:
        """How likely anybody takes each action, float32[2, 3], where there is nothing to pay and where there is."""
        bets, folds, raises = (
            jnp.float32(each) for each in (self.raise_after_call, self.fold_after_raise, self.raise_after_raise)
        )
        rows = [0 * bets, 1 - bets, bets], [folds, jnp.maximum(1 - folds - raises, 0), raises]
        chances = jnp.stack([jnp.stack(row) for row in rows])
        return chances / chances.sum(axis=1, keepdims=True)  # whatever was set

    def chosen(self, expected: Answers, view: View, legal: Array) -> Array:
        """How likely each action is, float32[3], in proportion: the one that dominates, and those that are as good."""
        live = view.live[others(view)]
        yet_to_act = live & (jnp.cumsum(live) < view.waiting)
        left = self.game.of_round(self.game.raises, view.round) - view.raises  # raises that may still come
        beaten = jnp.where(live, expected.wins, 1.0)
        raised, wins_raised = _answered(expected.to_raise, expected.wins_raise, live, left > 1)
        called, wins_called = _answered(expected.to_call, expected.wins_call, yet_to_act, left > 0)
        # Whoever has folded after a call is gone, which is no end of the hand: nobody has raised.
        quiet = called[FOLD] + called[CALL]
        wins_called = wins_called.at[CALL].set(
            (called[FOLD] + called[CALL] * wins_called[CALL]) / jnp.maximum(quiet, 1e-6)
        )
        called = jnp.stack([0 * quiet, quiet, called[RAISE]])
        if self.answered:
            wins = jnp.stack([wins_raised, jnp.where(yet_to_act, 1.0, beaten).prod() * wins_called, wins_raised])
        else:
            wins = jnp.broadcast_to(beaten.prod(), (3, 3))
        folding = jnp.where(live, expected.to_raise[:, FOLD], 1.0)
        stakes = Stakes(
            pot=view.pot.astype(jnp.float32),
            bet=view.bet.astype(jnp.float32),
            to_call=view.to_call.astype(jnp.float32),
            callers=(1 - folding).sum() / jnp.maximum(1 - folding.prod(), 1e-6),
        )
        payoff = (risk.literal if self.gains == "literal" else risk.corrected)(stakes, wins)
        prospects = Prospects(payoff, jnp.stack([jnp.array([1.0, 0.0, 0.0]), called, raised]))
        if self.measure == "selten":
            measured = risk.by_deviations(prospects, legal)
        else:
            measured = risk.by_gains(prospects, stakes.to_call + 2 * stakes.bet + 1)
        return risk.optimal(measured, legal)


@pytree
class RiskS(RiskG):
    """A `risk-g` with tables of its own for each opponent, by strength, board and pot, in which it counts every hand of a match."""

    answered: bool = option(True, "weigh what each answer tells of the cards of whoever gives it", static=True)
    prior: float = option(20.0, "hands that the general table counts for", least=0.01, most=1e6)
    decay: float = option(0.999, "how much of what was counted is left after each hand", least=0, most=1)
    course: Course = field(default_factory=shipped)

    def begin(self, game: Game[Any, Any], seat: Array, key: Key) -> Array:
        """How often each opponent took each action in each situation with cards of each strength, float32[players - 1, 2, 3, 4, 3, 5]."""
        return jnp.zeros((game.players - 1, FACING, BOARD_KINDS, POT_KINDS, 3, BINS))

    def answers(self, memory: Array, view: View, ehs: Array) -> Answers:
        table = self.table(memory)
        belief = self.beliefs(table, decisions(self.game, view), view)[view.round]  # float32[players - 1, 5]
        here = situation(view)
        called = view.pot + view.to_call
        after = table[:, 1, here.board, pot_kind(called + view.bet, view.bet)]  # float32[players - 1, 3, 5]
        not_facing, facing = (table[:, each, here.board, pot_kind(called, view.bet)] for each in range(FACING))
        after_call = jnp.where(owing(view)[:, None, None], facing, not_facing)
        won = jnp.asarray(self.course.wins)[jnp.minimum(view.round, 3), bin_of(ehs, FINE)]
        after, after_call = after * belief[:, None], after_call * belief[:, None]
        given = lambda answer: (answer * won).sum(axis=-1) / jnp.maximum(answer.sum(axis=-1), 1e-6)  # noqa: E731
        return Answers(
            after.sum(axis=-1), after_call.sum(axis=-1), (belief * won).sum(axis=-1), given(after), given(after_call)
        )

    def table(self, counts: Array) -> Array:
        """How likely each action is, of the shape of `counts`."""
        general = self.general()[:, None, None, :, None]
        return (counts + self.prior * general) / (counts.sum(axis=-2, keepdims=True) + self.prior)

    def beliefs(self, table: Array, made: Decisions, view: View) -> Array:
        """How likely each opponent held each bin in each round, by all it did in a hand, float32[rounds, players - 1, 5]."""
        who = _who(made, view)
        at = made.situation
        likely = table[who, at.facing, at.board, at.pot, jnp.maximum(made.action, 0)]  # float32[rounds, moves, 5]
        theirs = (who[..., None] == jnp.arange(view.players - 1)) & made.made[..., None]
        told = jnp.where(theirs[..., None], jnp.log(jnp.maximum(likely, 1e-6))[:, :, None], 0.0).sum(axis=1)
        return filtered(self.course, told, view.round)

    def finish(self, memory: Array, view: View, rewards: Array, key: Key) -> Array:
        """All that was done is counted with the strength that it seems to have been done with, or was, where cards were shown."""
        made = decisions(self.game, view)
        belief = self.beliefs(self.table(memory), made, view)
        shown = view.shown[others(view)]
        seen = np.cumsum(self.game.board).tolist()
        strengths = jnp.stack(
            [jax.vmap(lambda own: self.equities.when(own, view.board, count))(shown) for count in seen]  # noqa: B023
        )
        known = jax.nn.one_hot(bin_of(strengths), BINS)  # float32[rounds, players - 1, 5]
        belief = jnp.where((shown >= 0).all(axis=-1)[:, None], known, belief)
        who, at = _who(made, view), made.situation
        counted = made.made & (made.player != view.seat)
        weights = jnp.where(counted[..., None], jnp.take_along_axis(belief, who[..., None], axis=1), 0.0)
        action = jnp.maximum(made.action, 0)
        return (self.decay * memory).at[who, at.facing, at.board, at.pot, action].add(weights)


def others(view: View) -> Array:
    """The positions of all others, the next one first, int32[players - 1]."""
    return (view.seat + 1 + jnp.arange(view.players - 1)) % view.players


def owing(view: View) -> Array:
    """Who of them would have to pay to stay in if one called, bool[players - 1]."""
    return view.paid[others(view)] < view.paid.max()


def _answered(likely: Array, wins: Array, who: Array, may_raise: Array) -> tuple[Array, Array]:
    """How likely it is that all fold, that nobody raises but somebody calls, and that somebody raises, float32[3]; and how likely one then
    beats all who did not fold; of those who answer, bool[players - 1], each so likely, float32[players - 1, 3], and then beaten so likely."""
    nothing = jnp.array([1.0, 0.0, 0.0])
    answers = jnp.where(who[:, None], likely, nothing)
    capped = jnp.stack([answers[:, FOLD], answers[:, CALL] + answers[:, RAISE], 0 * answers[:, RAISE]], axis=1)
    answers = jnp.where(may_raise, answers, capped)
    beaten = answers * jnp.where(nothing > 0, 1.0, wins)
    often, won = (jnp.diff(jnp.cumsum(each, axis=1).prod(axis=0), prepend=0.0) for each in (answers, beaten))
    return often, jnp.where(often > 1e-6, won / jnp.maximum(often, 1e-6), 1.0)


def _who(made: Decisions, view: View) -> Array:
    """Whose each decision was, by how far from oneself, int32[rounds, moves]; anybody's where it was one's own or none."""
    return jnp.clip((made.player - view.seat - 1) % view.players, 0, view.players - 2).astype(jnp.int32)
