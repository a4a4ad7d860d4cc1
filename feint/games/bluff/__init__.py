"""Bluff, also called Cheat or I Doubt It: its rules, what a player sees, its agents, its words."""
