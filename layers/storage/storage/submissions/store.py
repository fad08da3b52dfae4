"""Raw results in S3 and their records in the submissions table."""

import hashlib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date
from typing import NamedTuple

from scoring_core.outcome import Outcome
from storage.gateway.bucket import Bucket
from storage.gateway.conditions import Absent, AtLeast, Equals, Item, ItemCondition, Prefix, SortCondition
from storage.gateway.errors import Conflict, NotFound, UnknownObject
from storage.gateway.schema import Schema
from storage.gateway.table import Page, Table, TableIndex
from storage.keys import NAMED, SHARED_LENGTH, ResultKey, download_file_key, download_key, record_key
from storage.submissions.models import (
    Submission,
    SubmissionRecord,
    record_from_item,
    sort_key,
    split_sort_key,
    submission_from_metadata,
)

MAX_INLINE_OUTPUT_BYTES = 16_384
RESULT_SECONDS = 15 * 60
"""How long an address of a result, a file or an output works."""
_SHORT = (
    "benchmark", "submission_version", "schema", "submission", "version", "player", "kind", "verified", "part",
    "drop", "label", "format", "late", "outcome", "revision", "scores", "evaluations", "message", "pointer",
    "signature", "recorded_at", "rescored", "in_review", "frozen", "blind",
)  # fmt: skip
"""The attributes that a record is read from, except its long output."""
_BY_PLAYER = TableIndex("by_player", "benchmark_player", _SHORT)
_AFTER = "$"
"""Sorts after the `#` that ends the submission in a sort key."""
_BY_FAILURE = TableIndex("by_failure", "failed_benchmark")


class RawResult(NamedTuple):
    """A submission and the bytes that were submitted."""

    submission: Submission
    body: bytes


class BatchOutcomes(NamedTuple):
    """The records of a batch by submission, and which submissions are withdrawn.

    A record that waits for the owner is `in_review`; one that was accepted no longer is.
    """

    records: Mapping[str, SubmissionRecord]
    withdrawn: frozenset[str]


