"""Submission ids, and all S3 keys, both ways: a key follows from the id alone. No other code writes or parses one.

Ids are UUIDv7 (RFC 9562), so they sort by time; that of a row of an earlier board is a UUIDv8 of the same layout.
"""

import hashlib
import re
import uuid
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import NamedTuple

from scoring_core.outcome import TAKEN_OVER, VERSION_AT
from scoring_core.urls import MAIN_BOARD as MAIN_BOARD  # noqa: PLC0414  # others have it from here

RESULTS_PREFIX = "results/"
DROPS_PREFIX = "drops/"
DOWNLOADS_PREFIX = "downloads/"
BENCHMARKS_PREFIX = "benchmarks/"
AUDIT_PREFIX = "audit/"
INCOMING_PREFIX = "incoming/"
OUTCOMES_PREFIX = "outcomes/"
LARGE_PREFIX = "large/"
NAMED = "named"
"""What is in the folder of a result's parts once a submission names them."""
BOARDS_PREFIX = "data/b/"
INDEX_KEY = "data/index.json"
START_PAGE_KEY = "data/index.html"
HEAD_FILE = "head.json"
"""What a board has under the same name in every version."""

_RESULT = re.compile(
    r"results/(?P<benchmark>[a-z0-9-]{1,64})/(?P<date>\d{4}-\d{2}-\d{2})/(?P<submission>[0-9a-f-]{36})"
)
_BATCH = re.compile(
    r"drops/(?P<benchmark>[a-z0-9-]{1,64})/(?P<player>[a-z0-9][a-z0-9-]{0,63})/(?P<name>[^/].*)", re.DOTALL
)
type Clock = Callable[[], datetime]
type Randomness = Callable[[int], bytes]

SHARED_LENGTH = 13
"""Characters that carry the time, the hyphen between them included."""
_PATTERN = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[78][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)
_MAX_MILLISECONDS = (datetime.max.replace(tzinfo=UTC) - _EPOCH) // _MILLISECOND


def utc_now() -> datetime:
    """Return the current time in UTC."""
    return datetime.now(UTC)


def make_submission_id(moment: datetime, randomness: bytes) -> str:
    """Return the id of a submission; 74 of the 10 random bytes' bits are used."""
    milliseconds = (moment - _EPOCH) // _MILLISECOND
    bits = milliseconds << 80 | int.from_bytes(randomness[:10])
    bits = bits & ~(0xF << 76) | 0x7 << 76
    bits = bits & ~(0x3 << 62) | 0x2 << 62
    return str(uuid.UUID(int=bits))


def first_id(moment: datetime) -> str:
    """Return the least id that a submission of this moment can have."""
    return make_submission_id(max(moment, _EPOCH), bytes(10))


def derive_submission_id(moment: datetime, *, key: str, version_id: str, entry: str) -> str:
    """Return the id of one entry of a batch, the same each time the batch is read.

    `moment` is the object's LastModified, so all ids of a batch share their first `SHARED_LENGTH` characters. The entry
    "" gives the id of the batch itself.
    """
    # A key may contain any character. With the lengths, no two batches hash alike.
    named = "".join(f"{len(part)}:{part}" for part in (key, version_id, entry))
    return make_submission_id(moment, hashlib.sha256(named.encode("utf-8", "surrogatepass")).digest())


def derive_row_id(moment: datetime, *, player: str, row: str) -> str:
    """Return the id of a row of an earlier board, the same each time."""
    derived = derive_submission_id(moment, key=player, version_id="", entry=row)
    return f"{derived[:VERSION_AT]}{TAKEN_OVER}{derived[VERSION_AT + 1 :]}"


def is_submission_id(text: str) -> bool:
    """Return whether a text is a canonical id with a time before the year 10000."""
    return _PATTERN.fullmatch(text) is not None and milliseconds_of(text) <= _MAX_MILLISECONDS


def time_of(submission: str) -> datetime:
    """Return the moment of a submission id, in UTC and to the millisecond."""
    return _EPOCH + milliseconds_of(submission) * _MILLISECOND


