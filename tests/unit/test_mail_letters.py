"""Mails as they are read and as they travel: words, forms, headers that nobody else can write, sizes."""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import SMTP
from html.parser import HTMLParser

import pytest

from notify.attachments import MAX_ENCLOSED_BYTES, MAX_ENCLOSED_RESULTS, AttachmentBudget
from notify.batches import BatchCounts, BatchError, write_batch_mail
from notify.content import Attachment, MailContent
from notify.mime import MAX_SUBJECT_LENGTH, make_message, make_subject
from notify.planning import concerns_uploader, plan_mails
from notify.rendering import render_html, render_text
from notify.templates import sees_output, write_mail
from scoring_core.errors import Output
from scoring_core.outcome import Outcome
from storage.ids import make_submission_id
from storage.mail.models import DigestKey, PendingMail, Recipient
from storage.submissions.models import Player, PlayerKind, Submission, SubmissionRecord

NOON = datetime(2026, 1, 2, 12, tzinfo=UTC)
SITE = "https://laurel.example.org"
OUTPUT = Output(stdout="half\n", stderr="oh\n", ended="exited with code 1")
HOSTILE = "\u0639\u0644\u064a <img src=https://x.example/y onerror=alert(1)>\r\nBcc: eve@example.com \u202e \x1b[31m"
MOMENT = "Fri, 02 Jan 2026 12:00:01 +0000"
ROWS = [
    (Recipient.UPLOADER, Outcome.INVALID),
    (Recipient.UPLOADER, Outcome.EVALUATOR_ERROR),
    (Recipient.UPLOADER, Outcome.INTERNAL_ERROR),
    (Recipient.OWNER, Outcome.EVALUATOR_ERROR),
    (Recipient.ADMIN, Outcome.INTERNAL_ERROR),
]


def make_record(
    outcome: Outcome, *, number: int = 1, name: str = "Anna", output: Output | None = OUTPUT
) -> SubmissionRecord:
    """Make a record that did not score."""
    player = Player("anna", name, PlayerKind.MODEL, verified=True)
    submission = Submission(make_submission_id(NOON, bytes([number] * 10)), "coin-run", player, part="level-1")
    return SubmissionRecord(
        submission=submission,
        version="0123456789abcdef",
        outcome=outcome,
        signature="benchmark:coin-run|version:0123456789abcdef",
        recorded_at="2026-01-02T12:00:01+00:00",
        message="expected 1, found 2",
        pointer="/coins",
        output=output,
    )


def write(
    recipient: Recipient,
    outcome: Outcome,
    records: Sequence[SubmissionRecord],
    *,
    title: str = "Coin Run",
    result: bytes = b"{}",
) -> tuple[MailContent, list[Attachment]]:
    """Write the letter about records."""
    thread = DigestKey(recipient, "coin-run", outcome, "anna")
    enclosure = AttachmentBudget(several=len(records) > 1)
    cases = [enclosure.add_case(one, result=result, with_output=sees_output(thread)) for one in records]
    return write_mail(thread, title=title, cases=cases, site=SITE), enclosure.attachments


def send(letter: MailContent, attachments: Sequence[Attachment] = ()) -> tuple[EmailMessage, bytes]:
    """Make the message, and read it back from its bytes."""
    message = make_message(
        letter,
        attachments,
        sender="laurel@example.org",
        to="anna@example.com",
        date=datetime(2026, 1, 2, 12, 0, 1, tzinfo=UTC),
        message_id="0a1b",
    )
    wire = message.as_bytes(policy=SMTP.clone(cte_type="7bit"))
    return message_from_bytes(wire, _class=EmailMessage, policy=SMTP), wire


class Tags(HTMLParser):
    """Notes every tag with its attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note one."""
        self.found.append((tag, dict(attrs)))


def test_text() -> None:
    """The plain text says what happened, to what, why, and where to look."""
    letter, _ = write(Recipient.UPLOADER, Outcome.INVALID, [make_record(Outcome.INVALID)])
    submission = make_record(Outcome.INVALID).submission.id

    text = render_text(letter)

    assert text == (
        "Laurel · Coin Run\n\nYour result is invalid\n\n"
        "What you handed in to Coin Run has no score, because it is not what the benchmark expects.\n\n"
        "Mend what is named below and hand the result in again. What you sent is attached, or linked below.\n\n"
        f"Submission {submission}\n"
        "  Handed in: 2026-01-02 12:00:00 UTC\n  Player: Anna\n  Part: level-1\n"
        "  Reason: expected 1, found 2\n  Where in the result: /coins\n  Raw result: attached as result-1.json\n"
        "  stdout (attached as stdout.txt):\n    half\n  stderr (attached as stderr.txt):\n    oh\n"
        f"  Open the submission: {SITE}/b/coin-run/s/{submission}\n\n"
        "-- \nYou get this because a token of yours handed in results. Repeats are gathered to one mail an hour.\n"
    )


