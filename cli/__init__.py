"""`laurel`: score results with the code of the platform, publish benchmarks, submit results, read boards."""

import sys

# httpx imports the code of a command of its own, and with it click, pygments and most of rich, but does without it.
sys.modules.setdefault("httpx._main", None)  # type: ignore[arg-type]  # documented: the import then fails