class SubmissionStore:
    """Raw results, never lost and never changed; one terminal record for each (submission, version)."""

    def __init__(self, table: Table, bucket: Bucket) -> None:
        self.table, self.bucket = table, bucket

    def put_result(self, submission: Submission, body: bytes) -> bool:
        """Store a raw result; once this returns it is never lost.

        Return False if it existed already. Raises Busy if calls met each time, and perhaps no result is stored.
        """
        key, metadata = ResultKey(submission.benchmark, submission.id), submission.to_metadata()
        if submission.parts_folder:  # before, or they could be deleted
            self.bucket.overwrite(submission.parts_folder + NAMED, b"{}")
        try:
            self.bucket.put(str(key), body, replacing=None, content_type=submission.media_type, metadata=metadata)
        except Conflict:
            return False
        return True

    def get_result(self, key: ResultKey) -> RawResult:
        """Read a raw result. Raises NotFound, UnknownObject."""
        stored = self.bucket.get(str(key))
        return RawResult(_read_submission(key, stored.info.metadata), stored.body)

    def get_short_result(self, key: ResultKey, *, max_bytes: int) -> bytes | None:
        """Read a raw result; None if it is longer, in parts, or does not exist."""
        stored = self.bucket.find_short(str(key), max_bytes=max_bytes)
        return None if stored is None or "large" in stored.info.metadata else stored.body

    def share_result(self, submission: Submission, *, day: date) -> str:
        """Return a URL from which anybody can download a raw result for a while.

        It is the URL of a copy: S3 sends the metadata of an object with it, and a raw result's metadata has the receipt
        and the origin. There is one copy a day, and it expires. Raises NotFound.
        """
        key = ResultKey(submission.benchmark, submission.id)
        ending = submission.file_format if submission.large is None else "parts.json"
        copy, name = download_key(key, day=day), f"{key.benchmark}-{key.submission}.{ending}"
        if self.bucket.find_info(copy) is None:
            self.bucket.copy(str(key), copy, content_type="application/octet-stream")
        return self.bucket.sign_download(copy, filename=name, seconds=RESULT_SECONDS)

    def share_file(self, benchmark: str, file: bytes, *, name: str, day: date) -> str:
        """Store a file of submissions for a day, and return a URL that downloads it."""
        key = download_file_key(benchmark, day=day, name=name)
        self.bucket.put(key, file, replacing=None, content_type="application/octet-stream")
        return self.bucket.sign_download(key, filename=f"{benchmark}-{name}", seconds=RESULT_SECONDS)

    def sign_long_output(self, benchmark: str, *, submission: str, version: str) -> str:
        """Return a URL that downloads a record's long output. Raises NotFound."""
        item = self._find_item(benchmark, submission=submission, version=version)
        if item is None or "long_output" in item:
            raise NotFound(f"the record of {submission} has no long output in S3")
        name = f"{benchmark}-{submission}-detail.json"
        return self.bucket.sign_download(_long_output_key(item), filename=name, seconds=RESULT_SECONDS)

    def find_submission(self, key: ResultKey) -> Submission | None:
        """Read a submission without its body; None if there is none. Raises UnknownObject."""
        info = self.bucket.find_info(str(key))
        return None if info is None else _read_submission(key, info.metadata)

    def put_record(
        self, record: SubmissionRecord, *, replacing_failure: bool = True, replacing: SubmissionRecord | None = None
    ) -> bool:
        """Record an outcome; the first terminal one wins. Return whether this one did.

        Only `internal_error` is replaced, and only by another outcome; without `replacing_failure` nothing is. So is
        `replacing`, whose scores were those of a late result. Long output is written before the item.
        """
        long_output = record.long_output()
        is_long = len(long_output.encode()) > MAX_INLINE_OUTPUT_BYTES
        submission, digest = record.submission, None
        if is_long:
            # Concurrent evaluators write separate objects; the winning item names its own.
            digest = hashlib.sha256(long_output.encode()).hexdigest()[:16]
            key = record_key(submission.benchmark, submission=submission.id, version=record.version, digest=digest)
            self.bucket.overwrite(key, long_output.encode())
        condition: ItemCondition = Absent("benchmark")
        if replacing_failure and record.outcome is not Outcome.INTERNAL_ERROR:
            condition |= Equals("outcome", Outcome.INTERNAL_ERROR.value)
        if replacing is not None:
            condition |= Equals("recorded_at", replacing.recorded_at)
        item = record.to_item(long_output=None if is_long else long_output) | {"long_output_digest": digest}
        return self.table.put_if(Schema.RECORD, item, condition)

    def find_record(
        self, benchmark: str, *, submission: str, version: str, detailed: bool = False
    ) -> SubmissionRecord | None:
        """Read a record (consistent), `detailed` with its long output; None without one."""
        item = self._find_item(benchmark, submission=submission, version=version)
        if item is None:
            return None
        if not detailed or "long_output" in item:
            return record_from_item(item)
        return record_from_item(item, long_output=self.bucket.get(_long_output_key(item)).body.decode())

    def _find_item(self, benchmark: str, *, submission: str, version: str) -> Item | None:
        return self.table.get_item(benchmark=benchmark, submission_version=sort_key(submission, version))

    def find_records(self, benchmark: str, submissions: Iterable[str], *, version: str) -> list[SubmissionRecord]:
        """Read the records of submissions under a version, in any order. Raises Busy."""
        names = [sort_key(submission, version) for submission in submissions]
        keys = [{"benchmark": benchmark, "submission_version": name} for name in names]
        return [record_from_item(item) for item in self.table.get_many(keys)]

    def list_records_of(self, benchmark: str, *, submission: str) -> list[SubmissionRecord]:
        """Read the records of a submission under every version (consistent)."""
        return list(self._read_records(benchmark, Prefix("submission_version", sort_key(submission, ""))))

    def all_records(
        self, benchmark: str, *, version: str, after: str = "", since: str = ""
    ) -> Iterator[SubmissionRecord]:
        """Read a version's records (consistent) in order of submission, no long output.

        Args:
            benchmark: The benchmark.
            version: The version.
            after: Only those of later submissions than this one.
            since: Only those of this submission and later ones.
        """
        start = f"{after}{_AFTER}" if after else since
        sort = AtLeast("submission_version", start) if start else None
        return self._read_records(benchmark, sort, keep=Equals("version", version), attributes=_SHORT)

    def list_records(
        self, benchmark: str, *, player: str, version: str, before: str | None = None, length: int
    ) -> Page[SubmissionRecord]:
        """Read a page of a player's records under a version, newest first.

        It may lack what was recorded a moment ago, and has fewer than `length` if very many other versions are skipped.
        """

        def read(item: Item) -> SubmissionRecord | None:
            record = record_from_item(item)
            return record if record.version == version else None

        return self.table.read_page(_BY_PLAYER, f"{benchmark}#{player}", before=before, length=length, read=read)

    def list_failures(
        self,
        benchmark: str,
        *,
        outcome: Outcome | None,
        before: str | None,
        length: int,
        current: str | None = None,
        following: str | None = None,
    ) -> Page[SubmissionRecord]:
        """Read a page of the records without a score, newest first, with long output.

        A record of a version that is neither current nor following is left out if its submission has an outcome under
        the current one: a score, or another line. No `outcome`: every outcome but `scored`. The page may lack the
        latest ones, and has fewer than `length` if very many are skipped.
        """

        def read(item: Item) -> SubmissionRecord | None:
            """Return an item's record; None if it does not match, or was scored since."""
            failed = item["outcome"]["S"]
            if outcome not in {None, failed}:
                return None
            submission, version = split_sort_key(item)
            is_over = current is not None and version not in {current, following}
            if is_over and self._find_item(benchmark, submission=submission, version=current or "") is not None:
                return None
            record = self.find_record(benchmark, submission=submission, version=version, detailed=True)
            return record if record is not None and record.outcome == failed else None

        return self.table.read_page(_BY_FAILURE, benchmark, before=before, length=length, read=read)

    def list_batch(self, benchmark: str, *, batch: str, version: str) -> BatchOutcomes:
        """Read the records of a batch under a version."""
        from storage.submissions.decisions import ACCEPTANCE, WITHDRAWAL  # noqa: PLC0415  # results need none of it

        # All ids of a batch begin with the time of its own id, and few others do.
        shared = batch[:SHARED_LENGTH]
        items = self.table.query(
            ("benchmark", benchmark), Prefix("submission_version", shared), attributes=(*_SHORT, "restored_at")
        )
        stored: list[SubmissionRecord] = []
        withdrawn: set[str] = set()
        accepted: set[str] = set()
        for item in items:
            submission, suffix = split_sort_key(item)
            if suffix == WITHDRAWAL:
                withdrawn.update(() if "restored_at" in item else (submission,))
            elif suffix == ACCEPTANCE:
                accepted.add(submission)
            elif item.get("drop", {}).get("S") == batch and item["version"]["S"] == version:
                stored.append(record_from_item(item))
        records = {record.submission.id: record for record in stored}
        records |= {name: records[name]._replace(in_review=False) for name in accepted & records.keys()}
        return BatchOutcomes(records, frozenset(withdrawn))

    def count_failures(self, benchmark: str, *, submissions: Collection[str], version: str) -> Counter[str]:
        """Count the submissions of one batch without a score under a version, by outcome.

        The count may lack what was recorded a moment ago: it reads only an index, so that a list of batches is cheap.
        """
        shared = next(iter(submissions), "")[:SHARED_LENGTH]  # as in `list_batch`
        if not shared:
            return Counter()
        items = self.table.query(
            (_BY_FAILURE.key, benchmark),
            Prefix("submission_version", shared),
            attributes=("submission_version", "outcome"),
            index=_BY_FAILURE.name,
        )
        wanted = {sort_key(submission, version) for submission in submissions}
        return Counter(item["outcome"]["S"] for item in items if item["submission_version"]["S"] in wanted)

    def _read_records(
        self,
        benchmark: str,
        sort: SortCondition | None,
        *,
        keep: ItemCondition | None = None,
        attributes: Sequence[str] = (),
    ) -> Iterator[SubmissionRecord]:
        from storage.submissions.decisions import find_decided  # noqa: PLC0415  # as in `list_batch`

        items = self.table.query(("benchmark", benchmark), sort, keep=keep, attributes=attributes)
        return (record_from_item(item) for item in items if find_decided(item) is None)


def _long_output_key(item: Item) -> str:
    """Return the key of a record's long output in S3."""
    text = {name: item[name]["S"] for name in ("benchmark", "submission", "version", "long_output_digest")}
    digest = text["long_output_digest"]
    return record_key(text["benchmark"], submission=text["submission"], version=text["version"], digest=digest)


def _read_submission(key: ResultKey, metadata: Mapping[str, str]) -> Submission:
    try:
        return submission_from_metadata(id=key.submission, benchmark=key.benchmark, metadata=metadata)
    except (KeyError, ValueError) as error:
        raise UnknownObject(f"{key}: metadata is not that of a raw result: {error!r}") from error
