"""The texts of all mails: one row for each recipient and outcome, and how much of a record each recipient may see."""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from notify.attachments import ReportedRecord
from notify.content import Field, Link, MailContent, Section
from scoring_core.metrics.spelling import show_number
from scoring_core.outcome import Outcome
from scoring_core.urls import board_url, page_url, submission_url
from storage.mail.models import DigestKey, DigestKind, PendingMail, Recipient
from storage.players.invitations import KEEP, Invitation
from storage.players.names import label_player
from storage.players.tokens import Scope
from storage.submissions.models import APOLOGY, SubmissionRecord

MAX_DETAILED = 20
"""Records or entries that a mail describes in full."""
MAX_SCORES = 10
"""Scores of a record that a mail to an owner has."""
MAX_QUOTED = 1500
"""Characters of stdout or stderr that are quoted in the mail itself: the last ones."""


class MailTopic(NamedTuple):
    """The benchmark that a mail is about, and the address of the site, without a slash at its end."""

    benchmark: str
    title: str
    site: str


_FOOTERS: Final = {
    Recipient.UPLOADER: "You get this mail because results were submitted with your token.",
    Recipient.OWNER: "You get this mail because you are the contact of this benchmark.",
    Recipient.ADMIN: "You get this mail because you administer this site.",
}
_REPEATS: Final = "Further results of this kind are collected into one mail an hour."


class MailTemplate(NamedTuple):
    """A mail about one thing, and about several.

    `{title}` is the benchmark's, `{benchmark}` its id, `{count}` how many they are. `how_often` ends the footer.
    """

    single: str
    several: str
    happened: str
    next: str
    how_often: str = _REPEATS

    def fill(self, topic: MailTopic, recipient: Recipient, count: int, sections: Iterable[Section]) -> MailContent:
        """Return the mail."""
        named = {"title": topic.title, "benchmark": topic.benchmark, "count": count}
        return MailContent(
            title=topic.title,
            summary=(self.single if count == 1 else self.several).format(**named),
            paragraphs=(self.happened.format(**named), self.next.format(**named)),
            sections=tuple(sections),
            footer=f"{_FOOTERS[recipient]} {self.how_often}",
        )


_INTERNAL: Final = MailTemplate(
    single="your result has no score yet: internal error",
    several="{count} of your results have no score yet: internal error",
    happened="What you submitted to {title} could not be scored: internal error.",
    next="Your result is not the cause, and it is not lost: we keep it, and score it again once the cause is fixed. "
    "It is attached, or linked below.",
)
_TEMPLATES: Final = {
    (DigestKind.RESULTS, Outcome.INVALID): MailTemplate(
        single="your result is invalid",
        several="{count} of your results are invalid",
        happened="What you submitted to {title} has no score, because it is not what the benchmark expects.",
        next="Fix what is named below and submit the result again. What you sent is attached, or linked below.",
    ),
    (DigestKind.RESULTS, Outcome.EVALUATOR_ERROR): _INTERNAL,
    (DigestKind.RESULTS, Outcome.INTERNAL_ERROR): _INTERNAL,
    (DigestKind.EVALUATIONS, Outcome.EVALUATOR_ERROR): MailTemplate(
        single="the evaluation failed",
        several="{count} evaluations failed",
        happened="The evaluation of {title}, your benchmark, failed. The results are not the cause; their players "
        f'only read "{APOLOGY}".',
        next="Score the raw result with the command laurel score to reproduce the failure. Then fix the benchmark and "
        "publish it again.",
    ),
    (DigestKind.FAILURES, Outcome.INTERNAL_ERROR): MailTemplate(
        single="a result could not be scored",
        several="{count} results could not be scored",
        happened="Scoring results of {title} failed, and so did all retries. Neither the players nor the owner are the "
        "cause.",
        next="Look for the submission in the log of the evaluate function. When the cause is fixed, run the command "
        "laurel sweep --failed to score the results again.",
    ),
}
_REVIEWS: Final = MailTemplate(
    single="a result waits for your look",
    several="{count} results wait for your look",
    happened="What was submitted to {title} meets the condition “review” of the benchmark. It counts on no board, and "
    "nobody but you and its player sees its scores until you decide.",
    next="Look at each submission or its raw result, then run one of its two commands. What you accept counts as if it "
    "had never waited; what you withdraw stays off every board. laurel submissions {benchmark} --in-review lists it.",
)
_FINAL: Final = MailTemplate(
    single="Final",
    several="Final",
    happened="{title}, your benchmark, shows its final: the ranks by hidden rows. Its page says which rank each row "
    "had by the public ones.",
    next="A correction of the truth is a rescore of the final: publish it, then run laurel rescore {benchmark}.",
    how_often="There is one mail about a final.",
)
_WAITING_FINAL: Final = _FINAL._replace(
    single="the final waits for you",
    happened="The final of {title}, your benchmark, is scored, and the board does not show it yet.",
    next="Decide what is named below. The board follows within ten minutes.",
)
_RUNS: Final = MailTemplate(
    single="results wait for your runner",
    several="results wait for your runner",
    happened="What was submitted to {title}, your benchmark, has waited for more than a day: no runner has scored it.",
    next="Start one on your machine: laurel work FOLDER. Nothing is lost, and the oldest is scored first.",
    how_often="There is one mail until a runner is seen again.",
)
_ORPHANS: Final = MailTemplate(
    single="a batch with a wrong path",
    several="{count} batches with wrong paths",
    happened="Files were uploaded to the results bucket for players or benchmarks that do not exist. Nothing in them "
    "is scored, and those who uploaded them may not know.",
    next="The path is drops/BENCHMARK/PLAYER/FILE. Make the player with the command laurel token, publish the "
    "benchmark, or correct the path; then the file must be uploaded again.",
)
_PLAIN: Final = {
    DigestKind.FINALS: (_FINAL, "What it waits for"),
    DigestKind.ORPHANS: (_ORPHANS, "Files"),
    DigestKind.RUNS: (_RUNS, "What waits"),
}
"""The mails for which nothing else is read, and what their texts are."""
_ALLOWED: Final = {
    Scope.SUBMIT: "submit results",
    Scope.HOST: "host a game of it",
    Scope.WORK: "score its results on your own machine",
    Scope.OWN: "run the benchmark as an owner",
}

