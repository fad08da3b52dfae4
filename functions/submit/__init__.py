"""Accepts results and reports what became of them; it never scores."""

import handlers  # noqa: F401  # before all else: it puts off the search for garbage
