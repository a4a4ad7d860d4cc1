"""Limit Hold'em: its rules, its evaluation of hands, its agents and its words."""
