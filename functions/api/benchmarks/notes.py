"""What owners say of a correction, and which benchmarks they may change."""

from http import HTTPStatus
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from handlers.http.problems import Problem, unprocessable
from storage.access.names import MAX_REASON_LENGTH, InvalidName, check_reason
from storage.benchmarks.corrections import CorrectionNote
from storage.benchmarks.store import PublishedBenchmark


class NoteRequest(BaseModel):
    """What the owner says of a correction."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    reason: Annotated[str, Field(min_length=1, max_length=MAX_REASON_LENGTH)] | None = Field(
        default=None, description="Why it is corrected: one line, shown to everybody."
    )

    def read_note(self) -> CorrectionNote:
        """Return the note as it will be shown. Raises Problem 422."""
        try:
            return CorrectionNote(check_reason(self.reason) if self.reason is not None else "")
        except InvalidName as error:
            raise unprocessable("invalid-reason", f"reason: {error}", pointer="/reason") from error


def check_not_archived(published: PublishedBenchmark) -> None:
    """Check that a benchmark may be changed. Raises Problem 409."""
    if published.archived is not None:
        detail = f"{published.archived.describe()}; undo that with `laurel archive {published.id} --undo`"
        raise Problem(HTTPStatus.CONFLICT, "archived", detail)
