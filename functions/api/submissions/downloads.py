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

from api.submissions.views import Download, DownloadRequest
from handlers.http.auth import Caller
from handlers.http.bodies import read_model
from handlers.http.outcomes import RESULT_SECONDS
from handlers.http.quotas import charge_owner
from handlers.http.views import submission_members
from scoring_core.io.csv_text import write_table
from scoring_core.io.limits import MAX_RESULT_BYTES
from storage.access.players import PlayerStore
from storage.access.quotas import QuotaStore
from storage.aws.threads import MAX_THREADS, run_at_once
from storage.benchmarks.store import PublishedBenchmark
from storage.ids import Clock, Randomness, make_submission_id
from storage.keys import ResultKey
from storage.submissions.models import SubmissionRecord
from storage.submissions.reviews import ReviewStore
from storage.submissions.store import SubmissionStore
from storage.submissions.withdrawals import WithdrawalStore

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
    "version", "batch", "format", "message", "parts",
)  # fmt: skip
"""Before the metrics. `parts` is JSON: part → scores."""


@dataclass(frozen=True, slots=True)
class DownloadService:
    """Serves the owners of benchmarks."""

    submissions: SubmissionStore
    withdrawals: WithdrawalStore
    reviews: ReviewStore
    quotas: QuotaStore
    players: PlayerStore
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
        limit = f"an owner may have {MAX_PER_DAY} files written a day"
        charge_owner(self.quotas, "@download", owner, per_day=MAX_PER_DAY, limit=limit, clock=self.clock)
        records, following = self._read_records(published, request.after, length=LENGTHS[request.content])
        if request.content == "zip":
            results = self._read_results(published, records)
            if len(results) < len(records):
                records = records[: len(results)]
                following = records[-1].submission.id
            file = _pack(self._write_table(published, records), records, results)
        else:
            file = self._write_table(published, records)
        now = self.clock()
        name = f"{make_submission_id(now, self.randomness(10))}.{request.content}"
        url = self.submissions.share_file(published.id, file, name=name, day=now.date(), seconds=RESULT_SECONDS)
        expires_at = now + timedelta(seconds=RESULT_SECONDS)
        return Download(url=url, expires_at=expires_at, submissions=len(records), next=following)

    def _read_records(
        self, published: PublishedBenchmark, after: str, *, length: int
    ) -> tuple[list[SubmissionRecord], str | None]:
        """Return the records of a file, oldest first, and where others follow."""
        records: list[SubmissionRecord] = []
        following, until = None, self.monotonic() + READ_SECONDS
        for record in self.submissions.all_records(published.id, version=published.version, after=after):
            if len(records) == length or (records and self.monotonic() > until):
                following = records[-1].submission.id
                break
            records.append(record)
        erased = self.withdrawals.find_all(published.id, {record.submission.player.id for record in records})
        kept = [record for record in records if record.submission.player.id not in erased]
        return self.players.name_records(kept), following

    def _read_results(self, published: PublishedBenchmark, records: Sequence[SubmissionRecord]) -> list[bytes | None]:
        """Return the raw results of the first records, as many as a file may have."""

        def read(record: SubmissionRecord) -> bytes | None:
            key = ResultKey(published.id, record.submission.id)
            return self.submissions.get_short_result(key, max_bytes=MAX_RESULT_BYTES)

        at_once = min(MAX_THREADS, max(1, MAX_RAW_BYTES // published.definition.submissions.max_bytes))
        results: list[bytes | None] = []
        for group in batched(records, at_once, strict=False):
            if sum(len(body or b"") for body in results) > MAX_RAW_BYTES:
                break
            results += run_at_once(read, group)
        return results

    def _write_table(self, published: PublishedBenchmark, records: Sequence[SubmissionRecord]) -> bytes:
        metrics = [metric.name for metric in published.definition.score_type.headers]
        withdrawn = self.withdrawals.find_all(published.id, [record.submission.id for record in records])
        in_review = {record.submission.id for record in records if record.in_review}
        in_review -= self.reviews.find_accepted(published.id, in_review)
        lines: list[list[object]] = [[*COLUMNS, *metrics]]
        for record in records:
            submission = record.submission
            parts = {each.part: dict(each.scores) for each in record.evaluations if each.part is not None}
            cells: dict[str, object] = {
                **submission_members(submission),
                "submitted_at": f"{submission.submitted_at:%FT%T.%fZ}",
                "outcome": record.outcome.value,
                "withdrawn": submission.id in withdrawn,
                "in_review": submission.id in in_review,
                "version": record.version,
                "batch": submission.batch,
                "format": submission.file_format,
                "message": record.message,
                "parts": json.dumps(parts, ensure_ascii=False) if parts else None,
            }
            line = [*(cells[column] for column in COLUMNS), *(record.scores.get(metric) for metric in metrics)]
            lines.append(["" if cell is None else cell for cell in line])
        return write_table(lines).encode()


def _pack(table: bytes, records: Iterable[SubmissionRecord], results: Iterable[bytes | None]) -> bytes:
    """Return a ZIP of table and results; its paths have nothing that a player wrote."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("submissions.csv", table)
        for record, body in zip(records, results, strict=True):
            if body is not None:
                archive.writestr(f"results/{record.submission.id}.{record.submission.file_format}", body)
    return file.getvalue()
