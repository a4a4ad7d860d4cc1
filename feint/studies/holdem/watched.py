"""Every decision of a tournament of the paper's three agents, with what others expected of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from numpy.typing import NDArray

from feint import chance
from feint.game import pytree
from feint.games.holdem.game import Holdem
from feint.games.holdem.risk_agents import RiskG, RiskS
from feint.games.holdem.situation import board_potential, decisions, situation
from feint.games.holdem.state import State
from feint.games.holdem.tanh import Tanh
from feint.learn import trajectories, watching
from feint.learn.opponent_model import Example, example_of, habits_of_all
from feint.learn.tables import Tables, make_tables
from feint.learn.trajectories import Env
from feint.learn.watching import Move, chair_of
from feint.studies.run import Settings, Tell

TANH, RISK_G, RISK_S = AGENTS = ("tanh", "risk-g", "risk-s")  # by their numbers in what is kept
GAME = Holdem(players=3)
MATCH = 1000  # hands
STEPS = 256  # moves between two looks at whether enough hands were played


@pytree
class Seen:
    """One decision."""

    match: Array  # int32
    hand: Array  # int32
    agent: Array  # int32: whose it was, a number of AGENTS
    round: Array  # int32
    facing: Array  # bool: something to pay
    raised: Array  # bool: a raise to pay, and not just a blind
    begins: Array  # bool: the first decision of its round
    action: Array  # int32
    plain: Array  # int32: what the plain player, formula 2, would have done there
    ehs: Array  # float32: of the cards of whoever decided
    board: Array  # float32: potential
    pot: Array  # float32: in bets of the round
    general: Array  # float32[3]: what `risk-g` expects there
    special: Array  # float32[3]: what `risk-s` expects there of its opponent; nothing of its own decisions
    example: Example  # what models of players read
    ended: Array  # bool: the hand, by this decision
    paid: Array  # float32[3]: by agent, if it did


@dataclass(frozen=True, eq=False)
class Decisions:
    """Many of them, every array by decision."""

    of: Any  # a `Seen` of NumPy arrays
    matches: int
    hands: int

    @cached_property
    def won(self) -> NDArray[np.float64]:
        """What the hand of each decision paid whoever took it, [decisions]; nan where the hand was not played out."""
        number = self.of.match * (self.of.hand.max() + 1) + self.of.hand
        paid = np.full((int(number.max()) + 1, len(AGENTS)), np.nan)
        paid[number[self.of.ended]] = self.of.paid[self.of.ended]
        return paid[number, self.of.agent]

    @cached_property
    def folded_to(self) -> NDArray[np.bool_]:
        """Raises that the next player folded to, [decisions]."""
        order = np.lexsort((np.arange(len(self.of.hand)), self.of.hand, self.of.match))
        following = np.full(len(order), -1)
        following[order[:-1]] = order[1:]
        same = (self.of.match[following] == self.of.match) & (self.of.hand[following] == self.of.hand)
        return (self.of.action == 2) & same & (following >= 0) & (self.of.action[following] == 0)


_kept: dict[Settings, Decisions] = {}  # by sections before


def watched(settings: Settings, tell: Tell) -> Decisions:
    """The decisions of half as many hands as the settings say, in matches of a thousand."""
    if settings not in _kept:
        _kept[settings] = _played(max(settings.games // 2, 1), settings.seed, tell)
    return _kept[settings]


def _played(hands: int, seed: int, tell: Tell) -> Decisions:
    tables = make_tables(GAME, [AGENTS], "all", MATCH, watched=True)
    matches = -(-hands // MATCH)
    length = min(MATCH, hands)
    envs = jax.jit(trajectories.dealt, static_argnums=1)(tables, matches, chance.key(seed))
    habits = jnp.broadcast_to(habits_of_all(tables), (matches, *habits_of_all(tables).shape))
    parts = []
    while int(envs.number.min()) < length:
        envs, habits, seen = _some(tables, envs, habits)
        host: Seen = jax.tree.map(lambda leaf: np.asarray(leaf).reshape(-1, *leaf.shape[2:]), seen)
        parts.append(jax.tree.map(lambda leaf: leaf[host.hand < length], host))  # noqa: B023
        tell(min(1.0, float(jnp.minimum(envs.number, length).mean()) / length))
    together = jax.tree.map(lambda *leaves: np.concatenate(leaves), *parts)
    return Decisions(together, matches, matches * length)


@jax.jit
def _some(tables: Tables, envs: Env, habits: Array) -> tuple[Env, Array, Seen]:
    envs, habits, seen = watching.watched(tables, envs, noted_at(tables), habits, habits_of_all(tables), STEPS)
    numbers = jnp.broadcast_to(jnp.arange(len(envs.number)), seen.match.shape)
    return envs, habits, replace(seen, match=numbers)


def noted_at(tables: Tables) -> Callable[[Move], tuple[Array, Seen]]:
    """What is noted of a move, and kept of it."""
    game, reader = tables.game, tables.reader
    plain, general, special = tables.agents
    assert isinstance(plain, Tanh)
    assert isinstance(general, RiskG)
    assert isinstance(special, RiskS)

    def note(move: Move) -> tuple[Array, Seen]:
        env, state, chair = move.env, move.env.state, chair_of(tables, move.env)
        view = game.observe(state, state.current_player)
        legal = state.legal_action_mask
        read = reader.read(view)
        agent = env.seating[chair] - 1
        key = jax.random.fold_in(chance.move_key(jax.random.fold_in(env.key, env.number), env.table.moves), 1)
        here = situation(view)
        first = view.moves == 0
        by_chair = jnp.roll(move.after.table.rewards, env.number % tables.length)
        seen = Seen(
            match=jnp.int32(0),  # which it is, is known outside
            hand=env.number,
            agent=agent,
            round=view.round,
            facing=view.to_call > 0,
            raised=(view.to_call > 0) & (view.raises > 0),
            begins=first,
            action=move.action,
            plain=plain.chosen(read.hidden[0], view, legal, key),
            ehs=read.hidden[0],
            board=board_potential(view.board),
            pot=view.pot / view.bet,
            general=_legal(general.general()[here.facing], legal),
            special=_legal(_expected(special, env, tables, state), legal),
            example=example_of(reader, read, move.noted[chair], legal, move.action),
            ended=move.after.state.terminated,
            paid=jnp.zeros(len(AGENTS)).at[env.seating - 1].set(by_chair),
        )
        return move.noted.at[chair, read.situation, move.action].add(1.0), seen

    return note


def _legal(chances: Array, legal: Array) -> Array:
    left = jnp.where(legal, chances, 0.0)
    return left / jnp.maximum(left.sum(), 1e-9)


def _expected(agent: RiskS, env: Env, tables: Tables, state: State) -> Array:
    """What `risk-s` expects of whoever is to act, float32[3], by its tables and what it believes of that opponent's cards."""
    game = agent.game
    number = AGENTS.index(RISK_S)
    chair = jnp.argmax(env.seating == number + 1)
    seat = (chair - env.number % tables.length) % game.players
    view = game.observe(state, seat)
    table = agent.table(env.memories[number][0])
    belief = agent.beliefs(table, decisions(game, view), view)[view.round]
    who = jnp.minimum((state.current_player - seat - 1) % game.players, game.players - 2)  # nobody's of its own
    here = situation(view)
    return (table[who, here.facing, here.board, here.pot] * belief[who]).sum(axis=-1)
