"""Scores results: from the message that announces one to its submission records."""

import handlers  # noqa: F401  # before all else: it puts off the search for garbage
