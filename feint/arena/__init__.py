"""Many games at once, compiled."""
