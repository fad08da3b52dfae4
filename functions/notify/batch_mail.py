"""The text of the mails about batches: what has no score, of one batch or of several that were submitted together."""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from notify.batches import ReportedBatch
from notify.content import Field, Link, MailContent, Section
from notify.templates import MAX_DETAILED
from scoring_core.outcome import Outcome
from scoring_core.urls import page_url, report_page_url
from storage.batches.reports import IN_REVIEW, BatchReport, BatchState, EntryResult
from storage.submissions.models import APOLOGY

MAX_BATCH_LINES: Final = 100
"""Batches that a mail lists, a line each."""
_FOOTER: Final = (
    "You get this mail because a batch was submitted with your token and something in it failed. Batches of the same "
    "few minutes are in one mail."
)
_COUNTS: Final = (
    ("Scored", (Outcome.SCORED,)),
    ("In review: waits for the owner's look", (IN_REVIEW,)),
    ("Invalid", (Outcome.INVALID,)),
    ("Rejected unread", ("refused",)),
    ("Failed, not your fault", (Outcome.EVALUATOR_ERROR, Outcome.INTERNAL_ERROR)),
    ("Still waiting", ("queued",)),
)
"""What a mail counts, and the statuses that are counted so."""
_LINE_COUNTS: Final = ("scored", "in review", "invalid", "rejected unread", "failed (not your fault)", "still waiting")
"""The same in the line of a batch."""


def write_batch_mail(
    batches: Sequence[ReportedBatch], *, title: str, best: Sequence[EntryResult], site: str
) -> MailContent:
    """Write the mail about batches: counts, best entries, the first 20 without score.

    Args:
        batches: At least one; of several the first 100 are listed.
        title: The benchmark's title.
        best: Those of the results that rank first, of each part.
        site: The site's address, without a slash at its end.
    """
    results = [result for batch in batches for result in batch.results]
    counts, errors = Counter(result.status for result in results), [result for result in results if result.failed]
    count, benchmark = len(batches), batches[0].report.benchmark
    summary = _summarize(batches, failed=len(errors), entries=len(results))
    still = "1 entry that still waits" if counts["queued"] == 1 else f"{counts['queued']} entries that still wait"
    waiting = f", except for {still}" if counts["queued"] else ""
    more = f"; only the first {MAX_DETAILED} are listed" if len(errors) > MAX_DETAILED else ""
    scored = " What could be scored is on the board." if counts[Outcome.SCORED] else ""
    submitted = (
        f"The batch that you submitted to {title} was processed"
        if count == 1
        else f"You submitted batches to {title}, and in {count} of them something failed. They were processed"
    )
    happened = f"{submitted}{waiting}.{scored} What has no score is listed below{more}."
    advice = (
        "Fix these entries and submit them again, alone or in a new batch. Scored entries need not be repeated. Where "
        f'the reason is "{APOLOGY}", nothing is wrong with the entry.'
    )
    return MailContent(
        title=title,
        summary=summary,
        paragraphs=(happened, advice),
        sections=(
            *(_describe_batches(batches, site=site)),
            *(_describe_best(result, benchmark, site=site) for result in best[:MAX_DETAILED]),
            *(_describe_error(error, benchmark, site=site) for error in errors[:MAX_DETAILED]),
        ),
        footer=_FOOTER,
    )


def _summarize(batches: Sequence[ReportedBatch], *, failed: int, entries: int) -> str:
    count, states = len(batches), {batch.report.state for batch in batches}
    if states == {BatchState.QUARANTINED}:
        return (
            "your batch was rejected: nothing of it is scored"
            if count == 1
            else f"your {count} batches were rejected: nothing of them is scored"
        )
    yours = "your batch" if count == 1 else f"your {count} batches"
    if states == {BatchState.INTERNAL_ERROR}:
        return f"{yours} could not be read completely"
    if entries == 1:
        return "the result of your batch has no score"
    if failed == entries:
        return f"none of the {entries} entries of {yours} has a score"
    return f"{failed} of {entries} entries of {yours} {'has' if failed == 1 else 'have'} no score"


def _describe_batches(batches: Sequence[ReportedBatch], *, site: str) -> list[Section]:
    """Describe one batch, or what several are together and each in a line."""
    results = [result for batch in batches for result in batch.results]
    fields = [Field("Entries", str(len(results)))]
    fields += [Field(label, str(number)) for (label, _), number in zip(_COUNTS, _count(results), strict=True) if number]
    if len(batches) == 1:
        report = batches[0].report
        link = _link_report(report, site=site)
        return [Section(f"Batch {report.drop}", (Field("File", report.file), *fields), links=(link,) if link else ())]
    lines = [
        Field(batch.name, _describe_outcome(batch), _link_report(batch.report, site=site))
        for batch in batches[:MAX_BATCH_LINES]
    ]
    if more := batches[MAX_BATCH_LINES:]:
        lines.append(Field("More batches", f"{len(more)}, which laurel report lists"))
    return [Section(f"{len(batches)} batches", tuple(fields)), Section("Batch by batch", tuple(lines))]


def _count(results: Sequence[EntryResult]) -> list[int]:
    counts = Counter(result.status for result in results)
    return [sum(counts[status] for status in statuses) for _, statuses in _COUNTS]


def _describe_outcome(batch: ReportedBatch) -> str:
    if batch.report.state is BatchState.QUARANTINED:
        return "rejected: nothing of it is scored"
    if batch.report.state is BatchState.INTERNAL_ERROR:
        return "could not be read completely"
    counts = zip(_count(batch.results), _LINE_COUNTS, strict=True)
    return ", ".join(f"{number} {label}" for number, label in counts if number)


def _link_report(report: BatchReport, *, site: str) -> Link | None:
    """Return the link to a report; None for a batch whose benchmark may not exist."""
    if report.state is BatchState.QUARANTINED:
        return None
    return Link("Open the report", site + report_page_url(report.benchmark, report.drop))


def _describe_best(result: EntryResult, benchmark: str, *, site: str) -> Section:
    """Describe the best entry of the batches, or of one part."""
    fields = [Field("Label", result.label)] if result.label else []
    fields += [Field(name, repr(value)) for name, value in (result.scores or {}).items()]
    title = f"Best{f' of {result.part}' if result.part else ''}: {result.entry}"
    links = (Link("Open the submission", site + page_url(benchmark, result.submission or "")),)
    return Section(title, tuple(fields), links=links)


def _describe_error(error: EntryResult, benchmark: str, *, site: str) -> Section:
    url = site + page_url(benchmark, error.submission) if error.submission else ""
    reason = f"{error.message} (at {error.pointer})" if error.pointer else error.message
    links = (Link("Open the submission", url),) if url else ()
    return Section(error.entry or "The batch as a whole", (Field("Reason", reason),), links=links)
