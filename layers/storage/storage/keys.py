"""Every S3 key, both ways. Nobody else writes or reads one by hand."""

import re
from datetime import date, datetime
from typing import NamedTuple

from storage.ids import is_submission_id, time_of

RESULTS_PREFIX = "results/"
DROPS_PREFIX = "drops/"
DOWNLOADS_PREFIX = "downloads/"
BENCHMARKS_PREFIX = "benchmarks/"
AUDIT_PREFIX = "audit/"
INDEX_KEY = "data/index.json"

_RESULT = re.compile(
    r"results/(?P<benchmark>[a-z0-9-]{1,64})/(?P<date>\d{4}-\d{2}-\d{2})/(?P<submission>[0-9a-f-]{36})"
)
_DROP = re.compile(
    r"drops/(?P<benchmark>[a-z0-9-]{1,64})/(?P<player>[a-z0-9][a-z0-9-]{0,63})/(?P<name>[^/].*)", re.DOTALL
)


class ResultKey(NamedTuple):
    """Where a raw result lies; the date follows from the id."""

    benchmark: str
    submission: str

    def __str__(self) -> str:
        return f"{RESULTS_PREFIX}{self.benchmark}/{time_of(self.submission):%Y-%m-%d}/{self.submission}"


def parse_result_key(key: str) -> ResultKey | None:
    """Give what a key of the results bucket names; None where it is no raw result's."""
    match = _RESULT.fullmatch(key)
    if match is None or not is_submission_id(match["submission"]):
        return None
    parsed = ResultKey(benchmark=match["benchmark"], submission=match["submission"])
    return parsed if str(parsed) == key else None


class BatchKey(NamedTuple):
    """Where a drop lies; its name may hold folders."""

    benchmark: str
    player: str
    name: str

    def __str__(self) -> str:
        return f"{DROPS_PREFIX}{self.benchmark}/{self.player}/{self.name}"

    @property
    def file(self) -> str:
        """The last step of the name."""
        return self.name.rpartition("/")[2]


def parse_batch_key(key: str) -> BatchKey | None:
    """Give what a key of the results bucket names; None where it is no drop's."""
    match = _DROP.fullmatch(key)
    return BatchKey(match["benchmark"], match["player"], match["name"]) if match else None


def upload_prefix(benchmark: str, *, player: str, upload: str) -> str:
    """Give below what the one file of an upload lies."""
    return f"{BatchKey(benchmark, player, upload)}/"


def report_key(benchmark: str, *, player: str, batch: str) -> str:
    """Give where the report of a drop lies."""
    return f"reports/{benchmark}/{player}/{batch}.json"


def download_key(key: ResultKey, *, day: date) -> str:
    """Return where the copy of a raw result lies that may be downloaded; a day later it has expired.

    Args:
        key: Of the raw result.
        day: On which it was asked for, in UTC.
    """
    return f"{DOWNLOADS_PREFIX}{day}/{key.benchmark}/{key.submission}"


def results_prefix(benchmark: str) -> str:
    """Give what the keys of a benchmark's raw results begin with; below it they are in order of time."""
    return f"{RESULTS_PREFIX}{benchmark}/"


def record_key(benchmark: str, *, submission: str, version: str, digest: str | None = None) -> str:
    """Give where the long output of a submission lies.

    Args:
        benchmark: The benchmark's id.
        submission: The submission's id.
        version: The benchmark version.
        digest: That of the output, as the item names it; None where the item names none, as old ones do.
    """
    return f"records/{benchmark}/{submission}/{version}{f'.{digest}' if digest else ''}.json"


def audit_day(moment: datetime) -> str:
    """Give what the keys of a day's audit lines begin with.

    Args:
        moment: In UTC.
    """
    return f"{AUDIT_PREFIX}{moment:%Y-%m-%d}/"


def audit_key(line: str) -> str:
    """Give where a line of the audit trail lies; the day follows from its id, a UUIDv7."""
    return f"{audit_day(time_of(line))}{line}.json"


def bundle_key(benchmark: str, *, version: str) -> str:
    """Give where a published bundle lies."""
    return f"{BENCHMARKS_PREFIX}{benchmark}/{version}/bundle.zip"


def current_key(benchmark: str) -> str:
    """Give where the pointer to the published version lies."""
    return f"{BENCHMARKS_PREFIX}{benchmark}/current.json"


def head_key(benchmark: str) -> str:
    """Give where a board's head lies, in the site bucket."""
    return f"data/b/{benchmark}/head.json"


def rows_key(benchmark: str, *, sequence: int, digest: str) -> str:
    """Give where a board's rows lie, in the site bucket; such an object is never changed."""
    return f"data/b/{benchmark}/rows.{sequence}-{digest}.json"


def badge_key(benchmark: str, *, suffix: str) -> str:
    """Give where a board's badge lies, in the site bucket.

    Args:
        benchmark: The benchmark's id.
        suffix: `svg` or `json`.
    """
    return f"data/b/{benchmark}/badge.{suffix}"
