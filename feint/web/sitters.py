"""The agents at a table, and all that they remember of its match."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from feint.game import Game
from feint.web import company, queries
from feint.web.company import Sitting
from feint.web.house import House
from feint.web.match import OPEN, Chair, Round


class Sitters:
    """By chair, agents that were needed. One that is not known any more is asked again whatever it was asked in the match."""

    def __init__(self, house: House, id: str, game: Game) -> None:
        self.house, self.id, self.game = house, id, game
        self.dealt: dict[int, queries.GameRow] = {}  # the games of the match, by number
        self._known: dict[int, Sitting] = {}

    def forget(self, chair: int) -> None:
        """Somebody else may sit there by now."""
        self._known.pop(chair, None)

    def missed(self, all_of_it: bool = False) -> None:
        """Moves were made of which they were not asked, or a whole game: whoever remembers has to look back."""
        self._known = {chair: who for chair, who in self._known.items() if not (all_of_it or who.remembers)}

    async def at(self, chair: int, who: Chair, round: Round) -> Sitting:
        """The agent in a chair, with all that it remembers of the match."""
        known = self._known.get(chair)
        if known is not None and (known.spec, known.since) == (who.agent, who.since):
            return known
        assert who.agent is not None
        agent = await self.house.engine(company.seated, who.agent, self.game)
        sitting = Sitting(who.agent, agent, who.since)
        await self.house.engine(company.begin, self.game, sitting, chair, self.dealt[who.since[0]].dealt.secret)
        if sitting.remembers:
            await self._remember(sitting, chair, round)
        self._known[chair] = sitting
        return sitting

    async def finish(self, chairs: Sequence[Chair], round: Round) -> None:
        """A game has ended, and all who remember are told."""
        for chair, who in enumerate(chairs):
            if who.agent is not None:
                sitting = await self.at(chair, who, round)
                if sitting.remembers:
                    await self.house.engine(_finish, sitting, chair, round)

    def know(self, games: Mapping[int, queries.GameRow]) -> None:
        """The games of the match by now."""
        self.dealt |= games

    async def _remember(self, sitting: Sitting, chair: int, round: Round) -> None:
        moves_now = round.table.moves
        for number in range(sitting.since[0], round.number + 1):
            moves = await self.house.database.read(partial(queries.moves_of, id=self.id, round=number))
            if number == round.number:
                moves = moves[:moves_now]
            again = await self.house.engine(
                Round, self.game, number, self.dealt[number].dealt, [Chair(OPEN)] * self.game.players
            )
            for move in moves:
                if again.chair == chair and (number, move.number) >= sitting.since:
                    await self.house.company.ask(again.question(sitting))
                await self.house.engine(again.follow, [move.action])
            if again.table.over and number < round.number:
                await self.house.engine(_finish, sitting, chair, again)


def _finish(sitting: Sitting, chair: int, round: Round) -> None:
    seat, table = round.seat(chair), round.table
    company.finish(sitting, table.view(seat), table.rewards, seat, round.dealt.secret)
