"""What each mail says: one row a recipient and outcome, and how much of a record each recipient may see."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from notify.attachments import ReportedRecord
from notify.content import Field, Link, MailContent, Section
from scoring_core.outcome import Outcome
from storage.access.names import label_player
from storage.mail.models import DigestKey, Recipient
from storage.submissions.models import SubmissionRecord

MAX_TOLD = 20
MAX_QUOTED = 1500
"""Characters of stdout or stderr that stand in the mail itself: the last ones."""
_LATER: Final = "internal error, try again later"


class _Words(NamedTuple):
    """A mail about one record, and about several; `{title}` is the benchmark's, `{count}` how many."""

    one: str
    several: str
    happened: str
    next: str


_INTERNAL: Final = _Words(
    one=_LATER,
    several=f"{{count}} results: {_LATER}",
    happened=f"What you handed in to {{title}} could not be scored: {_LATER}.",
    next="Your result is not to blame, and it is not lost: we keep it, and it is attached, or linked below.",
)
_WORDS: Final = {
    (Recipient.UPLOADER, Outcome.INVALID): _Words(
        one="your result is invalid",
        several="{count} of your results are invalid",
        happened="What you handed in to {title} has no score, because it is not what the benchmark expects.",
        next="Mend what is named below and hand the result in again. What you sent is attached, or linked below.",
    ),
    (Recipient.UPLOADER, Outcome.EVALUATOR_ERROR): _INTERNAL,
    (Recipient.UPLOADER, Outcome.INTERNAL_ERROR): _INTERNAL,
    (Recipient.OWNER, Outcome.EVALUATOR_ERROR): _Words(
        one="the evaluation failed",
        several="{count} evaluations failed",
        happened="The evaluation of {title}, your benchmark, failed. The results are not to blame, so their players "
        f'were only told "{_LATER}".',
        next="Score the raw result with the command laurel score to see it happen, mend the benchmark, and publish it "
        "again.",
    ),
    (Recipient.ADMIN, Outcome.INTERNAL_ERROR): _Words(
        one="a result could not be scored",
        several="{count} results could not be scored",
        happened="Results of {title} were retried in vain. Neither the players nor the owner are to blame.",
        next="Look for the submission in the log of the evaluate function. Once the cause is gone, the command "
        "laurel sweep --failed has what failed scored again.",
    ),
}
_FOOTERS: Final = {
    Recipient.UPLOADER: "You get this because a token of yours handed in results. Repeats are gathered to one mail an "
    "hour.",
    Recipient.OWNER: "You get this because you are the contact of this benchmark. Repeats are gathered to one mail an "
    "hour.",
    Recipient.ADMIN: "You get this because you administer this site. Repeats are gathered to one mail an hour.",
}


def sees_output(thread: DigestKey) -> bool:
    """Tell whether the recipient is shown what the evaluation script printed."""
    return thread.recipient is not Recipient.UPLOADER or thread.outcome is Outcome.INVALID


def write_mail(thread: DigestKey, *, title: str, cases: Sequence[ReportedRecord], site: str) -> MailContent:
    """Write the mail about the records of a thread.

    Args:
        thread: Who is written to, and about which outcome; not of a drop.
        title: The benchmark's title.
        cases: What the mail counts, at least one; the first 20 are told in full, the others are linked.
        site: The site's address, without a slash at its end.
    """
    if thread.outcome is None:
        raise ValueError(f"{thread}: a drop has a letter of its own")
    words = _WORDS[thread.recipient, thread.outcome]
    count = len(cases)
    told = words.one if count == 1 else words.several.format(count=count)
    sections = [write_section(thread, case, site=site) for case in cases[:MAX_TOLD]]
    if cases[MAX_TOLD:]:
        sections.append(_write_rest(cases[MAX_TOLD:], site=site))
    return MailContent(
        subject=f"{title}: {told}",
        title=title,
        heading=told[0].upper() + told[1:],
        paragraphs=(words.happened.format(title=title), words.next),
        sections=tuple(sections),
        footer=_FOOTERS[thread.recipient],
    )


def write_section(thread: DigestKey, case: ReportedRecord, *, site: str) -> Section:
    """Tell about one record what its recipient may see."""
    facts = _tell_envelope(case.record)
    quotes: tuple[Field, ...] = ()
    if thread.recipient is Recipient.ADMIN:
        facts += _tell_origin(case.record)
    if sees_output(thread):
        facts += _tell_reason(case.record)
        if case.record.output and thread.recipient is not Recipient.UPLOADER:
            facts.append(Field("How the evaluation script ended", case.record.output.ended))
        quotes = _quote_output(case)
    facts.append(Field("Raw result", f"attached as {case.result}" if case.result else "not attached, see the link"))
    links = [Link("Open the submission", page_url(case.record, site=site))]
    if case.result is None:
        links.append(Link("Download the raw result", result_url(case.record, site=site)))
    return Section(f"Submission {case.record.submission.id}", tuple(facts), quotes, tuple(links))


def page_url(record: SubmissionRecord, *, site: str) -> str:
    """Give the address of a submission's page."""
    return f"{site}/b/{record.submission.benchmark}/s/{record.submission.id}"


def result_url(record: SubmissionRecord, *, site: str) -> str:
    """Give the address of a raw result."""
    return f"{site}/api/benchmarks/{record.submission.benchmark}/submissions/{record.submission.id}/result"


def _write_rest(cases: Sequence[ReportedRecord], *, site: str) -> Section:
    links = [Link(f"Raw result of {case.record.submission.id}", result_url(case.record, site=site)) for case in cases]
    return Section(f"And {len(cases)} more", links=tuple(links))


def _tell_envelope(record: SubmissionRecord) -> list[Field]:
    submission = record.submission
    facts = [Field("Handed in", f"{submission.submitted_at:%Y-%m-%d %H:%M:%S} UTC")]
    player = submission.player
    facts.append(Field("Player", label_player(player.name, verified=player.verified)))
    return facts + ([Field("Part", submission.part)] if submission.part else [])


def _tell_origin(record: SubmissionRecord) -> list[Field]:
    player = record.submission.player
    facts = [
        Field("Player's id", f"{player.id} ({player.kind.value}, {'verified' if player.verified else 'a guest'})"),
        Field("Benchmark", f"{record.submission.benchmark}, version {record.version}"),
        Field("Recorded", f"{record.recorded_at} (revision {record.revision})"),
    ]
    return facts + ([Field("Signature", record.signature)] if record.signature else [])


def _tell_reason(record: SubmissionRecord) -> list[Field]:
    facts = [Field("Reason", record.message)] if record.message else []
    if record.pointer:
        facts.append(Field("Where in the result", record.pointer))
    return facts


def _quote_output(case: ReportedRecord) -> tuple[Field, ...]:
    output = case.record.output
    if output is None:
        return ()
    quotes = []
    for stream, text, name in (("stdout", output.stdout, case.stdout), ("stderr", output.stderr, case.stderr)):
        if text.strip():
            cut = f", the last {MAX_QUOTED} characters" if len(text) > MAX_QUOTED else ""
            attached = f" (attached as {name})" if name else ""
            quotes.append(Field(f"{stream}{cut}{attached}", text[-MAX_QUOTED:].strip("\n")))
    return tuple(quotes)
