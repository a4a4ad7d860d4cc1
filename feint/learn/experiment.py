"""What decides how a training run comes out, as a TOML file and as a command."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from itertools import islice
from typing import Any

import jax.numpy as jnp

from feint import catalogue, registry
from feint.arena.seatings import WAYS
from feint.chance import MOST_SEED
from feint.errors import UserError
from feint.game import Game
from feint.learn.algorithm import Algorithm
from feint.learn.bars import Bar, read_bars, weights
from feint.learn.evaluate import Evaluation, Examiner, Examiners
from feint.learn.ppo import PolicyGradient
from feint.learn.renamed import check_todays, todays
from feint.learn.several import Several, check_between, resized, served
from feint.learn.tables import (
    FILL,
    ME,
    PAST,
    Table,
    Tables,
    around,
    compiled_agent,
    filled,
    make_tables,
    read_tables,
    unfilled,
    write_tables,
)
from feint.options import changed, checked, chosen, make, option, typed, usual

LEAGUE = {"exploiters", "exploiter_steps", "exploiter_delay"}
PLAIN = {"seats", "length", "seed", "evaluations", "games", "restarts"} | LEAGUE  # words and numbers
MOST = 2**31 - 1  # updates, and steps of one: what 32 bits count


@dataclass(frozen=True)
class Experiment:
    """A game, an algorithm with its settings, the tables it trains at and how it is evaluated."""

    game: Game[Any, Any]
    algorithm: Algorithm
    tables: tuple[Table, ...] = ()  # none: the learner in every seat
    seats: str = option("all", "orders of seats that are drawn", choices=tuple(WAYS))
    length: int = option(1, "games in a row that the same people play, at every table", least=1, most=10**6)
    seed: int = option(0, "the same seed gives the same agent", least=0, most=MOST_SEED)
    against: tuple[Table, ...] = ()  # tables for evaluation, besides those of training
    evaluations: int = option(20, "how often it is evaluated", least=0, most=10**6)
    games: int = option(1000, "played at each table of an evaluation", least=1, most=10**7)
    bars: tuple[Bar, ...] = ()  # what is to be reached at tables
    exploiters: int = option(0, "how often somebody is trained to win from the learner", least=0, most=10**6)
    exploiter_steps: int = option(10_000_000, "steps that each of these learns from", least=1, most=10**13)
    exploiter_delay: int = option(0, "updates from when each is begun to when it sits down", least=0, most=MOST)
    restarts: int = option(0, "how often it may begin again from its best policy after a collapse", least=0, most=1000)
    also: tuple[str, ...] = ()  # tables of other sizes, such as players=3, that the same network learns at
    serve: tuple[str, ...] = ()  # sizes between those, which its file serves though it does not learn at them

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Experiment:
        """An experiment as its file says it; whatever is missing is as usual."""
        known = {each.name for each in fields(cls)} | {"options", "settings"}
        if unknown := [name for name in given if name not in known]:
            raise UserError(f"A run has no entry {unknown[0]!r}; it has: {', '.join(sorted(known))}.")
        if "game" not in given:
            raise UserError(f"Train at which game? There are: {', '.join(registry.game_names())}.")
        for name in ("options", "settings"):
            if not isinstance(given.get(name, {}), Mapping):
                raise UserError(f"A run: {name} must be a table of names and values, not {given[name]!r}.")
        tables, against = (_tables(given, name) for name in ("tables", "against"))
        plain = {
            each.name: checked("A run", each, given[each.name])
            for each in fields(cls)
            if each.name in PLAIN & given.keys()
        }
        game = registry.make(given["game"], **given.get("options", {}))
        algorithm, tables = trained_by(game, given.get("algorithm"), tables, given.get("settings", {}))
        plain = evaluated_by(game, given.get("algorithm"), _tables(given, "tables")) | plain
        bars = read_bars(_texts(given, "bars"))
        also, serve = (tuple(_texts(given, name)) for name in ("also", "serve"))
        tables, against = (filled(each, _sizes(game, also), algorithm.watches) for each in (tables, against))
        return cls(
            game, algorithm, tables=tables, against=against, bars=bars, also=also, serve=serve, **plain
        ).checked()

    def checked(self) -> Experiment:
        """The experiment itself, refused where it cannot be run."""
        updates, steps = self.algorithm.updates, self.algorithm.per_update
        if max(updates, steps) > MOST:
            raise UserError(f"{updates} updates of {steps} steps are too many: at most {MOST} of either.")
        if self.restarts and not isinstance(self.algorithm, PolicyGradient):
            raise UserError(f"Only ppo and mmd begin again after a collapse, not {self.algorithm.name}.")
        if self.also and not self.algorithm.resizes:
            raise UserError(
                f"One network learns at tables of several sizes by ppo, mmd or after-states, not by {self.algorithm.name}."
            )
        if not self.evaluations and (self.bars or self.restarts):
            raise UserError(
                "Bars and restarts go by evaluations: leave out --bar and --restarts, or evaluate once at least."
            )
        for text in self.serve:
            check_between(text, self.sizes)
        for game in self.sizes:
            self.algorithm.check(game)
        if isinstance(self.algorithm, PolicyGradient):
            self.algorithm.check_start(self.sizes)
        if isinstance(self.algorithm, PolicyGradient) and self.algorithm.match_memory and self.length == 1:
            raise UserError("match_memory is for matches of several games: add --length 20, or leave it out.")
        self.training_tables()
        self.examiner()
        evaluated = self._evaluated()
        for bar in self.bars:
            named = [each.table for each in self._at_tables([bar], self.sizes) if each.table]
            if not evaluated or any(table not in evaluated for table in named):
                raise UserError(f"The bar {bar} is of no table where the learner trains with named agents alone.")
        if self.exploiters and not (isinstance(self.algorithm, PolicyGradient) and self.attacked):
            raise UserError(f"Exploiters take seats of past selves: train by ppo or mmd, at a table with {PAST}.")
        if self.exploiters and self.exploiter_delay >= updates:
            raise UserError(
                f"Exploiters that sit down {self.exploiter_delay} updates after they are begun never do in a run of {updates}."
            )
        return self

    def as_dict(self) -> dict[str, Any]:
        """What `of` makes the same experiment of."""
        return {
            "game": self.game.name,
            "algorithm": self.algorithm.name,
            "tables": self._written(self.tables),
            "seats": self.seats,
            "length": self.length,
            "seed": self.seed,
            "against": self._written(self.against),
            "evaluations": self.evaluations,
            "games": self.games,
            "bars": [str(bar) for bar in self.bars],
            "exploiters": self.exploiters,
            "exploiter_steps": self.exploiter_steps,
            "exploiter_delay": self.exploiter_delay,
            "restarts": self.restarts,
            "also": list(self.also),
            "serve": list(self.serve),
            "options": chosen(self.game),
            "settings": chosen(self.algorithm),
        }

    def command(self) -> str:
        """The command that makes the same run again, without what is as usual anyway."""
        words = ["feint", "train", self.game.name, "--algorithm", self.algorithm.name]
        words += [word for text in changed(self.game) for word in ("--option", text)]
        words += [word for text in self.also for word in ("--also", text)]
        words += [word for text in self.serve for word in ("--serve", text)]
        for flag, tables in (("--table", self.tables), ("--against", self.against)):
            for table in self._written(tables):
                words += [flag, table]
        words += [word for bar in self.bars for word in ("--bar", str(bar))]
        for name in (each.name for each in fields(self) if each.name in PLAIN):
            if getattr(self, name) != getattr(type(self), name):
                words += [f"--{name.replace('_', '-')}", str(getattr(self, name))]
        steps = f"total_timesteps={self.algorithm.total_timesteps}"
        words += ["--steps", str(self.algorithm.total_timesteps)]
        words += [word for text in changed(self.algorithm) if text != steps for word in ("--set", text)]
        return shlex.join(words)

    def _written(self, tables: Sequence[Table]) -> list[str]:
        """What `of` makes these tables of."""
        return write_tables(unfilled(tables, self.sizes, self.algorithm.watches))

    @property
    def sizes(self) -> tuple[Game[Any, Any], ...]:
        """The game, and the game at tables of the other sizes."""
        return _sizes(self.game, self.also)

    @property
    def served(self) -> dict[str, list[int]]:
        """The sizes of tables that its policy file serves."""
        return served([*self.sizes, *(resized(self.game, text) for text in self.serve)])

    def training_tables(self) -> Tables | Several:
        """The tables of training; where they have several sizes, those of each, by how many sit there."""
        if not self.also:
            return make_tables(self.game, self.tables, self.seats, self.length, self.algorithm.watches)
        sizes = self.sizes
        if odd := [at for at in self.tables if len(self._seated(at)) not in [game.players for game in sizes]]:
            raise UserError(f"{','.join(odd[0])} is a table of no size that is trained at.")
        return Several(tuple(make_tables(game, self._of_size(game), self.seats, self.length) for game in sizes))

    def _of_size(self, game: Game[Any, Any], tables: Sequence[Table] | None = None) -> list[Table]:
        """Those of the tables at which as many sit as play a game."""
        return [at for at in (self.tables if tables is None else tables) if len(self._seated(at)) == game.players]

    @property
    def attacked(self) -> list[Game[Any, Any]]:
        """The sizes at which exploiters learn in turn: those with tables of past selves."""
        return [game for game in self.sizes if any(PAST in table for table in self._of_size(game))]

    @property
    def self_play(self) -> bool:
        """Whether the learner has every seat."""
        return alone(self.tables)

    def examiner(self) -> Examiner | Examiners:
        """Evaluation at the tables of training where the learner has one seat among named agents, and those asked for; of one that watches,
        at all of them."""
        if self.algorithm.watches:
            every = list(dict.fromkeys((*self.tables, *self.against)))
            make_tables(self.game, every, watched=True)
            return Examiner(self.game, every, self.games, self.seed, self.seats, self.length, watches=True)
        each = tuple(self._examiner(game) for game in self.sizes)
        return Examiners(each) if self.also else each[0]

    def _examiner(self, game: Game[Any, Any]) -> Examiner:
        single = self._examined(game)
        make_tables(game, single)
        return Examiner(game, single, self.games, self.seed, self.seats, self.length)

    def _examined(self, game: Game[Any, Any]) -> list[Table]:
        """The tables of one size at which the learner is evaluated."""
        single = self._evaluated(self.against)
        return (self._of_size(game, single) if self.also else single) or [
            (*around(_rivals(game), game.players - 1), ME)
        ]

    def _evaluated(self, more: Iterable[Table] = ()) -> list[Table]:
        """The tables of training, and more, where the learner has one seat and named agents have the others."""
        tables = dict.fromkeys(self._seated(table) for table in (*self.tables, *more))
        return [table for table in tables if table.count(ME) == 1 and PAST not in table]

    def weighted(self, tables: Tables | Several, evaluation: Evaluation | None) -> Tables | Several:
        """The tables of training, drawn by how far the learner was last found from its bars, if there are any: those of each size by themselves."""
        if not self.bars:
            return tables
        scores = iter(evaluation.scores if evaluation else ())

        def of_size(each: Tables) -> Tables:
            found = Evaluation(tuple(islice(scores, len(self._examined(each.game)))))
            rows = [*map(self._seated, self._of_size(each.game))]
            if not rows:  # the learner has every seat
                return each
            drawn = weights(rows, self._at_tables(self.bars, [each.game]), found)
            return replace(each, weights=jnp.asarray(drawn, jnp.float32))

        return Several(tuple(map(of_size, tables.each))) if isinstance(tables, Several) else of_size(tables)

    def _at_tables(self, bars: Iterable[Bar], games: Sequence[Game[Any, Any]]) -> list[Bar]:
        """Bars with their tables in full, at every size where these end in dots."""
        full = [(bar, filled([bar.table], games) if bar.table else [None]) for bar in bars]
        return [Bar(bar.least, table and self._seated(table)) for bar, tables in full for table in tables]

    def _seated(self, table: Table) -> Table:
        return table if ME in table else (*table, ME)


def _sizes(game: Game[Any, Any], also: Iterable[str]) -> tuple[Game[Any, Any], ...]:
    return (game, *(resized(game, text) for text in also))


def trained_by(
    game: Game[Any, Any], algorithm: str | None, tables: tuple[Table, ...], settings: Mapping[str, Any]
) -> tuple[Algorithm, tuple[Table, ...]]:
    """The algorithm and the tables of a run, which are not yet filled: what is asked for, and else the defaults of its game."""
    kind = registry.algorithm_class(_algorithm_name(game.name, algorithm, tables))
    if recipe := _recipe(game.name, algorithm, tables):
        tables = ((*recipe["others"], FILL),) if "others" in recipe else ()
        settings = {**recipe["settings"], **settings}
    if kind.watches and not tables:
        tables = ((*registry.rivals(game.name, trained=False), FILL),)
    check_todays(settings, kind)
    if "devices" in settings and not issubclass(kind, PolicyGradient):
        raise UserError(f"Only ppo and mmd divide their tables among devices, not {kind.name}.")
    return make(kind, settings), tables


def defaults(game: str | None, algorithm: str | None) -> tuple[str, Mapping[str, Any]]:
    """The algorithm that a game is trained by where nobody names tables, and the settings that are others than the algorithm's own."""
    recipe = _recipe(game, algorithm, ())
    return _algorithm_name(game, algorithm, ()), recipe["settings"] if recipe else {}


