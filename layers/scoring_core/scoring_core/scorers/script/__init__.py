"""The benchmark owner's own script."""
