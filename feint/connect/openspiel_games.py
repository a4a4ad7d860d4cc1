"""Games of OpenSpiel as games of feint: `feint.make("openspiel:leduc_poker")`, with parameters as OpenSpiel writes them, `openspiel:leduc_poker(players=3)`.

A game that is small enough is listed once, state by state, and then played from these tables, compiled as every game is.
"""

from __future__ import annotations

from dataclasses import dataclass, make_dataclass
from functools import cache, lru_cache
from math import prod
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from feint import game
from feint.chance import Key
from feint.errors import NotSmall, UserError, did_you_mean
from feint.game import SPECTATOR, Game, option, pytree
from feint.visible import shortened, visible
from feint.words import Narration

PREFIX = "openspiel:"
MOST_DEALS = 100_000  # that are listed


@pytree
class Deal:
    """All chance of a game."""

    pieces: Array  # int32[things]: the piece of the unit interval that decides the first, second, ... thing that chance decides


@pytree
class State(game.State):
    """A state by its number."""

    number: Array  # int32
    pieces: Array  # int32[things]


@pytree
class View(game.View):
    """An information set by its number; OpenSpiel's own text of it is what people are shown."""

    information: Array  # int32
    over: Array  # bool
    paid: Array  # float32[players]: by a finished game


class OpenSpielNarration(Narration):
    """Words that OpenSpiel has."""

    game: Listed

    def tell(self, player: int, before: Any, action: int, after: Any) -> str:
        """A move as far as whoever sees the view can know it."""
        listing = self.game.listing
        if listing.is_open:
            return self.reveal(player, before, action, after)
        mover, words = listing.last_move(int(after.information))
        return f"{self.name(player)}: {words}." if mover == player else ""

    def reveal(self, player: int, before: Any, action: int, after: Any) -> str:
        return f"{self.name(player)}: {self.game.describe(before, action)}."

    def show(self, view: Any) -> str:
        return self.game.listing.texts[int(view.information)] or "What everybody may know is told move by move."

    def scene(self, views: Any) -> str:
        return "\n".join(f"{self.name(seat)}: {self.show(view)}" for seat, view in enumerate(views))


