"""What goes with a mail: raw results and what scripts printed, attached while there is room, else linked."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from notify.content import Attachment
from storage.submissions.models import SubmissionRecord

MAX_RESULT_BYTES = 7_000_000
MAX_ENCLOSED_BYTES = 7_000_000
"""In base64 this is under the 10 MB that SES takes from everybody and that mailboxes accept."""
MAX_ENCLOSED_RESULTS = 20
_ZIP = b"PK\x03\x04"


class ReportedRecord(NamedTuple):
    """One record that a mail counts.

    Args:
        record: What became of the submission.
        result: The file name under which the raw result is attached; None where it is linked.
        stdout: The file name of what the script printed to stdout; None where there is none attached.
        stderr: The same of stderr.
    """

    record: SubmissionRecord
    result: str | None = None
    stdout: str | None = None
    stderr: str | None = None


@dataclass
class AttachmentBudget:
    """The attachments of one mail, as they are gathered.

    Args:
        several: Whether the mail counts more than one record, so that every name needs the record's number.
    """

    several: bool
    attachments: list[Attachment] = field(default_factory=list)
    results: int = 0
    cases: int = 0

    @property
    def room(self) -> int:
        """How many bytes may still be added."""
        return MAX_ENCLOSED_BYTES - sum(len(one.content) for one in self.attachments)

    @property
    def result_room(self) -> int:
        """How long a raw result may be to be attached; 0 where no more are."""
        return min(MAX_RESULT_BYTES, self.room) if self.results < MAX_ENCLOSED_RESULTS else 0

    def add_case(self, record: SubmissionRecord, *, result: bytes | None, with_output: bool) -> ReportedRecord:
        """Attach what belongs to a record and has room.

        Args:
            record: What became of the submission.
            result: The raw result; None where it is to be linked.
            with_output: Whether the recipient may see what the script printed.
        """
        self.cases += 1
        name = self._add_result(result) if result is not None else None
        if not with_output or record.output is None:
            return ReportedRecord(record, name)
        stdout, stderr = (self._add_text(*one) for one in _printed(record))
        return ReportedRecord(record, name, stdout, stderr)

    def _add_result(self, result: bytes) -> str | None:
        kind, media_type = ("zip", "application/zip") if result.startswith(_ZIP) else ("json", "application/json")
        name = f"result-{self.cases}.{kind}"
        if len(result) > self.result_room or not self._add(Attachment(name, result, media_type)):
            return None
        self.results += 1
        return name

    def _add_text(self, stream: str, text: str) -> str | None:
        name = f"{stream}-{self.cases}.txt" if self.several else f"{stream}.txt"
        content = text.encode(errors="backslashreplace")
        return name if content and self._add(Attachment(name, content, "text/plain")) else None

    def _add(self, attachment: Attachment) -> bool:
        fits = len(attachment.content) <= self.room
        if fits:
            self.attachments.append(attachment)
        return fits


def _printed(record: SubmissionRecord) -> Sequence[tuple[str, str]]:
    output = record.output
    return (("stdout", output.stdout), ("stderr", output.stderr)) if output else ()