_REPEAT: Final = "You may have received this mail before: sending it was interrupted, so it is sent again."


def mark_repeat(content: MailContent) -> MailContent:
    """Return a content that begins with the line that it may be a repeat."""
    return content._replace(paragraphs=(_REPEAT, *content.paragraphs))


def sees_output(digest: DigestKey) -> bool:
    """Return whether the recipient may see the output of the evaluation script."""
    return digest.kind.recipient is not Recipient.UPLOADER or digest.outcome is Outcome.INVALID


def write_mail(digest: DigestKey, *, title: str, reported: Sequence[ReportedRecord], site: str) -> MailContent:
    """Write the mail about the records of a digest.

    Args:
        digest: The kind and the outcome.
        title: The benchmark's title.
        reported: At least one record; the first 20 are described in full, the others are linked.
        site: The site's address, without a slash at its end.
    """
    if digest.outcome is None:
        raise ValueError(f"{digest}: it is not about results")
    sections = [write_section(digest, item, site=site) for item in reported[:MAX_DETAILED]]
    if rest := reported[MAX_DETAILED:]:
        links = [
            Link(f"Raw result of {item.record.submission.id}", result_url(item.record, site=site)) for item in rest
        ]
        sections.append(Section(f"And {len(rest)} more", links=tuple(links)))
    topic = MailTopic(digest.benchmark, title, site)
    return _TEMPLATES[digest.kind, digest.outcome].fill(topic, digest.kind.recipient, len(reported), sections)


def write_plain_mail(topic: MailTopic, kind: DigestKind, mails: Sequence[PendingMail]) -> MailContent:
    """Write a mail for which nothing else is read than the pending mails."""
    template, label = _PLAIN[kind]
    if kind is DigestKind.FINALS and mails[0].text:
        template = _WAITING_FINAL
    link = Link("Open the board", topic.site + board_url(topic.benchmark))
    sections = [
        Section(mail.topic, quotes=(Field(label, mail.text),) if mail.text else (), links=(link,)) for mail in mails
    ]
    if kind is DigestKind.ORPHANS:
        files = (Field(str(number), mail.text) for number, mail in enumerate(mails[:MAX_DETAILED], 1))
        sections = [Section(label, tuple(files))]
    return template.fill(topic, kind.recipient, len(mails), sections)


def write_reviews_mail(topic: MailTopic, records: Sequence[SubmissionRecord]) -> MailContent:
    """Write the mail to an owner about what is in review; the first 20 are described."""
    benchmark, _, site = topic
    sections = [
        Section(
            f"Submission {record.submission.id}",
            (
                *_describe_submission(record),
                *(Field(name, show_number(value)) for name, value in [*record.scores.items()][:MAX_SCORES]),
            ),
            (
                Field("To let it count", f"laurel accept {benchmark} {record.submission.id}"),
                Field("To withdraw it", f"laurel withdraw {benchmark} {record.submission.id} --reason …"),
            ),
            links=(
                Link("Open the submission", site + page_url(benchmark, record.submission.id)),
                Link("Download the raw result", result_url(record, site=site)),
            ),
        )
        for record in records[:MAX_DETAILED]
    ]
    if more := records[MAX_DETAILED:]:
        sections.append(Section(f"And {len(more)} more"))
    return _REVIEWS.fill(topic, Recipient.OWNER, len(records), sections)


