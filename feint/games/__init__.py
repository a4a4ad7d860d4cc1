"""The games of feint, each in a folder of its own with all that belongs to it."""
