"""Games and agents by name: feint's own, and those that installed packages add by entry point.

A package adds a game under the entry-point group `feint.games` (name: the game's), and an agent under `feint.agents`
(name: GAME.AGENT, or AGENT alone for one that plays every game). Both point to a class.
"""

from __future__ import annotations

import ast
import re
from dataclasses import MISSING, fields, is_dataclass
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from inspect import Parameter, signature
from typing import TYPE_CHECKING, Any

from feint.errors import UserError
from feint.options import check_names

if TYPE_CHECKING:
    from feint.agent import Agent, PlainAgent
    from feint.game import Game

GAMES = {
    "bidding": "feint.games.bidding.rules:Bidding",
    "bluff": "feint.games.bluff.rules:Bluff",
    "kuhn": "feint.games.small.kuhn:Kuhn",
    "leduc": "feint.games.small.leduc:Leduc",
    "liars-dice": "feint.games.small.liars_dice:LiarsDice",
}

AGENTS = {
    "random": "feint.agent:Random",
    "bluff.no-bluff": "feint.games.bluff.agents:NoBluff",
    "bluff.smart": "feint.games.bluff.agents:Smart",
    "bluff.anxious": "feint.games.bluff.agents:Anxious",
    "bluff.reinforcement": "feint.games.bluff.reinforcement:Reinforcement",
    "bluff.apprentice": "feint.games.bluff.apprentice:Apprentice",
    "bluff.tit-for-tat": "feint.games.bluff.agents:TitForTat",
    "bluff.dump": "feint.games.bluff.agents:Dump",
    "bluff.counter": "feint.games.bluff.counter:Counter",
    "bidding.uniform": "feint.games.bidding.bidders:Uniform",
    "bidding.composition": "feint.games.bidding.bidders:Composition",
    "bidding.share": "feint.games.bidding.bidders:Share",
    "bidding.split": "feint.games.bidding.bidders:Split",
    "bidding.fraction": "feint.games.bidding.bidders:Fraction",
    "bidding.convention": "feint.games.bidding.bidders:convention",
    "bidding.mixed": "feint.games.bidding.bidders:mixed",
    "bidding.drifting": "feint.games.bidding.bidders:Drifting",
    "bidding.optim": "feint.games.bidding.three:Optim",
    "bidding.oracle": "feint.games.bidding.three:Oracle",
    "bidding.value-iteration": "feint.games.bidding.value_iteration:ValueIteration",
    "bidding.maximum-likelihood": "feint.games.bidding.value_iteration:MaximumLikelihood",
    "bidding.equilibrium": "feint.games.bidding.value_iteration:Equilibrium",
    "bidding.adaptive": "feint.games.bidding.adaptive:Adaptive",
}

# Agents that are made from what follows a colon, such as a file, `policy:leduc.npz`, or a name, `zoo:leduc-1`.
SCHEMES = {
    "policy": "feint.learn.policy_file:play_from",
    "zoo": "feint.zoo:play_from",
}


@cache
def _known(group: str) -> dict[str, str]:
    own = GAMES if group == "feint.games" else AGENTS
    return {each.name: each.value for each in entry_points(group=group)} | own


def game_names() -> list[str]:
    """The names of every game that can be made."""
    return sorted(_known("feint.games"))


def agent_names(game: str) -> list[str]:
    """The names of every agent that plays a game."""
    return sorted(name.removeprefix(f"{game}.") for name in _known("feint.agents") if _plays(name, game))


def _plays(agent: str, game: str) -> bool:
    return "." not in agent or agent.startswith(f"{game}.")


def _load(where: str, wanted: str) -> Any:
    module, _, name = where.partition(":")
    try:
        return getattr(import_module(module), name)
    except (ImportError, AttributeError) as broken:
        raise UserError(f"{wanted} is registered as {where}, which cannot be imported: {broken}.") from broken


def _find(group: str, name: str, kind: str, names: list[str], prefix: str = "") -> str:
    known = _known(group)
    if name in names:
        return known.get(prefix + name) or known[name]
    near = get_close_matches(name, names, n=1)
    guess = f" Did you mean {near[0]}?" if near else ""
    raise UserError(f"There is no {kind} called {name!r}.{guess} There are: {', '.join(names)}.")


