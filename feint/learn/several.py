"""Tables of several sizes, such as two to eight players, at which one network learns: one size after another, update by update."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields, replace
from itertools import product
from typing import Any

import jax

from feint.chance import Key
from feint.errors import UserError
from feint.game import Game, pytree
from feint.learn.algorithm import Metrics
from feint.learn.inputs import differing
from feint.learn.tables import Tables
from feint.options import checked, typed

RANGE = re.compile(r"(\w+)=(\d+)\.\.(\d+)")  # an option that is drawn anew for every game: its least and its most


@pytree
class Several:
    """The tables of each size."""

    each: tuple[Tables, ...]

    @property
    def game(self) -> Game[Any, Any]:
        """The game at the first of them."""
        return self.each[0].game


def sizes_of(tables: Tables | Several) -> tuple[Tables, ...]:
    """The tables of each size there is."""
    return tables.each if isinstance(tables, Several) else (tables,)


def envs_at(tables: Tables | Several, begin: Callable[[Tables, Key], Any], key: Key) -> Any:
    """Tables in play, as `begin` deals them; where they have several sizes a tuple of them."""
    first, *others = sizes_of(tables)
    envs = begin(first, key)
    if not isinstance(tables, Several):
        return envs
    return (envs, *(begin(each, jax.random.fold_in(key, nth)) for nth, each in enumerate(others)))


def in_turn(update: Callable[[Tables, Any], tuple[Any, Metrics]], tables: Several, learner: Any) -> tuple[Any, Metrics]:
    """An update at the tables whose turn it is; those in play at each size are the learner's `envs`, a tuple."""

    def at(nth: int) -> Callable[[Any], tuple[Any, Metrics]]:
        def one(learner: Any) -> tuple[Any, Metrics]:
            envs = list(learner.envs)
            after, metrics = update(tables.each[nth], replace(learner, envs=envs[nth]))
            envs[nth] = after.envs
            return replace(after, envs=tuple(envs)), metrics

        return one

    return jax.lax.switch(learner.updates % len(tables.each), [at(nth) for nth in range(len(tables.each))], learner)


def resized(game: Game[Any, Any], text: str) -> Game[Any, Any]:
    """The game at a table of another size, as it is written: `players=3,coins=15`, or `players=3,coins=1..50`, drawn anew for every game."""
    if not game.varies:
        raise UserError(f"{game.name} has no inputs that fit tables of several sizes: one network plays one of them.")
    known = {name: default for name, default in game.options().items() if name in game.varies}
    ranges = {found[1]: found[2] for found in RANGE.finditer(text)}
    given = typed(RANGE.sub(r"\1=\3", text).split(","), known, "size", f"{game.varies[0]}=3")
    if unknown := [name for name in given if name not in known]:
        raise UserError(
            f"Tables of {game.name} for one network differ in {' and '.join(known)} alone, not in {unknown[0]}."
        )
    owners = {each.name: each for each in fields(game)}
    size = replace(game, **{name: checked(game.name, owners[name], value) for name, value in given.items()})
    for name, least in ranges.items():
        if checked(game.name, owners[name], int(least)) > given[name]:
            raise UserError(f"{name}={least}..{given[name]} begins after its end: the smaller number stands first.")
        size = size.drawing(name, int(least))
    return size


def check_between(text: str, games: Sequence[Game[Any, Any]]) -> None:
    """Refuse to serve a size, as it is written, at which a network that learns at tables of these has nowhere to read it."""
    size = resized(games[0], text)
    known = [*zip(*(values for game in games for values in sizes_at(game)), strict=True)]
    for name, asked, values in zip(size.varies, zip(*sizes_at(size), strict=True), known, strict=True):
        if not min(values) <= min(asked) <= max(asked) <= max(values):
            raise UserError(
                f"--serve names sizes between those that are learned at, with {name} from {min(values)} to {max(values)}, not {text}."
            )


def served(games: Sequence[Game[Any, Any]]) -> dict[str, list[int]]:
    """What the options are in which the sizes of tables differ, size by size, and no sizes in between: who knows four players and six may know
    nothing of five, and who knows ten players with fifty coins and three with ten nothing of ten with ten."""
    names = differing(games)
    sizes = sorted({size for game in games for size in sizes_at(game, names)})
    return {name: list(values) for name, values in zip(names, zip(*sizes, strict=True), strict=True)}


def sizes_at(game: Game[Any, Any], names: Sequence[str] | None = None) -> Iterable[tuple[int, ...]]:
    """All that options may be together at a table: those in which tables may differ, or these."""
    most = {name: getattr(game, name) for name in (game.varies if names is None else names)}
    return product(*(range(game.drawn.get(name, value), value + 1) for name, value in most.items()))
