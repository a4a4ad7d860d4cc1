"""The bodies of `feint acpc`: a dealer for bots, a seat at one, and what to do with logs."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from feint import registry
from feint.arena.show import Paper, grid, number, plain
from feint.arena.statistics import LEVEL, mean
from feint.commands.match import bar
from feint.connect import phh as phh_file
from feint.connect.acpc import audit, dealer
from feint.connect.acpc.client import Client, connected
from feint.connect.acpc.client import play as play_at
from feint.connect.acpc.dealer import Broken, Dealer, Limits
from feint.connect.acpc.match_log import MatchLog
from feint.connect.phh import MANY, ONE
from feint.errors import UserError
from feint.files import check_writable, locked, write_whole
from feint.games.holdem import acpc, definition
from feint.games.holdem.acpc import Log
from feint.games.holdem.game import Holdem
from feint.interrupts import on_ctrl_c
from feint.visible import visible
from feint.words import counted

FAILED = 1  # the exit code of a match that broke off, or of a log that is not by the rules
NAME = re.compile(r"[^\s:|/]{1,40}")


def defined(path: Path | str) -> Holdem:
    """The game of a definition file."""
    return Holdem(**definition.read(path))


# ---- a seat at a dealer's


def play(host: str, port: int, agent: str, game: Path | None, seed: int, wait: float, level: float = LEVEL) -> int:
    """Sit down at a dealer's, play until it hangs up, and say what came of it; the exit code."""
    chosen = defined(game) if game else None
    if chosen or ":" not in agent:  # of a file, an agent may be one for more players than the usual two
        registry.make_agent(agent, chosen or Holdem())
    passed_over: list[str] = []

    def ignored(why: str) -> None:
        if not passed_over:
            print(f"feint: {visible(why)} Others like it will be, too, without a word.", file=sys.stderr)
            passed_over.append(why)

    client: Client | None = None
    with on_ctrl_c(lambda: f"Stopped after {counted(len(client.paid) if client else 0, 'hand')}."):
        client = Client(agent, chosen, seed)
        lines = connected(host, port, wait)
        try:
            play_at(lines, client, ignored)
        finally:
            lines.close()
    if client.game and client.paid:
        _standings({agent: client.paid}, client.game, level)
    if client.in_hand or not client.paid:
        print("feint: The dealer hung up before the hand was over.", file=sys.stderr)
        return FAILED
    return 0


# ---- a dealer


def deal(
    game: Path,
    hands: int,
    seed: int,
    ports: Sequence[int],
    names: Sequence[str],
    agents: Sequence[str],
    host: str,
    log: Path | None,
    fresh: bool,
    limits: Limits,
    level: float = LEVEL,
) -> int:
    """Host a match of bots, or go on with one, and say what came of it; the exit code."""
    rules = defined(game)
    inside = _inside(agents, rules)
    names = names or [f"p{seat + 1}" for seat in range(rules.players)]
    _check_seats(rules, ports, names, inside)
    path = log or Path("runs", "acpc", f"{game.stem}-{hands}-{seed}.log")
    with ExitStack() as stack:
        stack.enter_context(locked(path, "The log"))
        kept = MatchLog(path, _header(path, game, hands, seed, limits), names, fresh)
        if kept.finished:
            raise UserError(f"The match of {path} is finished: feint acpc check shows it, and --fresh plays it anew.")
        waited_for = [seat for seat in range(rules.players) if seat not in inside]
        servers = dealer.listening(stack, host, ports or [0] * len(waited_for))
        kept.begin()
        if servers:
            print(*(server.getsockname()[1] for server in servers), flush=True)
        stack.enter_context(on_ctrl_c(lambda: f"Stopped after {_of(kept, hands)}; the same command goes on."))
        waiting = [(seat, names[seat], server) for seat, server in zip(waited_for, servers, strict=True)]
        table = dealer.seated(rules, inside, seed)
        try:
            bots = dealer.arrived(stack, waiting, limits, hands)
            at = Dealer(table, bots, kept)
            with bar(hands, 0, "hands") as told:
                for _ in at.catch_up():
                    told(1)
                while len(kept.hands) < hands:
                    at.play_hand()
                    told(1)
        except Broken as why:
            print(
                f"feint: {visible(why)}: the match broke off after {_of(kept, hands)}; the same command goes on.",
                file=sys.stderr,
            )
            return FAILED
        print(kept.finish(), flush=True)
        for bot in bots:
            if bot.ignored or bot.changed:
                told = f"{counted(bot.ignored, 'line')} passed over, {counted(bot.changed, 'action')} taken for a call"
                print(f"feint: {visible(bot)}: {told}.", file=sys.stderr)
        _standings(audit.by_player(Log(tuple(kept.hands))), rules, level)
    return 0


