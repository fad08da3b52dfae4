"""Keeps the folders of boards clean, and tries whether results are accepted."""

import handlers  # noqa: F401  # before all else: it puts off the search for garbage
