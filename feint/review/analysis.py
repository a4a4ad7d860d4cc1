"""What each decision of a game was worth: hidden worlds dealt anew, every choice played out in them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import jax
import numpy as np

from feint import chance
from feint.agent import Agent
from feint.arena.statistics import LEVEL, Interval
from feint.errors import UserError
from feint.game import Game
from feint.record import Record
from feint.review import answers
from feint.review.agents import compiled_agent, default_agent
from feint.review.data import Choice, Decision, Point, Review
from feint.review.estimates import Sample
from feint.review.played import Moment, Played
from feint.review.playouts import FREE, Player
from feint.review.told import turns
from feint.review.worlds import CANDIDATES, Dealer, Past
from feint.seating import is_person, spec_of
from feint.words import Narration, narration

PLAYOUTS = 2000  # games a decision, unless told
MOST_PLAYOUTS = 100_000
POINTS = 8  # of the curve in as many games as a decision takes
SHORT = 64  # moves: the curve of games of no more has a point for each


@dataclass(frozen=True)
class Analyst:
    """Tells the worth of choices in one game by one agent's play."""

    played: Played
    agent: Agent
    dealer: Dealer
    player: Player
    words: Narration

    @classmethod
    def of(cls, played: Played, named: str | Agent, playouts: int, seed: int) -> Analyst:
        game = played.game
        check_playouts(playouts, game)
        chance.check_seed(seed)
        agent = compiled_agent(named, game)
        return cls(
            played,
            agent,
            Dealer(game, agent, seed),
            Player(game, agent, playouts, seed),
            narration(game, played.names),
        )

    @property
    def by_wins(self) -> bool:
        return self.played.game.measure == "wins"

    def decision(self, past: Past, number: int) -> Decision:
        """What each choice was worth to a seat at one of its own moves, as far as it could know."""
        moment = self._moment(past, number)
        choices = [int(action) for action in np.flatnonzero(moment.legal)]
        worlds = self.dealer.worlds(past, number)
        picked = worlds.picked(max(self.player.playouts // len(choices), 1))
        found = self.player.results(moment.move, worlds.states, picked, choices, moment.paid)
        values = found.wins if self.by_wins else found.payoffs * self.played.game.unit.scale
        sample = Sample(values[:, :, past.seat].astype(float), picked, self.by_wins)
        taken = past.own[number] if number < len(past.own) else None
        cost, sure = sample.cost(choices.index(taken)) if taken is not None else (Interval(0.0, 0.0, 0.0), False)
        ignored = worlds.how == "alike" and moment.move > number  # others have moved, and what that tells was left out
        likely = answers.chances(self.played.game, self.agent, moment, self.player.seed)
        words = narration(self.played.game, self.played.names, past.seat)
        return Decision(
            move=moment.move,
            seat=past.seat,
            question=words.question(moment.view, moment.legal),
            seen=words.show(moment.view),
            advice=words.advice(moment.view),
            choices=sorted(
                (
                    Choice(
                        action, self.words.game.describe(moment.view, action), sample.value(nth), float(likely[action])
                    )
                    for nth, action in enumerate(choices)
                ),
                key=lambda choice: -choice.value.estimate,
            ),
            chosen=taken,
            cost=cost,
            mistake=sure and not ignored,
            how=worlds.how,
            since=worlds.since,
            effective=round(worlds.effective, 1),
            games=len(picked),
        )

    def _moment(self, past: Past, number: int) -> Moment:
        return self.played.moments[past.at[number]]

    def points(self, moves: Sequence[int]) -> list[Point]:
        """What the game was worth to everybody after these numbers of moves, as it truly stood."""
        each = max(self.player.playouts // POINTS, 1)
        here = [self.played.moments[move] for move in moves]
        states = jax.tree.map(
            lambda *leaves: np.resize(np.stack(leaves), (CANDIDATES, *leaves[0].shape)), *[m.state for m in here]
        )
        picked = np.repeat(np.arange(len(here)), each)
        found = self.player.results(moves[0], states, picked, [FREE])
        return [
            self._point(moment, found.payoffs[rows, 0], found.wins[rows, 0])
            for moment, rows in zip(here, np.split(np.arange(len(picked)), len(here)), strict=True)
        ]

    def _point(self, moment: Moment, payoffs: np.ndarray, wins: np.ndarray) -> Point:
        values = wins if self.by_wins else (payoffs + moment.paid) * self.played.game.unit.scale
        sample = Sample(values.astype(float), np.arange(len(values)), self.by_wins)
        return Point(moment.move, [sample.value(seat) for seat in range(self.played.game.players)])

    def end(self) -> Point:
        """What came of the game."""
        played = self.played
        values = played.winners if self.by_wins else played.payoffs * played.game.unit.scale
        return Point(len(played.actions), [Interval(*[float(value)] * 3) for value in values])


def reviewing(
    record: Record,
    agent: str | Agent | None = None,
    playouts: int = PLAYOUTS,
    seed: int = 0,
    seats: Sequence[int] | None = None,
) -> Iterator[Review]:
    """The review of a finished game as it grows, from one in which only the moves are told to the one in which all is worked out.

    `seats` are the positions whose decisions are looked at, those of people unless told.
    """
    if not record.over:
        raise UserError("This game was left before its end: go on with it by feint play --resume, and review it then.")
    played = Played.of(record)
    looked_at = _seats(played, seats)
    named = default_agent(played.game) if agent is None else agent
    analyst = Analyst.of(played, named, playouts, seed)
    told = list(turns(record))
    pasts = {seat: played.past(seat) for seat in looked_at}
    decisions = [
        (seat, number)
        for seat, past in pasts.items()
        for number, at in enumerate(past.at)
        if played.moments[at].legal.sum() > 1
    ]
    decisions.sort(key=lambda each: pasts[each[0]].at[each[1]])
    # Of a long game, the turns alone.
    moves = (
        list(range(len(played.actions))) if len(played.actions) <= SHORT else [0, *(turn.move for turn in told[:-1])]
    )
    parts = [moves[first : first + POINTS] for first in range(0, len(moves), POINTS)]
    asked = [seat for seat in range(played.game.players) if not is_person(played.specs[seat])]
    so_far = Review(
        game=record.game,
        options=record.options,
        names=played.names,
        agent=spec_of(named),
        playouts=playouts,
        seed=seed,
        unit="chance" if analyst.by_wins else played.game.unit.name,
        level=LEVEL,
        payoffs=[float(paid) for paid in played.payoffs * played.game.unit.scale],
        winners=[int(seat) for seat in np.flatnonzero(played.winners)],
        turns=told,
        curve=[],
        decisions=[],
        answers=[],
        done=0,
        work=len(parts) + len(decisions) + 1,
    )
    yield so_far
    so_far = replace(so_far, answers=answers.told(played, asked))
    for part in parts:
        so_far = replace(so_far, curve=[*so_far.curve, *analyst.points(part)], done=so_far.done + 1)
        yield so_far
    so_far = replace(so_far, curve=[*so_far.curve, analyst.end()])
    for seat, number in decisions:
        decided = analyst.decision(pasts[seat], number)
        so_far = replace(so_far, decisions=[*so_far.decisions, decided], done=so_far.done + 1)
        yield so_far
    found = answers.in_order(so_far.answers, answers.sampled(played, asked, seed))
    yield replace(so_far, answers=[answers.advised(played, each) for each in found], done=so_far.done + 1)


def review(
    record: Record,
    agent: str | Agent | None = None,
    playouts: int = PLAYOUTS,
    seed: int = 0,
    seats: Sequence[int] | None = None,
) -> Review:
    """What each decision of a finished game was worth: see `reviewing`, which gives what there is on the way."""
    *_, whole = reviewing(record, agent, playouts, seed, seats)
    return whole


def hint(record: Record, agent: str | Agent | None = None, playouts: int = PLAYOUTS, seed: int = 0) -> Decision:
    """What each choice is worth to whoever is to move in a game that is on, and what an agent would do, by what that seat may know alone."""
    if record.over:
        raise UserError("This game is over: a hint is for a game that is on.")
    played = Played.of(record)
    past = played.past(played.moments[-1].player)
    analyst = Analyst.of(played, default_agent(played.game) if agent is None else agent, playouts, seed)
    return analyst.decision(past, len(past.at) - 1)


def check_playouts(playouts: int, game: Game[Any, Any]) -> None:
    least = max(100, game.actions)
    if not least <= playouts <= MOST_PLAYOUTS:
        raise UserError(f"Play-outs must be a whole number from {least} to {MOST_PLAYOUTS:,}, not {playouts}.")


def _seats(played: Played, seats: Sequence[int] | None) -> list[int]:
    """The positions to look at."""
    players = played.game.players
    named = ", ".join(f"{seat + 1} {name}" for seat, name in enumerate(played.names))
    for seat in seats or ():
        if not 0 <= seat < players:
            raise UserError(f"There is no seat {seat + 1} in this game, which has: {named}.")
    found = sorted(set(seats)) if seats else [seat for seat in range(players) if is_person(played.specs[seat])]
    if not found:
        raise UserError(f"Nobody in this game is a person: choose a seat to look at, of {named}.")
    return found
