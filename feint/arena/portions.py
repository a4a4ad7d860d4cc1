"""A match in portions: so many matches of one seating or a few of each of several, played and counted by whoever has been given them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import jax
import numpy as np

from feint import registry
from feint.agent import Agent, PlainAgent, at_game, check_playable, is_compiled
from feint.arena import hosted, rollout
from feint.arena.seated import Seated
from feint.arena.tally import counted
from feint.errors import UserError
from feint.game import Game
from feint.seating import spec_of

Seating = Sequence[int]  # the agent in each seat
Piece = tuple[int, int, int]  # the number of a seating, its first match and how many
Portion = Sequence[Piece]
OF_A_FILE = "policy:"  # specifications of agents that are kept in a file, which other machines may not have


@dataclass(frozen=True, eq=False)
class Player:
    """What plays the portions of one match, here or, pickled, elsewhere: then agents go by their specifications where they were named."""

    game: Game[Any, Any]
    named: Sequence[str | Agent | PlainAgent]
    agents: Sequence[Any]  # whoever was named, sat down
    seatings: Sequence[tuple[int, ...]]
    seed: int
    length: int
    duplicate: bool
    tables: int  # in play at once
    at_a_time: int  # matches in one call at the most
    limit: float | None  # seconds that a plain agent may take for an answer
    together: bool  # whether tables of several seatings are in play at once

    def __call__(self, portion: Portion) -> list[Seated]:
        played, parts, at = self._play(portion), [], 0
        for number, first, count in portion:
            here = jax.tree.map(lambda leaf, at=at, count=count: leaf[at : at + count], played)
            parts.append(counted(self.game, self.seatings[number], self.seed, first, here, self.duplicate))
            at += count
        return parts

    @cached_property
    def _play(self) -> Callable[[Portion], rollout.Outcomes]:
        return self._compiled() if all(map(is_compiled, self.agents)) else self._asked

    def _asked(self, portion: Portion) -> rollout.Outcomes:
        [(number, first, count)] = portion
        names = [spec_of(agent) for agent in self.named]
        how = {"seed": self.seed, "length": self.length, "limit": self.limit}
        return hosted.play(self.game, self.agents, names, self.seatings[number], first=first, matches=count, **how)  # type: ignore[arg-type]

    def _compiled(self) -> Callable[[Portion], rollout.Outcomes]:
        distinct, which = _distinct(self.agents)
        seated = np.array([[which[agent] for agent in seating] for seating in self.seatings], np.int32)
        # The same for all seatings, so that one compilation serves them.
        counts = tuple(int((seated == number).sum(axis=1).max()) for number in range(len(distinct)))

        def play(portion: Portion) -> rollout.Outcomes:
            numbers, firsts, sizes = (np.array(each) for each in zip(*portion, strict=True))
            if self.together:
                seating = np.repeat(seated[numbers], sizes, axis=0)
                first = np.concatenate([start + np.arange(count) for _, start, count in portion])
            else:
                seating, first = seated[numbers[0]], firsts[0]
            outcomes, _ = rollout.play(
                self.game,
                distinct,
                seating,
                seed=self.seed,
                first=first,
                matches=int(sizes.sum()),
                length=self.length,
                lanes=self.tables,
                capacity=self.at_a_time,
                counts=counts,
            )
            return jax.device_get(outcomes)

        return play

    def __reduce__(self) -> tuple[Any, ...]:
        sent = [_sent(*each) for each in zip(self.named, self.agents, strict=True)]
        rest = [getattr(self, each.name) for each in fields(self)[3:]]
        return _received, (self.game, sent, *rest)


def _received(game: Game[Any, Any], named: Sequence[Any], *rest: Any) -> Player:
    return Player(game, named, [sat_down(agent, game) for agent in named], *rest)


def sat_down(agent: str | Agent | PlainAgent, game: Game[Any, Any]) -> Any:
    """An agent that can play, by its specification or as it is given."""
    made = registry.make_agent(agent, game) if isinstance(agent, str) else agent
    check_playable(made, spec_of(agent))
    return at_game(made, game)


def _sent(named: Any, agent: Any) -> Any:
    """An agent as it goes to another machine: by name, or else all that it is."""
    if isinstance(named, str) and OF_A_FILE not in named:
        return named
    if not is_compiled(agent):
        raise UserError(
            f"{spec_of(named)} plays on this machine only: leave out --on, or whoever is not compiled and has no name."
        )
    return agent


def _distinct(agents: Sequence[Agent]) -> tuple[list[Agent], list[int]]:
    """The agents without their doubles, which play as one that sits several times, and which of them each is.

    Sorted by what they are: agents in any order share a compilation.
    """
    distinct: list[Agent] = []
    for agent in sorted(agents, key=lambda agent: str(jax.tree.structure(agent))):
        distinct += [agent] * (not any(_same(agent, other) for other in distinct))
    return distinct, [next(n for n, other in enumerate(distinct) if _same(agent, other)) for agent in agents]


def _same(one: Agent, other: Agent) -> bool:
    (ones, form), (others, other_form) = jax.tree.flatten(one), jax.tree.flatten(other)
    return form == other_form and all(  # type: ignore[operator]
        a is b or (type(a) is type(b) and np.array_equal(a, b)) for a, b in zip(ones, others, strict=True)
    )
