"""Games small enough that their exact answers are known."""