def milliseconds_of(submission: str) -> int:
    """Return the moment of a submission id in milliseconds since 1970."""
    return int(submission[:8] + submission[9:13], 16)


class ResultKey(NamedTuple):
    """The key of a raw result; the date follows from the id."""

    benchmark: str
    submission: str

    def __str__(self) -> str:
        return f"{RESULTS_PREFIX}{self.benchmark}/{time_of(self.submission).date()}/{self.submission}"


def parse_result_key(key: str) -> ResultKey | None:
    """Parse a key of the results bucket; None if it is not a raw result's."""
    match = _RESULT.fullmatch(key)
    if match is None or not is_submission_id(match["submission"]):
        return None
    parsed = ResultKey(benchmark=match["benchmark"], submission=match["submission"])
    return parsed if str(parsed) == key else None


class ReportedKey(NamedTuple):
    """The key of what an owner's runner made of a result under a version."""

    benchmark: str
    submission: str
    version: str

    def __str__(self) -> str:
        return f"{OUTCOMES_PREFIX}{self.benchmark}/{self.submission}/{self.version}.json"

    @property
    def result(self) -> ResultKey:
        """The key of the raw result."""
        return ResultKey(self.benchmark, self.submission)


def parse_scorable_key(key: str) -> ResultKey | None:
    """Return the raw result that is to be scored, or was scored by a runner."""
    prefix, _, rest = key.partition("/")
    names = rest.split("/")
    if f"{prefix}/" != OUTCOMES_PREFIX or len(names) != len(ReportedKey._fields):
        return parse_result_key(key)
    return ResultKey(names[0], names[1]) if is_submission_id(names[1]) else None


class BatchKey(NamedTuple):
    """The key of a batch; its name may contain folders."""

    benchmark: str
    player: str
    name: str

    def __str__(self) -> str:
        return f"{DROPS_PREFIX}{self.benchmark}/{self.player}/{self.name}"

    @property
    def file(self) -> str:
        """The last part of the name."""
        return self.name.rpartition("/")[2]


def parse_batch_key(key: str) -> BatchKey | None:
    """Parse a key of the results bucket; None if it is not a batch's."""
    match = _BATCH.fullmatch(key)
    return BatchKey(match["benchmark"], match["player"], match["name"]) if match else None


def large_folder(benchmark: str, *, player: str, sha256: str) -> str:
    """Return the prefix of the parts of a player's result."""
    return f"{LARGE_PREFIX}{benchmark}/{player}/{sha256}/"


def upload_prefix(benchmark: str, *, player: str, upload: str) -> str:
    """Return the prefix of the one file of an upload."""
    return f"{BatchKey(benchmark, player, upload)}/"


def report_key(benchmark: str, *, player: str, batch: str) -> str:
    """Return the key of a batch's report."""
    return f"{report_prefix(benchmark, player=player)}{batch}.json"


def report_prefix(benchmark: str, *, player: str) -> str:
    """Return the prefix of a player's reports, which are in order of time."""
    return f"{reports_prefix(benchmark)}{player}/"


def reports_prefix(benchmark: str) -> str:
    """Return the prefix of the reports of a benchmark, below it those of each player."""
    return f"reports/{benchmark}/"


def download_key(key: ResultKey, *, day: date) -> str:
    """Return the key of a raw result's copy, which expires a day later (UTC)."""
    return f"{DOWNLOADS_PREFIX}{day}/{key.benchmark}/{key.submission}"


def download_file_key(benchmark: str, *, day: date, name: str) -> str:
    """Return the key of a file of submissions, which expires a day later (UTC)."""
    return f"{DOWNLOADS_PREFIX}{day}/{benchmark}/{name}"


def results_prefix(benchmark: str) -> str:
    """Return the prefix of a benchmark's raw results, which are in order of time."""
    return f"{RESULTS_PREFIX}{benchmark}/"


def record_key(benchmark: str, *, submission: str, version: str, digest: str) -> str:
    """Return the key of a record's long output."""
    return f"records/{benchmark}/{submission}/{version}.{digest}.json"


