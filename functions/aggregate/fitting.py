"""How large a head may be: what it must carry stays, rows and records give way. Pure."""

import gzip

from aggregate.board import cut_rows
from aggregate.progress import thin
from ledger.snapshots import Head

MAX_HEAD_BYTES = 10_000
"""Gzipped: what a phone waits for before it sees a board."""
SIZES = (
    *((100, 200), (100, 100), (100, 50), (100, 25)),
    *((80, 25), (60, 25), (50, 25), (40, 20), (30, 20), (20, 10), (10, 10)),
)
"""(rows, records) of a head, the first that fit; all rows are in the rows file."""


def fit_head(head: Head) -> Head:
    """Give the head with as many of its rows and records as fit into MAX_HEAD_BYTES; the least where nothing fits.

    Args:
        head: With all rows and all records.
    """
    fitted = head
    for rows, records in SIZES:
        fitted = head.model_copy(
            update={"rows": cut_rows(head.rows, rows), "best_over_time": thin(head.best_over_time, records)}
        )
        if measure_head(fitted) <= MAX_HEAD_BYTES:
            return fitted
    return fitted


def measure_head(head: Head) -> int:
    """Give the size of a head as it travels, in bytes."""
    return len(gzip.compress(head.model_dump_json().encode(), compresslevel=6, mtime=0))