@dataclass(frozen=True)
class Listed(Game[State, View]):
    """A game of OpenSpiel."""

    measure: ClassVar = "payoff"
    speech: ClassVar = OpenSpielNarration
    listing: ClassVar[Any]  # a feint.connect.listing.Listing

    def __str__(self) -> str:
        return self.name

    @property
    def actions(self) -> int:
        return self.listing.game.num_distinct_actions()

    @property
    def max_moves(self) -> int:
        return self.listing.max_moves

    @property
    def payoff_range(self) -> tuple[float, float]:
        ends = self.listing.tables["returns"][self.listing.tables["over"]]
        return float(ends.min()), float(ends.max())

    @property
    def tables(self) -> Any:
        return self.__dict__["_tables"] if "_tables" in self.__dict__ else _on_device(type(self))

    def draw(self, key: Key) -> Deal:
        things = len(self.listing.likely)
        whole = (
            jnp.zeros((things, 2), jnp.int32).at[:, 1].set(jnp.array([len(each) - 1 for each in self.listing.likely]))
        )
        return Deal(self._pieces(whole, key))

    def deals(self) -> tuple[Deal, np.ndarray]:
        likely = self.listing.likely
        count = prod(map(len, likely))
        if count > MOST_DEALS:
            raise NotSmall(
                f"{self.name} has {count:,} deals once all its chance is drawn beforehand, more than the {MOST_DEALS:,} that are listed; it can be played, not solved."
            )
        pieces = np.indices([len(each) for each in likely]).reshape(len(likely), -1).T.astype(np.int32)
        chances = np.prod([each[pieces[:, thing]] for thing, each in enumerate(likely)], axis=0)
        return Deal(jnp.asarray(pieces)), chances

    def deal(self, deal: Deal) -> State:
        return self._at(self._settled(self.tables["first"], deal.pieces), deal.pieces, jnp.zeros(self.players))

    def move(self, state: State, action: Array) -> State:
        number = self._settled(self.tables["after"][state.number, action], state.pieces)
        return self._at(number, state.pieces, self.tables["returns"][state.number])

    def observe(self, state: State, player: Array) -> View:
        return self._view(state, player, self.tables["sets"][state.number, player])

    def spectate(self, state: State) -> View:
        return self._view(state, jnp.int32(SPECTATOR), self.tables["sets"][state.number, self.players])

    def encode(self, view: View) -> dict[str, Array]:
        numbers = self.tables["numbers"]
        return {"seat": view.seat, "information": numbers[jnp.minimum(view.information, len(numbers) - 1)]}

    def describe(self, view: View, action: int) -> str:
        return _name(type(self), int(view.information), action)

    def redeal(self, view: View, key: Key) -> State:
        """A state of the information set, as likely as it is where everybody moves at random, and chance with which it is reached."""
        tables, (of_state, of_pieces) = self.tables, jax.random.split(key)
        upto, drawn = tables["upto"], jax.random.uniform(of_state)
        begin, end = tables["begin"][view.information], tables["begin"][view.information + 1]

        def halve(_: int, between: tuple[Array, Array]) -> tuple[Array, Array]:
            low, high = between
            middle = (low + high) // 2
            lower = upto[middle] <= drawn
            return jnp.where(lower & (low < high), middle + 1, low), jnp.where(lower, high, middle)

        at, _ = jax.lax.fori_loop(0, len(upto).bit_length(), halve, (begin, end - 1))
        number = tables["member"][at]
        pieces = self._pieces(tables["reached"][number].astype(jnp.int32), of_pieces)
        return self._at(number, pieces, jnp.where(tables["over"][number], 0.0, tables["returns"][number]))

    def _pieces(self, between: Array, key: Key) -> Array:  # int32[things, 2] -> int32[things]
        """A piece of each thing that chance decides, from the first to the last that may be, as likely as each is."""
        cuts = self.tables["cuts"]
        ends = jnp.pad(cuts, ((0, 0), (1, 0)))
        low = jnp.take_along_axis(ends, between[:, :1], 1)
        high = jnp.take_along_axis(cuts, between[:, 1:], 1)
        drawn = low + (high - low) * jax.random.uniform(key, (len(cuts), 1))
        return jnp.clip((drawn >= cuts).sum(axis=1), between[:, 0], between[:, 1]).astype(jnp.int32)

    def _settled(self, node: Array, pieces: Array) -> Array:
        """The state that follows once chance has decided."""
        first, outcome, thing = len(self.tables["player"]), self.tables["outcome"], self.tables["thing"]
        for _ in range(self.listing.in_a_row):
            row = jnp.maximum(node - first, 0)
            node = jnp.where(node >= first, outcome[row, pieces[thing[row]]], node)
        return node

    def _at(self, number: Array, pieces: Array, paid: Array) -> State:
        tables = self.tables
        return State(
            current_player=tables["player"][number],
            legal_action_mask=tables["legal"][number],
            rewards=tables["returns"][number] - paid,
            terminated=tables["over"][number],
            number=number,
            pieces=pieces,
        )

    def _view(self, state: State, seat: Array, information: Array) -> View:
        paid = jnp.where(state.terminated, self.tables["returns"][state.number], 0.0)
        return View(jnp.int32(seat), information, state.terminated, paid)


@lru_cache(maxsize=2**16)
def _name(kind: type[Listed], information: int, action: int) -> str:
    return kind.listing.name(information, action)


@cache
def _on_device(kind: type[Listed]) -> dict[str, Array]:
    with jax.ensure_compile_time_eval():  # perhaps asked for while something is being compiled
        return {name: jnp.asarray(table) for name, table in kind.listing.tables.items()}


# ---- found by name


