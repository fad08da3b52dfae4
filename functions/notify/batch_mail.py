"""The text of the mails about batches: what has no score, of one batch or of several that were submitted together."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from notify.batches import ReportedBatch
from notify.content import Field, Link, MailContent, Section
from notify.templates import MAX_DETAILED
from scoring_core.outcome import Outcome
from scoring_core.urls import page_url, report_page_url
from storage.batches.reports import IN_REVIEW, BatchState, EntryResult
from storage.submissions.models import APOLOGY

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


def write_batch_mail(batches: Sequence[ReportedBatch], *, title: str, site: str) -> MailContent:
    """Write the mail about batches: counts, the first 20 entries without score.

    Args:
        batches: At least one.
        title: The benchmark's title.
        site: The site's address, without a slash at its end.
    """
    results = [result for batch in batches for result in batch.results]
    counts, failed = Counter(result.status for result in results), sum(result.failed for result in results)
    still = "1 entry that still waits" if counts["queued"] == 1 else f"{counts['queued']} entries that still wait"
    waiting = f", except for {still}" if counts["queued"] else ""
    more = f"; only the first {MAX_DETAILED} are listed" if failed > MAX_DETAILED else ""
    scored = " What could be scored is on the board." if counts[Outcome.SCORED] else ""
    happened = f"What you submitted to {title} was processed{waiting}.{scored}"
    advice = (
        "Fix these entries and submit them again, alone or in a new batch. Scored entries need not be repeated. Where "
        f'the reason is "{APOLOGY}", nothing is wrong with the entry.'
    )
    return MailContent(
        title=title,
        summary=_summarize(batches, failed=failed, entries=len(results)),
        paragraphs=(f"{happened} What has no score is listed below{more}.", advice),
        sections=tuple(_list_sections(batches, site=site)),
        footer=_FOOTER,
    )


def _summarize(batches: Sequence[ReportedBatch], *, failed: int, entries: int) -> str:
    states = {batch.report.state for batch in batches}
    yours = "your batch" if len(batches) == 1 else f"your {len(batches)} batches"
    if states == {BatchState.QUARANTINED}:
        return f"nothing of {yours} is scored"
    if states == {BatchState.INTERNAL_ERROR}:
        return f"{yours} could not be read completely"
    if entries == 1:
        return "the result of your batch has no score"
    if failed == entries:
        return f"none of the {entries} entries of {yours} has a score"
    return f"{failed} of {entries} entries of {yours} {'has' if failed == 1 else 'have'} no score"


def _list_sections(batches: Sequence[ReportedBatch], *, site: str) -> Iterator[Section]:
    """Yield each batch, and behind it those of the first errors that it has."""
    room = MAX_DETAILED
    for batch in batches:
        yield _describe_batch(batch, site=site)
        errors = [result for result in batch.results if result.failed][:room]
        room -= len(errors)
        yield from (_describe_error(error, batch.report.benchmark, site=site) for error in errors)


def _describe_batch(batch: ReportedBatch, *, site: str) -> Section:
    report, counts = batch.report, Counter(result.status for result in batch.results)
    numbers = [(label, sum(counts[status] for status in statuses)) for label, statuses in _COUNTS]
    fields = [Field("File", report.file), Field("Entries", str(len(batch.results)))]
    fields += [Field(label, str(number)) for label, number in numbers if number]
    link = Link("Open the report", site + report_page_url(report.benchmark, report.drop))
    # The benchmark of a batch that was rejected as a whole may not exist.
    links = () if report.state is BatchState.QUARANTINED else (link,)
    return Section(f"Batch {report.drop}", tuple(fields), links=links)


def _describe_error(error: EntryResult, benchmark: str, *, site: str) -> Section:
    url = site + page_url(benchmark, error.submission) if error.submission else ""
    reason = f"{error.message} (at {error.pointer})" if error.pointer else error.message
    links = (Link("Open the submission", url),) if url else ()
    return Section(error.entry or "The batch as a whole", (Field("Reason", reason),), links=links)
