"""The contract every game of feint keeps: pure rules for one table, to be mapped over many."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import MISSING, dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, Protocol, TypeVar, dataclass_transform

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from feint.chance import Key
from feint.errors import NotSmall, UserError

if TYPE_CHECKING:
    from feint.words import Words

T = TypeVar("T")


@dataclass_transform(frozen_default=True)
def pytree(cls: type[T]) -> type[T]:
    """A frozen dataclass whose fields JAX sees as leaves, except those made by `static`."""
    made = dataclass(frozen=True)(cls)
    leaves = [each.name for each in fields(made) if not each.metadata.get("static")]  # type: ignore[arg-type]
    statics = [each.name for each in fields(made) if each.metadata.get("static")]  # type: ignore[arg-type]

    def flatten(tree: T) -> tuple[list[Any], tuple[Any, ...]]:
        return [getattr(tree, name) for name in leaves], tuple(getattr(tree, name) for name in statics)

    def flatten_with_keys(tree: T) -> tuple[list[Any], tuple[Any, ...]]:
        named = [(jax.tree_util.GetAttrKey(name), getattr(tree, name)) for name in leaves]
        return named, tuple(getattr(tree, name) for name in statics)

    def unflatten(fixed: tuple[Any, ...], children: Iterable[Any]) -> T:
        return made(**dict(zip(leaves, children, strict=True)), **dict(zip(statics, fixed, strict=True)))

    # Not by `register_dataclass`: JAX 0.10 takes two dataclasses with as many fields for the same type, and compiled
    # functions are then now and again run for the wrong one of two agents.
    jax.tree_util.register_pytree_with_keys(made, flatten_with_keys, unflatten, flatten)
    return made


def static(**how: Any) -> Any:
    """A field of a `pytree` that is part of its type: a size or a name, never an array."""
    return field(metadata={"static": True}, **how)


def option(
    default: Any,
    help: str,
    *,
    least: int | None = None,
    most: int | None = None,
    choices: Sequence[str] = (),
) -> Any:
    """A rule that can be chosen: a field of a game, with the values it may take and one line of help."""
    return field(default=default, metadata={"help": help, "least": least, "most": most, "choices": tuple(choices)})


@pytree
class State:
    """Everything about one game in play, hidden things included. Every game extends it."""

    current_player: Array  # int32: who acts
    legal_action_mask: Array  # bool[actions]
    rewards: Array  # float32[players]: of the last step; the payoffs when it ended the game
    terminated: Array  # bool


@pytree
class View:
    """Everything one player may know, as named fields. Every game extends it."""

    seat: Array  # int32: whose view this is


@pytree
class Outcome:
    """What came of one game."""

    rewards: Array  # float32[players]
    moves: Array  # int32
    events: dict[str, Array]  # int32[players] each


@dataclass(frozen=True)
class Unit:
    """In which payoffs are told."""

    name: str = ""  # "antes", "mbb/h"
    scale: float = 1.0  # a payoff times this is told
    places: int = 3


Measure = Literal["wins", "payoff"]


def highest(payoffs: Any) -> Any:
    """Who has the highest payoff, bool[..., players]; nobody where all are the same."""
    best = payoffs.max(axis=-1, keepdims=True)
    return (payoffs == best) & (best > payoffs.min(axis=-1, keepdims=True))


class Turns(Protocol):
    """A way to play whole turns, several moves in one, where seats take turns in a fixed rotation. A table is whatever it likes."""

    def deal(self, key: Key) -> Any:
        """The table at the start of the game that `Game.init` deals."""

    def turn(self, table: Any, seat: Array, seating: Array, key: Key) -> Any:
        """The table after the turn of a seat. May do anything to one whose game is over, but for its outcome."""

    def over(self, table: Any) -> Array:
        """Whether the game is over, bool."""

    def outcome(self, table: Any) -> Outcome:
        """What came of a game that is over, at the end of a round of turns."""


S = TypeVar("S", bound=State)
V = TypeVar("V", bound=View)


@dataclass(frozen=True)
class Game(ABC, Generic[S, V]):
    """Rules as pure functions of immutable state, written for one table; its fields are the rules' options.

    Authors write `init`, `move`, `observe`, `encode`, `describe` and `redeal`; players of a game call `step`, which guards `move`.
    """

    name: ClassVar[str]
    version: ClassVar[int] = 1  # of rules, views and inputs
    measure: ClassVar[Measure] = "wins"  # by which agents are compared
    payoff_sum: ClassVar[float | None] = 0.0  # what the payoffs of a finished game add up to; None where they need not

    players: int = 2

    @property
    @abstractmethod
    def actions(self) -> int:
        """The size of the action space, fixed."""

    @property
    @abstractmethod
    def longest(self) -> int:
        """No game has more moves than this."""

    @property
    def unit(self) -> Unit:
        """In which payoffs are told."""
        return Unit()

    @property
    def payoff_range(self) -> tuple[float, float]:
        """The least and the most that a game can pay a player."""
        return -1.0, 1.0

    def winners(self, state: S, payoffs: Array) -> Array:
        """Who won a finished game, bool[players]."""
        return highest(payoffs)

    @abstractmethod
    def init(self, key: Key) -> S:
        """The deal: all chance is here."""

    @abstractmethod
    def move(self, state: S, action: Array) -> S:
        """The state after a legal action in a game that is still on. Deterministic."""

    @abstractmethod
    def observe(self, state: S, player: Array) -> V:
        """All that this player knows."""

    @abstractmethod
    def encode(self, view: V) -> Array:
        """A view as network input, float32[features]."""

    @property
    def log(self) -> tuple[int, tuple[int, ...]] | None:
        """Where the last numbers of `encode` are a log of what happened, for networks that read it row by row: how many
        rows, and the widths of the blocks it comes in, each of all rows."""
        return None

    @abstractmethod
    def describe(self, view: V, action: int) -> str:
        """An action in a person's words."""

    @abstractmethod
    def redeal(self, view: V, key: Key) -> S:
        """A hidden world consistent with the view."""

    def words(self) -> type[Words]:
        """How this game speaks to people; a game with words of its own names their class here."""
        from feint.words import Words

        return Words

    def deals(self) -> tuple[S, Array | np.ndarray]:
        """Every deal, stacked, and its probability, float[deals] (float64 where they differ, for exact solutions);
        `NotSmall` where there are too many to list."""
        raise NotSmall(f"{self} has too many deals to list; its rules can be sampled with init(key), not enumerated.")

    def events(self, state: S, action: Array) -> dict[str, Array]:
        """What a match counts of a legal action, by name, int32: credited to the player who takes it."""
        return {}

    def shapings(self) -> dict[str, Callable[[V], Array]]:
        """Measures of how well off a player is at a view, float32, by name: learners may be paid for their rise."""
        return {}

    def turns(self, agents: Sequence[Any]) -> Turns | None:
        """A way to play whole turns of these agents, for the arena to use instead of single steps. It must play exactly the
        game that steps would; None: step by step."""
        return None

    def sound(self, state: S) -> Array:
        """Whether what the rules conserve (cards, coins, tiles) is all there, bool."""
        return jnp.bool_(True)

    def step(self, state: S, action: Array) -> S:
        """The state after an action. A finished game stays as it is and pays nothing more; an illegal action is
        replaced by the first legal one, so that no agent can corrupt or stall a game."""
        legal = state.legal_action_mask
        chosen = jnp.where(legal[action], action, jnp.argmax(legal))
        after = self.move(state, chosen)
        over = replace(state, rewards=jnp.zeros_like(state.rewards))
        return jax.tree.map(lambda on, off: jnp.where(state.terminated, off, on), after, over)

    def check(self) -> None:
        """Raise `UserError` where options do not go together. What each may be alone is checked from its `option`."""

    def __post_init__(self) -> None:
        for each in fields(self):
            _check_option(self.name, each, getattr(self, each.name))
        self.check()

    @classmethod
    def options(cls) -> dict[str, Any]:
        """The names and defaults of the rules' options."""
        return {each.name: each.default for each in fields(cls) if each.default is not MISSING}

    def __str__(self) -> str:
        chosen = ", ".join(f"{name}={getattr(self, name)}" for name in self.options())
        return f"{self.name}({chosen})"


def _check_option(game: str, option: Any, value: Any) -> None:
    kind = type(option.default)
    if type(value) is not kind:
        raise UserError(f"{game}: {option.name} is {_a(kind)}, not {value!r}.")
    least, most = option.metadata.get("least"), option.metadata.get("most")
    if (least is not None and value < least) or (most is not None and value > most):
        span = f"from {least} to {most}" if most is not None else f"{least} or more"
        raise UserError(f"{game}: {option.name} is a whole number {span}, not {value}.")
    choices = option.metadata.get("choices")
    if choices and value not in choices:
        raise UserError(f"{game}: {option.name} is one of {', '.join(choices)}, not {value!r}.")


def _a(kind: type) -> str:
    return {int: "a whole number", float: "a number", str: "a word", bool: "true or false"}[kind]
