"""Writes the submissions of a benchmark into files, each as long as one request has time for."""

import io
import json
import time
import zipfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import batched
from typing import Final

from scoring_core.io.limits import MAX_RESULT_BYTES
from storage.access.quotas import QuotaStore
from storage.aws.threads import MAX_THREADS, run_at_once
from storage.benchmarks.store import PublishedBenchmark
from storage.boards.csv_rows import write_table
from storage.ids import Clock, Randomness, is_submission_id, make_submission_id
from storage.keys import ResultKey
from storage.submissions.models import SubmissionRecord
from storage.submissions.reviews import ReviewStore
from storage.submissions.store import SubmissionStore
from storage.submissions.withdrawals import WithdrawalStore
from submit.auth import Caller
from submit.downloads.schemas import Download, DownloadRequest
from submit.problems import unprocessable
from submit.quotas import charge_owner
from submit.services.batches import read_model
from submit.services.status import RESULT_SECONDS

MAX_PER_DAY: Final = 1_000
"""Files that an owner may have written."""
LENGTHS: Final = {"csv": 5_000, "zip": 500}
"""Submissions of a file at most: what is written well within the 20 seconds of a request."""
READ_SECONDS: Final = 5.0
"""After which a file has what was read by then; other versions of the submissions are skipped over."""
MAX_RAW_BYTES: Final = 16_000_000
"""Of the results in a ZIP; the one that passes it is the last."""
COLUMNS: Final = (
    "submission", "submitted_at", "player", "name", "kind", "verified", "label", "outcome", "withdrawn", "in_review",
    "private", "version", "batch", "format", "message", "parts",
)  # fmt: skip
"""Before the metrics. `parts` is JSON: part → scores."""


@dataclass(frozen=True, slots=True)
class DownloadService:
    """Serves the owners of benchmarks."""

    submissions: SubmissionStore
    withdrawals: WithdrawalStore
    reviews: ReviewStore
    quotas: QuotaStore
    clock: Clock
    randomness: Randomness
    monotonic: Callable[[], float] = time.monotonic

    def write(self, published: PublishedBenchmark, caller: Caller, body: bytes) -> Download:
        """Write a file, and return where it is until it is deleted, a day later.

        Nothing in it is of players who are erased.

        Raises:
            Problem: 401 or 403, the caller does not own the benchmark; 400, 413, 422, the request is wrong; 429, too
                many.
        """
        owner = caller.check_owner(published.id)
        request = read_model(body, DownloadRequest)
        if request.after is not None and not is_submission_id(request.after):
            raise unprocessable("invalid-request", "after: expected `next` of the file before", pointer="/after")
        limit = f"an owner may have {MAX_PER_DAY} files written a day"
        charge_owner(self.quotas, "@download", owner, per_day=MAX_PER_DAY, limit=limit, clock=self.clock)
        records, is_last = self._read_records(published, request.after or "", length=LENGTHS[request.content])
        shown = self._leave_out_erased(published.id, records)
        results = self._read_results(published, shown) if request.content == "zip" else {}
        if results and len(results) < len(shown):
            shown, is_last = shown[: len(results)], False
            records = [record for record in records if record.submission.id <= shown[-1].submission.id]
        table = self._write_table(published, shown)
        now = self.clock()
        url = self.submissions.share_file(
            published.id,
            _pack(table, shown, results) if request.content == "zip" else table,
            name=f"{make_submission_id(now, self.randomness(10))}.{request.content}",
            day=now.date(),
            seconds=RESULT_SECONDS,
        )
        return Download(
            url=url,
            expires_at=now + timedelta(seconds=RESULT_SECONDS),
            submissions=len(shown),
            next=None if is_last else records[-1].submission.id,
        )

    def _read_records(
        self, published: PublishedBenchmark, after: str, *, length: int
    ) -> tuple[list[SubmissionRecord], bool]:
        """Return the records of a file, oldest first, and whether no others follow."""
        records: list[SubmissionRecord] = []
        until = self.monotonic() + READ_SECONDS
        for record in self.submissions.all_records(published.id, version=published.version, after=after):
            if len(records) == length or (records and self.monotonic() > until):
                return records, False
            records.append(record)
        return records, True

    def _leave_out_erased(self, benchmark: str, records: Iterable[SubmissionRecord]) -> list[SubmissionRecord]:
        listed = list(records)
        erased = self.withdrawals.find_all(benchmark, {record.submission.player.id for record in listed})
        return [record for record in listed if record.submission.player.id not in erased]

    def _read_results(
        self, published: PublishedBenchmark, records: Sequence[SubmissionRecord]
    ) -> dict[str, bytes | None]:
        """Return the raw results of the first records, as many as a file may have."""

        def read(record: SubmissionRecord) -> bytes | None:
            key = ResultKey(published.id, record.submission.id)
            return self.submissions.get_short_result(key, max_bytes=MAX_RESULT_BYTES)

        at_once = min(MAX_THREADS, max(1, MAX_RAW_BYTES // published.definition.submissions.max_bytes))
        results: dict[str, bytes | None] = {}
        size_bytes = 0
        for group in batched(records, at_once, strict=False):
            if size_bytes > MAX_RAW_BYTES:
                break
            bodies = run_at_once(read, group)
            results |= zip((record.submission.id for record in group), bodies, strict=True)
            size_bytes += sum(len(body) for body in bodies if body is not None)
        return results

    def _write_table(self, published: PublishedBenchmark, records: Sequence[SubmissionRecord]) -> bytes:
        metrics = [metric.name for metric in published.definition.score_type.headers]
        ids = [record.submission.id for record in records]
        withdrawn = self.withdrawals.find_all(published.id, ids)
        private = self.reviews.find_private(record.submission for record in records)
        in_review = {record.submission.id for record in records if record.in_review}
        in_review -= self.reviews.find_accepted(published.id, in_review)
        lines: list[list[object]] = [[*COLUMNS, *metrics]]
        for record, name in zip(records, ids, strict=True):
            marks = [name in withdrawn, name in in_review, name in private]
            lines.append([*_list_cells(record, marks), *(record.scores.get(metric, "") for metric in metrics)])
        return write_table(lines).encode()


def _list_cells(record: SubmissionRecord, marks: Sequence[bool]) -> list[object]:
    """Return the cells of COLUMNS."""
    submission, player = record.submission, record.submission.player
    parts = {each.part: dict(each.scores) for each in record.evaluations if each.part is not None}
    return [
        submission.id,
        submission.submitted_at.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        player.id,
        player.name,
        player.kind.value,
        player.verified,
        submission.label or "",
        record.outcome.value,
        *marks,
        record.version,
        submission.batch or "",
        submission.file_format,
        record.message,
        json.dumps(parts, ensure_ascii=False) if parts else "",
    ]


def _pack(table: bytes, records: Iterable[SubmissionRecord], results: dict[str, bytes | None]) -> bytes:
    """Return a ZIP of table and results; its paths have nothing that a player wrote."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("submissions.csv", table)
        for record in records:
            body = results[record.submission.id]
            if body is not None:
                submission = record.submission
                path = f"results/{submission.id}.{submission.file_format}"
                info = zipfile.ZipInfo(path, submission.submitted_at.timetuple()[:6])
                info.compress_type = zipfile.ZIP_DEFLATED
                archive.writestr(info, body)
    return file.getvalue()
