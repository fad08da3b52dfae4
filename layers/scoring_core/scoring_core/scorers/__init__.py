"""The five scorers."""
