"""Populations of strategies: which grow, which are stable, which take over."""
