"""Tests for anyone's games: the conformance suite, and recorded playthroughs that make a change of rules visible."""

from feint.testing.complaint import ConformanceError
from feint.testing.conformance import Report, check_game
from feint.testing.playthrough import playthrough_text

__all__ = ["ConformanceError", "Report", "check_game", "playthrough_text"]
