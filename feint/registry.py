"""Whatever is found by name: feint's own, and what installed packages add by entry point. Nothing is imported before it is asked for.

A package adds its own under one of these entry-point groups:

- `feint.games`: the class of a game, by the game's name;
- `feint.agents`: the class of an agent, as GAME.AGENT, or as AGENT alone where it plays every game;
- `feint.rivals`: by the game's name, a tuple of the agents that sit down, in turn, with whoever names none, or a dictionary of such
  tuples by level;
- `feint.algorithms`: the class of a learning algorithm, by the algorithm's name;
- `feint.policies`: a class of trained agents that can be kept in files, by the name of the class;
- `feint.studies`: a `Study`, by its name.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from inspect import Parameter, signature
from typing import TYPE_CHECKING, Any

from feint.catalogue import GAME_SCHEMES, LEVELS, OWN, RIVALS, SCHEMES
from feint.errors import UserError, did_you_mean
from feint.options import check_names, checked
from feint.specs import Spec, not_an_agent, parse_spec
from feint.visible import shortened, visible

if TYPE_CHECKING:
    from feint.agent import Agent, PlainAgent
    from feint.game import Game

# Programs outside feint, which nothing here starts or reaches: a specification may come out of anybody's file.
OUTSIDE = ("process:", "http://", "https://", "ws://", "wss://")


def is_outside(spec: str) -> bool:
    """Whether a specification is of a program outside feint."""
    return spec.strip().lower().startswith(OUTSIDE)


@cache
def _added(group: str) -> dict[str, str]:
    """What packages add to a group: names, and where they lead."""
    return {each.name: each.value for each in entry_points(group=f"feint.{group}")}


def _known(group: str) -> dict[str, str]:
    """All of a group; nobody replaces what is feint's."""
    return _added(group) | OWN[group]


def _load(where: str, what: str) -> Any:
    module, _, name = where.partition(":")
    try:
        return getattr(import_module(module), name)
    except (ImportError, AttributeError) as broken:
        raise UserError(f"{what} is registered as {where}, which cannot be imported: {broken}.") from broken


def _check(name: str, names: Iterable[str], kind: str) -> None:
    if name not in names:
        guess = did_you_mean(name, names)
        raise UserError(f"There is no {kind} called {name!r}.{guess} There are: {', '.join(names) or 'none'}.")


def _find(group: str, name: str, kind: str) -> Any:
    known = _known(group)
    _check(name, sorted(known), kind)
    return _load(known[name], name)


# ---- games and agents


def game_names() -> list[str]:
    """The names of every game that can be made."""
    return sorted(_known("games"))


def agent_names(game: str) -> list[str]:
    """The names of every agent that plays a game."""
    game, _, _ = game.partition(":")
    return sorted(name.removeprefix(f"{game}.") for name in _known("agents") if _plays(name, game))


def _plays(agent: str, game: str) -> bool:
    return "." not in agent or agent.startswith(f"{game}.")


def rivals(game: str, level: str = "fair", trained: bool = True) -> tuple[str, ...]:
    """The agents that sit down at a game, in turn, with whoever names none; `level` is one of `LEVELS`. Those of the zoo know the game with
    some options only, and are left out unless `trained`."""
    if level not in LEVELS:
        raise UserError(f"Opponents are {', '.join(LEVELS[:-1])} or {LEVELS[-1]}, not {level!r}.")
    where = _added("rivals").get(game)
    found = RIVALS.get(game) or (_load(where, f"The rivals of {game}") if where else ("random",))
    named = found.get(level) if isinstance(found, dict) else found
    if not isinstance(named, tuple) or not named or not all(isinstance(name, str) for name in named):
        raise UserError(f"The rivals of {game} are a tuple of names, such as ('random',), not {named!r}.")
    return named if trained else tuple(name for name in named if ":" not in name) or ("random",)


def game_class(name: str) -> type[Game]:
    """The class of a game, by name; what follows a colon is a preset of its options, or a neighbour's game."""
    game, colon, rest = name.partition(":") if isinstance(name, str) else (name, "", "")  # a file may hold anything
    if colon and game in GAME_SCHEMES:
        return _load(GAME_SCHEMES[game], name)(rest)
    return _find("games", game, "game")


def make(name: str, **options: Any) -> Game:
    """A game by name, with the rules' options: `make("bluff", players=5)`; of a preset, `make("okey:thesis")`, with those given beside it."""
    cls = game_class(name)
    check_names(cls.name, options, cls.options(), "option")
    return cls(**{**_preset(cls, name), **options})


def _preset(cls: type[Game], name: str) -> dict[str, Any]:
    """The options that a game's name stands for."""
    scheme, colon, preset = name.partition(":")
    options = cls.preset(preset) if colon and scheme not in GAME_SCHEMES else {}
    if options is None:
        guess = did_you_mean(preset, cls.presets)
        known = ", ".join(cls.presets) or "none"
        raise UserError(f"There is no preset called {preset!r} of {cls.name}.{guess} There are: {known}.")
    return options


