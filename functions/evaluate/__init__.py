"""Scores results: from the message that announces one to its submission records."""
