"""Answers HTTP, all but what takes results. It has no right to write one."""

import handlers  # noqa: F401  # before all else: it puts off the search for garbage
