"""Data sets: made, read by others, learned from."""
