"""Mails as they are read and sent: texts, headers that no foreign text can change, sizes."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import SMTP

import pytest

from notify.attachments import MAX_BYTES, MAX_RESULTS, AttachmentBudget
from notify.batch_mail import write_batch_mail
from notify.batches import ReportedBatch
from notify.content import MAX_SUBJECT_LENGTH, Attachment, MailContent, make_message, make_subject, render_text
from notify.recipients import concerns_uploader, plan_mails
from notify.templates import sees_output, write_mail
from scoring_core.outcome import Outcome
from scoring_core.output import Output
from storage.batches.reports import BatchState, EntryResult
from storage.keys import make_submission_id
from storage.mail.models import DigestKey, DigestKind
from storage.submissions.models import PlayerKind, SubmissionRecord
from tests.harness.factories import make_batch_report, make_player, make_record, make_submission

NOON = datetime(2026, 1, 2, 12, tzinfo=UTC)
SITE = "https://laurel.example.org"
OUTPUT = Output(stdout="half\n", stderr="oh\n", ended="exited with code 1")
HOSTILE = "\u0639\u0644\u064a <img src=https://x.example/y onerror=alert(1)>\r\nBcc: eve@example.com \u202e \x1b[31m"
MOMENT = "Fri, 02 Jan 2026 12:00:01 +0000"
ROWS = [
    (DigestKind.RESULTS, Outcome.INVALID),
    (DigestKind.RESULTS, Outcome.EVALUATOR_ERROR),
    (DigestKind.RESULTS, Outcome.INTERNAL_ERROR),
    (DigestKind.EVALUATIONS, Outcome.EVALUATOR_ERROR),
    (DigestKind.FAILURES, Outcome.INTERNAL_ERROR),
]


def make_failed_record(
    outcome: Outcome, *, number: int = 1, name: str = "Anna", output: Output | None = OUTPUT
) -> SubmissionRecord:
    """Make a record that did not score."""
    player = make_player("anna", name, PlayerKind.MODEL)
    submission = make_submission(
        id=make_submission_id(NOON, bytes([number] * 10)), benchmark="coin-run", player=player, part="level-1"
    )
    return make_record(
        submission=submission,
        outcome=outcome,
        signature="benchmark:coin-run|version:0123456789abcdef",
        message="expected 1, found 2",
        pointer="/coins",
        output=output,
    )


def write(
    kind: DigestKind,
    outcome: Outcome,
    records: Sequence[SubmissionRecord],
    *,
    title: str = "Coin Run",
    result: bytes = b"{}",
) -> tuple[MailContent, list[Attachment]]:
    """Write the mail about records."""
    digest = DigestKey(kind, "coin-run", outcome, "anna")
    budget = AttachmentBudget(several=len(records) > 1)
    reported = [budget.add_record(record, result=result, with_output=sees_output(digest)) for record in records]
    return write_mail(digest, title=title, reported=reported, site=SITE), budget.attachments


def send(content: MailContent, attachments: Sequence[Attachment] = ()) -> tuple[EmailMessage, bytes]:
    """Make the message, and read it back from its bytes."""
    message = make_message(
        content,
        attachments,
        sender="laurel@example.org",
        to="anna@example.com",
        date=datetime(2026, 1, 2, 12, 0, 1, tzinfo=UTC),
        mail_id="0a1b",
    )
    wire = message.as_bytes(policy=SMTP.clone(cte_type="7bit"))
    return message_from_bytes(wire, _class=EmailMessage, policy=SMTP), wire


def test_text_says_what_happened_and_what_to_do() -> None:
    """The plain text says what happened, to what, why, and where to look."""
    content, _ = write(DigestKind.RESULTS, Outcome.INVALID, [make_failed_record(Outcome.INVALID)])
    submission = make_failed_record(Outcome.INVALID).submission.id

    text = render_text(content)

    assert text == (
        "Laurel · Coin Run\n\nYour result is invalid\n\n"
        "What you submitted to Coin Run has no score, because it is not what the benchmark expects.\n\n"
        "Fix what is named below and submit the result again. What you sent is attached, or linked below.\n\n"
        f"Submission {submission}\n"
        "  Submitted: 2026-01-02 12:00:00 UTC\n  Player: Anna\n  Part: level-1\n"
        "  Reason: expected 1, found 2\n  Where in the result: /coins\n  Raw result: attached as result-1.json\n"
        "  stdout (attached as stdout.txt):\n    half\n  stderr (attached as stderr.txt):\n    oh\n"
        f"  Open the submission: {SITE}/b/coin-run/s/{submission}\n\n"
        "-- \nYou get this mail because results were submitted with your token. Further results of this kind are "
        "collected into one mail an hour.\n"
    )


def test_message_has_a_text_and_attachments() -> None:
    """A mail has one text, and attachments with names that we chose."""
    content, attachments = write(
        DigestKind.EVALUATIONS, Outcome.EVALUATOR_ERROR, [make_failed_record(Outcome.EVALUATOR_ERROR)]
    )

    message, wire = send(content, attachments)

    assert [part.get_content_type() for part in message.walk()] == [
        "multipart/mixed",
        "text/plain",
        "application/json",
        "text/plain",
        "text/plain",
    ]
    assert [part.get_filename() for part in message.iter_attachments()] == ["result-1.json", "stdout.txt", "stderr.txt"]
    assert [part.get_content() for part in message.iter_attachments()] == [b"{}", "half\n", "oh\n"]
    assert wire.isascii()
    assert max(map(len, wire.split(b"\r\n"))) <= 998


def test_headers_name_sender_recipient_and_date() -> None:
    """The headers have sender, recipient, date and identity, and ask for no automatic reply."""
    content, _ = write(DigestKind.RESULTS, Outcome.INVALID, [make_failed_record(Outcome.INVALID)])

    message, _ = send(content)

    form = {"Content-Type", "Content-Transfer-Encoding", "MIME-Version"}
    assert {name: str(message[name]) for name in message if name not in form} == {
        "From": "Laurel <laurel@example.org>",
        "To": "anna@example.com",
        "Subject": "Coin Run: your result is invalid",
        "Date": MOMENT,
        "X-Laurel-Mail": "0a1b",
        "Auto-Submitted": "auto-generated",
    }


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row[0]}-{row[1]}")
def test_foreign_text_adds_no_header(row: tuple[DigestKind, Outcome]) -> None:
    """A title or a name with line breaks, markup or direction marks adds no header, and turns no line of the text."""
    records = [make_failed_record(row[1], name=HOSTILE, output=Output(HOSTILE, HOSTILE, HOSTILE))]
    content, attachments = write(*row, records, title=HOSTILE)

    message, wire = send(content, attachments)

    head = wire.partition(b"\r\n\r\n")[0]
    assert message["Bcc"] is None
    assert not re.search(rb"^bcc", head, re.IGNORECASE | re.MULTILINE)
    assert head.isascii()
    assert not re.search("[\u202a-\u202e\x1b]", str(message["Subject"]) + render_text(content))


def test_message_of_a_script_looks_like_no_field() -> None:
    """Its further lines stand deeper than fields and links do."""
    record = make_failed_record(Outcome.INVALID)._replace(message="no\n  Open the submission: https://x.example")

    content, _ = write(DigestKind.RESULTS, Outcome.INVALID, [record])

    assert "  Reason: no\n      Open the submission: https://x.example\n" in render_text(content)


@pytest.mark.parametrize("outcome", [Outcome.EVALUATOR_ERROR, Outcome.INTERNAL_ERROR])
def test_uploader_sees_nothing_of_faults(outcome: Outcome) -> None:
    """If the result is not the cause, the mail has neither message nor output, in no attachment either."""
    content, attachments = write(DigestKind.RESULTS, outcome, [make_failed_record(outcome)])

    text = render_text(content)

    assert not [word for word in ("expected 1", "/coins", "half", "exited", "oh\n") if word in text]
    assert [attachment.name for attachment in attachments] == ["result-1.json"]


def test_administrator_sees_everything() -> None:
    """The administrator sees player, version, signature, message, output and how the script ended."""
    content, _ = write(DigestKind.FAILURES, Outcome.INTERNAL_ERROR, [make_failed_record(Outcome.INTERNAL_ERROR)])

    text = render_text(content)

    expected = ("anna (model, verified)", "0123456789abcdef", "benchmark:coin-run|", "expected 1", "/coins", "exited")
    assert [word for word in expected if word not in text] == []


def test_mail_about_many_records_describes_twenty() -> None:
    """Twenty are described in full and the others are linked; file names are numbered."""
    records = [make_failed_record(Outcome.INVALID, number=number) for number in range(1, 24)]

    content, attachments = write(DigestKind.RESULTS, Outcome.INVALID, records)

    text = render_text(content)
    assert content.subject == "Coin Run: 23 of your results are invalid"
    assert len(content.sections) == 21
    assert [record.submission.id for record in records if record.submission.id not in text] == []
    assert sum(attachment.name.startswith("result-") for attachment in attachments) == MAX_RESULTS
    assert {"stdout-1.txt", "stderr-2.txt"} <= {attachment.name for attachment in attachments}
    assert len({attachment.name for attachment in attachments}) == len(attachments)


def test_attachments_stay_within_their_bound() -> None:
    """However large the results are, the attachments stay within the bound, and the mail within SES's 10 MB."""
    records = [make_failed_record(Outcome.INVALID, number=number) for number in range(1, 5)]

    content, attachments = write(DigestKind.RESULTS, Outcome.INVALID, records, result=b"x" * 3_000_000)

    _, wire = send(content, attachments)
    assert sum(len(attachment.content) for attachment in attachments) <= MAX_BYTES
    assert [attachment.name for attachment in attachments if attachment.name.startswith("result")] == [
        "result-1.json",
        "result-2.json",
    ]
    assert f"{SITE}/api/benchmarks/coin-run/submissions/{records[2].submission.id}/result" in render_text(content)
    assert len(wire) < 10_000_000