def library() -> Any:
    """OpenSpiel, or a sentence that says how to get it."""
    try:
        import pyspiel
    except ImportError:
        raise UserError("Games and bots of OpenSpiel need open_spiel: pip install 'feint[peers]'.") from None
    return pyspiel


def game_class(text: str) -> type[Listed]:
    """The class of a game of OpenSpiel, as it is written there."""
    pyspiel = library()
    kind = _checked(text.strip(), pyspiel)
    refused = f"{PREFIX}{shortened(visible(text), 60)} cannot be played here:"
    if kind.dynamics == pyspiel.GameType.Dynamics.MEAN_FIELD:
        raise UserError(f"{refused} it is of a crowd, not of players who sit at a table.")
    try:
        made = pyspiel.load_game(text.strip())
    except pyspiel.SpielError as wrong:
        raise UserError(f"{refused} OpenSpiel says {shortened(visible(str(wrong)), 200)!r}.") from None
    if made.get_type().chance_mode == pyspiel.GameType.ChanceMode.SAMPLED_STOCHASTIC:
        raise UserError(f"{refused} OpenSpiel draws its chance unseen, so that its states cannot be listed.")
    if not made.get_type().provides_information_state_string and not _is_open(made):
        raise UserError(f"{refused} OpenSpiel does not say what its players know.")
    return _listed_class(str(made))


def _checked(text: str, pyspiel: Any) -> Any:
    """The kind of game that is meant. What is commonly mistyped is said here: OpenSpiel would write to the terminal by itself."""
    name, bracket, rest = text.partition("(")
    known = {each.short_name: each for each in pyspiel.registered_games()}
    if name not in known:
        raise UserError(f"OpenSpiel has no game called {shortened(visible(name), 60)!r}.{did_you_mean(name, known)}")
    if bracket and rest.count(")") != rest.count("(") + 1:
        raise UserError(
            f"{shortened(visible(text), 60)} is not a game of OpenSpiel: write NAME, or NAME(PARAMETER=VALUE)."
        )
    kind, given = known[name], pyspiel.game_parameters_from_string(text)
    least, most, players = kind.min_num_players, kind.max_num_players, given.get("players")
    for parameter in given:
        if parameter not in (allowed := {"name", *kind.parameter_specification}):
            others = ", ".join(sorted(allowed - {"name"})) or "none"
            raise UserError(f"{name} of OpenSpiel has no parameter {visible(parameter)!r}. It has: {others}.")
    if isinstance(players, int) and not least <= players <= most:
        raise UserError(f"{name} of OpenSpiel takes from {least} to {most} players, not {players}.")
    return kind


def _is_open(made: Any) -> bool:
    return made.get_type().information == type(made.get_type()).Information.PERFECT_INFORMATION


@cache
def _listed_class(text: str) -> type[Listed]:
    """The class of the game that OpenSpiel writes so; where players move at once, they do so one after another, unseen."""
    from feint.connect.listing import listed

    pyspiel = library()
    name = f"{PREFIX}{text.removesuffix('()')}"
    theirs = pyspiel.load_game_as_turn_based(text)
    listing = listed(theirs, name)
    ends = listing.tables["returns"][listing.tables["over"]].astype(float)
    sums = ends.sum(axis=1)
    facts = {
        "name": name,
        "listing": listing,
        "speech": type("Speech", (OpenSpielNarration,), {"title": theirs.get_type().long_name}),
        "payoff_sum": float(sums[0]) if np.allclose(sums, sums[0], atol=1e-6) else None,
        "pays_early": bool(listing.tables["returns"][~listing.tables["over"]].any()),
        "__doc__": f"OpenSpiel's {theirs.get_type().long_name}.",
        "__module__": __name__,
    }
    players = theirs.num_players()
    seats = option(players, "as its name says: NAME(players=3)", least=players, most=players)
    kind = f"{text} of OpenSpiel"  # programs that are kept are told apart by it
    return make_dataclass(kind, [("players", int, seats)], bases=(Listed,), namespace=facts, frozen=True)
