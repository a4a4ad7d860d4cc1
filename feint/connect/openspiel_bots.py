"""Bots of OpenSpiel at tables of feint: `openspiel-bot:uniform_random`, `openspiel-bot:mcts(simulations=200)`, at any game that OpenSpiel can be shown.

A bot of OpenSpiel is asked what it does in a state. It is shown one that fits what its player sees, drawn anew for every question and as likely as it
is where everybody moves at random, so that even a bot which looks into the state, as mcts does, learns nothing of the cards that lie on the table.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from feint.connect.openspiel_games import Listed, library
from feint.errors import UserError, did_you_mean
from feint.game import Game
from feint.outside import Question
from feint.visible import shortened, visible

PREFIX = "openspiel-bot:"
MCTS = {"simulations": 100, "uct_c": 2.0, "rollouts": 1}  # what can be set of it, and what it is
MEMORY = 100  # megabytes that a search may take
MOST = 100_000  # states of a game of feint's that are looked through

Shown = Callable[[Any, np.random.Generator], Any]  # a pyspiel.State for a view


class OpenSpielBot:
    """A bot of OpenSpiel. All its chance comes from the seed of its place, so that a match is played the same again."""

    def __init__(self, spec: str, game: Game[Any, Any]) -> None:
        pyspiel = library()
        self.spec, self._pyspiel = f"{PREFIX}{spec}", pyspiel
        self.name, self._given = _parsed(spec, pyspiel)
        self._game, self._shown = _shower(game)

    def decide(self, questions: Sequence[Question]) -> list[int]:
        """What it does at each table."""
        return [self._answer(each) for each in questions]

    def act(self, view: Any, legal: np.ndarray) -> int:
        """What it does at one table."""
        return self._answer(Question(view, legal))

    def ended(self, *_: Any) -> None:
        """It does not want to know how games end."""

    def _answer(self, question: Question) -> int:
        random = np.random.default_rng([question.place.own_seed, question.move])
        state = self._shown(question.view, random)
        bot = self._made(int(question.view.seat), int(random.integers(2**31)))
        if not bot.provides_policy():
            return int(bot.step(state))
        actions, chances = zip(*bot.get_policy(state), strict=True)
        return int(random.choice(actions, p=np.array(chances) / sum(chances)))

    def _made(self, seat: int, seed: int) -> Any:
        if self.name != "mcts":
            return self._pyspiel.load_bot(self.name, self._game, seat, self._given)
        given = MCTS | self._given
        rollouts = self._pyspiel.RandomRolloutEvaluator(given["rollouts"], seed)
        return self._pyspiel.MCTSBot(
            self._game, rollouts, given["uct_c"], given["simulations"], MEMORY, solve=True, seed=seed, verbose=False
        )


def sit_down(spec: str, game: Game[Any, Any]) -> OpenSpielBot:
    """A bot by its name in OpenSpiel, with parameters as they are written there."""
    return OpenSpielBot(spec.strip(), game)


def _parsed(spec: str, pyspiel: Any) -> tuple[str, dict[str, Any]]:
    """A bot's name and its parameters."""
    name, bracket, rest = spec.partition("(")
    known = sorted([*pyspiel.registered_bots(), "mcts"])
    shown = shortened(visible(spec), 60)
    if name not in known:
        raise UserError(
            f"OpenSpiel has no bot called {shortened(visible(name), 60)!r}.{did_you_mean(name, known)} There are: {', '.join(known)}."
        )
    if bracket and rest.find(")") != max(0, len(rest) - 1):
        raise UserError(
            f"{PREFIX}{shown} is not a bot: write a name, or a name with parameters such as mcts(simulations=200)."
        )
    given = pyspiel.game_parameters_from_string(spec)
    given.pop("name", None)
    fits = (each in MCTS and type(value) in (int, type(MCTS[each])) and value > 0 for each, value in given.items())
    if name == "mcts" and not all(fits):
        raise UserError(
            f"{PREFIX}{shown}: mcts takes {', '.join(f'{each}={usual}' for each, usual in MCTS.items())}, each above 0."
        )
    return name, given


@lru_cache(maxsize=8)
def _shower(game: Game[Any, Any]) -> tuple[Any, Shown]:
    """The game as OpenSpiel has it, and what shows a bot a state of it."""
    if isinstance(game, Listed):
        return game.listing.game, _of_listed(game)
    from feint.connect.openspiel import OpenSpielGame

    exported = OpenSpielGame(game)
    return exported, _of_ours(exported)


def _of_listed(game: Listed) -> Shown:
    begin, member, upto = (game.listing.tables[name] for name in ("begin", "member", "upto"))

    def shown(view: Any, random: np.random.Generator) -> Any:
        first, end = begin[int(view.information) :][:2]
        found = member[min(first + np.searchsorted(upto[first:end], random.random(), "right"), end - 1)]
        return game.listing.state(int(found))

    return shown


def _of_ours(exported: Any) -> Shown:
    """States of a game of feint by what the player to move sees there."""
    from feint.connect.listing import played

    found: dict[str, list[list[int]]] = {}
    weights: dict[str, list[float]] = {}
    todo, count = [(exported.new_initial_state(), 1.0)], 0
    while todo:
        state, weight = todo.pop()
        count += 1
        if count > MOST:
            raise UserError(
                f"{exported.rules.game} is too large for bots of OpenSpiel: {MOST:,} states were seen, which is the limit, and there are more."
            )
        if state.is_chance_node():
            todo += [(state.child(outcome), weight * chance) for outcome, chance in state.chance_outcomes()]
        elif not state.is_terminal():
            seen = state.observation_string(state.current_player())
            found.setdefault(seen, []).append(state.history())
            weights.setdefault(seen, []).append(weight)
            legal = state.legal_actions()
            todo += [(state.child(action), weight / len(legal)) for action in legal]

    def shown(view: Any, random: np.random.Generator) -> Any:
        seen = exported.observed(view)
        chances = np.array(weights[seen])
        return played(exported, found[seen][random.choice(len(chances), p=chances / chances.sum())])

    return shown
