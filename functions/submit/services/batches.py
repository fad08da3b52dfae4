"""Lets what is too large for a POST, or many results at once, into the drops, and tells what became of it."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from http import HTTPStatus
from typing import Annotated, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from storage.access.players import is_player_id
from storage.access.quotas import QuotaExceeded, QuotaKey, QuotaStore
from storage.access.tokens import Scope
from storage.batches.reports import BatchReport, BatchReportStore, BatchState, EntryResult, summarize
from storage.batches.uploads import UPLOAD_SECONDS, BatchUpload, BatchUploadStore
from storage.benchmarks.store import PublishedBenchmark
from storage.ids import Clock, Randomness, is_submission_id, make_submission_id, time_of
from storage.keys import BatchKey
from storage.submissions.models import SubmissionRecord
from storage.submissions.store import SubmissionStore
from storage.urls import upload_url
from submit.answer_size import measure
from submit.auth import Caller
from submit.batch_import.archive import MAX_DROP_BYTES
from submit.batch_import.formats import MEDIA_TYPES, check_batch, suffix_of
from submit.envelope import check_headers, read_body
from submit.problems import Problem, not_found, unauthorized, unprocessable
from submit.schemas.batches import Failure, UploadedEntry, UploadTicket, UploadView
from submit.services.submissions import SubmissionService, refuse_more

MAX_REQUEST_BYTES = 10_000
MAX_FAILURES = 100
MAX_TICKETS_PER_DAY = 100
KEEP_DROPS = timedelta(days=30)
"""For how long the bucket keeps a file, uploaded or not read: see its lifecycle in template.yaml."""
MAX_FAULTS = 10
MAX_POINTER_LENGTH = 100
MAX_FAILURE_BYTES = 3_000_000
PAGE_LENGTH = 100
_SAFE = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.-")
_FILE_LENGTH = 100


class UploadRequest(BaseModel):
    """What is to be uploaded."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    bytes: Annotated[int, Field(ge=1, description="The file's size.", json_schema_extra={"maximum": MAX_DROP_BYTES})]
    filename: Annotated[
        str,
        Field(
            min_length=1,
            max_length=255,
            description="Ends in .json, .jsonl or .zip.",
            json_schema_extra={"pattern": r"\.([jJ][sS][oO][nN][lL]?|[zZ][iI][pP])$"},
        ),
    ]


class _Found(NamedTuple):
    """What there is of an upload."""

    drop: BatchUpload | None
    report: BatchReport | None
    records: Mapping[str, SubmissionRecord]


@dataclass(frozen=True, slots=True)
class BatchService:
    """Answers for uploads."""

    drops: BatchUploadStore
    reports: BatchReportStore
    submissions: SubmissionStore
    reception: SubmissionService
    quotas: QuotaStore
    clock: Clock
    randomness: Randomness

    def admit(
        self, published: PublishedBenchmark, caller: Caller, headers: Mapping[str, str], body: bytes
    ) -> UploadTicket:
        """Allow one file to be uploaded.

        Raises:
            Problem: 401 no token, 403 not covered or not open, 400, 413, 415, 422 the request is wrong, 429 too many.
        """
        check_headers(headers)
        player = caller.find_player(published.id)
        if player is None:
            raise unauthorized("token-needed", "Authorization: an upload needs a token")
        self.reception.check_open(published)
        request = read_request(body)
        fault = check_batch(request.filename, size_bytes=request.bytes, published=published)
        if fault is not None:
            pointer = "/bytes" if fault.startswith("expected 1 to") else "/filename"
            raise unprocessable("not-a-drop", f"{pointer[1:]}: {fault}", pointer=pointer)
        now = self.clock()
        try:
            self.quotas.charge_ticket(QuotaKey(published.id, player.id, now.date()), per_day=MAX_TICKETS_PER_DAY)
        except QuotaExceeded as error:
            raise refuse_more(error, verified=True, clock=self.clock) from error
        upload = make_submission_id(now, self.randomness(10))
        key = BatchKey(published.id, player.id, f"{upload}/{make_safe(request.filename)}")
        media_type = MEDIA_TYPES[suffix_of(request.filename)]
        ticket = self.drops.sign_upload(key, size_bytes=request.bytes, content_type=media_type)
        return UploadTicket(
            upload=upload,
            url=ticket.url,
            fields=ticket.fields,
            expires_at=now + timedelta(seconds=UPLOAD_SECONDS),
            status_url=upload_url(published.id, upload),
        )

    def find(
        self, published: PublishedBenchmark, upload: str, caller: Caller, *, player: str | None, cursor: str | None
    ) -> UploadView:
        """Tell what became of an upload.

        Args:
            published: The benchmark.
            upload: Its id, or that of a drop.
            caller: Its player, or an owner or admin who names the player.
            player: Whose it is; None: the caller's.
            cursor: How many entries to pass over.

        Raises:
            Problem: 401 no token, 404 not the caller's to see, or forgotten, 400 a forged cursor.
        """
        whose = _check_whose(caller, published, player)
        if not is_submission_id(upload):
            raise not_found("there is no such upload")
        start = _read_cursor(cursor)
        found = self._find(published, whose, upload)
        if found.report is None and found.drop is None and time_of(upload) < self.clock() - KEEP_DROPS:
            raise not_found(f"there is no such upload: files are kept for {KEEP_DROPS.days} days")
        return _view(upload, found, published, start=start)

    def _find(self, published: PublishedBenchmark, player: str, upload: str) -> _Found:
        drop = self.drops.find_upload(published.id, player=player, upload=upload)
        report = self.reports.find(published.id, player, drop.id if drop else upload)
        if report is None:
            return _Found(drop, None, {})
        records = self.submissions.list_drop(published.id, drop=report.drop, version=published.version)
        return _Found(drop, report, records)


