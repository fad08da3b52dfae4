"""Uploads of batches, and of results that are too large for a POST: the forms to upload them with."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from http import HTTPStatus
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from scoring_core.io.formats import FORMATS
from scoring_core.io.limits import MAX_BATCH_BYTES
from scoring_core.scorers.base import describe
from scoring_core.urls import upload_url
from storage.access.quotas import QuotaExceeded, QuotaKey, QuotaStore
from storage.batches.uploads import UPLOAD_SECONDS, BatchUploadStore
from storage.benchmarks.store import PublishedBenchmark
from storage.ids import Clock, Randomness, make_submission_id
from storage.keys import AGAIN, BatchKey
from submit.auth import Caller
from submit.batch_import.readers import check_batch, check_tickets, media_type_of, suffix_of
from submit.problems import Problem, explain_fault, unauthorized, unprocessable
from submit.quotas import quota_problem
from submit.requests import check_headers, parse_body
from submit.schemas.batches import UploadTicket
from submit.services.submissions import SubmissionService
from submit.services.submitters import check_ban

MAX_REQUEST_BYTES = 10_000
MAX_TICKETS_PER_DAY = 100
MAX_FAULTS = 10
MAX_POINTER_LENGTH = 100
_SAFE = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.-")
_FILE_LENGTH = 100
_ENDINGS = rf"\.({'|'.join(''.join(f'[{letter}{letter.upper()}]' for letter in name) for name in FORMATS)})$"


class UploadRequest(BaseModel):
    """The file that is to be uploaded."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    bytes: Annotated[int, Field(ge=1, description="The file's size.", json_schema_extra={"maximum": MAX_BATCH_BYTES})]
    filename: Annotated[
        str,
        Field(
            min_length=1,
            max_length=255,
            description="Ends in .jsonl, .zip, or the ending of a format that the benchmark takes.",
            json_schema_extra={"pattern": _ENDINGS},
        ),
    ]
    again: Annotated[
        bool, Field(description="Whether the file counts although the same bytes were uploaded within a day.")
    ] = False


@dataclass(frozen=True, slots=True)
class BatchService:
    """Serves players who upload files."""

    uploads: BatchUploadStore
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
        check_ban(player, published.bans)
        self.submissions.check_open(published.terms)
        request = read_request(body)
        fault = check_tickets(published)
        if fault is not None:
            raise unprocessable("ticket-needed", fault)
        fault = check_batch(request.filename, size_bytes=request.bytes, published=published)
        if fault is not None:
            pointer = "/bytes" if fault.startswith("expected 1 to") else "/filename"
            raise unprocessable("not-a-drop", f"{pointer[1:]}: {fault}", pointer=pointer)
        now = self.clock()
        try:
            self.quotas.charge_upload(QuotaKey(published.id, player.id, now.date()), per_day=MAX_TICKETS_PER_DAY)
        except QuotaExceeded as error:
            raise quota_problem(error, clock=self.clock) from error
        upload = make_submission_id(now, self.randomness(10))
        folder = f"{upload}/{AGAIN}" if request.again else upload
        key = BatchKey(published.id, player.id, f"{folder}/{make_safe(request.filename)}")
        media_type = media_type_of(request.filename)
        form = self.uploads.sign_upload(key, size_bytes=request.bytes, content_type=media_type)
        return UploadTicket(
            upload=upload,
            url=form.url,
            fields=form.fields,
            expires_at=now + timedelta(seconds=UPLOAD_SECONDS),
            status_url=upload_url(published.id, upload),
        )


def read_request(body: bytes) -> UploadRequest:
    """Read a request for an upload. Raises Problem 400, 413, 422."""
    return read_model(body, UploadRequest)


def read_model[Model: BaseModel](body: bytes, model: type[Model]) -> Model:
    """Read a body by its model. Raises Problem 400, 413, 422."""
    hint = "send the file itself to the `url` of the answer"
    return check_model(parse_body(body, max_bytes=MAX_REQUEST_BYTES, hint=hint), model)


def check_model[Model: BaseModel](value: object, model: type[Model]) -> Model:
    """Return what a request says as its model. Raises Problem 422."""
    try:
        return model.model_validate(value)
    except ValidationError as error:
        faults = [
            {
                "pointer": "".join(f"/{step}" for step in fault["loc"])[:MAX_POINTER_LENGTH],
                "detail": explain_fault(fault),
            }
            for fault in error.errors()[:MAX_FAULTS]
        ]
        detail = "; ".join(f"{fault['pointer'] or 'body'}: {fault['detail']}" for fault in faults)
        raise Problem(HTTPStatus.UNPROCESSABLE_ENTITY, "invalid-request", detail, faults=faults) from error


def describe_body(value: object) -> str:
    """Return what a body is, for the answer that rejects it: its keys, or its kind.

    >>> describe_body({"b": 1, "a": 2}), describe_body({})
    ('the keys a, b', 'the keys none')
    """
    return (f"the keys {', '.join(sorted(value)) or 'none'}" if isinstance(value, dict) else describe(value))[:200]


def make_safe(filename: str) -> str:
    """Return a file's name in characters that are safe in keys, shells and mails."""
    suffix = suffix_of(filename)
    stem = "".join(character if character in _SAFE else "_" for character in filename[: -len(suffix)])
    return (stem.lstrip(".")[: _FILE_LENGTH - len(suffix)] or "drop") + suffix
