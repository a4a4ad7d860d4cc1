"""Who plays in the study, and the rules with more of a game counted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from feint import registry
from feint.agent import Memory, at_game
from feint.chance import Key
from feint.game import Game, option, pytree
from feint.games.okey.agents import melded
from feint.games.okey.counting import Expectation, Greedy
from feint.games.okey.evaluation import Choices
from feint.games.okey.game import Okey
from feint.games.okey.hand import pairs_away
from feint.games.okey.state import DECLARE, DISCARD, FINISH, FINISH_WITH_JOKER, SHOW, State
from feint.games.okey.tiles import one, split
from feint.games.okey.view import View

FORGETFUL, BLOCKER = "forgetful greedy", "blocker"
SHORT = (3, 4, 5, 6)  # tiles that whoever declares pairs is short of them, at most


@dataclass(frozen=True)
class Counted(Okey):
    """The same game, of which more is counted."""

    def events(self, state: State, action: Array) -> dict[str, Array]:
        view = self.observe(state, state.current_player)
        discards = action >= DISCARD
        finishes = (action == FINISH) | (action == FINISH_WITH_JOKER)
        says = (action == SHOW) | (action == DECLARE)
        first = (state.turn < self.players) & (state.drawing | (state.turn == 0)) & ~says
        more = {
            "turns": discards | finishes,
            "jokers dealt": jnp.where(first, split(view.rack, view.okey)[1], 0),  # before anything was drawn
            "no free tile": discards & ~state.legal_action_mask[FINISH] & (free(view) == 0),
        }
        return super().events(state, action) | {name: each.astype(jnp.int32) for name, each in more.items()}


THESIS = Counted(**Counted.presets["thesis"])
FOUR = Counted()


def free(view: View) -> Array:
    """How many tiles of a rack are in no meld of three or four that is there without jokers, int32."""
    return (view.rack * (melded(view) == 0)).sum(dtype=jnp.int32)


@pytree
class Collector(Expectation):
    """An `expectation` with two more habits; as it stands, a `greedy`."""

    pairs: float = option(0.0, "see `expectation`", least=0, most=10)
    feed: float = option(0.0, "see `expectation`", least=0, most=1000)
    forgets: bool = option(False, "knows of no discard but the last, as the thesis' agent does")
    declares: int = option(-1, "declares pairs when so many tiles are missing, or fewer", least=-1, most=14)

    def act(self, memory: Memory, view: View, legal: Array, key: Key) -> tuple[Array, Memory]:
        remembered = replace(
            view,
            lying=jnp.where(self.forgets, one(view.available), view.lying),
            known=jnp.where(self.forgets, jnp.int8(0), view.known),
        )
        action, memory = super().act(memory, remembered, legal, key)
        short = pairs_away(*split(view.rack, view.okey))
        return jnp.where(legal[DECLARE] & (short <= self.declares), DECLARE, action), memory

    def values(self, view: View, seen: Choices) -> Array:
        if self.game.pairs != "declared":
            return super().values(view, seen)
        declared = (view.declared & (jnp.arange(view.players) == view.seat)).any()
        return jnp.where(declared, self._pairs(view, seen), self.melds(view, seen))


@pytree
class Counting:
    """Those who count, in every chair one with settings of its own: one program plays them all."""

    heavy: ClassVar[bool] = True

    chairs: Collector  # its numbers by chair, [chairs]
    game: Any

    def begin(self, game: Game[Any, Any], seat: Array, key: Key) -> Collector:
        return jax.tree.map(lambda each: each[seat], self.chairs)

    def act(self, memory: Collector, view: View, legal: Array, key: Key) -> tuple[Array, Memory]:
        return replace(memory, game=self.game).act((), view, legal, key)[0], memory

    def finish(self, memory: Memory, view: View, rewards: Array, key: Key) -> Memory:
        return memory


def declaring(short: int) -> str:
    """The name of a `greedy` that declares pairs when it is short of so many tiles, or fewer."""
    return f"declares at {short}"


STUDY_AGENTS: dict[str, Callable[[], Collector]] = {
    FORGETFUL: lambda: Collector(forgets=True),
    BLOCKER: lambda: Collector(feed=1000.0),
} | {declaring(short): lambda short=short: Collector(declares=short) for short in SHORT}


def made(name: str, game: Okey) -> Any:
    """An agent by name, as it sits down; those who count are collectors of the same habits."""
    if name in STUDY_AGENTS:
        return STUDY_AGENTS[name]()
    agent: Any = registry.make_agent(name, game)
    if not isinstance(agent, Greedy):
        return at_game(agent, game)
    habits = ("wide", "near", "pairs", "feed", "defend")
    return Collector(**{habit: getattr(agent, habit) for habit in habits if hasattr(agent, habit)})


def stacked(collectors: Sequence[Collector]) -> Collector:
    """Several as one, whose numbers are arrays."""
    return jax.tree.map(lambda *each: jnp.asarray(np.array(each)), *collectors)