def _of(log: MatchLog, hands: int) -> str:
    return f"{max(len(log.hands), len(log.found))} of {counted(hands, 'hand')}, which {log.path} keeps"


def _inside(agents: Sequence[str], rules: Holdem) -> dict[int, str]:
    """Who sits within the dealer, from what was written, such as 2=always-call: by seat, from 0."""
    found: dict[int, str] = {}
    for each in agents:
        seat, equals, spec = each.partition("=")
        if (
            not equals
            or not re.fullmatch(r"\d{1,2}", seat)
            or not 1 <= int(seat) <= rules.players
            or int(seat) - 1 in found
        ):
            raise UserError(
                f"--seat must be a seat from 1 to {rules.players}, each at most once, and an agent, such as 2=always-call, not {each!r}."
            )
        registry.make_agent(spec, rules)
        found[int(seat) - 1] = spec
    return found


def _check_seats(rules: Holdem, ports: Sequence[int], names: Sequence[str], inside: dict[int, str]) -> None:
    bots = rules.players - len(inside)
    if len(names) != rules.players or len(set(names)) < len(names) or not all(map(NAME.fullmatch, names)):
        raise UserError(
            f"--names must be {rules.players} different names of up to 40 characters without blanks, colons, bars and slashes."
        )
    if ports and len(ports) != bots:
        raise UserError(f"--ports must be {counted(bots, 'port')}, one for each bot, not {len(ports)}.")


def _header(path: Path, game: Path, hands: int, seed: int, limits: Limits) -> list[str]:
    """What a log begins with, times in milliseconds."""
    times = {"t_response": limits.response, "t_hand": limits.hand, "t_per_hand": limits.per_hand}
    lines = [f"#--{name} {round(1000 * seconds)}" for name, seconds in times.items()]
    return [f"# name/game/hands/seed {path.stem} {game.name} {hands} {seed}", *lines]


# ---- logs


def check_log(path: Path, game: Path | None, level: float) -> int:
    """Play a log again and say whether it is by the rules, and what everybody won; the exit code."""
    log = acpc.read_log(path)
    rules = _rules_of(log, path, game)
    found = list(audit.faults(rules, log))
    for fault in found[:10]:
        print(fault, file=sys.stderr)
    if found:
        print(f"{path} is not by the rules of {rules}: {counted(len(found), 'fault')}.", file=sys.stderr)
        return FAILED
    print(f"{path}: {counted(len(log.hands), 'hand')} by the rules of {rules}, every value exact.")
    _standings(audit.by_player(log), rules, level)
    return 0


def phh(path: Path, out: Path, game: Path | None) -> int:
    """Make a PHH file of a log, or a log of a PHH file; the exit code."""
    check_writable(out, "The hands")
    with on_ctrl_c(lambda: f"Stopped; {out} is as it was."):
        if path.suffix in (ONE, MANY):
            _, log = phh_file.read(path)
            write_whole(out, str(log), "The log")
        else:
            log = acpc.read_log(path)
            phh_file.write(out, _rules_of(log, path, game), log)
    print(f"{counted(len(log.hands), 'hand')} in {out}.")
    return 0


def _rules_of(log: Log, path: Path, game: Path | None) -> Holdem:
    """The game of a definition, or the ACPC's for as many as a log has."""
    if not log.hands:
        raise UserError(f"{path} has no hands.")
    return defined(game) if game else Holdem(players=len(log.hands[0].hole))


def _standings(paid: dict[str, list[float]], rules: Holdem, level: float) -> None:
    """What everybody won, the best first."""
    unit = rules.unit
    shown = grid("", ["player", "hands", unit.total, unit.name, f"{level:.0%} interval"])
    for name, values in sorted(paid.items(), key=lambda each: -sum(each[1]) / len(each[1])):
        told = number(mean(values, level).scaled(unit.scale), unit.places)
        shown.add_row(plain(name), f"{len(values):,}", f"{round(sum(values), 2):+,.12g}", *told)
    Paper().print(shown)
