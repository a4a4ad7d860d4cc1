"""Writes docs/gallery.md from the files beside it, docs/gallery/*.json, each as `feint gallery GAME AGENT --save FILE` left it."""

from itertools import groupby
from pathlib import Path

from feint import registry
from feint.commands.gallery import opponents, told
from feint.learn.evaluate import LEVEL, Score
from feint.learn.gallery import read, scores_in
from feint.options import changed
from feint.terminal.screen import titled

HERE = Path(__file__).parent
PAGE, FOLDER = HERE / "gallery.md", HERE / "gallery"
HEAD = f"""# Gallery

Every game has fixed tables at which any agent can be measured, with players of every temper and some of those that ship: an agent that is strong beside those it
learned from may be weak beside others. Here are the agents that ship but Okey's, whose games take long, and who stand on [their own page](games/okey.md#agents), and the model of Hold'em's players, each from its worst table to its best, in all orders of seats (in every rotation where more than four
play), with {LEVEL:.0%} intervals. Tables of an agent's own kind are left out, since there it has its share by symmetry.

This page is written by `python docs/gallery.py` from what the commands below saved in docs/gallery/; [matches and tournaments](arena.md) says how they are used.
"""


def page() -> str:
    """The whole page."""
    files = sorted(FOLDER.glob("*.json"), key=lambda path: (read(path)["game"], path.name))
    parts = [HEAD]
    for game, same in groupby(files, key=lambda path: read(path)["game"]):
        parts += [f"## {titled(registry.make(game))}\n", *map(section, same)]
    return "\n".join(parts)


def section(path: Path) -> str:
    """One agent at all tables of its game."""
    kept = read(path)
    game = registry.make(kept["game"], **kept["options"])
    options = "".join(f" -o {text}" for text in changed(game))
    command = f"feint gallery {game.name} {kept['agent']}{options} --games {kept['games']} --seed {kept['seed']}"
    command += f" --length {kept['length']}" if kept.get("length", 1) > 1 else ""
    scores = sorted(scores_in(path, kept), key=lambda score: score.told.estimate)
    what = "games won, %" if scores[0].measure == "wins" else game.unit.name or "payoff"
    lines = [f"### {kept['agent']}\n", f"`{command} --save docs/gallery/{path.name}`\n"]
    if len(scores) < len(kept["tables"]):
        played = f"{len(scores)} of {len(kept['tables'])} tables have been played"
        lines.append(f"{played}; the same command plays the others.\n")
    lines += [f"| beside | games | {what} | interval |", "|---|---|---|---|"]
    return "\n".join([*lines, *map(row, scores)]) + "\n"


def row(score: Score) -> str:
    """One table."""
    estimate, around = told(score)
    return f"| {opponents(score)} | {score.games:,} | {estimate} | {around} |"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
