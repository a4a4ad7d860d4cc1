"""A match at one table, step by step: people, plain-Python agents and compiled ones in its chairs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from feint import chance, deals, hashing, outside
from feint.agent import Agent, Memory, is_compiled
from feint.chance import MOST_SEED
from feint.errors import UserError
from feint.game import Deal, Game, State
from feint.outside import IllegalAction
from feint.packing import Packed
from feint.pytrees import compiling_with, pytree
from feint.seating import Person, Sitter, check_spec, names_of, sat_down, spec_of


@pytree
class Seen:
    """What is read back of a state after each move: all that a table needs to go on, and what everybody sees of it."""

    player: Array  # int32: whose turn it is, by position
    legal: Array  # bool[actions]
    rewards: Array  # float32[players]: of the last move
    over: Array  # bool
    print: Array  # uint32[2]: the state's fingerprint
    public: Any  # a spectator's view
    views: Any  # by position, [players, ...]


class Table:
    """A game in play. `act` asks the agent whose turn it is, `play` makes a person's move, until it is `over`; `next_game` goes on with
    the match: chairs stay, positions move on where the game rotates, and whoever remembers still does.

    The game of (seed, table, number) is the one the arena plays from `chance.game_key(seed, table, number)`: the same deal, and the same
    keys for its agents. With a `deal` of its own, only the first game's chance comes from there.
    """

    def __init__(
        self,
        game: Game,
        chairs: Sequence[Sitter | str],
        seed: int = 0,
        table: int = 0,
        number: int = 0,
        deal: Deal | Mapping[str, Any] | None = None,
        limit: float | None = None,
    ) -> None:
        if len(chairs) != game.players:
            raise UserError(f"{game} has {game.players} seats, not {len(chairs)}.")
        for kind, value in (("seed", seed), ("table", table), ("number", number)):
            if not 0 <= value <= MOST_SEED:
                raise UserError(f"The {kind} must be a whole number from 0 to {MOST_SEED}, not {value}.")
        self.game, self.limit = game, limit
        self.seed, self.table, self.number = seed, table, number
        self.specs = [spec_of(sitter) for sitter in chairs]
        for spec in self.specs:
            check_spec(spec)
        self.chairs: list[Any] = _each_its_own(sat_down(sitter, game) for sitter in chairs)
        self.scores = np.zeros(game.players)  # by chair: what finished games have paid
        self.wins = np.zeros(game.players, int)  # by chair
        self._rules = _compiled(game)
        self._memories: dict[int, Memory] = {}  # by chair, of those who were begun
        self._told: set[int] = set()  # chairs of plain agents that were told of the match
        self.packed: np.ndarray  # uint8[bytes]: the state, and what is seen of it
        self._seen: Any  # `Seen` of NumPy arrays
        self._views: dict[int, Any]  # by position, of those that were asked for
        self._paid: np.ndarray
        self._deal_out(deals.read(game, deal) if deal is not None else None)

    # ---- who sits where

    def chair(self, position: int) -> int:
        """The chair of whoever has a position in this game."""
        return (position + self.number) % self.game.players if self.game.rotates else position

    @property
    def seats(self) -> list[Any]:
        """Who has each position in this game."""
        return [self.chairs[self.chair(position)] for position in range(self.game.players)]

    @property
    def names(self) -> list[str]:
        """What those in each position are called."""
        by_chair = names_of(self.specs)
        return [by_chair[self.chair(position)] for position in range(self.game.players)]

    def replace(self, chair: int, sitter: Sitter | str) -> None:
        """Somebody else takes a chair, remembering nothing."""
        if not 0 <= chair < self.game.players:
            raise UserError(f"Chairs go from 0 to {self.game.players - 1}; there is no chair {chair}.")
        self.chairs[chair], self.specs[chair] = sat_down(sitter, self.game), spec_of(sitter)
        self._memories.pop(chair, None)
        self._told.discard(chair)

    # ---- the game in play

    @property
    def origin(self) -> tuple[int, int, int]:
        """Where the game's chance comes from: seed, table and number."""
        return self.seed, self.table, self.number

    @property
    def moves(self) -> int:
        """How many moves were made."""
        return len(self._past)

    @property
    def actions(self) -> list[int]:
        """Every move made."""
        return [action for action, _ in self._past]

    @property
    def fingerprints(self) -> list[str]:
        """Those of the deal and of the state after each move."""
        return [self._dealt, *(print for _, print in self._past)]

    @property
    def fingerprint(self) -> str:
        """That of the state now."""
        return self._past[-1][1] if self._past else self._dealt

    @property
    def player(self) -> int:
        """The position whose turn it is."""
        return int(self._seen.player)

    @property
    def legal(self) -> np.ndarray:
        """What may be done there, bool[actions]."""
        return self._seen.legal

    @property
    def over(self) -> bool:
        return bool(self._seen.over)

    @property
    def rewards(self) -> np.ndarray:
        """What the game has paid by now, float32[players], by position: the payoffs once it is over."""
        return self._paid

    @property
    def winners(self) -> np.ndarray:
        """Who won a game that is over, bool[players], by position."""
        return np.asarray(self._rules.winners(self.packed, self._paid))

    @property
    def person(self) -> bool:
        """Whether the turn is a person's."""
        return isinstance(self.seats[self.player], Person)

    def view(self, position: int) -> Any:
        """All that whoever has a position knows, as numpy arrays."""
        if position not in self._views:
            self._views[position] = jax.tree.map(lambda leaf: leaf[position, ...], self._seen.views)
        return self._views[position]

    def spectate(self) -> Any:
        """What everybody may know, as numpy arrays."""
        return self._seen.public

    def state(self) -> Any:
        """All there is to know, hidden things included, as numpy arrays."""
        return self._rules.state.read(self.packed)

    def deal(self) -> dict[str, Any]:
        """The deal of this game, written down."""
        return deals.written(self._deal)

    def copy(self) -> Table:
        """The same table, at which moves can be tried that are not made at this one."""
        tried = copy(self)
        tried._past, tried._memories, tried._told = [*self._past], {**self._memories}, {*self._told}
        tried.scores, tried.wins = self.scores.copy(), self.wins.copy()
        return tried

    def play(self, action: int) -> None:
        """Make a move for the position whose turn it is."""
        if self.over:
            raise IllegalAction("The game is over: there is no move to make.")
        player = self.player
        if not (0 <= action < self.game.actions and self.legal[action]):
            outside.check_legal(self.game, self.names[player], self.view(player), self.legal, action, self.moves)
        after = np.asarray(self._rules.step(self.packed, np.int32(action)))
        seen = self._rules.seen.read(after)
        moved = (action, _hexadecimal(seen.print))
        # From here on an interrupt may cut between two lines: the move is either made and kept, or not kept at all.
        self.packed, self._seen, self._views = after, seen, {}
        self._past.append(moved)
        self._paid = self._paid + seen.rewards

    def act(self) -> int:
        """Ask the agent whose turn it is and make its move."""
        action = self._choose()
        self.play(action)
        return action

    def advice(self, adviser: Sitter | str) -> int:
        """What an agent that remembers nothing would do where it is somebody's turn."""
        agent = sat_down(adviser, self.game)
        if not is_compiled(agent):
            return outside.ask([agent], [spec_of(adviser)], [self._question(self.player)], self.limit)[0]
        memory = self._rules.begin(agent, np.int32(self.chair(self.player)), self._key)
        return int(self._rules.act(agent, memory, self.packed, self._key, np.int32(self.moves))[0])

    def follow(self, action: int) -> None:
        """Make a move that is already known, as a record has it; an agent is still asked, so that its memory keeps up."""
        if not self.person and not self.over:
            self._choose()
        self.play(action)

    def _choose(self) -> int:
        position = self.player
        chair = self.chair(position)
        agent = self.chairs[chair]
        if isinstance(agent, Person):
            raise UserError(f"{self.names[position]} is a person: make the move with play(action).")
        self._begin(chair)
        if is_compiled(agent):
            memory = self._memories[chair]
            action, self._memories[chair] = self._rules.act(agent, memory, self.packed, self._key, np.int32(self.moves))
            return int(action)
        name = f"{self.names[position]} (seat {chair + 1})"
        try:
            return outside.ask([agent], [name], [self._question(position)], self.limit)[0]
        except UserError:
            raise
        except Exception as failed:
            failed.__notes__ = [f"{name} failed at move {self.moves + 1}."]
            raise

    def _question(self, position: int) -> outside.Question:
        return outside.Question(
            self.view(position), self.legal.copy(), self._place(self.chair(position)), move=self.moves
        )

    def _place(self, chair: int) -> outside.Place:
        return outside.Place(*self.origin, chair)

    # ---- the match

    def next_game(self) -> None:
        """Tell everybody how the game ended, and deal the next one."""
        if not self.over:
            raise UserError("The game is still on: the next one is dealt when it is over.")
        by_chair = [self.chair(position) for position in range(self.game.players)]
        self.scores[by_chair] += self.rewards
        self.wins[by_chair] += self.winners
        for position, chair in enumerate(by_chair):
            self._finish(chair, position)
        self.number += 1
        self._deal_out(None)

    def _begin(self, chair: int) -> None:
        """An agent learns that the match is on when it is first needed."""
        agent = self.chairs[chair]
        if is_compiled(agent) and chair not in self._memories:
            self._memories[chair] = self._rules.begin(agent, np.int32(chair), self._key)
        elif not is_compiled(agent) and chair not in self._told:
            self._told.add(chair)
            outside.begin(agent, self.game, chair)

    def _finish(self, chair: int, position: int) -> None:
        agent = self.chairs[chair]
        if isinstance(agent, Person):
            return
        self._begin(chair)
        if is_compiled(agent):
            self._memories[chair] = self._rules.finish(
                agent, self._memories[chair], self.packed, self._paid, self._key, np.int32(position)
            )
        else:
            outside.finish(agent, self.view(position), self.rewards, self._place(chair))

    def _deal_out(self, deal: Deal | None) -> None:
        self._key, drawn = self._rules.draw(*map(np.int32, self.origin))
        self.given = deal is not None  # whether the deal was written down, not drawn
        self._deal = drawn if deal is None else deal
        self.packed = np.asarray(self._rules.deal(self._deal))
        self._seen, self._views = self._rules.seen.read(self.packed), {}
        self._past: list[tuple[int, str]] = []  # each action, and the fingerprint of the state after it
        self._paid = np.zeros(self.game.players, np.float32)
        self._dealt = _hexadecimal(self._seen.print)


