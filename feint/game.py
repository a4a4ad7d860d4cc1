"""The contract every game of feint keeps: pure rules for one table, to be mapped over many."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from math import inf
from typing import Any, ClassVar, Generic, Literal, Protocol, TypeVar

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from feint import chance, lookup
from feint.chance import Key
from feint.errors import NotSmall, UserError
from feint.options import checked, usual
from feint.options import option as option  # authors of games find it here
from feint.pytrees import pytree, static
from feint.ways import Way

__all__ = [
    "SPECTATOR",
    "ByAction",
    "Decision",
    "DecisionReader",
    "Game",
    "Rows",
    "State",
    "Unit",
    "View",
    "option",
    "pytree",
    "static",
]

SPECTATOR = -1  # the seat of a view that is nobody's
Deal = Any  # a pytree: all chance of a game, written down


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
class Rows:
    """A piece of network input that is a sequence, such as what happened: a row for each thing, in the game's own order.

    Sequences of as many rows tell of the same things, side by side.
    """

    values: Array  # float32[rows, width], or what converts to it


@pytree
class ByAction:
    """A piece of network input that tells of every action what it would lead to, as far as the player can know."""

    values: Array  # float32[actions, width], or what converts to it


@pytree
class Decision:
    """What a model of players reads where one of them decides: few numbers, each from 0 to 1 or so."""

    public: Array  # float32[public]: what everybody knows
    hidden: Array  # float32[hidden]: what only whoever decides knows, such as how strong its cards are
    situation: Array  # int32: the kind of situation, of `DecisionReader.situations`


class DecisionReader(Protocol):
    """What tells models of players of decisions; a pytree, since it may hold look-up tables."""

    situations: ClassVar[int]  # kinds of situations, in each of which a player's habits are another matter
    habits: ClassVar[tuple[int, ...]]  # actions: how often a player took them in such situations is read as well

    def read(self, view: Any) -> Decision:
        """What there is to read at the view of whoever decides."""


Worth = Callable[[Array, Array], Array]  # of what a move leaves, as it is read: how likely one is to win, float32


class Solitaire(Protocol):
    """A game as one player meets it who heeds nothing but what is before it, the others being chance: what its moves leave can be valued by itself."""

    def begin(self, key: Key) -> Any:
        """What a player has before its first turn, as if a move had left it."""

    def read(self, left: Any) -> tuple[Array, Array]:
        """What there is to read of it: rows that all tell the same things, float32[rows, features], in any order, and the rest, float32[features]."""

    def turn(self, worth: Worth, left: Any, epsilon: float, key: Key) -> tuple[Array, Any]:
        """How likely one is to win who was left this, float32, by what the best moves of the next turn would leave; and what one turn left, by
        a move at random in so many: what a game begins with, where it is over."""

    def act(self, worth: Worth, view: Any, legal: Array, key: Key) -> Array:
        """The action that leaves most at the table."""


@dataclass(frozen=True)
class Unit:
    """In which payoffs are told."""

    name: str = ""  # such as "antes" or "mbb/h"
    scale: float = 1.0  # a payoff times this is told
    places: int = 3  # with so many decimals
    total: str = ""  # what payoffs added up are told in as they are, such as "chips"; as a single one where empty


S = TypeVar("S", bound=State)
V = TypeVar("V", bound=View)


@dataclass(frozen=True)
class Game(ABC, Generic[S, V]):
    """Rules as pure functions of immutable state, written for one table; its fields are the rules' options.

    Authors write `draw`, `deal`, `move`, `observe`, `spectate`, `encode`, `describe` and `redeal`; players of a game call `init` and
    `step`, which guards `move`. A game is a pytree: its options are part of the type, the large look-up tables of its rules are leaves.
    """

    name: ClassVar[str]
    version: ClassVar[int] = 1  # of rules, views and inputs: policies and records of another are refused by name
    payoff_sum: ClassVar[float | None] = 0.0  # what the payoffs of a finished game add up to; None where they need not
    pays_early: ClassVar[bool] = False  # whether anything is paid before the last move
    rotates: ClassVar[bool] = False  # whether positions move one chair on after every game of a match
    simultaneous: ClassVar[bool] = (
        False  # whether all who are in it move once in a round, before any of these moves is shown
    )
    measure: ClassVar[Literal["wins", "payoff"]] = "wins"  # what players of the game count
    presets: ClassVar[dict[str, dict[str, Any]]] = {}  # options that go by one name: GAME:PRESET is the game with these
    speech: ClassVar[Any] = None  # the class of its words, a feint.words.Narration; that of every game where None
    keyboard: ClassVar[Any] = None  # the class of how it is typed, a feint.keyboard.Keyboard; likewise
    gallery: ClassVar[
        tuple[str, ...]
    ] = ()  # tables at which agents are measured: the others at each, "smart,smart,anxious"
    # Options, whole numbers, in which tables may differ that one network plays at: larger ones only add to the ends of inputs and actions.
    varies: ClassVar[tuple[str, ...]] = ()
    # Options that inputs and actions do not depend on: a network that learned with one of their values plays with any.
    untold: ClassVar[tuple[str, ...]] = ()
    betting: ClassVar[Any] = (
        None  # how solvers read it, a feint.solvers.betting.Bets, where all that is done is bet for a pot
    )

    players: int = 2

    @property
    @abstractmethod
    def actions(self) -> int:
        """The size of the action space, fixed."""

    @property
    @abstractmethod
    def max_moves(self) -> int:
        """No game has more moves than this."""

    @property
    def unit(self) -> Unit:
        """In which payoffs are told."""
        return Unit()

    @property
    def payoff_range(self) -> tuple[float, float]:
        """The least and the most that a game can pay a player."""
        return -inf, inf

    @abstractmethod
    def draw(self, key: Key) -> Deal:
        """All chance of a game, as a pytree that can be written down."""

    @abstractmethod
    def deal(self, deal: Deal) -> S:
        """The start of the game with this chance."""

    def init(self, key: Key) -> S:
        """A deal drawn and dealt."""
        return self.deal(self.draw(key))

    @abstractmethod
    def move(self, state: S, action: Array) -> S:
        """The state after a legal action in a game that is still on. Deterministic."""

    @abstractmethod
    def observe(self, state: S, player: Array) -> V:
        """All that this player knows; of a finished game also what the rules then show."""

    @abstractmethod
    def spectate(self, state: S) -> V:
        """What everybody may know: the view of somebody without a hand, in seat `SPECTATOR`."""

    @abstractmethod
    def encode(self, view: V) -> Mapping[str, Array | Rows | ByAction]:
        """A view as network input: named pieces of any shape, float32 or what converts to it. Networks lay them out in
        one row, in the order in which they are given, and keep their names."""

    def tells(self, view: V) -> Mapping[str, Array]:
        """What a player's view of the end of a game tells of how everybody plays, by name, float32[players, ...] each, by position: networks that
        remember a match keep its average over the games before. Games that tell nothing leave it out."""
        return {}

    @abstractmethod
    def describe(self, view: V, action: int) -> str:
        """An action in a person's words."""

    @abstractmethod
    def redeal(self, view: V, key: Key) -> S:
        """A hidden world consistent with the view, of a game in play or finished."""

    def redeal_history(self, views: Sequence[V], key: Key) -> S:
        """A hidden world consistent with all views that a player has had in a game, the last one now: that of `redeal`, unless views of the
        game forget something that was seen. Not for compiled code."""
        return self.redeal(views[-1], key)

    def deal_of(self, state: S) -> Deal:
        """The deal that a state came from. Only for games in which everybody sees every move: a hidden world can then be followed from its
        deal, as reviews do to tell how likely it is. Other games leave it out."""
        raise NotImplementedError

    def moves_seen(self, view: V) -> Array:
        """All actions so far, int32[max_moves], -1 for those to come: by these `think` follows worlds from their deals at the table. Only for
        games with `deal_of` whose views tell them; other games leave it out."""
        raise NotImplementedError

    def rewound(self, state: S, key: Key) -> S:
        """A hidden world as it was before the others' latest moves, of which whoever has the turn cannot see all; what it cannot know of earlier is
        drawn anew. `think` lets them be made again, and holds to worlds in which they come out as they were seen. Other games leave it out."""
        raise NotImplementedError

    def winners(self, state: S, payoffs: Array) -> Array:
        """Who won a finished game that paid so much in all, bool[players]: by default those who were paid most, and nobody where all
        were paid the same."""
        most = payoffs.max()
        return (payoffs == most) & (payoffs.min() < most)

    def deals(self) -> tuple[Deal, Array | np.ndarray]:
        """Every deal, stacked, and its probability, float[deals] (float64 where they differ, for exact solutions);
        `NotSmall` where there are too many to list."""
        raise NotSmall(f"{self} has too many deals to list, so that nothing exact can be computed of it.")

    @property
    def drawn(self) -> dict[str, int]:
        """Options of `varies` that every deal draws anew, each from this least one to its own."""
        return {}

    def drawing(self, name: str, least: int) -> Game[S, V]:
        """The game with an option of `varies` drawn anew in every deal, for one network to learn at all that it may be."""
        raise UserError(f"In {self.name}, {name} cannot be drawn anew for every game: name one after another.")

    @property
    def fixed(self) -> Game[S, V]:
        """The game with nothing of the kind drawn: every option as it is at its most."""
        return self

    def sizes(self, view: V) -> dict[str, int | Array]:
        """The options of `varies`, as they are in the game that a view is of."""
        return {name: getattr(self, name) for name in self.varies}

    def events(self, state: S, action: Array) -> dict[str, Array]:
        """What a match counts of a legal action, by name, int32: credited to the player who takes it."""
        return {}

    def shapings(self) -> dict[str, Callable[[V], Array]]:
        """Measures of how well off a player is at a view, float32, by name: learners may be paid for their rise."""
        return {}

    def abstractions(self) -> dict[str, Callable[[V], Any]]:
        """What a solver may make do with in place of whole views, small pytrees of arrays, by name. What may be done is
        told apart beside it; all else that it leaves out is forgotten."""
        return {}

    def decision_reader(self) -> DecisionReader | None:
        """What a model of players may read of their decisions; None where the game tells nothing."""
        return None

    def solitaire(self) -> Solitaire | None:
        """The game as one player alone meets it, for learners that value what moves leave; None where that is no game.

        Who sits with the player is chance: where that matters much, as in games of bluff, there is none."""
        return None

    def ways(self, agents: Sequence[Any]) -> Way | None:
        """A way for these agents to play the game that is faster than single steps, and plays the same; None: step by step."""
        return None

    def is_valid(self, state: S) -> Array:
        """Whether what the rules conserve (cards, coins, tiles) is all there, bool; of a deal, whether it is one."""
        return jnp.bool_(True)

    # Large look-up tables of the rules.

    def build(self, progress: Callable[[float], None]) -> dict[str, Any] | None:
        """The look-up tables of the rules and of agents, arrays by name; `progress` is told the share that is done.

        Built once and kept in the user's cache, under the game's version: change that with them. In compiled code `self.tables` are
        arguments, never constants, wherever the game itself is an argument.
        """
        return None

    @property
    def tables_name(self) -> str:
        """What the look-up tables are kept as: games with other options share them where this is the same."""
        return str(self)

    @property
    def tables(self) -> Any:
        """What `build` made, arrays by name."""
        return self.__dict__["_tables"] if "_tables" in self.__dict__ else lookup.tables_of(self)

    def __init_subclass__(cls, **how: Any) -> None:
        super().__init_subclass__(**how)
        jax.tree_util.register_pytree_with_keys(
            cls,
            lambda game: (((jax.tree_util.GetAttrKey("tables"), game.tables),), game.chosen()),
            lambda chosen, children: cls._with_tables(chosen, *children),
            lambda game: ((game.tables,), game.chosen()),
        )

    @classmethod
    def _with_tables(cls, chosen: tuple[Any, ...], tables: Any) -> Any:
        """The game of these options whose tables are arguments of what is being compiled."""
        game = object.__new__(cls)
        game.__dict__.update(dict(zip(cls.options(), chosen, strict=True)), _tables=tables)
        return game

    def step(self, state: S, action: Array) -> S:
        """The state after an action. A finished game stays as it is and pays nothing more; an illegal action is
        replaced by the first legal one, so that no agent can corrupt or stall a game."""
        legal = state.legal_action_mask
        chosen = jnp.where(legal[action], action, chance.first(legal))
        after = self.move(state, chosen)
        over = replace(state, rewards=jnp.zeros_like(state.rewards))
        return jax.tree.map(lambda on, off: jnp.where(state.terminated, off, on), after, over)

    def check(self) -> None:
        """Raise `UserError` where options do not go together. What each may be alone is checked from its `option`."""

    def __post_init__(self) -> None:
        for each in fields(self):
            object.__setattr__(self, each.name, checked(self.name, each, getattr(self, each.name)))
        self.check()

    @classmethod
    def preset(cls, name: str) -> dict[str, Any] | None:
        """The options that go by a name, written in any case; None where there is no such name."""
        return cls.presets.get(name.lower())

    @classmethod
    def options(cls) -> dict[str, Any]:
        """The names and defaults of the rules' options."""
        return usual(cls)

    def chosen(self) -> tuple[Any, ...]:
        """What was chosen for each of them."""
        return tuple(getattr(self, name) for name in self.options())

    def __str__(self) -> str:
        chosen = ", ".join(f"{name}={getattr(self, name)}" for name in self.options())
        return f"{self.name}({chosen})"