def test_result_is_attached_as_what_it_is() -> None:
    """A result that is CSV is attached as that."""
    record = make_failed_record(Outcome.INTERNAL_ERROR)
    record = record._replace(submission=record.submission._replace(file_format="csv"))

    _, (attachment,) = write(DigestKind.RESULTS, Outcome.INTERNAL_ERROR, [record], result=b"id,x")

    assert (attachment.name, attachment.media_type) == ("result-1.csv", "text/csv")


def test_long_subject_is_cut_to_one_line() -> None:
    """A subject is one line of bounded length."""
    subject = make_subject("a\n" * 1000)

    assert len(subject) == MAX_SUBJECT_LENGTH
    assert "\n" not in subject


def make_batch(number: int, *statuses: str, state: BatchState = BatchState.RECEIVED) -> ReportedBatch:
    """Make a batch with entries of these statuses."""
    results = [EntryResult(f"line {line}", f"s{line}", status, "why") for line, status in enumerate(statuses, 1)]
    report = make_batch_report(
        f"017f22e2-79b0-7cc3-98c4-{number:012}", key=f"drops/coin-run/ada/{number}.jsonl", state=state
    )
    return ReportedBatch(report, tuple(results))


def test_batch_mail_has_each_batch_with_its_errors() -> None:
    """The first 20 errors of all are each behind their batch; one that was rejected as a whole has no page."""
    batches = [
        make_batch(1, "scored", *["invalid"] * 19),
        make_batch(2, "refused", state=BatchState.QUARANTINED),
        make_batch(3, "in_review", "internal_error", "queued", "refused"),
    ]

    content = write_batch_mail(batches, title="Coin Run", site=SITE)

    text = render_text(content)
    assert content.subject == "Coin Run: 22 of 25 entries of your 3 batches have no score"
    titles = [section.title.partition(" 0")[0] for section in content.sections]
    assert titles == ["Batch", *(f"line {line}" for line in range(2, 21)), "Batch", "line 1", "Batch"]
    assert text.count(f"{SITE}/b/coin-run/submit?upload=") == 2
    assert "only the first 20 are listed" in text
    assert "processed, except for 1 entry that still waits. What could be scored is on the board." in text


