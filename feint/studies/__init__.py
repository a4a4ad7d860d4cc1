"""Published experiments run again: one file each, which `feint.registry` finds by name."""
