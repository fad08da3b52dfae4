"""From terminal records to mail: who is written to, once, with what, and what happens where something fails."""

import email
import json
from collections.abc import Callable, Sequence
from copy import replace
from datetime import datetime, timedelta
from email.message import EmailMessage
from email.policy import SMTP
from typing import Any

import pytest
from boto3.session import Session
from moto import mock_aws

from handlers import draining
from local.intrinsics import REGION
from notify import dependencies, send, stream
from notify.sender import Sender
from scoring_core.outcome import Outcome
from scoring_core.output import Output
from storage.batches.reports import BatchEntry, BatchReportStore
from storage.benchmarks.store import PublishedBenchmark
from storage.gateway.bucket import Bucket
from storage.gateway.errors import Busy
from storage.gateway.ses import Mails
from storage.keys import make_submission_id, report_key, time_of, utc_now
from storage.mail.models import MailState
from storage.mail.outbox import BATCH_WINDOW, LEASE_SECONDS, LeasedMail, MailOutbox
from storage.submissions.models import APOLOGY, SubmissionRecord
from submit import batches
from tests.harness.clock import START, Clock
from tests.harness.engine import look_inside
from tests.harness.factories import make_batch_report, make_guest_record, make_player
from tests.harness.ses_events import make_bounce, make_complaint
from tests.harness.stack import (
    COINS,
    ROOT,
    InProcess,
    StackHarness,
    failing,
    make_benchmark,
    make_message,
    make_stream_event,
    watching,
)

type Log = Callable[[], list[dict[str, Any]]]

STREAM = InProcess(stream.lambda_handler, "NotifyFunction")
IMPORT = InProcess(batches.lambda_handler, "DropFunction")
SEND = InProcess(send.lambda_handler, "SendFunction")
MESSAGES = InProcess(send.handle_messages, "SendFunction")
OUTPUT = Output(stdout="half a score" * 2_000, stderr="Traceback: oh", ended="exited with code 1")
RAW = b'{"coins": 1}'
REPEAT = "You may have received this mail before: sending it was interrupted, so it is sent again."
DROP = make_submission_id(START, bytes(10))
SECOND, THIRD = (make_submission_id(START + timedelta(minutes=minutes), bytes(10)) for minutes in (1, 2))
RECEIVED = make_batch_report(DROP, "coins", key="drops/coins/ada/runs.jsonl")


class Post:
    """Plays queue and schedule, and reads what SES took."""

    def __init__(self, stack: StackHarness) -> None:
        self.stack = stack
        self.url = stack.queue_url("MailQueue")

    def deliver(self, *records: SubmissionRecord) -> list[str]:
        """Deliver records through the stream; give what failed."""
        answer = STREAM.invoke(make_stream_event(records))
        return [failure["itemIdentifier"] for failure in answer["batchItemFailures"]]

    def work(self) -> list[str]:
        """Let every message of the queue be handled once; give those that failed."""
        failed = []
        received = self.stack.cloud.sqs.receive_message(
            QueueUrl=self.url, MaxNumberOfMessages=10, MessageSystemAttributeNames=["All"]
        )
        for message in received.get("Messages", []):
            answer = MESSAGES.invoke({"Records": [to_record(message)]})
            if answer["batchItemFailures"]:
                failed.append(message["MessageId"])
            else:
                self.stack.cloud.sqs.delete_message(QueueUrl=self.url, ReceiptHandle=message["ReceiptHandle"])
        return failed

    def flush(self) -> list[str]:
        """Let the schedule come, and work."""
        SEND.invoke(json.loads((ROOT / "events/rescore.json").read_text()))
        return self.work()

    def sent(self) -> list[EmailMessage]:
        """Return what SES took, in order."""
        taken = look_inside().list_mails()
        return [email.message_from_string(text, _class=EmailMessage, policy=SMTP) for _, text in taken]

    def states(self) -> list[tuple[str, str | None]]:
        """Return state and reason of every intent."""
        items = [item for item in self.stack.items("MailTable") if item["item"]["S"].startswith("intent#")]
        return [(item["state"]["S"], item.get("reason", {}).get("S")) for item in items]


