"""Raw results in S3 and what became of them in the submissions table."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import NamedTuple

from scoring_core.outcome import Outcome
from storage.aws.bucket import Bucket
from storage.aws.errors import Busy, Conflict, NotFound, UnknownObject
from storage.aws.schema import Schema
from storage.aws.table import Item, Page, Table, TableIndex
from storage.ids import SHARED_LENGTH
from storage.keys import ResultKey, download_key, record_key
from storage.submissions.models import (
    Submission,
    SubmissionRecord,
    record_from_item,
    sort_key,
    submission_from_metadata,
)
from storage.submissions.withdrawals import find_withdrawn

MAX_INLINE_OUTPUT_BYTES = 16_384
_SHORT = (
    "benchmark", "submission_version", "schema", "submission", "version", "player", "name", "kind", "verified", "part",
    "drop", "outcome", "revision", "scores", "evaluations", "message", "pointer", "signature", "recorded_at",
    "rescored",
)  # fmt: skip
"""What a record is read from, but for its long output."""
_BY_PLAYER = TableIndex("by_player", "benchmark_player", _SHORT)
_BY_FAILURE = TableIndex("by_failure", "failed_benchmark")


class RawResult(NamedTuple):
    """A submission and the bytes that were handed in."""

    submission: Submission
    body: bytes


@dataclass(frozen=True, slots=True)
class SubmissionStore:
    """Raw results, never lost and never changed; one terminal item for each (submission, version)."""

    table: Table
    bucket: Bucket

    def put_result(self, submission: Submission, body: bytes, *, content_type: str) -> bool:
        """Keep a raw result; once this returns it is never lost. Doing it again changes nothing.

        Returns:
            Whether it was kept just now; False where it was there already.

        Raises:
            Busy: Two such calls met, and neither result may be there.
        """
        key = ResultKey(submission.benchmark, submission.id)
        try:
            metadata = submission.to_metadata()
            self.bucket.put(str(key), body, replacing=None, content_type=content_type, Metadata=metadata)
        except Conflict as error:
            # S3 answers 409 where two writes meet, which does not say that one of them has won.
            if self.find_submission(key) is None:
                raise Busy(f"write {key}: met another write") from error
            return False
        return True

    def get_result(self, key: ResultKey) -> RawResult:
        """Read a raw result. Raises NotFound, Foreign."""
        stored = self.bucket.get(str(key))
        return RawResult(_submission(key, stored.metadata), stored.body)

    def get_short_result(self, key: ResultKey, *, max_bytes: int) -> bytes | None:
        """Read the bytes of a raw result; None where it is longer, or not there."""
        return self.bucket.find_short(str(key), max_bytes=max_bytes)

    def share_result(self, key: ResultKey, *, day: date, seconds: int) -> str:
        """Return an address from which anybody can download a raw result for so long; nothing shows or runs it.

        The address is that of a copy: S3 hands out the metadata of an object with it, and a raw result's tell of the
        receipt and the origin. There is one copy a day, and it expires.

        Args:
            key: Of the raw result.
            day: Today, in UTC.
            seconds: How long the address holds.

        Raises:
            NotFound: There is no such result.
        """
        copy, name = download_key(key, day=day), f"{key.benchmark}-{key.submission}.json"
        if self.bucket.find_info(copy) is None:
            self.bucket.copy(str(key), copy, content_type="application/octet-stream")
        return self.bucket.sign_download(copy, filename=name, seconds=seconds)

    def sign_long_output(self, benchmark: str, *, submission: str, version: str, seconds: int) -> str:
        """Return an address from which anybody can download the long output of a record for so long.

        Raises:
            NotFound: The record has none that lies in S3.
        """
        item = self._find_item(benchmark, submission=submission, version=version)
        if item is None or "long_output" in item:
            raise NotFound(f"the record of {submission} has no long output in S3")
        name = f"{benchmark}-{submission}-detail.json"
        return self.bucket.sign_download(_long_output_key(item), filename=name, seconds=seconds)

    def find_submission(self, key: ResultKey) -> Submission | None:
        """Read what is known of a submission without its body; None where there is no such result. Raises Foreign."""
        info = self.bucket.find_info(str(key))
        return None if info is None else _submission(key, info.metadata)

    def put_record(self, record: SubmissionRecord) -> bool:
        """Record what became of a submission; the first terminal outcome stands.

        Only `internal_error` is replaced, and only by another outcome. Long output goes to S3 before the item.

        Returns:
            Whether this record now stands.
        """
        long_output = record.long_output()
        is_long = len(long_output.encode()) > MAX_INLINE_OUTPUT_BYTES
        submission, digest = record.submission, None
        if is_long:
            # Two who score one result at once keep an object each, and the item that stands names its own.
            digest = hashlib.sha256(long_output.encode()).hexdigest()[:16]
            key = record_key(submission.benchmark, submission=submission.id, version=record.version, digest=digest)
            self.bucket.overwrite(key, long_output.encode())
        condition, values = "attribute_not_exists(#benchmark)", None
        if record.outcome is not Outcome.INTERNAL_ERROR:
            condition += " OR #outcome = :internal_error"
            values = {"internal_error": Outcome.INTERNAL_ERROR.value}
        item = record.to_item(long_output=None if is_long else long_output) | {"long_output_digest": digest}
        try:
            self.table.put(Schema.RECORD, item, condition=condition, values=values)
        except Conflict:
            return False
        return True

    def find_record(
        self, benchmark: str, *, submission: str, version: str, detailed: bool = False
    ) -> SubmissionRecord | None:
        """Read what became of a submission (consistent); None where nothing is recorded yet.

        Args:
            benchmark: The benchmark's id.
            submission: The submission's id.
            version: The benchmark version.
            detailed: Whether to fetch long output that lies in S3.
        """
        item = self._find_item(benchmark, submission=submission, version=version)
        if item is None:
            return None
        if not detailed or "long_output" in item:
            return record_from_item(item)
        long_output = self.bucket.get(_long_output_key(item)).body.decode()
        return record_from_item(item, long_output=long_output)

    def _find_item(self, benchmark: str, *, submission: str, version: str) -> Item | None:
        return self.table.get_item(benchmark=benchmark, submission_version=sort_key(submission, version))

    def find_latest_record(self, benchmark: str, *, submission: str) -> SubmissionRecord | None:
        """Read a record of a submission under any version, the most recently made one; None where there is none."""
        records = self.list_records_of(benchmark, submission=submission)
        return max(records, key=lambda record: record.recorded_at, default=None)

    def list_records_of(self, benchmark: str, *, submission: str) -> list[SubmissionRecord]:
        """Read the records of a submission under every version (consistent)."""
        return list(self._read_records(benchmark, prefix=sort_key(submission, "")))

    def all_records(self, benchmark: str, *, version: str) -> Iterator[SubmissionRecord]:
        """Read (consistent) what became of every submission under a version, in order of submission, undetailed."""
        return self._read_records(benchmark, only=("version", version), attributes=_SHORT)

    def list_records(
        self, benchmark: str, *, player: str, version: str, before: str | None = None, length: int
    ) -> Page[SubmissionRecord]:
        """Read a page of what became of a player's submissions, newest first, a moment behind what was recorded.

        Args:
            benchmark: The benchmark's id.
            player: The player's id.
            version: Records under other versions are passed over.
            before: Only records behind this `position`.
            length: How many records at most; fewer where very many of other versions lie between.
        """

        def read(item: Item) -> SubmissionRecord | None:
            record = record_from_item(item)
            return record if record.version == version else None

        return self.table.read_page(_BY_PLAYER, f"{benchmark}#{player}", before=before, length=length, read=read)

    def list_failures(
        self, benchmark: str, *, outcome: Outcome | None, before: str | None, length: int
    ) -> Page[SubmissionRecord]:
        """Read a page of the records without a score, newest first and in full; it may lack the latest ones.

        Args:
            benchmark: The benchmark's id.
            outcome: Only records of this outcome; None: of every outcome but `scored`.
            before: Only records after this `position`.
            length: How many records at most. There are fewer if very many of other outcomes lie in between.
        """

        def read(item: Item) -> SubmissionRecord | None:
            """Read the record that an item of the index names; None if it does not match, or was scored since."""
            failed = item["outcome"]["S"]
            if outcome not in {None, failed}:
                return None
            submission, _, version = item["submission_version"]["S"].partition("#")
            record = self.find_record(benchmark, submission=submission, version=version, detailed=True)
            return record if record is not None and record.outcome == failed else None

        return self.table.read_page(_BY_FAILURE, benchmark, before=before, length=length, read=read)

    def list_drop(self, benchmark: str, *, drop: str, version: str) -> dict[str, SubmissionRecord]:
        """Read what became of a drop's entries, submission → its record under a version, else its latest.

        Args:
            benchmark: The benchmark's id.
            drop: The drop's id, whose time all ids of its entries share.
            version: The benchmark version that is preferred.
        """
        found = self._read_records(benchmark, prefix=drop[:SHARED_LENGTH], only=("drop", drop), attributes=_SHORT)
        records = sorted(found, key=lambda one: (one.version == version, one.recorded_at))
        return {one.submission.id: one for one in records}

    def find_latest_of(self, benchmark: str, *, player: str) -> SubmissionRecord | None:
        """Read the record of a player's newest submission under any version; None where nothing is recorded."""
        index = f"{benchmark}#{player}"
        page = self.table.read_page(_BY_PLAYER, index, before=None, length=1, read=record_from_item)
        return next(iter(page.entries), None)

    def _read_records(
        self,
        benchmark: str,
        *,
        prefix: str = "",
        only: tuple[str, str] | None = None,
        attributes: Sequence[str] = (),
    ) -> Iterator[SubmissionRecord]:
        items = self.table.query(
            key=("benchmark", benchmark),
            prefix=("submission_version", prefix),
            only=only,
            attributes=attributes,
        )
        return (record_from_item(item) for item in items if find_withdrawn(item) is None)


def _long_output_key(item: Item) -> str:
    """Return where the long output of a record lies that is not in its item."""
    digest = item.get("long_output_digest", {}).get("S")
    submission, _, version = item["submission_version"]["S"].partition("#")
    return record_key(item["benchmark"]["S"], submission=submission, version=version, digest=digest)


def _submission(key: ResultKey, metadata: Mapping[str, str]) -> Submission:
    try:
        return submission_from_metadata(id=key.submission, benchmark=key.benchmark, metadata=metadata)
    except (KeyError, ValueError) as error:
        raise UnknownObject(f"{key}: metadata is not that of a raw result: {error!r}") from error
