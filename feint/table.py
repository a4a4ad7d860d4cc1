"""One game, step by step: people, plain-Python agents and compiled ones at the same table."""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from typing import Any

import jax
import numpy as np
from jax import Array

from feint import chance
from feint.agent import Agent, Memory, PlainAgent, is_compiled
from feint.errors import UserError
from feint.game import Game, State, pytree, static
from feint.registry import make_agent

MOST_SEED = 2**31 - 1


class IllegalAction(UserError):
    """An action the rules do not allow; the message says who tried it and what was legal."""


@dataclass(frozen=True)
class Person:
    """Somebody who is asked: written `me`, or `me:Ann` with a name."""

    name: str = ""

    def __str__(self) -> str:
        return f"me:{self.name}" if self.name else "me"


Seat = Agent | PlainAgent | Person


class Table:
    """A game in play. `act` asks the agent whose turn it is, `play` makes a person's move, until it is `over`.

    The game of (seed, table, number) is the one the arena plays from `chance.game_key(seed, table, number)`: the same deal,
    and the same keys for its agents.
    """

    def __init__(self, game: Game, seats: Sequence[Seat | str], seed: int = 0, table: int = 0, number: int = 0) -> None:
        if len(seats) != game.players:
            raise UserError(f"{game} has {game.players} seats, not {len(seats)}.")
        for kind, value in (("seed", seed), ("table", table), ("number", number)):
            if not 0 <= value <= MOST_SEED:
                raise UserError(f"The {kind} is a whole number from 0 to {MOST_SEED}, not {value}.")
        self.game = game
        self.origin = (seed, table, number)
        self.specs = [spec_of(seat) for seat in seats]
        self.names = names_of(self.specs)
        self.seats = [take_seat(seat, game) if isinstance(seat, str) else seat for seat in seats]
        self._agents = [_traced(seat) if is_compiled(seat) else seat for seat in self.seats]
        self._memories: dict[int, Memory] = {}
        self._rules = _compiled(game)
        self._key, state = self._rules.deal(*map(np.int32, self.origin))
        self._past: list[tuple[int, str]] = []  # each action, and the fingerprint of the state after it
        self._reach(state, jax.device_get(state))
        self._dealt = fingerprint(self._seen)

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
        """The seat whose turn it is."""
        return int(self._seen.current_player)

    @property
    def legal(self) -> np.ndarray:
        """What that seat may do, bool[actions]."""
        return self._seen.legal_action_mask

    @property
    def over(self) -> bool:
        return bool(self._seen.terminated)

    @property
    def rewards(self) -> np.ndarray:
        """The payoffs once the game is over, float32[players]."""
        return self._seen.rewards

    @property
    def person(self) -> bool:
        """Whether the turn is a person's."""
        return isinstance(self.seats[self.player], Person)

    def view(self, seat: int) -> Any:
        """All that a seat knows, as numpy arrays."""
        if seat not in self._views:
            self._views[seat] = jax.device_get(self._rules.observe(self._state, np.int32(seat)))
        return self._views[seat]

    def play(self, action: int) -> None:
        """Make a move for the seat whose turn it is."""
        if self.over:
            raise IllegalAction("The game is over: there is no move to make.")
        if not (0 <= action < self.game.actions and self.legal[action]):
            raise IllegalAction(
                f"Move {self.moves + 1}: {self.names[self.player]} may not take action {self._named(action)}; "
                f"legal: {', '.join(self._named(int(each)) for each in np.flatnonzero(self.legal))}."
            )
        state = self._rules.step(self._state, np.int32(action))
        seen = jax.device_get(state)
        moved = (action, fingerprint(seen))
        # From here on an interrupt may cut between two lines: the move is either made and kept, or not kept at all.
        self._reach(state, seen)
        self._past.append(moved)

    def act(self) -> int:
        """Ask the agent whose turn it is and make its move."""
        action = self._choose()
        self.play(action)
        return action

    def follow(self, action: int) -> None:
        """Make a move that is already known, as a record has it; an agent is still asked, so that its memory keeps up."""
        if not self.person and not self.over:
            self._choose()
        self.play(action)

    def _choose(self) -> int:
        agent: Any = self._agents[self.player]
        if isinstance(agent, Person):
            raise UserError(f"{self.names[self.player]} is a person: make the move with play(action).")
        if is_compiled(agent):
            return self._choose_compiled(agent)
        name = f"{self.names[self.player]} (seat {self.player + 1})"
        try:
            answer = agent.act(self.view(self.player), self.legal.copy())
        except Exception as failed:
            failed.add_note(f"{name} failed at move {self.moves + 1}.")
            raise
        try:
            return operator.index(answer)
        except TypeError:
            raise IllegalAction(
                f"{name} answered {answer!r}; act(view, legal) gives the number of an action."
            ) from None

    def _choose_compiled(self, agent: Any) -> int:
        seat = np.int32(self.player)
        if self.player not in self._memories:
            self._memories[self.player] = self._rules.begin(agent, seat, self._key)
        memory = self._memories[self.player]
        action, memory = self._rules.act(agent, memory, self._state, self._key, np.int32(self.moves))
        self._memories[self.player] = memory
        return int(action)

    def _named(self, action: int) -> str:
        if not 0 <= action < self.game.actions:
            return f"{action} (no action: they go from 0 to {self.game.actions - 1})"
        return f"{action} ({self.game.describe(self.view(self.player), action)})"

    def _reach(self, state: State, seen: State) -> None:
        self._state, self._views = state, dict[int, Any]()
        self._seen: Any = seen  # the same state as numpy arrays


