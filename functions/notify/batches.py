"""The mail about a batch: how its entries ended, and the first errors."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from notify.content import APOLOGY, Field, Link, MailContent, Section
from notify.templates import page_url
from scoring_core.outcome import Outcome
from storage.batches.reports import BatchEntry
from storage.submissions.models import SubmissionRecord

MAX_ERRORS = 20
_FOOTER = (
    "You get this mail because a batch was submitted with your token and something in it failed. There is one mail for "
    "each batch."
)


class BatchError(NamedTuple):
    """An entry without a score, and why; its submission if it became one."""

    entry: str
    error: str
    submission: str | None = None


class BatchCounts(NamedTuple):
    """How the entries of a batch ended.

    `failed` are not the player's fault, `waiting` are not recorded yet.
    """

    scored: int = 0
    invalid: int = 0
    refused: int = 0
    failed: int = 0
    waiting: int = 0

    @property
    def total(self) -> int:
        """All entries."""
        return sum(self)


def count_entries(entries: Iterable[BatchEntry], outcomes: Mapping[str, SubmissionRecord]) -> BatchCounts:
    """Count how the entries of a batch ended.

    Args:
        entries: Of the batch's report.
        outcomes: Submission → its latest record; a submission without one waits.
    """
    return BatchCounts(**Counter(_end_of(entry, outcomes) for entry in entries))


def list_errors(entries: Iterable[BatchEntry], outcomes: Mapping[str, SubmissionRecord]) -> list[BatchError]:
    """Return the entries without a score, in order, with reasons that the player may read."""
    errors = []
    for entry in entries:
        record = outcomes.get(entry.submission or "")
        if entry.error is not None:
            errors.append(BatchError(entry.entry, entry.error))
        elif record is not None and record.outcome is not Outcome.SCORED:
            errors.append(BatchError(entry.entry, _reason_of(record), record.submission.id))
    return errors


def write_batch_mail(
    batch: str, *, title: str, benchmark: str, counts: BatchCounts, errors: Sequence[BatchError], site: str
) -> MailContent:
    """Write the mail about a batch.

    Args:
        batch: The batch's id.
        title: The benchmark's title.
        benchmark: The benchmark's id.
        counts: Of all its entries.
        errors: In the order of the batch; the first 20 are described.
        site: The site's address, without a slash at its end.
    """
    summary = f"{len(errors)} of {counts.total} entries of your batch have no score"
    rows = (
        ("Entries", counts.total),
        ("Scored", counts.scored),
        ("Invalid", counts.invalid),
        ("Rejected unread", counts.refused),
        ("Failed, not your fault", counts.failed),
        ("Still waiting", counts.waiting),
    )
    waiting = f", except for {counts.waiting} entries that still wait" if counts.waiting else ""
    more = f"; only the first {MAX_ERRORS} are listed" if len(errors) > MAX_ERRORS else ""
    happened = (
        f"The batch that you submitted to {title} was processed{waiting}. What could be scored is on the board. The "
        f"entries below have no score{more}."
    )
    advice = (
        "Fix these entries and submit them again, alone or in a new batch. Scored entries need not be repeated. Where "
        f'the reason is "{APOLOGY}", nothing is wrong with the entry.'
    )
    sections = [Section(f"Batch {batch}", tuple(Field(label, str(number)) for label, number in rows if number))]
    for error in errors[:MAX_ERRORS]:
        url = page_url(benchmark, error.submission, site=site) if error.submission else ""
        links = (Link("Open the submission", url),) if url else ()
        sections.append(Section(error.entry or "The batch as a whole", (Field("Reason", error.error),), links=links))
    return MailContent(
        subject=f"{title}: {summary}",
        title=title,
        heading=summary,
        paragraphs=(happened, advice),
        sections=tuple(sections),
        footer=_FOOTER,
    )


def _end_of(entry: BatchEntry, outcomes: Mapping[str, SubmissionRecord]) -> str:
    if entry.error is not None:
        return "refused"
    record = outcomes.get(entry.submission or "")
    if record is None:
        return "waiting"
    match record.outcome:
        case Outcome.SCORED:
            return "scored"
        case Outcome.INVALID:
            return "invalid"
        case _:
            return "failed"


def _reason_of(record: SubmissionRecord) -> str:
    if record.outcome is not Outcome.INVALID:
        return APOLOGY
    return f"{record.message} (at {record.pointer})" if record.pointer else record.message
