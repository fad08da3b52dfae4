"""The one mail of a drop: how its entries ended, and the first errors."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from notify.content import Field, Link, MailContent, Section
from scoring_core.outcome import Outcome
from storage.batches.reports import BatchEntry
from storage.submissions.models import SubmissionRecord

MAX_ERRORS = 20
_LATER = "internal error, try again later"
_FOOTER = "You get this because a token of yours handed in a drop in which something failed. There is one mail a drop."


class BatchError(NamedTuple):
    """An entry that has no score, and why; its submission where it became one."""

    entry: str
    error: str
    submission: str | None = None


class BatchCounts(NamedTuple):
    """How the entries of a drop ended; `failed` are faults of ours or of the owner, `waiting` are not recorded yet."""

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
    """Count how the entries of a drop ended.

    Args:
        entries: Of the drop's report.
        outcomes: Submission → its latest record; what is not there waits.
    """
    counted = Counter(_end_of(entry, outcomes) for entry in entries)
    return BatchCounts(**counted)


def list_errors(entries: Iterable[BatchEntry], outcomes: Mapping[str, SubmissionRecord]) -> list[BatchError]:
    """Give what has no score, in the order of the drop, with reasons that its uploader may know."""
    errors = []
    for entry in entries:
        record = outcomes.get(entry.submission or "")
        if entry.error is not None:
            errors.append(BatchError(entry.entry, entry.error))
        elif record is not None and record.outcome is not Outcome.SCORED:
            errors.append(BatchError(entry.entry, _reason_of(record), record.submission.id))
    return errors


def write_batch_mail(
    drop: str, *, title: str, benchmark: str, counts: BatchCounts, errors: Sequence[BatchError], site: str
) -> MailContent:
    """Write the mail about a drop.

    Args:
        drop: The drop's id.
        title: The benchmark's title.
        benchmark: The benchmark's id.
        counts: Of all its entries.
        errors: In the order of the drop; the first 20 are told.
        site: The site's address, without a slash at its end.
    """
    failing = len(errors)
    told = f"{failing} of {counts.total} entries of your drop have no score"
    facts = tuple(Field(label, str(number)) for label, number in _rows(counts) if number)
    more = f", the first {MAX_ERRORS} of them" if failing > MAX_ERRORS else ""
    rest = f", but for {counts.waiting} entries that still wait" if counts.waiting else ""
    happened = (
        f"The drop that you handed in to {title} has been worked through{rest}; what could be scored is on the board. "
        f"What could not is named below{more}."
    )
    advice = (
        "Mend these entries and hand them in again, alone or in a new drop: what is scored already need not be "
        f'repeated. Where it says "{_LATER}", nothing is wrong with the entry.'
    )
    sections = [Section(f"Drop {drop}", facts)]
    sections += [_tell_error(error, benchmark=benchmark, site=site) for error in errors[:MAX_ERRORS]]
    return MailContent(
        subject=f"{title}: {told}",
        title=title,
        heading=told,
        paragraphs=(happened, advice),
        sections=tuple(sections),
        footer=_FOOTER,
    )


def _rows(counts: BatchCounts) -> Sequence[tuple[str, int]]:
    return (
        ("Entries", counts.total),
        ("Scored", counts.scored),
        ("Invalid", counts.invalid),
        ("Refused unread", counts.refused),
        ("Failed, not your fault", counts.failed),
        ("Still waiting", counts.waiting),
    )


def _tell_error(error: BatchError, *, benchmark: str, site: str) -> Section:
    links = (Link("Open the submission", f"{site}/b/{benchmark}/s/{error.submission}"),) if error.submission else ()
    return Section(error.entry or "The drop as a whole", (Field("Reason", error.error),), links=links)


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
        return _LATER
    return f"{record.message} (at {record.pointer})" if record.pointer else record.message
