"""Thinking at the table: an agent's best actions are played on in hidden worlds before one of them is taken."""
