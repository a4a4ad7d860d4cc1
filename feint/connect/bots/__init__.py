"""Anybody's bots: programs in any language that are asked about many tables at once, in JSON. docs/bots.md says how they are written."""

from feint.connect.bots.bot import Bot, hire, hired

__all__ = ["Bot", "hire", "hired"]