def _each_its_own(sitters: Iterable[Sitter]) -> list[Any]:
    """The same, but that a plain agent which remembers is copied where it sits twice."""
    seated = list(sitters)
    plain = iter(outside.apart(each for each in seated if not is_compiled(each)))
    return [each if is_compiled(each) else next(plain) for each in seated]


def fingerprint(state: State) -> str:
    """Sixteen hexadecimal digits that stand for a state: equal for equal states, on every machine."""
    return _hexadecimal(np.asarray(_print(state)))


def _hexadecimal(bits: np.ndarray) -> str:
    return f"{int(bits[0]):08x}{int(bits[1]):08x}"


def _print(state: State) -> Array:
    def whole(leaf: Array) -> Array:
        # Payoffs may differ in their last bits between processors.
        return jnp.round(leaf * 1e4) if jnp.issubdtype(leaf.dtype, jnp.floating) else leaf

    return hashing.digest([whole(jnp.asarray(leaf)).astype(jnp.int32) for leaf in jax.tree.leaves(state)])


@dataclass(frozen=True)
class _Compiled:
    """A game's functions, each compiled when it is first called. What they know of a table is `Table.packed`."""

    state: Packed
    seen: Packed
    draw: Callable[..., tuple[chance.Key, Deal]]
    deal: Callable[[Deal], Array]
    step: Callable[[Any, Any], Array]
    winners: Callable[[Any, Any], Array]
    begin: Callable[..., Memory]
    act: Callable[..., tuple[Array, Memory]]
    finish: Callable[..., Memory]


