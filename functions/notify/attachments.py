"""What is attached to a mail: raw results and script output, while there is room; the rest is linked."""

from dataclasses import dataclass, field
from typing import NamedTuple

from notify.content import Attachment
from storage.submissions.models import Submission, SubmissionRecord

MAX_BYTES = 7_000_000
"""Of all attachments. In base64 this is under the 10 MB that SES and most mailboxes accept."""
MAX_RESULTS = 20


class ReportedRecord(NamedTuple):
    """A submission record that a mail reports, and the file names of what is attached; None: not attached."""

    record: SubmissionRecord
    result: str | None = None
    stdout: str | None = None
    stderr: str | None = None


@dataclass
class AttachmentBudget:
    """The attachments of one mail, and how much room is left.

    Args:
        several: Whether the mail reports more than one record, so that every file name needs the record's number.
    """

    several: bool
    attachments: list[Attachment] = field(default_factory=list)
    results: int = 0
    records: int = 0

    @property
    def room(self) -> int:
        """How many bytes may still be attached."""
        return MAX_BYTES - sum(len(attachment.content) for attachment in self.attachments)

    @property
    def result_room(self) -> int:
        """How long a raw result may be to be attached; 0 if no more are."""
        return self.room if self.results < MAX_RESULTS else 0

    def add_record(self, record: SubmissionRecord, *, result: bytes | None, with_output: bool) -> ReportedRecord:
        """Attach result (None: it is linked) and output of a record if there is room."""
        self.records += 1
        name = self._add_result(result, record.submission) if result is not None else None
        if not with_output or record.output is None:
            return ReportedRecord(record, name)
        stdout, stderr = (self._add_text(stream, getattr(record.output, stream)) for stream in ("stdout", "stderr"))
        return ReportedRecord(record, name, stdout, stderr)

    def _add_result(self, result: bytes, submission: Submission) -> str | None:
        name = f"result-{self.records}.{submission.file_format}"
        if len(result) > self.result_room or not self._add(Attachment(name, result, submission.media_type)):
            return None
        self.results += 1
        return name

    def _add_text(self, stream: str, text: str) -> str | None:
        name = f"{stream}-{self.records}.txt" if self.several else f"{stream}.txt"
        content = text.encode(errors="backslashreplace")
        return name if content and self._add(Attachment(name, content, "text/plain")) else None

    def _add(self, attachment: Attachment) -> bool:
        fits = len(attachment.content) <= self.room
        if fits:
            self.attachments.append(attachment)
        return fits
