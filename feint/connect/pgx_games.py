"""Games of pgx as games of feint: `feint.make("pgx:leduc_holdem")`. They are JAX already, and are played as they are, by pgx's own steps.

pgx draws as it plays; here all chance is drawn beforehand. How a game starts is one of few ways, which are listed, and later rolls of dice
come from a key that is part of the deal.
"""

from __future__ import annotations

from dataclasses import dataclass, make_dataclass
from functools import cache
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.tree_util import keystr, tree_flatten_with_path

from feint import chance, game
from feint.chance import Key
from feint.connect.pgx_facts import GAMES, Facts
from feint.connect.pgx_words import PgxNarration, action_name, title
from feint.errors import NotSmall, UserError, did_you_mean
from feint.game import SPECTATOR, Game, Rows, option, pytree
from feint.visible import shortened, visible

PREFIX = "pgx:"


@pytree
class Deal:
    """All chance of a game."""

    start: Array  # uint32: which of the starts; uint32[2], the key of one, where they are not listed
    rolls: Array  # uint32[2]: the key of all dice; uint32[0] where there are none


@pytree
class State(game.State):
    """pgx's own state, and what views need besides."""

    inner: Any  # without its observation, which is made anew for whoever looks
    rolls: Array  # uint32[2] or uint32[0]
    movers: Array  # int32[kept_moves]: who moved, move n in place n modulo kept_moves; -1 for moves to come
    moves: Array  # int32[kept_moves]: what they did
    dice: Array  # int32[kept_moves, 2]: what they had rolled; int32[0] where nobody rolls


@pytree
class View(game.View):
    """What pgx shows a player, and what everybody saw."""

    player: Array  # int32: who acts
    observation: Array  # as pgx gives it to this player; zeros for spectators where something is hidden
    movers: Array  # int32[kept_moves]: who moved, as far as that does not show in the position; -1 for moves to come
    moves: Array  # int32[kept_moves]: what they did
    dice: Array  # int32[kept_moves, 2]: what they had rolled, where dice are rolled
    position: dict[str, Array]  # where nothing is hidden: pgx's state by its names
    over: Array  # bool
    paid: Array  # float32[players]: by a finished game


