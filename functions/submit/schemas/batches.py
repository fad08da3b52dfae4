"""What the API answers about uploads."""

from datetime import datetime
from typing import Literal

from pydantic import Field

from storage.batches.reports import BatchState
from submit.schemas.base import View


class UploadTicket(View):
    """Where a file may be sent: one multipart form, the fields first, then the file as `file`."""

    upload: str
    url: str = Field(description="Takes the form; relative to the site where it begins with a slash.")
    fields: dict[str, str] = Field(description="Fields of the form, as they are.")
    expires_at: datetime = Field(description="Until then the upload must begin.")
    status_url: str


class UploadedEntry(View):
    """One entry of a drop: queued, refused, or its outcome."""

    entry: str
    submission: str | None
    status: str


class Failure(View):
    """An entry that has no score, and why."""

    entry: str
    status: str
    message: str
    submission: str | None = None
    pointer: str | None = None


class UploadView(View):
    """What became of an upload."""

    upload: str
    benchmark: str
    drop: str | None = None
    status: Literal["waiting", "processing", "scoring", "done"] = Field(
        description="waiting: nothing has come; processing: it is read; scoring: some entries are queued; done."
    )
    state: BatchState | None = Field(default=None, description="How it was received; quarantined: refused as a whole.")
    entries: int = Field(default=0, description="How many the drop holds.")
    refused: int = 0
    queued: int = 0
    scored: int = 0
    invalid: int = 0
    evaluator_error: int = 0
    internal_error: int = 0
    failures: list[Failure] = Field(
        default_factory=list, description="The first without a score: 100, or fewer where their messages are long."
    )
    page: list[UploadedEntry] = Field(default_factory=list, description="100 entries, in the order of the drop.")
    next: str | None = Field(default=None, description="The `cursor` of the page behind; null on the last page.")