def game_class(name: str) -> type[Game]:
    """The class of a game, by name."""
    return _load(_find("feint.games", name, "game", game_names()), name)


def make(name: str, **options: Any) -> Game:
    """A game by name, with the rules' options: `make("bluff", players=5)`."""
    cls = game_class(name)
    check_names(name, options, cls.options(), "option")
    return cls(**options)


def agent_class(name: str, game: str) -> type:
    """The class of an agent that plays a game, by name."""
    own = f"{game}."
    return _load(_find("feint.agents", name.removeprefix(own), f"{game} agent", agent_names(game), own), name)


def make_agent(spec: str, game: Game) -> Agent | PlainAgent:
    """An agent for a game by its specification: `smart`, `anxious(2)`, `anxious(threshold=2, two=0.1)` or `policy:FILE`."""
    scheme, colon, rest = spec.strip().partition(":")
    if colon and scheme in SCHEMES:
        return _load(SCHEMES[scheme], spec)(rest, game)
    name, given, named = _parse(spec)
    cls = agent_class(name, game.name)
    settings = agent_settings(cls)
    if len(given) > len(settings):
        raise UserError(f"{name} takes {_count(settings)}, but {spec} gives {len(given)}.")
    by_place = dict(zip(settings, given, strict=False))
    if twice := by_place.keys() & named.keys():
        raise UserError(f"{spec} sets {min(twice)} twice, by place and by name.")
    chosen = by_place | named
    check_names(name, chosen, settings, "setting")
    for setting, value in chosen.items():
        _check_kind(name, setting, value, settings[setting])
    return cls(**chosen)


def split_specs(text: str) -> list[str]:
    """Who sits at a table, as it is written: names between commas, but for commas within brackets."""
    specs = [spec.strip() for spec in re.split(r",(?![^(]*\))", text)]
    if not all(specs):
        named = f"{text!r} has an empty seat" if text.strip() else "Nobody is named to sit at the table"
        raise UserError(f"{named}: write names with single commas, such as smart,anxious(2).")
    return specs


def agent_settings(cls: type) -> dict[str, Any]:
    """What can be set from a specification, with defaults: the fields of a dataclass, else the parameters of its making."""
    if is_dataclass(cls):
        known = {each.name: each.default for each in fields(cls) if each.init}
        return {name: default for name, default in known.items() if isinstance(default, (bool, int, float, str))}
    made = signature(cls).parameters.values()
    return {each.name: each.default for each in made if each.kind is Parameter.POSITIONAL_OR_KEYWORD}


def _check_kind(agent: str, setting: str, value: Any, default: Any) -> None:
    if default is MISSING or default is Parameter.empty or isinstance(value, type(default)):
        return
    if isinstance(default, float) and isinstance(value, int) and not isinstance(value, bool):
        return
    raise UserError(f"{agent}: {setting} is like {default!r}, not {value!r}.")


def _count(settings: dict[str, Any]) -> str:
    if not settings:
        return "no settings"
    return f"at most {len(settings)} setting{'s' if len(settings) > 1 else ''} ({', '.join(settings)})"


def _parse(spec: str) -> tuple[str, list[Any], dict[str, Any]]:
    """A specification's name, settings by place and settings by name."""
    name, bracket, _ = spec.strip().partition("(")
    name = name.strip()
    if not bracket:
        return name, [], {}
    try:
        call = ast.parse(f"agent({spec.strip()[len(name) :].strip()[1:-1]})", mode="eval").body
        if (
            not spec.strip().endswith(")")
            or not isinstance(call, ast.Call)
            or not isinstance(call.func, ast.Name)
            or len({each.arg for each in call.keywords} - {None}) < len(call.keywords)
        ):
            raise ValueError
        given = [_value(each) for each in call.args]
        return name, given, {str(each.arg): _value(each.value) for each in call.keywords}
    except (ValueError, SyntaxError):
        raise UserError(f"{spec!r} is no agent: write a name, or a name with settings such as anxious(2).") from None


def _value(node: ast.expr) -> Any:
    """A setting's value, in Python's spelling or as `true` and `false`."""
    if isinstance(node, ast.Name) and node.id in ("true", "false"):
        return node.id == "true"
    return ast.literal_eval(node)