def agent_class(name: str, game: str) -> type:
    """The class of an agent that plays a game, by name."""
    short = name.removeprefix(f"{game}.")
    short = short.lower() if short.lower() in agent_names(game) else short
    _check(short, agent_names(game), f"{game} agent")
    known = _known("agents")
    return _load(known.get(f"{game}.{short}") or known[short], name)


def make_agent(spec: str, game: Game) -> Agent | PlainAgent:
    """An agent for a game by its specification: `smart`, `anxious(2)`, `anxious(threshold=2, call_two=0.1)`, `policy:FILE` or, of an agent that
    takes another, `think(smart, worlds=16)`."""
    if is_outside(spec):
        raise UserError(
            f"{shortened(visible(spec), 60)} is a program outside feint: it sits down only where somebody names it at feint match, tournament, play or "
            "bot-test, or makes it in Python with feint.connect.bots.hire, and never because a file or a page says so."
        )
    scheme, colon, rest = spec.strip().partition(":")
    if colon and scheme in SCHEMES:
        return _load(SCHEMES[scheme], spec)(rest, game)
    name, given, named = parse_spec(spec)
    cls = agent_class(name, game.name)
    settings = agent_settings(cls)
    if len(given) > len(settings):
        raise UserError(f"{name} takes {_count(settings)}, but {shortened(spec, 60)} gives {len(given)}.")
    by_place = dict(zip(settings, given, strict=False))
    if twice := by_place.keys() & named.keys():
        raise UserError(f"{shortened(spec, 60)} sets {min(twice)} twice, by place and by name.")
    chosen = by_place | named
    check_names(name, chosen, settings, "setting")
    if missing := [each for each, default in settings.items() if default is Parameter.empty and each not in chosen]:
        raise UserError(
            f"{name} has no default for {' and '.join(missing)}: write {name}({', '.join(missing)}) with your own choice; feint agents {game.name} tells more."
        )
    from feint.agent import at_game

    for setting, value in chosen.items():
        if isinstance(value, Spec) and setting not in _takes_agents(cls) and not isinstance(settings[setting], str):
            raise not_an_agent(spec)
    fitting = {setting: _fitting(cls, name, setting, value, game) for setting, value in chosen.items()}
    return at_game(cls(**fitting), game)


# ---- what learns, what is kept, what is studied


def algorithm_class(name: str) -> type[Any]:
    """The class of a learning algorithm, by name."""
    return _find("algorithms", name, "algorithm")


def policy_kinds() -> list[str]:
    """The classes of agents that can be kept in files, by name."""
    return sorted(_known("policies"))


def policy_class(kind: str) -> type[Any]:
    """One of these classes."""
    return _find("policies", kind, "kind of policy")


def study_names() -> list[str]:
    """The names of every study."""
    return sorted(_known("studies"))


def find_study(name: str) -> Any:
    """A study by name."""
    return _find("studies", name, "study")


# ---- settings of agents


def agent_settings(cls: type) -> dict[str, Any]:
    """What can be set from a specification, with defaults: the fields of a dataclass, else the parameters of its making."""
    if is_dataclass(cls):
        return {
            each.name: Parameter.empty if each.default is MISSING else each.default
            for each in fields(cls)
            if each.init and (isinstance(each.default, (bool, int, float, str)) or "agent" in each.metadata)
        }
    made = signature(cls).parameters.values()
    return {each.name: each.default for each in made if each.kind is Parameter.POSITIONAL_OR_KEYWORD}


def _takes_agents(cls: type) -> set[str]:
    """The settings that are other agents."""
    return {each.name for each in fields(cls) if "agent" in each.metadata} if is_dataclass(cls) else set()


def _fitting(cls: type, agent: str, setting: str, value: Any, game: Game) -> Any:
    """The value of a setting, checked: of a dataclass by what the field may be, else by what it is like."""
    if setting in _takes_agents(cls):
        return _inner(agent, setting, value, game)
    value = str(value) if isinstance(value, Spec) else value
    if is_dataclass(cls):
        return checked(agent, next(each for each in fields(cls) if each.name == setting), value)
    default = signature(cls).parameters[setting].default
    kinds = (int, float) if type(default) is float else (type(default),)
    if default is not Parameter.empty and type(value) not in kinds:
        raise UserError(f"{agent}: {setting} must be {_kind(default)} such as {default!r}, not {value!r}.")
    return value


def _inner(agent: str, setting: str, value: Any, game: Game) -> Agent:
    """The agent that another one takes."""
    from feint.agent import is_compiled

    if not isinstance(value, str):
        raise UserError(f"{agent}: {setting} must be an agent such as random, not {value!r}.")
    made = make_agent(value, game)
    if not is_compiled(made):
        raise UserError(f"{agent}: {setting} must be an agent that is compiled, and {value} is plain Python.")
    return made  # type: ignore[return-value]


def _kind(value: Any) -> str:
    return {bool: "true or false,", int: "a whole number", float: "a number", str: "a text"}.get(
        type(value), "something"
    )


def _count(settings: dict[str, Any]) -> str:
    if not settings:
        return "no settings"
    return f"at most {len(settings)} setting{'s' if len(settings) > 1 else ''} ({', '.join(settings)})"
