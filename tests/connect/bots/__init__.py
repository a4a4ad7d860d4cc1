"""Bots: other programs at the table."""