@dataclass(frozen=True)
class PgxGame(Game[State, View]):
    """A game of pgx."""

    env: ClassVar[Any]
    facts: ClassVar[Facts]
    starts: ClassVar[Any]  # pgx's states, stacked

    def __str__(self) -> str:
        return self.name

    @property
    def actions(self) -> int:
        return self._like.legal_action_mask.shape[0]

    @property
    def max_moves(self) -> int:
        return self.facts.moves

    @property
    def payoff_range(self) -> tuple[float, float]:
        return -self.facts.most, self.facts.most

    def draw(self, key: Key) -> Deal:
        of_start, of_rolls = jax.random.split(key)
        start = (
            chance.drawn(of_start, jnp.asarray(self._likely)).astype(jnp.uint32)
            if self.facts.starts
            else _bits(of_start)
        )
        return Deal(start, _bits(of_rolls) if self.facts.rolls else jnp.zeros(0, jnp.uint32))

    def deals(self) -> tuple[Deal, np.ndarray]:
        if self.facts.rolls or not self.facts.starts:
            raise NotSmall(f"{self.name} has too many deals to list, so that nothing exact can be computed of it.")
        every = np.arange(self.facts.starts, dtype=np.uint32)
        return Deal(jnp.asarray(every), jnp.zeros((len(every), 0), jnp.uint32)), self._likely

    def deal(self, deal: Deal) -> State:
        if self.facts.starts:
            inner = jax.tree.map(lambda leaf: jnp.asarray(leaf).at[deal.start].get(mode="fill"), self.starts)
        else:
            inner = _unseen(self.env.init(chance.from_bits(deal.start)))
        nothing = jnp.full(self.facts.kept_moves, -1, jnp.int32)
        dice = jnp.zeros((self.facts.kept_moves, 2) if self.facts.rolls else 0, jnp.int32)
        return self._at(inner, deal.rolls, nothing, nothing, dice)

    def move(self, state: State, action: Array) -> State:
        inner, dice, key = state.inner, state.dice, None
        now = jnp.arange(self.facts.kept_moves) == inner._step_count % max(self.facts.kept_moves, 1)
        if self.facts.rolls:
            key = jax.random.fold_in(chance.from_bits(state.rolls), inner._step_count)
            dice = jnp.where(now[:, None], inner._dice, dice)
        movers = jnp.where(now, inner.current_player, state.movers)
        moves = jnp.where(now, action, state.moves)
        return self._at(_unseen(self.env.step(inner, action, key)), state.rolls, movers, moves, dice)

    def observe(self, state: State, player: Array) -> View:
        return self._view(state, player, self.env._observe(state.inner, player))

    def spectate(self, state: State) -> View:
        seen = self.env._observe(state.inner, jnp.int32(0))
        return self._view(state, jnp.int32(SPECTATOR), jnp.zeros_like(seen) if self.facts.hidden else seen)

    def encode(self, view: View) -> dict[str, Array | Rows]:
        seen: dict[str, Array | Rows] = {"observation": view.observation}
        if self.facts.hidden:
            done = jax.nn.one_hot(view.moves, self.actions)
            seen["moves"] = Rows(jnp.column_stack([done, view.movers == view.seat]))
        return seen

    def describe(self, view: View, action: int) -> str:
        return action_name(self.env.id, action)

    def redeal(self, view: View, key: Key) -> State:
        """Another roll of the dice where nothing else is hidden; else one of the starts from which the same moves look the same."""
        if not self.facts.hidden:
            rolls = _bits(key) if self.facts.rolls else jnp.zeros(0, jnp.uint32)
            return self._at(self._positioned(view.position), rolls, view.movers, view.moves, view.dice)
        if not self.facts.starts:
            raise UserError(
                f"Hidden worlds of {self.name} cannot be dealt: pgx does not tell which of them fit what a player sees."
            )
        every = jax.vmap(lambda deal: self._replayed(deal, view.moves))(self.deals()[0])
        seen = jax.vmap(lambda state: self.observe(state, view.seat))(every)
        alike = jax.tree.map(lambda one, other: jax.vmap(lambda each: (each == other).all())(one), seen, view)
        fits = jnp.stack(jax.tree.leaves(alike)).all(axis=0)
        chosen = chance.drawn(key, jnp.where(fits, jnp.asarray(self._likely), 0.0))
        return jax.tree.map(lambda leaf: leaf[chosen], every)

    def is_valid(self, state: State) -> Array:
        return (state.current_player >= 0) & (state.current_player < self.players)

    @property
    def _like(self) -> Any:
        """Shapes of pgx's state."""
        return jax.tree.map(lambda leaf: leaf[0], self.starts)

    @property
    def _likely(self) -> np.ndarray:
        """How likely each start is."""
        if self.env.id != "leduc_holdem":
            return np.full(self.facts.starts, 1 / self.facts.starts)
        distinct = [len(set(cards)) for cards in self.starts._cards.tolist()]
        ways = np.exp2(distinct)  # of a rank that is dealt, once or twice, either card can come first
        return ways / ways.sum()

    def _at(self, inner: Any, rolls: Array, movers: Array, moves: Array, dice: Array) -> State:
        return State(
            current_player=inner.current_player,
            legal_action_mask=inner.legal_action_mask,
            rewards=inner.rewards,
            terminated=inner.terminated | (inner._step_count >= self.max_moves),
            inner=inner,
            rolls=rolls,
            movers=movers,
            moves=moves,
            dice=dice,
        )

    def _view(self, state: State, seat: Array, observation: Array) -> View:
        return View(
            seat=jnp.int32(seat),
            player=state.current_player,
            observation=observation,
            movers=state.movers,
            moves=state.moves,
            dice=state.dice,
            position={} if self.facts.hidden else _by_name(state.inner),
            over=state.terminated,
            paid=jnp.where(state.terminated, state.inner.rewards, 0.0),
        )

    def _positioned(self, position: dict[str, Array]) -> Any:
        """pgx's state again."""
        like = self._like
        leaves = [position.get(name, leaf) for name, leaf in _named(like)]
        return jax.tree.unflatten(jax.tree.structure(like), leaves)

    def _replayed(self, deal: Deal, moves: Array) -> State:
        def on(number: Array, state: State) -> State:
            return jax.tree.map(
                lambda after, before: jnp.where(moves[number] >= 0, after, before),
                self.step(state, moves[number]),
                state,
            )

        return jax.lax.fori_loop(0, self.max_moves, on, self.deal(deal))