def audit_day(moment: datetime) -> str:
    """Return the prefix of a day's audit entries (UTC)."""
    return f"{AUDIT_PREFIX}{moment:%Y-%m-%d}/"


def audit_key(entry: str) -> str:
    """Return the key of an audit entry; the day follows from its id, a UUIDv7."""
    return f"{audit_day(time_of(entry))}{entry}.json"


def bundle_key(benchmark: str, *, version: str, sha256: str) -> str:
    """Return the key of a published bundle.

    Texts are no part of a version. So that a publisher never replaces another's bundle, the key names the content.
    """
    return f"{BENCHMARKS_PREFIX}{benchmark}/{version}/{sha256}.zip"


def current_key(benchmark: str) -> str:
    """Return the key of the pointer to the published version."""
    return f"{BENCHMARKS_PREFIX}{benchmark}/current.json"


def incoming_key(benchmark: str, player: str, publication: str) -> str:
    """Return the key of a bundle that was uploaded, and is not published yet."""
    return f"{INCOMING_PREFIX}{benchmark}/{player}/{publication}.zip"


def publication_request_key(benchmark: str, player: str, publication: str) -> str:
    """Return the key of the request to publish a bundle, beside that."""
    return f"{INCOMING_PREFIX}{benchmark}/{player}/{publication}.json"


def publication_key(benchmark: str, player: str, publication: str) -> str:
    """Return the key of the report of a publication."""
    return f"publications/{benchmark}/{player}/{publication}.json"


def operation_key(operation: str) -> str:
    """Return the key of an operation and of its report."""
    return f"operations/{operation}.json"


def moving_prefixes(benchmark: str) -> tuple[str, ...]:
    """Return the prefixes of what moves of a benchmark in the results bucket.

    Raw results come last: their arrival is an event, and finds there all that it needs.
    """
    folders = (BENCHMARKS_PREFIX, "records/", "reports/", LARGE_PREFIX, OUTCOMES_PREFIX, RESULTS_PREFIX)
    return tuple(f"{folder}{benchmark}/" for folder in folders)


def board_prefix(benchmark: str, board: str) -> str:
    """Return the prefix of what a board has in the site bucket, whatever its version."""
    return f"data/b/{benchmark}/" if board == MAIN_BOARD else f"data/b/{benchmark}/boards/{board}/"


def files_prefix(benchmark: str, board: str = MAIN_BOARD, *, version: str | None = None) -> str:
    """Return the prefix of a board's head and of the objects that it names.

    The files of the main board have no version in their address: its head says which one all boards show. Without a
    version there are no files of another board, but the site leads from there to those of today.
    """
    prefix = board_prefix(benchmark, board)
    return prefix if board == MAIN_BOARD or version is None else f"{prefix}{version}/"


def boards_prefix(benchmark: str) -> str:
    """Return the prefix of the folders of all boards but the main one."""
    return f"data/b/{benchmark}/boards/"


def boards_key(benchmark: str) -> str:
    """Return the key of the list of a benchmark's boards, in the site bucket."""
    return f"data/b/{benchmark}/boards.json"


def corrections_key(benchmark: str) -> str:
    """Return the key of the list of a benchmark's corrections, in the site bucket."""
    return f"data/b/{benchmark}/corrections.json"


def head_key(benchmark: str, board: str = MAIN_BOARD, *, version: str | None = None) -> str:
    """Return the key of a board's head, in the site bucket."""
    return files_prefix(benchmark, board, version=version) + HEAD_FILE


def board_page_key(benchmark: str) -> str:
    """Return the key of the served page of a main board, in the site bucket."""
    return f"{board_prefix(benchmark, MAIN_BOARD)}index.html"


def croissant_key(benchmark: str) -> str:
    """Return the key of the description of a main board's data, in the site bucket."""
    return f"{board_prefix(benchmark, MAIN_BOARD)}croissant.json"


def unnamed_key(folder: str) -> str:
    """Return the key of the list of what nothing names in a board's folder."""
    return f"{folder}unnamed.json"