def test_structure() -> None:
    """A mail has a text, an HTML form of the same, and attachments under names of ours."""
    letter, attachments = write(Recipient.OWNER, Outcome.EVALUATOR_ERROR, [make_record(Outcome.EVALUATOR_ERROR)])

    message, wire = send(letter, attachments)

    assert [part.get_content_type() for part in message.walk()] == [
        "multipart/mixed",
        "multipart/alternative",
        "text/plain",
        "text/html",
        "application/json",
        "text/plain",
        "text/plain",
    ]
    assert [one.get_filename() for one in message.iter_attachments()] == ["result-1.json", "stdout.txt", "stderr.txt"]
    assert [one.get_content() for one in message.iter_attachments()] == [b"{}", "half\n", "oh\n"]
    assert wire.isascii()
    assert max(map(len, wire.split(b"\r\n"))) <= 998


def test_headers() -> None:
    """The headers name sender, addressee, moment and identity, and ask for no answer."""
    letter, _ = write(Recipient.UPLOADER, Outcome.INVALID, [make_record(Outcome.INVALID)])

    message, _ = send(letter)

    assert {name: str(message[name]) for name in message if name not in {"Content-Type", "MIME-Version"}} == {
        "From": "Laurel <laurel@example.org>",
        "To": "anna@example.com",
        "Subject": "Coin Run: your result is invalid",
        "Date": MOMENT,
        "Message-ID": "<0a1b@example.org>",
        "Auto-Submitted": "auto-generated",
    }


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row[0]}-{row[1]}")
def test_nobody_else_writes_headers(row: tuple[Recipient, Outcome]) -> None:
    """A title or a name with line breaks, markup or direction marks adds no header and stands encoded."""
    records = [make_record(row[1], name=HOSTILE, output=Output(HOSTILE, HOSTILE, HOSTILE))]
    letter, attachments = write(*row, records, title=HOSTILE)

    message, wire = send(letter, attachments)

    head = wire.partition(b"\r\n\r\n")[0]
    assert message["Bcc"] is None
    assert not re.search(rb"^bcc", head, re.IGNORECASE | re.MULTILINE)
    assert head.isascii()
    assert "\u202e" not in str(message["Subject"])


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row[0]}-{row[1]}")
def test_html_is_harmless(row: tuple[Recipient, Outcome]) -> None:
    """The HTML form loads nothing and runs nothing, links only to the site, and keeps its direction."""
    records = [make_record(row[1], name=HOSTILE, output=Output(HOSTILE, HOSTILE, HOSTILE))]
    letter, _ = write(*row, records, title=HOSTILE)

    html = render_html(letter)

    tags = Tags()
    tags.feed(html)
    assert not {tag for tag, _ in tags.found} & {"img", "script", "iframe", "object", "embed", "form", "base", "svg"}
    assert all(str(attributes["href"]).startswith(f"{SITE}/") for _, attributes in tags.found if "href" in attributes)
    assert not [name for _, attributes in tags.found for name in attributes if name.startswith("on") or name == "src"]
    assert not re.search(r"url\(|@import|[\u202a-\u202e\x1b]", html)


@pytest.mark.parametrize("outcome", [Outcome.EVALUATOR_ERROR, Outcome.INTERNAL_ERROR])
def test_the_uploader_learns_nothing_of_faults(outcome: Outcome) -> None:
    """Where the result is not to blame the mail holds neither message nor output, in no form and no attachment."""
    letter, attachments = write(Recipient.UPLOADER, outcome, [make_record(outcome)])

    told = render_text(letter) + render_html(letter)

    assert not [word for word in ("expected 1", "/coins", "half", "exited", "oh\n") if word in told]
    assert [one.name for one in attachments] == ["result-1.json"]


def test_the_administrator_learns_everything() -> None:
    """The administrator sees player, version, signature, message, output and how the script ended."""
    letter, _ = write(Recipient.ADMIN, Outcome.INTERNAL_ERROR, [make_record(Outcome.INTERNAL_ERROR)])

    text = render_text(letter)

    expected = ("anna (model, verified)", "0123456789abcdef", "benchmark:coin-run|", "expected 1", "/coins", "exited")
    assert [word for word in expected if word not in text] == []