def _bits(key: Key) -> Array:
    return jax.random.bits(key, (2,), jnp.uint32)


def _unseen(inner: Any) -> Any:
    return inner.replace(observation=jnp.zeros(0))


def _named(inner: Any) -> list[tuple[str, Any]]:
    """The parts of pgx's state: `_x.board` is x_board."""
    parts = tree_flatten_with_path(inner)[0]
    return [(keystr(path, simple=True, separator="_").lstrip("_"), leaf) for path, leaf in parts]


def _by_name(inner: Any) -> dict[str, Array]:
    return {name: leaf for name, leaf in _named(inner) if name != "observation"}


# ---- found by name


def library() -> Any:
    """pgx, or a sentence that says how to get it."""
    try:
        import pgx
    except ImportError:
        raise UserError("Games of pgx need pgx: pip install 'feint[peers]'.") from None
    return pgx


def game_class(text: str) -> type[PgxGame]:
    """The class of a game of pgx, by its name there."""
    pgx, name = library(), text.strip()
    if name in GAMES:
        return _made_class(name)
    shown = shortened(visible(name), 60)
    if name == "bridge_bidding":
        raise UserError(f"{PREFIX}{shown} cannot be played here: it needs results of deals that pgx does not bring.")
    if name in pgx.available_envs() and pgx.make(name).num_players == 1:
        raise UserError(f"{PREFIX}{shown} cannot be played here: it is for one player alone.")
    raise UserError(f"pgx has no game called {shown!r}.{did_you_mean(name, GAMES)} It has: {', '.join(GAMES)}.")


@cache
def _made_class(name: str) -> type[PgxGame]:
    pgx, facts = library(), GAMES[name]
    env = pgx.make(name)
    with jax.ensure_compile_time_eval():  # perhaps asked for while something is being compiled
        drawn = jax.jit(jax.vmap(env.init))(jax.random.split(chance.key(0), 16 * max(facts.starts, 1)))
        drawn = jax.tree.map(np.asarray, drawn.replace(observation=jnp.zeros((len(drawn.terminated), 0))))
    given = {
        "name": f"{PREFIX}{name}",
        "version": int(env.version.lstrip("v")),
        "env": env,
        "facts": facts,
        "starts": _distinct(drawn, facts.starts, name),
        "measure": "wins" if facts.most == 1 else "payoff",
        "gallery": (",".join(["random"] * (env.num_players - 1)),),
        "speech": type("Speech", (PgxNarration,), {"title": title(name)}),
        "__doc__": f"{title(name)} by the rules of pgx.",
        "__module__": __name__,
    }
    players = env.num_players
    seats = option(players, "as pgx has it", least=players, most=players)
    kind = f"{name} of pgx {pgx.__version__}"  # programs that are kept are told apart by it
    return make_dataclass(kind, [("players", int, seats)], bases=(PgxGame,), namespace=given, frozen=True)


def _distinct(drawn: Any, starts: int, name: str) -> Any:
    """Each start once, of so many that were drawn that all are among them."""
    rows = np.column_stack([leaf.reshape(len(leaf), -1) for leaf in jax.tree.leaves(drawn)])
    _, first = np.unique(rows, axis=0, return_index=True)
    if starts and len(first) != starts:
        raise UserError(
            f"{PREFIX}{name} starts in {len(first)} ways in the pgx that is installed, not in {starts}, as feint knows it."
        )
    return jax.tree.map(lambda leaf: leaf[first], drawn)