def state_of(game: Game) -> Packed:
    """Where the state lies in `Table.packed`."""
    return Packed(jax.eval_shape(lambda: game.init(chance.key(0))))


def packed(game: Game, state: State) -> Array:
    """A state and what is seen of it, as `Table.packed` has them, uint8[bytes]. In compiled code."""
    return Packed.write((state, _seen(game, state)))


@lru_cache(maxsize=64)
def _compiled(game: Game) -> _Compiled:
    state = state_of(game)
    seen = Packed(jax.eval_shape(partial(_seen, game), state.shapes), state.end)

    def draw(game: Game, seed: Array, table: Array, number: Array) -> tuple[chance.Key, Deal]:
        key = chance.game_key(seed, table, number)
        return key, game.draw(chance.deal_key(key))

    def deal(game: Game, deal: Deal) -> Array:
        return packed(game, game.deal(deal))

    def step(game: Game, before: Array, action: Array) -> Array:
        return packed(game, game.step(state.unpack(before), action))

    def winners(game: Game, at: Array, payoffs: Array) -> Array:
        return game.winners(state.unpack(at), payoffs)

    def begin(game: Game, agent: Agent, chair: Array, key: chance.Key) -> Memory:
        return agent.begin(game, chair, chance.begin_key(key, chair))

    def act(game: Game, agent: Agent, memory: Memory, at: Array, key: chance.Key, move: Array) -> tuple[Array, Memory]:
        now = state.unpack(at)
        view = game.observe(now, now.current_player)
        return agent.act(memory, view, now.legal_action_mask, chance.move_key(key, move))

    def finish(
        game: Game, agent: Agent, memory: Memory, at: Array, rewards: Array, key: chance.Key, position: Array
    ) -> Memory:
        view = game.observe(state.unpack(at), position)
        return agent.finish(memory, view, rewards, chance.finish_key(key, position))

    made: list[Callable[..., Any]] = [draw, deal, step, winners, begin, act, finish]
    return _Compiled(state, seen, *map(compiling_with(game), made))


def _seen(game: Game, state: State) -> Seen:
    views = jax.vmap(partial(game.observe, state))(jnp.arange(game.players))
    told = state.current_player, state.legal_action_mask, state.rewards, state.terminated, _print(state)
    return Seen(*told, game.spectate(state), views)