def _rivals(game: Game[Any, Any]) -> list[str]:
    """Whom a learner is measured beside where nobody is named: those who are compiled, and play there where a purse is drawn, say."""
    found = []
    for name in registry.rivals(game.name, trained=False):
        with suppress(UserError):
            compiled_agent(name, game)
            found.append(name)
    return found or ["random"]


def evaluated_by(game: Game[Any, Any], algorithm: str | None, tables: tuple[Table, ...]) -> dict[str, int]:
    """How often, and by how many games, a run is evaluated where nobody says so, if it is not what other runs are."""
    recipe = _recipe(game.name, algorithm, tables)
    return dict(recipe.get("evaluated", {})) if recipe else {}


def _recipe(game: Any, algorithm: str | None, tables: Iterable[Table]) -> Mapping[str, Any] | None:
    """What the game is trained with where nobody says how, if it is not what other games are."""
    return catalogue.TRAINING.get(game) if algorithm is None and not tables and isinstance(game, str) else None


def _algorithm_name(game: Any, algorithm: str | None, tables: Iterable[Table]) -> str:
    """Where the learner has every seat, one that comes near to an equilibrium; where others play, one that exploits them."""
    if recipe := _recipe(game, algorithm, tables):
        return recipe["algorithm"]
    return ("mmd" if alone(tables) else "ppo") if algorithm is None else algorithm