def read_request(body: bytes) -> UploadRequest:
    """Read what is to be uploaded. Raises Problem 400, 413, 422."""
    value = read_body(body, max_bytes=MAX_REQUEST_BYTES, hint="the file itself goes where the answer says")
    try:
        return UploadRequest.model_validate(value)
    except ValidationError as error:
        faults = [
            {"pointer": "".join(f"/{step}" for step in fault["loc"])[:MAX_POINTER_LENGTH], "detail": fault["msg"]}
            for fault in error.errors()[:MAX_FAULTS]
        ]
        detail = "; ".join(f"{fault['pointer'] or 'body'}: {fault['detail']}" for fault in faults)
        raise Problem(HTTPStatus.UNPROCESSABLE_ENTITY, "invalid-request", detail, faults=faults) from error


def make_safe(filename: str) -> str:
    """Give a file's name in characters that a key, a shell and a mail take; the suffix stays."""
    suffix = suffix_of(filename)
    stem = "".join(one if one in _SAFE else "_" for one in filename[: -len(suffix)])
    return (stem.lstrip(".")[: _FILE_LENGTH - len(suffix)] or "drop") + suffix


def _check_whose(caller: Caller, published: PublishedBenchmark, player: str | None) -> str:
    if caller.account is None:
        raise unauthorized("token-needed", "Authorization: an upload is shown to its player alone; expected a token")
    own = caller.account.player.id
    whose = own if player is None else player
    may = Scope.SUBMIT if whose == own else Scope.OWN
    if not is_player_id(whose) or not (caller.may(may, published.id) or caller.may(Scope.OWN, published.id)):
        raise not_found("there is no such upload")
    return whose


def _read_cursor(cursor: str | None) -> int:
    if cursor is None:
        return 0
    if not (cursor.isascii() and cursor.isdigit() and len(cursor) <= len(str(PAGE_LENGTH**3))):
        raise Problem(HTTPStatus.BAD_REQUEST, "invalid-cursor", "cursor: expected `next` of the page before")
    return int(cursor)


def _view(upload: str, found: _Found, published: PublishedBenchmark, *, start: int) -> UploadView:
    report = found.report
    if report is None:
        return UploadView(upload=upload, benchmark=published.id, status="processing" if found.drop else "waiting")
    results = summarize(report, found.records)
    counts = Counter(result.status for result in results)
    page = results[start : start + PAGE_LENGTH]
    more = start + PAGE_LENGTH < len(results)
    return UploadView(
        upload=upload,
        benchmark=published.id,
        drop=report.drop,
        status="scoring" if counts["queued"] else "done",
        state=report.state,
        entries=0 if report.state is not BatchState.RECEIVED else len(results),
        **counts,
        failures=_list_failures(result for result in results if result.failed),
        page=[UploadedEntry(entry=result.entry, submission=result.submission, status=result.status) for result in page],
        next=str(start + PAGE_LENGTH) if more else None,
    )


def _list_failures(results: Iterable[EntryResult]) -> list[Failure]:
    """Return the first entries without a score, and why, as many as an answer may hold."""
    failures: list[Failure] = []
    left = MAX_FAILURE_BYTES
    for result in results:
        failure = Failure(**result._asdict())
        left -= measure(failure)
        if left < 0 or len(failures) == MAX_FAILURES:
            break
        failures.append(failure)
    return failures