def take_seat(spec: str, game: Game) -> Seat:
    """A person (`me`, `me:Ann`) or an agent by its specification."""
    return Person(spec.partition(":")[2].strip()) if is_person(spec) else make_agent(spec, game)


def is_person(spec: str) -> bool:
    """Whether a specification is of a person, not of an agent."""
    return spec.partition(":")[0] == "me"


def spec_of(seat: Seat | str) -> str:
    """How a seat is written in a record: an agent that was not made by name goes by that of its class."""
    return str(seat) if isinstance(seat, str | Person) else type(seat).__name__


def names_of(specs: Sequence[str]) -> list[str]:
    """What each seat is called, numbered where two would be called the same."""
    plain = [_name(spec, seat) for seat, spec in enumerate(specs)]
    shared = {name for name, times in Counter(plain).items() if times > 1}
    used: Counter[str] = Counter()
    names = []
    for name in plain:
        used[name] += 1
        names.append(f"{name} {used[name]}" if name in shared else name)
    return names


def _name(spec: str, seat: int) -> str:
    kind, _, name = spec.partition(":")
    if is_person(spec):
        return name.strip() or f"Player {seat + 1}"
    head, bracket, settings = kind.partition("(")
    return "-".join(word[:1].upper() + word[1:] for word in head.split("-")) + bracket + settings


def fingerprint(state: State) -> str:
    """Sixteen hexadecimal digits that stand for a state: equal for equal states, on every machine."""
    digest = blake2b(digest_size=8)
    for leaf in jax.tree.leaves(state):
        values = np.asarray(leaf)
        if values.dtype.kind == "f":
            values = np.round(values * 1e4)  # payoffs may differ in their last bits between processors
        digest.update(values.astype("<i8").tobytes())
    return digest.hexdigest()


@dataclass(frozen=True)
class _Compiled:
    """A game's functions, each compiled when it is first called."""

    deal: Callable[..., tuple[chance.Key, State]]
    step: Callable[[State, Any], State]
    observe: Callable[[State, Any], Any]
    begin: Callable[..., Memory]
    act: Callable[..., tuple[Array, Memory]]


@lru_cache(maxsize=64)
def _compiled(game: Game) -> _Compiled:
    @jax.jit
    def deal(seed: Array, table: Array, number: Array) -> tuple[chance.Key, State]:
        key = chance.game_key(seed, table, number)
        return key, game.init(chance.deal_key(key))

    @jax.jit
    def begin(agent: Agent, seat: Array, key: chance.Key) -> Memory:
        return agent.begin(game, seat, chance.begin_key(key, seat))

    observe = jax.jit(game.observe)

    @jax.jit
    def act(agent: Agent, memory: Memory, state: State, key: chance.Key, move: Array) -> tuple[Array, Memory]:
        view = observe(state, state.current_player)
        return agent.act(memory, view, state.legal_action_mask, chance.move_key(key, move))

    return _Compiled(deal, jax.jit(game.step), observe, begin, act)


@pytree
class _Whole:
    """A compiled agent that is no pytree, passed to compiled functions as part of their type."""

    agent: Any = static()

    def begin(self, game: Game, seat: Array, key: chance.Key) -> Memory:
        return self.agent.begin(game, seat, key)

    def act(self, memory: Memory, view: Any, legal: Array, key: chance.Key) -> tuple[Array, Memory]:
        return self.agent.act(memory, view, legal, key)

    def finish(self, memory: Memory, view: Any, rewards: Array, key: chance.Key) -> Memory:
        return self.agent.finish(memory, view, rewards, key)


def _traced(agent: Any) -> Any:
    return _Whole(agent) if jax.tree_util.all_leaves([agent]) else agent