class CoinsPost(Post):
    """The post of a benchmark, by a clock that stands still."""

    def __init__(self, stack: StackHarness, published: PublishedBenchmark, clock: Clock) -> None:
        super().__init__(stack)
        self.published = published
        self.clock = clock

    def make_failure(self, outcome: Outcome, *, number: int = 1, verified: bool = True) -> SubmissionRecord:
        """Make a record that did not score, of the player Ada."""
        record = make_guest_record(self.published, "Ada", {}, number=number, outcome=outcome)
        player = replace(record.submission.player, id="ada", verified=verified)
        output = None if outcome is Outcome.INTERNAL_ERROR else OUTPUT
        submission = replace(record.submission, player=player)
        return replace(record, submission=submission, message="the reason", pointer="/coins", output=output)

    def make_drop(self, outcomes: Sequence[Outcome], *, batch: str = DROP) -> list[SubmissionRecord]:
        """Make the records of a drop: submissions of one moment."""
        records = []
        for number, outcome in enumerate(outcomes):
            record = self.make_failure(outcome)
            made = make_submission_id(time_of(batch), number.to_bytes(10))
            records.append(replace(record, submission=replace(record.submission, id=made, batch=batch)))
        return records

    def report_drop(self, records: Sequence[SubmissionRecord], *, refused: str | None = None, **changes: str) -> None:
        """Keep the report of a drop: `RECEIVED`, with these changes."""
        entries = [
            BatchEntry(entry=f"line {number}", submission=record.submission.id)
            for number, record in enumerate(records, 1)
        ]
        if refused is not None:
            entries.append(BatchEntry(entry="line 99", error=refused))
        store = BatchReportStore(Bucket(self.stack.cloud.objects, self.stack.results_bucket))
        store.put(RECEIVED.model_copy(update={"entries": tuple(entries), **changes}))

    def hand_in(self, *records: SubmissionRecord) -> list[str]:
        """Keep the raw results, record the outcomes and deliver the records; give what failed."""
        for record in records:
            self.stack.submissions.put_result(record.submission, RAW)
            self.stack.submissions.put_record(record)
        return self.deliver(*records)


class Killed(BaseException):
    """The process is no more."""


class DeadlyOffice:
    """Sends, and takes the whole process with it."""

    def __init__(self, office: Mails) -> None:
        self.office = office

    def send(self, content: bytes, **named: str) -> None:
        """Send, and die."""
        self.office.send(content, **named)
        raise Killed


class ForgetfulOutbox(MailOutbox):
    """Cannot record that a mail was sent."""

    def finish(self, leased: LeasedMail, *, now: datetime) -> None:  # noqa: ARG002  # the outbox's signature
        """Fail."""
        raise Busy("record a mail: throttled")


def to_record(message: Any) -> dict[str, Any]:
    """Make the event of a received message."""
    changes = {
        "messageId": message["MessageId"],
        "receiptHandle": message["ReceiptHandle"],
        "body": message["Body"],
        "attributes": message["Attributes"],
    }
    return {**make_message("x"), **changes}


def names_of(message: EmailMessage) -> list[str]:
    """Return the names of the attachments."""
    return [part.get_filename() or "" for part in message.iter_attachments()]


def text_of(message: EmailMessage) -> str:
    """Return the plain text."""
    body = message.get_body(("plain",))
    assert body is not None
    return str(body.get_content())