def alone(tables: Iterable[Table]) -> bool:
    """Whether the learner has every seat at all of its tables."""
    return all(set(table) - {FILL} == {ME} for table in tables)


def _tables(given: Mapping[str, Any], name: str) -> tuple[Table, ...]:
    """The tables of an entry, which is a list of texts."""
    return read_tables(_texts(given, name))


def _texts(given: Mapping[str, Any], name: str) -> Sequence[str]:
    texts = given.get(name, [])
    if not isinstance(texts, list | tuple) or not all(isinstance(text, str) for text in texts):
        raise UserError(f'A run: {name} must be a list of texts, such as ["smart,past,past"], not {texts!r}.')
    return texts


def _named(given: Mapping[str, Any]) -> str:
    """The algorithm of a run."""
    return _algorithm_name(given.get("game"), given.get("algorithm"), _tables(given, "tables"))


def by_todays_names(said: Mapping[str, Any]) -> dict[str, Any]:
    """What the file of a run says, with its settings by today's names; what is not a table of settings is refused elsewhere."""
    settings = said.get("settings")
    if not isinstance(settings, Mapping):
        return dict(said)
    kind = registry.algorithm_class(_named(said))
    return {**said, "settings": todays(settings, kind)}


def overridden(
    base: Mapping[str, Any], given: Mapping[str, Any], settings: Sequence[str], options: Sequence[str] = ()
) -> dict[str, Any]:
    """What a file says, with what the command line says instead, where it is not None; settings and options are typed as NAME=VALUE."""
    mixed = dict(base) | {name: value for name, value in given.items() if value is not None}
    if settings:
        known = usual(registry.algorithm_class(_named(mixed)))
        mixed["settings"] = _with(mixed.get("settings", {}), typed(settings, known, "setting", "num_envs=256"))
    if options and "game" in mixed:
        known = registry.game_class(mixed["game"]).options()
        mixed["options"] = _with(mixed.get("options", {}), typed(options, known, "option", "players=3"))
    return mixed


def _with(base: Any, more: dict[str, Any]) -> Any:
    """A table of a file with more entries; what is no table stays as it is, to be refused."""
    return {**base, **more} if isinstance(base, Mapping) else base