def test_several() -> None:
    """Twenty are told in full and every other one is linked; names of files are numbered."""
    records = [make_record(Outcome.INVALID, number=number) for number in range(1, 24)]

    letter, attachments = write(Recipient.UPLOADER, Outcome.INVALID, records)

    text = render_text(letter)
    assert letter.subject == "Coin Run: 23 of your results are invalid"
    assert len(letter.sections) == 21
    assert [record.submission.id for record in records if record.submission.id not in text] == []
    assert sum(one.name.startswith("result-") for one in attachments) == MAX_ENCLOSED_RESULTS
    assert {"stdout-1.txt", "stderr-2.txt"} <= {one.name for one in attachments}
    assert len({one.name for one in attachments}) == len(attachments)


def test_size() -> None:
    """However much there is, what is attached stays within the bound, and the mail within SES's 10 MB."""
    records = [make_record(Outcome.INVALID, number=number) for number in range(1, 5)]

    letter, attachments = write(Recipient.UPLOADER, Outcome.INVALID, records, result=b"x" * 3_000_000)

    _, wire = send(letter, attachments)
    assert sum(len(one.content) for one in attachments) <= MAX_ENCLOSED_BYTES
    assert [one.name for one in attachments if one.name.startswith("result")] == ["result-1.json", "result-2.json"]
    assert f"{SITE}/api/benchmarks/coin-run/submissions/{records[2].submission.id}/result" in render_text(letter)
    assert len(wire) < 10_000_000


def test_a_bundle() -> None:
    """A result that is a ZIP is attached as one."""
    _, (attachment,) = write(
        Recipient.UPLOADER, Outcome.INTERNAL_ERROR, [make_record(Outcome.INTERNAL_ERROR)], result=b"PK\x03\x04"
    )

    assert (attachment.name, attachment.media_type) == ("result-1.zip", "application/zip")


def test_a_long_subject() -> None:
    """A subject is one line of bounded length."""
    subject = make_subject("a\n" * 1000)

    assert len(subject) == MAX_SUBJECT_LENGTH
    assert "\n" not in subject


def test_drop() -> None:
    """A drop's mail tells counts and the first 20 errors."""
    errors = [BatchError(f"line {number}", "not JSON") for number in range(30)]

    letter = write_batch_mail(
        "d1", title="Coin Run", benchmark="coin-run", counts=BatchCounts(scored=5, refused=30), errors=errors, site=SITE
    )

    text = render_text(letter)
    assert letter.subject == "Coin Run: 30 of 35 entries of your drop have no score"
    assert ("line 19\n" in text, "line 20\n" in text, "the first 20 of them" in text) == (True, False, True)


@pytest.mark.parametrize(
    ("outcome", "recipients"),
    [
        (Outcome.SCORED, []),
        (Outcome.INVALID, [Recipient.UPLOADER]),
        (Outcome.EVALUATOR_ERROR, [Recipient.UPLOADER, Recipient.OWNER]),
        (Outcome.INTERNAL_ERROR, [Recipient.UPLOADER, Recipient.ADMIN]),
    ],
)
def test_intents(outcome: Outcome, recipients: list[Recipient]) -> None:
    """Who is written to follows from the outcome."""
    record = make_record(outcome)

    intents = plan_mails(record, now=NOON)

    assert [one.thread.recipient for one in intents] == recipients
    assert {(one.submission, one.version) for one in intents} <= {(record.submission.id, record.version)}
    assert all(isinstance(one, PendingMail) for one in intents)


def test_a_rescoring_concerns_no_uploader() -> None:
    """Uploaders did not ask for a rescoring, and are not written to about it."""
    plain = make_record(Outcome.EVALUATOR_ERROR)
    rescored = replace(plain, rescored=True)

    assert (concerns_uploader(plain), concerns_uploader(rescored)) == (True, False)
    assert [one.thread.recipient for one in plan_mails(rescored, now=NOON)] == [Recipient.OWNER]


def test_a_drop_concerns_its_uploader_once() -> None:
    """What came in a drop makes no intent for its uploader: the drop does."""
    record = make_record(Outcome.EVALUATOR_ERROR)
    dropped = replace(record, submission=replace(record.submission, drop="d1"))

    assert [one.thread.recipient for one in plan_mails(dropped, now=NOON)] == [Recipient.OWNER]
