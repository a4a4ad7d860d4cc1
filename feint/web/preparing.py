"""Games and agents made ready before somebody waits for them: compiled in the background, each once."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from feint.agent import is_compiled
from feint.errors import UserError
from feint.game import Game
from feint.web.company import Sitting, act, begin, finish, seated
from feint.web.match import PERSON, Chair, Round, deal_out
from feint.web.refusals import Refusal

MOVES = 8  # of a game that is played to have everything compiled
MOST_GAMES = 60  # games with options of their own that one process holds


class Preparing:
    """What is ready, and what is being made so."""

    def __init__(self) -> None:
        self.threads = ThreadPoolExecutor(2, "compiling")
        self._begun: dict[Any, asyncio.Future[None]] = {}
        self._games: set[Game] = set()

    async def game(self, game: Game) -> None:
        """Return once a game's rules and words are compiled."""
        if game not in self._games and len(self._games) >= MOST_GAMES:
            raise Refusal("busy", "Too many different games are being played here. Choose the usual options.")
        self._games.add(game)
        await self._once(game, lambda: _rehearse(game))

    async def agents(self, game: Game, specs: Iterable[str]) -> None:
        """Return once agents can answer at a game that is ready."""
        for spec in dict.fromkeys(specs):
            await self._once((game, spec), lambda spec=spec: _meet(game, spec))  # type: ignore[misc]

    def is_ready(self, game: Game) -> bool:
        task = self._begun.get(game)
        return task is not None and task.done()

    async def _once(self, what: Any, make: Callable[[], None]) -> None:
        if what not in self._begun:
            self._begun[what] = asyncio.get_running_loop().run_in_executor(self.threads, make)
        begun = self._begun[what]
        if begun.done() and begun.exception() is None:
            return
        try:
            await asyncio.shield(begun)
        except UserError:
            self._begun.pop(what, None)
            raise

    def close(self) -> None:
        self.threads.shutdown(wait=False, cancel_futures=True)


def _rehearse(game: Game) -> None:
    """Some moves of a game, with all that is told of them."""
    round = Round(game, 0, deal_out(game), [Chair(PERSON)] * game.players)
    for _ in range(MOVES):
        for chair in (*range(game.players), None):
            round.message(chair)
        _ = round.table.winners
        round.table.state()
        if round.table.over:
            break
        round.follow([random.choice(np.flatnonzero(round.table.legal).tolist())])


def _meet(game: Game, spec: str) -> None:
    """An agent's first answer."""
    dealt = deal_out(game)
    sitting = Sitting(spec, seated(spec, game), (0, 0))
    begin(game, sitting, 0, dealt.secret)
    if is_compiled(sitting.agent):
        round = Round(game, 0, dealt, [Chair(PERSON)] * game.players)
        act([round.question(sitting)])
        finish(sitting, round.table.view(0), round.table.rewards, 0, dealt.secret)
