"""Groups: a code for a class or friends, and their rows of a board."""
