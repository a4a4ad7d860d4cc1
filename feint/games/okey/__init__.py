"""Okey, the Turkish game of tiles: its rules, its hand solver, its agents and its words."""
