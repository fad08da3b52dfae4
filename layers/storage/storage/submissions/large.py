"""The parts of large results: which may be named, and which are kept no longer."""

from collections.abc import Container
from datetime import datetime, timedelta
from itertools import groupby

from storage.gateway.bucket import Bucket
from storage.keys import LARGE_PREFIX, NAMED

RESUMABLE = timedelta(days=7)
"""A part that is older is uploaded again, unless a submission names it."""
_ABANDONED = RESUMABLE + timedelta(days=1)


def list_parts(results: Bucket, folder: str, now: datetime) -> frozenset[str]:
    """Return the hashes of the parts that are there, and may be named."""
    written = dict(results.list_modified(folder))
    is_named = folder + NAMED in written
    return frozenset(name.removeprefix(folder) for name, at in written.items() if is_named or at > now - RESUMABLE)


def tidy_parts(
    results: Bucket, benchmark: str, *, now: datetime, keep: timedelta | None, besides: Container[str]
) -> int:
    """Delete parts that are kept no longer, or abandoned; return of how many results.

    Args:
        results: The results bucket.
        benchmark: The benchmark.
        now: The present time.
        keep: How long parts are kept that a submission named; None: always.
        besides: The folders of results whose parts are needed.
    """
    deleted = 0
    listed = results.list_modified(f"{LARGE_PREFIX}{benchmark}/")
    for folder, objects in groupby(listed, lambda each: each[0].rpartition("/")[0] + "/"):
        written = dict(objects)
        named = written.get(folder + NAMED)
        since, most = (max(written.values()), _ABANDONED) if named is None else (named, keep)
        if most is not None and since <= now - most and folder not in besides:
            results.delete_all(written)
            deleted += 1
    return deleted
