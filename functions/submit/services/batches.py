"""Uploads of batches, and of results that are too large for a POST: forms to upload with, and what became of them."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from http import HTTPStatus
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from storage.access.players import is_player_id
from storage.access.quotas import QuotaExceeded, QuotaKey, QuotaStore
from storage.access.tokens import Scope
from storage.batches.reports import BatchReport, BatchReportStore, BatchState, EntryResult, summarize
from storage.batches.uploads import UPLOAD_SECONDS, BatchUploadStore
from storage.benchmarks.store import PublishedBenchmark
from storage.ids import Clock, Randomness, is_submission_id, make_submission_id, time_of
from storage.keys import BatchKey
from storage.submissions.store import SubmissionStore
from storage.urls import upload_url
from submit.auth import Caller
from submit.batch_import.entries import MAX_BATCH_BYTES
from submit.batch_import.readers import MEDIA_TYPES, check_batch, suffix_of
from submit.problems import Problem, not_found, unauthorized, unprocessable
from submit.requests import check_headers, parse_body
from submit.schemas.base import measure_bytes
from submit.schemas.batches import Failure, UploadedEntry, UploadTicket, UploadView
from submit.services.submissions import SubmissionService, quota_problem

MAX_REQUEST_BYTES = 10_000
MAX_FAILURES = 100
MAX_TICKETS_PER_DAY = 100
KEEP_UPLOADS = timedelta(days=30)
"""How long the bucket keeps a file: see its lifecycle rules in template.yaml."""
MAX_FAULTS = 10
MAX_POINTER_LENGTH = 100
MAX_FAILURE_BYTES = 3_000_000
PAGE_LENGTH = 100
_SAFE = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.-")
_FILE_LENGTH = 100


class UploadRequest(BaseModel):
    """The file that is to be uploaded."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    bytes: Annotated[int, Field(ge=1, description="The file's size.", json_schema_extra={"maximum": MAX_BATCH_BYTES})]
    filename: Annotated[
        str,
        Field(
            min_length=1,
            max_length=255,
            description="Ends in .json, .jsonl or .zip.",
            json_schema_extra={"pattern": r"\.([jJ][sS][oO][nN][lL]?|[zZ][iI][pP])$"},
        ),
    ]


@dataclass(frozen=True, slots=True)
class BatchService:
    """Serves players who upload files."""

    uploads: BatchUploadStore
    reports: BatchReportStore
    records: SubmissionStore
    submissions: SubmissionService
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
        self.submissions.check_open(published.terms)
        request = read_request(body)
        fault = check_batch(request.filename, size_bytes=request.bytes, published=published)
        if fault is not None:
            pointer = "/bytes" if fault.startswith("expected 1 to") else "/filename"
            raise unprocessable("not-a-drop", f"{pointer[1:]}: {fault}", pointer=pointer)
        now = self.clock()
        try:
            self.quotas.charge_upload(QuotaKey(published.id, player.id, now.date()), per_day=MAX_TICKETS_PER_DAY)
        except QuotaExceeded as error:
            raise quota_problem(error, shared=False, clock=self.clock) from error
        upload = make_submission_id(now, self.randomness(10))
        key = BatchKey(published.id, player.id, f"{upload}/{make_safe(request.filename)}")
        media_type = MEDIA_TYPES[suffix_of(request.filename)]
        form = self.uploads.sign_upload(key, size_bytes=request.bytes, content_type=media_type)
        return UploadTicket(
            upload=upload,
            url=form.url,
            fields=form.fields,
            expires_at=now + timedelta(seconds=UPLOAD_SECONDS),
            status_url=upload_url(published.id, upload),
        )

    def find(
        self, published: PublishedBenchmark, upload: str, caller: Caller, *, player: str | None, cursor: str | None
    ) -> UploadView:
        """Return the status of an upload, by its id or that of its batch.

        An owner or administrator names the player whose upload it is; a player may leave that out.

        Raises:
            Problem: 401 no token, 404 expired or not the caller's to see, 400 an invalid cursor.
        """
        player = _check_player(caller, published, player)
        if not is_submission_id(upload):
            raise not_found("there is no such upload")
        start = _read_cursor(cursor)
        batch = self.uploads.find_upload(published.id, player=player, upload=upload)
        report = self.reports.find(published.id, player, batch.id if batch else upload)
        if report is not None:
            records = self.records.list_batch(published.id, batch=report.drop, version=published.version)
            return _view(upload, report, summarize(report, records), start=start)
        if batch is None and time_of(upload) < self.clock() - KEEP_UPLOADS:
            raise not_found(f"there is no such upload: files are kept for {KEEP_UPLOADS.days} days")
        return UploadView(upload=upload, benchmark=published.id, status="processing" if batch else "waiting")


def read_request(body: bytes) -> UploadRequest:
    """Read a request for an upload. Raises Problem 400, 413, 422."""
    value = parse_body(body, max_bytes=MAX_REQUEST_BYTES, hint="send the file itself to the `url` of the answer")
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
    """Return a file's name in characters that are safe in keys, shells and mails."""
    suffix = suffix_of(filename)
    stem = "".join(character if character in _SAFE else "_" for character in filename[: -len(suffix)])
    return (stem.lstrip(".")[: _FILE_LENGTH - len(suffix)] or "drop") + suffix


def _check_player(caller: Caller, published: PublishedBenchmark, player: str | None) -> str:
    """Return the id of the player whose upload is asked for. Raises Problem 401, 404."""
    if caller.account is None:
        raise unauthorized("token-needed", "Authorization: only its player may see an upload; expected a token")
    own = caller.account.player.id
    player = own if player is None else player
    scope = Scope.SUBMIT if player == own else Scope.OWN
    if not is_player_id(player) or not (caller.may(scope, published.id) or caller.may(Scope.OWN, published.id)):
        raise not_found("there is no such upload")
    return player


def _read_cursor(cursor: str | None) -> int:
    if cursor is None:
        return 0
    if not (cursor.isascii() and cursor.isdigit() and len(cursor) <= len(str(PAGE_LENGTH**3))):
        raise Problem(HTTPStatus.BAD_REQUEST, "invalid-cursor", "cursor: expected `next` of the previous page")
    return int(cursor)


def _view(upload: str, report: BatchReport, results: Sequence[EntryResult], *, start: int) -> UploadView:
    counts = Counter(result.status for result in results)
    page = results[start : start + PAGE_LENGTH]
    return UploadView(
        upload=upload,
        benchmark=report.benchmark,
        drop=report.drop,
        status="scoring" if counts["queued"] else "done",
        state=report.state,
        entries=0 if report.state is not BatchState.RECEIVED else len(results),
        **counts,
        failures=_list_failures(result for result in results if result.failed),
        page=[UploadedEntry(entry=result.entry, submission=result.submission, status=result.status) for result in page],
        next=str(start + PAGE_LENGTH) if start + PAGE_LENGTH < len(results) else None,
    )


def _list_failures(results: Iterable[EntryResult]) -> list[Failure]:
    """Return the first entries without a score, as many as an answer may hold."""
    failures: list[Failure] = []
    left = MAX_FAILURE_BYTES
    for result in results:
        failure = Failure(**result._asdict())
        left -= measure_bytes(failure)
        if left < 0 or len(failures) == MAX_FAILURES:
            break
        failures.append(failure)
    return failures
