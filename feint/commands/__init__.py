"""What each command of the command line does: it takes what was typed, shows how it goes and gives the exit code."""
