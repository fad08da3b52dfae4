"""Answers about uploads."""

from datetime import datetime
from typing import Literal

from pydantic import Field

from handlers.http.views import View
from storage.batches.reports import BatchState


class BatchCard(View):
    """A batch in the list of its player's; its report has the outcomes."""

    drop: str = Field(description="The id of the batch, which finds its report.")
    file: str = Field(description="The name of the file that was submitted.")
    received_at: datetime
    state: BatchState = Field(description="How reading the file ended; quarantined: rejected as a whole.")
    entries: int = Field(description="How many the batch holds.")
    refused: int
    invalid: int = Field(default=0, description="How many have no score, because the player must fix them.")
    evaluator_error: int = 0
    internal_error: int = 0
    message: str | None = Field(default=None, description="Why the file was not read.")


class BatchList(View):
    """Batches of a player that have been read, however they were uploaded, newest first."""

    batches: list[BatchCard]
    next: str | None = Field(description="The `cursor` of the page with older ones; null on the last page.")


class UploadView(View):
    """The status of an upload, and how many of its entries have which outcome."""

    upload: str
    benchmark: str
    drop: str | None = Field(default=None, description="The id of the batch, which also finds this report.")
    file: str | None = Field(default=None, description="The name of the file that was submitted.")
    received_at: datetime | None = None
    repeated: bool = Field(
        default=False,
        description="Whether the same file had been uploaded within a day: this is that batch, and it counts once.",
    )
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
    in_review: int = Field(default=0, description="How many have scores that wait for the owner's look.")
    invalid: int = 0
    evaluator_error: int = 0
    internal_error: int = 0
    withdrawn: int = Field(default=0, description="How many are off the boards for good, whatever their outcome.")


class BatchWithdrawalView(View):
    """How many submissions of a batch one request withdrew or restored."""

    drop: str = Field(description="The id of the batch.")
    changed: int
    left: int = Field(description="How many follow: repeat the request until none is left.")
