"""Games at the keyboard: the screen, who sits where, playing, and looking back at a game."""
