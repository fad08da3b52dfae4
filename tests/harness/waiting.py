"""Waiting for what other threads and processes do."""

import time
from collections.abc import Callable

MAX_SECONDS = 120
"""Much longer than anything takes on a busy machine: a test that waits so long fails."""


def wait_for[Value](probe: Callable[[], Value]) -> Value:
    """Return the first value of a probe that is neither false nor empty; fail if there is none in two minutes."""
    deadline = time.monotonic() + MAX_SECONDS
    while not (value := probe()):
        assert time.monotonic() < deadline, f"nothing within {MAX_SECONDS} seconds"
        time.sleep(0.02)
    return value