@pytest.fixture
def post(
    stack: StackHarness, published: PublishedBenchmark, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> CoinsPost:
    """The post, with a clock that stands still and an address of Ada."""
    monkeypatch.setenv("RETRY_BASE_SECONDS", "0")
    monkeypatch.setattr(dependencies, "utc_now", clock)
    for built in (stream.stream_dependencies, send.send_dependencies):
        built.cache_clear()
    stack.keep_account(make_player("ada", "Ada"), "ada@example.com")
    return CoinsPost(stack, published, clock)


def change_sender(monkeypatch: pytest.MonkeyPatch, **changes: Any) -> Sender:
    """Replace collaborators of what sends."""
    built = send.send_dependencies()
    changed = built._replace(sender=replace(built.sender, **changes))
    monkeypatch.setattr(send, "send_dependencies", lambda: changed)
    return changed.sender


@pytest.mark.parametrize(
    ("outcome", "expected"),
    [
        (Outcome.INVALID, {"ada@example.com": ["result-1.json", "stdout.txt", "stderr.txt"]}),
        (
            Outcome.EVALUATOR_ERROR,
            {
                "ada@example.com": ["result-1.json"],
                "owner@example.com": ["result-1.json", "stdout.txt", "stderr.txt"],
            },
        ),
        (Outcome.INTERNAL_ERROR, {"ada@example.com": ["result-1.json"], "admin@example.org": ["result-1.json"]}),
        (Outcome.SCORED, {}),
    ],
)
def test_outcome_decides_who_gets_which_attachments(
    post: CoinsPost, outcome: Outcome, expected: dict[str, list[str]]
) -> None:
    """Each outcome is mailed to those whom the table of interfaces names, with what belongs to them."""
    post.hand_in(post.make_failure(outcome))

    post.work()

    assert {str(mail["To"]): names_of(mail) for mail in post.sent()} == expected


def test_a_guest_gets_no_mail(post: CoinsPost) -> None:
    """Nobody is written to whom no token names; the owner is, all the same, though the raw result is gone."""
    record = post.make_failure(Outcome.EVALUATOR_ERROR, verified=False)
    post.stack.submissions.put_record(record)
    post.deliver(record)

    post.work()

    assert [mail["To"] for mail in post.sent()] == ["owner@example.com"]


def test_redelivered_record_is_mailed_once(post: CoinsPost) -> None:
    """The same record again makes no second mail, whether it comes before or after the first was sent."""
    record = post.make_failure(Outcome.INVALID)
    post.hand_in(record)
    post.deliver(record, record)
    post.work()

    post.deliver(record)
    post.work()

    assert len(post.sent()) == 1
    assert post.states() == [("sent", None)]


def test_replaced_internal_error_is_not_mailed(post: CoinsPost) -> None:
    """An internal error that a score has replaced before its mail went is not mailed about."""
    failed = post.make_failure(Outcome.INTERNAL_ERROR)
    post.hand_in(failed)
    scored = replace(
        make_guest_record(post.published, "Ada", {"Coins": 1, "Time": 1.0}, number=1), submission=failed.submission
    )
    post.stack.submissions.put_record(scored)

    post.deliver(scored)
    post.work()

    assert post.sent() == []
    assert set(post.states()) == {("refused", "its outcome has changed")}


def test_repeats_within_an_hour_become_one_mail(post: CoinsPost) -> None:
    """The first goes at once; what follows within the hour goes into one mail that counts and encloses them all."""
    records = [post.make_failure(Outcome.INVALID, number=number) for number in range(1, 5)]
    post.hand_in(records[0])
    post.work()
    for record in records[1:]:
        post.hand_in(record)
        post.work()
    post.clock.advance(minutes=59)
    post.flush()
    before = len(post.sent())
    post.clock.advance(minutes=2)

    post.flush()

    _, mail = post.sent()
    assert before == 1
    assert "3 of your results are invalid" in mail["Subject"]
    assert [name for name in names_of(mail) if name.startswith("result")] == [
        "result-1.json",
        "result-2.json",
        "result-3.json",
    ]
    assert [record.submission.id in text_of(mail) for record in records] == [False, True, True, True]


def test_mail_is_refused_after_three_days(post: CoinsPost) -> None:
    """After three days a mail is refused, and not tried again."""
    post.hand_in(post.make_failure(Outcome.INVALID))
    post.clock.advance(days=4)

    with failing(send.send_dependencies().sender.mails, "SendEmail", code="InternalFailure", status=500):
        failed = post.work()

    ((state, reason),) = post.states()
    assert (failed, state) == ([], "refused")
    assert reason is not None
    assert "all retries failed for 3 days" in reason


@pytest.mark.parametrize("code", ["MessageRejected", "MailFromDomainNotVerifiedException", "BadRequestException"])
def test_permanent_refusal_is_recorded_and_logged(post: CoinsPost, log: Log, code: str) -> None:
    """What SES will never take is recorded with the reason, logged, and not tried again."""
    post.hand_in(post.make_failure(Outcome.INVALID))

    with failing(send.send_dependencies().sender.mails, "SendEmail", code=code, status=400) as refused:
        failed = post.work()
        post.flush()

    ((state, reason),) = post.states()
    assert (failed, len(refused), state) == ([], 1, "refused")
    assert code in str(reason)
    assert [line["level"] for line in log() if line["message"] == "mail handled"] == ["WARNING"]


def test_missing_sender_is_refused(post: CoinsPost, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no sender is set every mail is refused and says so."""
    change_sender(monkeypatch, sender_address="")
    post.hand_in(post.make_failure(Outcome.INVALID))

    post.work()

    assert post.states() == [("refused", "no sender is set: see docs/mail.md")]


@pytest.mark.parametrize(
    ("report", "suppressed"),
    [
        (lambda stack: make_bounce("ADA@example.com", configuration_set=stack), True),
        (lambda stack: make_bounce("ada@example.com", configuration_set=stack, kind="Transient"), False),
        (lambda stack: make_complaint("ada@example.com", configuration_set=stack), True),
        (lambda _: make_bounce("ada@example.com", configuration_set="somebody-elses"), False),
    ],
    ids=["bounce", "transient bounce", "complaint", "another sender's"],
)
def test_bounced_address_is_suppressed(
    post: CoinsPost, report: Callable[[str], dict[str, Any]], *, suppressed: bool
) -> None:
    """An address that bounces for good, or complains, is never written to again; a full mailbox is.

    The report passes the template's rule on its way to the queue.
    """
    resources = post.stack.template.resources
    rule, entry = resources["MailReportRule"], report(resources["MailConfiguration"].name)
    with mock_aws():
        session = Session(region_name=REGION)
        events, sqs = session.client("events"), session.client("sqs")
        url = sqs.create_queue(QueueName=resources["MailQueue"].name)["QueueUrl"]
        events.put_rule(Name=rule.name, EventPattern=json.dumps(rule.properties["EventPattern"]))
        events.put_targets(Rule=rule.name, Targets=rule.properties["Targets"])
        events.put_events(Entries=[{**entry, "Detail": json.dumps(entry["Detail"])}])
        passed = [message["Body"] for message in sqs.receive_message(QueueUrl=url).get("Messages", ())]
    for body in passed:
        post.stack.cloud.sqs.send_message(QueueUrl=post.url, MessageBody=body)
    post.work()

    post.hand_in(post.make_failure(Outcome.INVALID))
    post.work()
    assert (post.sent() == []) is suppressed
    assert post.states()[0][0] == (MailState.REFUSED if suppressed else MailState.SENT)


@pytest.mark.parametrize(
    "body", ["", "{}", "[1]", '{"thread": "a#b"}', '{"detail": {"eventType": "Open"}}', "[" * 9000]
)
def test_invalid_message_is_discarded(post: CoinsPost, body: str) -> None:
    """A message of a foreign shape is acknowledged."""
    assert MESSAGES.invoke({"Records": [{**make_message("x"), "body": body}]}) == {"batchItemFailures": []}


def test_crash_after_sending_repeats_the_same_mail(post: CoinsPost, monkeypatch: pytest.MonkeyPatch) -> None:
    """A sender that dies after SES took the mail repeats it once when its lease has ended, with a line that says so."""
    office = send.send_dependencies().sender.mails
    post.hand_in(post.make_failure(Outcome.INVALID))
    change_sender(monkeypatch, mails=DeadlyOffice(office))
    with pytest.raises(Killed):
        post.work()
    change_sender(monkeypatch, mails=office)
    post.stack.cloud.sqs.purge_queue(QueueUrl=post.url)
    post.hand_in(post.make_failure(Outcome.INVALID, number=2))
    post.work()
    post.clock.advance(seconds=LEASE_SECONDS + 1)

    post.flush()
    post.clock.advance(seconds=LEASE_SECONDS + 1)
    post.flush()

    first, again = post.sent()
    assert first["X-Laurel-Mail"] == again["X-Laurel-Mail"]
    assert [REPEAT in text_of(mail) for mail in (first, again)] == [False, True]
    lines = [[line for line in text_of(mail).splitlines() if line] for mail in (first, again)]
    assert [line for line in lines[1] if line != REPEAT] == lines[0]


@pytest.mark.parametrize(
    ("status", "is_marked"), [(429, False), (500, True)], ids=["throttled", "internal error of SES"]
)
def test_mail_that_may_have_been_sent_says_so(post: CoinsPost, status: int, *, is_marked: bool) -> None:
    """A mail that SES may have taken says so, however many tries are between; one that was only throttled does not."""
    ses = send.send_dependencies().sender.mails
    post.hand_in(post.make_failure(Outcome.INVALID))

    with failing(ses, "SendEmail", code="InternalFailure", status=status) as tries:
        post.work()
    with failing(ses, "SendEmail", code="TooManyRequestsException", status=429):
        post.work()
    post.work()

    (mail,) = post.sent()
    assert len(tries) == 1
    assert (REPEAT in text_of(mail)) is is_marked


def test_sent_mail_that_is_not_recorded_says_so(post: CoinsPost, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the lease cannot be ended after SES took the mail, the next copy says that it may be one."""
    sender = send.send_dependencies().sender
    change_sender(monkeypatch, outbox=ForgetfulOutbox(sender.outbox.table))
    post.hand_in(post.make_failure(Outcome.INVALID))

    failed = post.work()
    change_sender(monkeypatch, outbox=sender.outbox)
    post.work()

    assert len(failed) == 1
    assert [REPEAT in text_of(mail) for mail in post.sent()] == [False, True]


def test_mail_that_fails_holds_up_no_other_record(post: CoinsPost) -> None:
    """A record that cannot be noted is reported, with what comes behind it; what came before is queued."""
    records = [post.make_failure(Outcome.INVALID, number=number) for number in (1, 2)]

    with failing(post.stack.cloud.dynamodb, "PutItem", about=records[1].submission.id):
        failed = post.deliver(*records)

    assert len(failed) == 1
    assert failed[0].endswith("2")


def test_recorded_event_is_read(post: CoinsPost) -> None:
    """The event of events/notify.json is read by this very code."""
    event = json.loads((ROOT / "events/notify.json").read_text())

    assert STREAM.invoke(event) == {"batchItemFailures": []}
    assert post.states() == [("pending", None)]


def test_batch_makes_one_mail_when_complete(post: CoinsPost) -> None:
    """What failed in a drop makes one mail, when all of the drop is recorded: counts, and why each failed."""
    records = post.make_drop([Outcome.INVALID, Outcome.SCORED, Outcome.EVALUATOR_ERROR, Outcome.INVALID])
    post.report_drop(records, refused="not JSON")
    post.hand_in(*records[:3])
    post.clock.moment += BATCH_WINDOW
    post.flush()
    before = [mail for mail in post.sent() if mail["To"] == "ada@example.com"]
    post.hand_in(records[3])

    post.flush()
    post.flush()

    (mail,) = [mail for mail in post.sent() if mail["To"] == "ada@example.com"]
    text = text_of(mail)
    assert before == []
    assert "4 of 5 entries of your batch have no score" in mail["Subject"]
    assert "Scored: 1" in text
    assert text.count("the reason (at /coins)") == 2
    assert text.count(f"Reason: {APOLOGY}") == 1
    assert "not JSON" in text


def test_batch_mail_counts_the_current_version(post: CoinsPost) -> None:
    """The mail reports what the boards show: outcomes under the next version are left out."""
    records = post.make_drop([Outcome.INVALID, Outcome.SCORED])
    post.report_drop(records)
    post.hand_in(*records)
    bounded = [{**header, "max": 1000} for header in COINS["score_type"]["headers"]]
    following = post.stack.publish(make_benchmark(COINS, score_type={"headers": bounded})).next
    assert following is not None
    for record in post.make_drop([Outcome.SCORED, Outcome.EVALUATOR_ERROR]):
        later = replace(record, version=following.version, rescored=True, recorded_at="2027-01-01T00:00:00+00:00")
        post.stack.submissions.put_record(later)
    post.clock.moment += BATCH_WINDOW

    post.flush()

    (mail,) = [mail for mail in post.sent() if mail["To"] == "ada@example.com"]
    assert "1 of 2 entries of your batch has no score" in mail["Subject"]
    assert "the reason (at /coins)" in text_of(mail)


def test_unfinished_batch_is_mailed_after_a_day(post: CoinsPost) -> None:
    """After a day the mail goes with what is known, and says what still waits."""
    records = post.make_drop([Outcome.INVALID, Outcome.INVALID])
    post.report_drop(records)
    post.hand_in(records[0])
    post.clock.advance(hours=23)
    post.flush()
    before = post.sent()
    post.clock.advance(hours=2)

    post.flush()

    (mail,) = post.sent()
    assert before == []
    assert "Still waiting: 1" in text_of(mail)


def test_batch_mail_waits_for_a_late_report(post: CoinsPost) -> None:
    """Where whoever received a drop died before its report, the mail waits for the next one who tries, and the next."""
    records = post.make_drop([Outcome.INVALID, Outcome.SCORED])
    post.hand_in(*records)
    queue = post.stack.template.resources["DropQueue"].properties
    for _ in range(queue["RedrivePolicy"]["maxReceiveCount"]):
        post.clock.advance(seconds=queue["VisibilityTimeout"])
        post.flush()
    before = post.sent()
    post.report_drop(records)

    post.flush()

    (mail,) = post.sent()
    assert before == []
    assert "1 of 2 entries of your batch has no score" in mail["Subject"]


def test_batch_rejected_as_a_whole_is_mailed_once(post: CoinsPost) -> None:
    """A drop of which nothing became a submission is mailed about once, however often it is noted."""
    post.report_drop([], refused="not a ZIP")
    for _ in range(2):
        send.send_dependencies().sender.outbox.add_batch_failure("coins", player="ada", batch=DROP, now=post.clock())
    post.clock.moment += BATCH_WINDOW

    post.flush()
    post.flush()

    (mail,) = post.sent()
    assert "not a ZIP" in text_of(mail)


def test_batches_of_one_command_make_one_mail(post: CoinsPost) -> None:
    """The reports of batches that arrive within ten minutes are in one mail, and each has its counts."""
    outcomes = [Outcome.INVALID, Outcome.SCORED]
    for batch, key in ((DROP, "a/runs.jsonl"), (SECOND, "b/runs.jsonl"), (THIRD, "last.jsonl")):
        records = post.make_drop(outcomes if batch != THIRD else [Outcome.SCORED], batch=batch)
        post.report_drop(records, drop=batch, key=f"drops/coins/ada/{key}")
        post.hand_in(*records)
        post.clock.advance(minutes=1)
        post.flush()
    before = post.sent()
    post.clock.moment = START + BATCH_WINDOW

    post.flush()
    post.flush()

    (mail,) = post.sent()
    text, site = text_of(mail).replace("\r\n", "\n"), send.send_dependencies().sender.site
    assert before == []
    assert mail["Subject"] == "Coins: 2 of 4 entries of your 2 batches have no score"
    for batch in (DROP, SECOND):
        assert f"Batch {batch}\n  File: runs.jsonl\n  Entries: 2\n  Scored: 1\n  Invalid: 1\n" in text
        assert f"{site}/b/coins/submit?upload={batch}\n" in text
    assert text.count("line 1\n  Reason: the reason (at /coins)") == 2
    assert "last.jsonl" not in text


def test_batch_that_is_still_scored_keeps_no_other_back(post: CoinsPost) -> None:
    """What is done is mailed after ten minutes; what is done later has a mail of its own, ten minutes after that."""
    slow, fast = (post.make_drop([Outcome.INVALID] * 2, batch=batch) for batch in (DROP, SECOND))
    post.report_drop(slow)
    post.report_drop(fast, drop=SECOND)
    post.hand_in(slow[0], *fast)
    post.clock.moment += BATCH_WINDOW
    post.flush()
    first = post.sent()
    post.hand_in(slow[1])
    post.flush()
    soon = post.sent()
    post.clock.moment += BATCH_WINDOW

    post.flush()

    assert [len(mails) for mails in (first, soon, post.sent())] == [1, 1, 2]
    for mail, batch in zip(post.sent(), (SECOND, DROP), strict=True):
        assert mail["Subject"] == "Coins: none of the 2 entries of your batch has a score"
        assert f"Batch {batch}\r\n" in text_of(mail)


def test_batch_that_cannot_be_read_keeps_no_other_back(post: CoinsPost) -> None:
    """A report that is no report is given up after three days; the other batches are mailed meanwhile."""
    broken, whole = (post.make_drop([Outcome.INVALID], batch=batch) for batch in (DROP, SECOND))
    post.stack.cloud.s3.put_object(
        Bucket=post.stack.results_bucket, Key=report_key("coins", player="ada", batch=DROP), Body=b'{"schema": 1}'
    )
    post.report_drop(whole, drop=SECOND)
    post.hand_in(*broken, *whole)
    post.clock.moment += BATCH_WINDOW
    post.flush()
    sent, before = post.sent(), post.states()
    post.clock.advance(days=3)

    post.flush()

    assert len(sent) == len(post.sent()) == 1
    assert sorted(before, key=str) == [("pending", None), ("sent", None)]
    assert sorted(post.states(), key=str) == [
        ("refused", "its batch has had no report for 3 days"),
        ("sent", None),
    ]


def test_batch_mail_sent_again_reports_the_same_batches(post: CoinsPost, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the sender dies after SES has the mail, the next one reports those batches, and not what was done since."""
    drops = {batch: post.make_drop([Outcome.INVALID], batch=batch) for batch in (DROP, SECOND)}
    post.report_drop(drops[SECOND], drop=SECOND)
    post.hand_in(*drops[DROP], *drops[SECOND])
    post.clock.moment += BATCH_WINDOW
    with monkeypatch.context() as patch:
        change_sender(patch, mails=DeadlyOffice(send.send_dependencies().sender.mails))
        with pytest.raises(Killed):
            post.flush()
    post.report_drop(drops[DROP])
    post.clock.advance(seconds=LEASE_SECONDS)

    post.flush()

    first, second = post.sent()
    assert first["X-Laurel-Mail"] == second["X-Laurel-Mail"]
    assert [DROP in text_of(mail) for mail in (first, second)] == [False, False]
    assert REPEAT in text_of(second)


def test_new_mail_wakes_the_function(post: CoinsPost, monkeypatch: pytest.MonkeyPatch) -> None:
    """A record of the mail table's stream sends what is queued; it waits for a message that was just sent."""
    post.hand_in(post.make_failure(Outcome.INVALID))
    monkeypatch.setattr(draining, "LONG_POLL_SECONDS", 1)

    with watching(post.stack.cloud.sqs, "ReceiveMessage") as receives:
        SEND.invoke({"Records": [{"eventSource": "aws:dynamodb", "eventName": "INSERT", "dynamodb": {}}]})

    assert len(post.sent()) == 1
    assert {request["WaitTimeSeconds"] for request in receives} == {1}


def test_wrong_path_of_a_batch_is_mailed(post: CoinsPost) -> None:
    """The administrator reads of every file for nobody, its player of one for an unknown benchmark, too."""
    event = json.loads((ROOT / "events/drop.json").read_text())
    for path in ("coins/ghost/a.json", "coins/ghost/b.json", "nothing/ada/a.json", "a.jsonl", "coins/", "coins/ada/"):
        key = f"drops/{path}"
        stored = post.stack.cloud.s3.put_object(Bucket=post.stack.results_bucket, Key=key, Body=b"{}")
        created = {"object": {"key": key, "versionId": stored["VersionId"]}}
        for _ in range(2):  # delivered twice
            event["Records"][0]["body"] = json.dumps({"Records": [{"s3": created}]})
            assert IMPORT.invoke(event) == {"batchItemFailures": []}
    post.clock.moment = utc_now() + BATCH_WINDOW  # by the clock of the import

    post.flush()
    post.flush()

    mails = {mail["Subject"]: (mail["To"], text_of(mail)) for mail in post.sent()}
    assert len(post.sent()) == len(mails) == 3
    (about_players,) = (mail for subject, mail in mails.items() if subject.startswith("Coins"))
    assert "drops/coins/ghost/b.json: there is no player ghost" in about_players[1]
    recipient, text = mails["Uploads: 2 batches with wrong paths"]
    assert recipient == "admin@example.org"
    assert "drops/a.jsonl: names no benchmark, player and file" in text
    assert "drops/nothing/ada/a.json: there is no benchmark nothing" in text
    recipient, text = mails["nothing: nothing of your batch is scored"]
    assert recipient == "ada@example.com"
    assert "Reason: there is no such benchmark" in text


def test_schedule_queues_no_more_than_it_sends(post: CoinsPost, monkeypatch: pytest.MonkeyPatch) -> None:
    """Very many digests that are due at once leave in parts, so that no run ends before it sends any."""
    monkeypatch.setattr(send, "MAX_DUE", 2)
    outbox = send.send_dependencies().outbox
    for number in range(5):
        outbox.add_orphan(f"benchmark-{number}", batch=DROP, reason="nobody's", now=START)

    counts = []
    for _ in range(4):
        SEND.invoke(json.loads((ROOT / "events/rescore.json").read_text()))
        counts.append(len(post.sent()))

    assert counts == [2, 4, 5, 5]
