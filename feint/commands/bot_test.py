"""The body of `feint bot-test`."""

from __future__ import annotations

from collections.abc import Sequence

from feint.connect.bots.bot import Refused
from feint.connect.bots.trial import trial
from feint.errors import UserError
from feint.registry import game_names, is_outside
from feint.terminal.seating import chosen_game
from feint.visible import visible

BROKEN = 1  # the exit code where something is wrong with a bot


def test_bot(bot: str, name: str | None, options: Sequence[str], games: int, limit: float | None) -> int:
    """Try a bot at one game, or at every game, and say what is wrong with it. The exit code."""
    if options and not name:
        raise UserError("--option and --players go with --game: games have other options than each other.")
    spec = bot if is_outside(bot) else f"process:{bot}"
    tried: list[bool] = []
    for each in [name] if name else game_names():
        game = chosen_game(each, options)
        try:
            for right, sentence in trial(spec, game, games, limit):
                tried.append(right)
                print(visible(f"{game.name}: {sentence}"), flush=True)
        except Refused as refused:
            if name:
                raise
            print(visible(f"{game.name}: {refused}"), flush=True)
    well = bool(tried) and all(tried)
    print("All is well." if well else "Something is wrong with it." if tried else "It plays none of these games.")
    return 0 if well else BROKEN
