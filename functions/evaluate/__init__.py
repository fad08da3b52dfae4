"""Scores results: from the notice that one has come to the one record of what became of it."""
