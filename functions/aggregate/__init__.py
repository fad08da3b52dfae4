"""Updates boards: from submission records to board entries, standings and the files that the site reads."""

import handlers  # noqa: F401  # before all else: it puts off the search for garbage
