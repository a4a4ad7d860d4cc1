"""Exact answers: game trees, equilibria, best responses."""
