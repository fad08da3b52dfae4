"""Moves what was committed from the log of the store to its file, beside the writers."""

import time
from pathlib import Path
from typing import Final

from engine.store import Store
from local.work.dispatcher import OneAtATime

PAUSE_SECONDS: Final = 5.0
LOG_BYTES: Final = 16 * 2**20
"""From this size on the log is emptied."""


def make_checkpoints(store: Store) -> OneAtATime:
    """Return what the dispatcher asks.

    Args:
        store: A connection of its own, for which nothing else waits.
    """
    log = Path(f"{store.path}-wal")
    due, seen = time.monotonic() + PAUSE_SECONDS, 0

    def is_due(_: object) -> bool:
        return time.monotonic() >= due and log.exists() and log.stat().st_mtime_ns != seen

    def step() -> bool:
        nonlocal due, seen
        due, seen = time.monotonic() + PAUSE_SECONDS, log.stat().st_mtime_ns
        store.checkpoint(log_bytes=LOG_BYTES)
        return False

    return OneAtATime("checkpoints", is_due, step)
