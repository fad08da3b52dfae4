"""How large a head may be: rows, records and at last the description give way; what it must carry stays. Pure."""

import gzip
from bisect import bisect_left
from typing import NamedTuple

from aggregate.board import cut_rows
from aggregate.improvements import downsample
from scoring_core.benchmarks.definition import MAX_DESCRIPTION_BYTES
from scoring_core.io.text import cut_markdown
from storage.boards.models import Head

MAX_HEAD_BYTES = 10_000
"""Gzipped: what a phone waits for before it sees a board."""


class Size(NamedTuple):
    """How many rows and records a head holds, and how many bytes of the description."""

    rows: int
    records: int
    description: int = MAX_DESCRIPTION_BYTES


SIZES = (
    *(Size(100, records) for records in (200, 100, 50, 25)),
    *(Size(rows, 25) for rows in (80, 60, 50)),
    *(Size(rows, 20) for rows in (40, 30)),
    *(Size(rows, 10) for rows in (20, 10)),
    *(Size(10, 10, description) for description in (32_000, 16_000, 8_000, 4_000, 2_000, 0)),
)
"""Each smaller than the one before; all rows are in the rows file, the whole description is on the submit page."""
CUT = "*The description goes on where results are submitted.*"


def trim_head(head: Head) -> Head:
    """Return the head in the largest size that fits into MAX_HEAD_BYTES; in the smallest where none fits.

    A search by halves, so a head is packed five times at most. The smallest size is bounded by what a definition may
    hold: one of forty columns with long texts may be larger than MAX_HEAD_BYTES.

    Args:
        head: With all rows, all records and the whole description.
    """
    index = bisect_left(SIZES, True, key=lambda size: measure_head(_cut(head, size)) <= MAX_HEAD_BYTES)  # noqa: FBT003  # the value that is looked for
    return _cut(head, SIZES[min(index, len(SIZES) - 1)])


def measure_head(head: Head) -> int:
    """Return the size of a head as it travels, in bytes."""
    return len(gzip.compress(head.model_dump_json().encode(), compresslevel=6, mtime=0))


def _cut(head: Head, size: Size) -> Head:
    return head.model_copy(
        update={
            "rows": cut_rows(head.rows, size.rows),
            "best_over_time": downsample(head.best_over_time, size.records),
            "description": cut_markdown(head.description, max_bytes=size.description, note=CUT),
        }
    )
