"""Answers about uploads."""

from datetime import datetime
from typing import Literal

from pydantic import Field

from storage.batches.reports import BatchState
from submit.schemas.base import View


class UploadTicket(View):
    """Where to send a file: one multipart form with these fields first, then the file as `file`."""

    upload: str
    url: str = Field(description="Takes the form; relative to the site if it begins with a slash.")
    fields: dict[str, str] = Field(description="Fields of the form; send them unchanged.")
    expires_at: datetime = Field(description="The upload must begin before this time.")
    status_url: str


class UploadedEntry(View):
    """One entry of a batch: queued, refused, or its outcome."""

    entry: str
    submission: str | None
    status: str


class Failure(View):
    """An entry without a score, and why."""

    entry: str
    status: str
    message: str
    submission: str | None = None
    pointer: str | None = None


class UploadView(View):
    """The status of an upload, and of the entries in it."""

    upload: str
    benchmark: str
    drop: str | None = None
    status: Literal["waiting", "processing", "scoring", "done"] = Field(
        description="waiting: no file yet; processing: it is being read; scoring: some entries are queued; done."
    )
    state: BatchState | None = Field(
        default=None, description="How reading the file ended; quarantined: rejected as a whole."
    )
    entries: int = Field(default=0, description="How many the batch holds.")
    refused: int = 0
    queued: int = 0
    scored: int = 0
    invalid: int = 0
    evaluator_error: int = 0
    internal_error: int = 0
    failures: list[Failure] = Field(
        default_factory=list, description="The first without a score: 100, or fewer if their messages are long."
    )
    page: list[UploadedEntry] = Field(default_factory=list, description="100 entries, in the order of the batch.")
    next: str | None = Field(default=None, description="The `cursor` of the next page; null on the last page.")
