"""The mail about a batch: how its entries ended, and the first errors."""

from collections import Counter
from collections.abc import Sequence

from notify.content import Field, Link, MailContent, Section
from scoring_core.outcome import Outcome
from storage.batches.reports import EntryResult
from storage.submissions.models import APOLOGY
from storage.urls import page_url

MAX_ERRORS = 20
_FOOTER = (
    "You get this mail because a batch was submitted with your token and something in it failed. There is one mail for "
    "each batch."
)


def write_batch_mail(
    batch: str, *, title: str, benchmark: str, results: Sequence[EntryResult], site: str
) -> MailContent:
    """Write the mail about a batch.

    Args:
        batch: The batch's id.
        title: The benchmark's title.
        benchmark: The benchmark's id.
        results: What became of its entries, in order; the first 20 without a score are described.
        site: The site's address, without a slash at its end.
    """
    counts, errors = Counter(result.status for result in results), [result for result in results if result.failed]
    summary = f"{len(errors)} of {len(results)} entries of your batch have no score"
    rows = (
        ("Entries", len(results)),
        ("Scored", counts[Outcome.SCORED]),
        ("Invalid", counts[Outcome.INVALID]),
        ("Rejected unread", counts["refused"]),
        ("Failed, not your fault", counts[Outcome.EVALUATOR_ERROR] + counts[Outcome.INTERNAL_ERROR]),
        ("Still waiting", counts["queued"]),
    )
    waiting = f", except for {counts['queued']} entries that still wait" if counts["queued"] else ""
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
        url = site + page_url(benchmark, error.submission) if error.submission else ""
        links = (Link("Open the submission", url),) if url else ()
        reason = f"{error.message} (at {error.pointer})" if error.pointer else error.message
        sections.append(Section(error.entry or "The batch as a whole", (Field("Reason", reason),), links=links))
    return MailContent(
        subject=f"{title}: {summary}",
        title=title,
        heading=summary,
        paragraphs=(happened, advice),
        sections=tuple(sections),
        footer=_FOOTER,
    )
