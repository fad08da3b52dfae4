"""What an evaluation script may import."""

from typing import NamedTuple

DEFAULT_RUNTIME = "science"
"""Of a script that names none: numpy, scipy and pandas of the platform's release."""


class Runtime(NamedTuple):
    """A name, and the hash of the lock of its packages.

    Of the default runtime, and before a benchmark is published, there is no lock.
    """

    name: str = DEFAULT_RUNTIME
    lock: str | None = None


SCIENCE = Runtime()