@pytest.mark.parametrize(
    ("states", "statuses", "summary"),
    [
        ([BatchState.QUARANTINED] * 2, ["refused"], "nothing of your 2 batches is scored"),
        ([BatchState.INTERNAL_ERROR] * 2, ["refused"], "your 2 batches could not be read completely"),
        ([BatchState.RECEIVED] * 2, ["invalid"], "none of the 2 entries of your 2 batches has a score"),
        ([BatchState.QUARANTINED], ["refused"], "nothing of your batch is scored"),
    ],
)
def test_summary_of_batches(states: list[BatchState], statuses: list[str], summary: str) -> None:
    """The subject says what became of all of them."""
    batches = [make_batch(number, *statuses, state=state) for number, state in enumerate(states)]

    assert write_batch_mail(batches, title="Coin Run", site=SITE).subject == f"Coin Run: {summary}"


def test_rescore_is_not_mailed_to_uploader() -> None:
    """Uploaders did not ask for a rescore, and get no mail about it."""
    plain = make_failed_record(Outcome.EVALUATOR_ERROR)
    rescored = plain._replace(rescored=True)

    assert (concerns_uploader(plain), concerns_uploader(rescored)) == (True, False)
    assert [mail.digest.kind for mail in plan_mails(rescored, now=NOON)] == [DigestKind.EVALUATIONS]


def test_record_of_batch_is_not_mailed_to_uploader() -> None:
    """A record of a batch makes no mail for its uploader: the batch does."""
    record = make_failed_record(Outcome.EVALUATOR_ERROR)
    dropped = record._replace(submission=record.submission._replace(batch="d1"))

    assert [mail.digest.kind for mail in plan_mails(dropped, now=NOON)] == [DigestKind.EVALUATIONS]