def write_invitation_mail(
    topic: MailTopic, invitation: Invitation, *, code: str, inviter: str, benchmark_summary: str
) -> MailContent:
    """Write the mail with the link of an invitation.

    Args:
        topic: The benchmark.
        invitation: The invitation, which is open.
        code: Its code.
        inviter: The name of the player who made it; empty if there is no such player any more.
        benchmark_summary: What the benchmark is about.
    """
    benchmark, title, site = topic
    allowed = " and ".join(text for scope, text in _ALLOWED.items() if scope in invitation.scopes)
    fields = (
        Field("Works", f"once, until {invitation.ends_at:%Y-%m-%d %H:%M} UTC"),
        Field("What it gives", f"a token, the secret with which you may {allowed}"),
    )
    links = (Link("Join", f"{site}/join#{code}"), Link("Look at the benchmark", site + board_url(benchmark)))
    return MailContent(
        title=title,
        summary="you are invited",
        paragraphs=(
            f"{inviter or 'An owner of the benchmark'} invites you to {title}: {benchmark_summary}",
            "Open the link and give the name that the board is to show: you are in.",
        ),
        sections=(Section("Your link", fields, links=links),),
        footer="You get this mail because an owner of this benchmark entered your address. If you do not want to join, "
        "ignore it: nothing more is sent for this link. The address is deleted when the owner takes the link back, or "
        f"{KEEP.days} days after its end.",
    )


def write_section(digest: DigestKey, reported: ReportedRecord, *, site: str) -> Section:
    """Write what the recipient may see of one record."""
    record = reported.record
    fields = _describe_submission(record)
    quotes: tuple[Field, ...] = ()
    if digest.kind.recipient is Recipient.ADMIN:
        fields += _describe_origin(record)
    if sees_output(digest):
        fields += [Field("Reason", record.message)] if record.message else []
        fields += [Field("Where in the result", record.pointer)] if record.pointer else []
        if record.output and digest.kind.recipient is not Recipient.UPLOADER:
            fields.append(Field("How the evaluation script ended", record.output.ended))
        quotes = _quote_output(reported)
    attached = f"attached as {reported.result}" if reported.result else "not attached, see the link"
    fields.append(Field("Raw result", attached))
    links = [Link("Open the submission", site + page_url(record.submission.benchmark, record.submission.id))]
    if reported.result is None:
        links.append(Link("Download the raw result", result_url(record, site=site)))
    return Section(f"Submission {record.submission.id}", tuple(fields), quotes, tuple(links))


def result_url(record: SubmissionRecord, *, site: str) -> str:
    """Return the address of a raw result."""
    return f"{site}{submission_url(record.submission.benchmark, record.submission.id)}/result"


def _describe_submission(record: SubmissionRecord) -> list[Field]:
    submission = record.submission
    fields = [
        Field("Submitted", f"{submission.submitted_at:%Y-%m-%d %H:%M:%S} UTC"),
        Field("Player", label_player(submission.player.name, verified=submission.player.verified)),
    ]
    return fields + ([Field("Part", submission.part)] if submission.part else [])


def _describe_origin(record: SubmissionRecord) -> list[Field]:
    player = record.submission.player
    fields = [
        Field("Player's id", f"{player.id} ({player.kind.value}, {'verified' if player.verified else 'a guest'})"),
        Field("Benchmark", f"{record.submission.benchmark}, version {record.version}"),
        Field("Recorded", f"{record.recorded_at} (revision {record.revision})"),
    ]
    return fields + ([Field("Signature", record.signature)] if record.signature else [])


def _quote_output(reported: ReportedRecord) -> tuple[Field, ...]:
    output = reported.record.output
    if output is None:
        return ()
    quotes = []
    for stream, text, name in (("stdout", output.stdout, reported.stdout), ("stderr", output.stderr, reported.stderr)):
        if text.strip():
            cut = f", the last {MAX_QUOTED} characters" if len(text) > MAX_QUOTED else ""
            attached = f" (attached as {name})" if name else ""
            quotes.append(Field(f"{stream}{cut}{attached}", text[-MAX_QUOTED:].strip("\n")))
    return tuple(quotes)
