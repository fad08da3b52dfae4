"""The mail table: intents noted once, one lease a thread, and nothing that is sent is forgotten or said twice."""

from copy import replace
from typing import TYPE_CHECKING, Any

import pytest
from boto3.session import Session
from botocore.stub import Stubber

from local.intrinsics import REGION
from local.template import Template
from scoring_core.outcome import Outcome
from storage.gateway.aws import AwsMails
from storage.gateway.errors import Busy, Refused
from storage.gateway.ses import MailRefused
from storage.gateway.table import Table
from storage.mail.models import (
    DigestKey,
    DigestKind,
    PendingMail,
    to_seconds,
)
from storage.mail.outbox import LEASE_SECONDS, LeasedMail, MailOutbox, SuppressionStore
from tests.contract.conftest import intercept
from tests.harness.clock import Clock
from tests.harness.factories import NOON
from tests.harness.raw_cloud import RawCloud

if TYPE_CHECKING:
    from mypy_boto3_sesv2 import SESV2Client

THREAD = DigestKey(DigestKind.RESULTS, "coin-run", Outcome.INVALID, "anna")


@pytest.fixture
def ses(cloud: RawCloud) -> "SESV2Client":
    """A client of SES."""
    return Session(region_name=REGION).client("sesv2")


def make_intent(number: int = 1, thread: DigestKey = THREAD) -> PendingMail:
    """Make an intent; they sort by number."""
    return PendingMail(thread, f"019b7ea9-9800-7123-8456-{number:012}", "0a", to_seconds(NOON))


def take(mail: MailOutbox, clock: Clock) -> LeasedMail:
    """Claim what must be there."""
    claim = mail.lease(THREAD, now=clock())
    assert claim is not None
    return claim


def test_lease_has_one_holder(mail: MailOutbox, clock: Clock) -> None:
    """Of two who claim a thread one gets it."""
    mail.add(make_intent())

    claims = [mail.lease(THREAD, now=clock()) for _ in range(2)]

    assert [claim is not None for claim in claims] == [True, False]


def test_rivals_for_the_first_lease(mail: MailOutbox, clock: Clock) -> None:
    """A sender that reads that there is no lease yet and writes second does not get it."""
    mail.add(make_intent())
    rival = [lambda: take(mail, clock)]

    def put(*asked: Any) -> None:
        if rival:
            rival.pop()()
        mail.table.client.put(*asked)

    late = replace(mail, table=intercept(mail.table, put=put))

    assert late.lease(THREAD, now=clock()) is None
    assert rival == []


def test_a_lease_that_ended(mail: MailOutbox, clock: Clock) -> None:
    """The new holder of a lost lease sends the same mail, without later additions; the old holder cannot end it."""
    mail.add(make_intent(1))
    lost = take(mail, clock)
    mail.add(make_intent(2))
    clock.advance(seconds=LEASE_SECONDS)

    taken = take(mail, clock)
    mail.finish(lost, now=clock())

    assert (taken.mails, taken.lease.uncertain) == ((make_intent(1),), True)
    assert len(mail.list_pending(THREAD)) == 2


def test_half_closed_mail_is_closed_first(mail: MailOutbox, clock: Clock) -> None:
    """Where the lease says sent and an intent does not yet, the next claim closes it and does not send it."""
    mail.add(make_intent(1))
    claim = take(mail, clock)
    mail.finish(claim._replace(mails=()), now=clock())
    clock.advance(seconds=3600)
    waiting = mail.list_pending(THREAD)

    again = mail.lease(THREAD, now=clock())

    assert waiting == [make_intent(1)]
    assert again is None
    assert mail.list_pending(THREAD) == []


def test_due_digests_are_found(mail: MailOutbox, clock: Clock) -> None:
    """The schedule finds threads that wait and may be mailed, each once, and none other."""
    other = DigestKey(DigestKind.EVALUATIONS, "coin-run", Outcome.EVALUATOR_ERROR)
    for intent in (make_intent(1), make_intent(2), make_intent(1, other)):
        mail.add(intent)
    before = list(mail.find_due(clock()))

    mail.finish(take(mail, clock), now=clock())

    assert before == [other, THREAD]
    assert list(mail.find_due(clock())) == [other]


def test_one_of_several_dropped(mail: MailOutbox, clock: Clock) -> None:
    """An intent that a mail leaves out stays refused when the mail is sent."""
    mail.add(make_intent(1))
    mail.add(make_intent(2))
    claim = take(mail, clock)

    mail.discard([make_intent(1)], reason="changed")
    mail.finish(claim, now=clock())

    items = mail.table.client.scan(TableName=mail.table.name)["Items"]
    assert sorted((item["item"]["S"][-4], item["state"]["S"]) for item in items if "subject" in item) == [
        ("1", "refused"),
        ("2", "sent"),
    ]


def test_very_many_mails_go_out_in_parts(mail: MailOutbox, clock: Clock) -> None:
    """A mail counts so many at most; the others wait for the next."""
    mail = replace(mail, max_counted=3)
    for number in range(5):
        mail.add(make_intent(number))

    mail.finish(take(mail, clock), now=clock())

    assert mail.list_pending(THREAD) == [make_intent(3), make_intent(4)]


def test_suppressed_address_keeps_its_first_reason(cloud: RawCloud, template: Template, clock: Clock) -> None:
    """An address is suppressed in whatever case it is written; the first reason stands."""
    store = SuppressionStore(Table(cloud.dynamodb, template.resources["MailTable"].name))

    store.suppress("Anna@Example.com", reason="bounce", now=clock())
    store.suppress("anna@example.com", reason="complaint", now=clock())

    assert [store.find_reason(one) for one in (" ANNA@example.com", "ben@example.com")] == ["bounce", None]


@pytest.mark.parametrize(
    ("code", "status", "expected"),
    [
        ("MessageRejected", 400, MailRefused),
        ("MailFromDomainNotVerifiedException", 400, MailRefused),
        ("TooManyRequestsException", 429, Busy),
        ("LimitExceededException", 400, Busy),
        ("InternalFailure", 500, Busy),
        ("AccessDeniedException", 403, Refused),
        ("SendingPausedException", 400, Refused),
    ],
)
def test_what_ses_refuses(ses: "SESV2Client", code: str, status: int, expected: type[Exception]) -> None:
    """Permanent failures of sending are distinguished from temporary ones."""
    addresses = {"sender": "a@example.org", "to": "b@example.com"}

    with Stubber(ses) as stub:
        stub.add_client_error("send_email", code, http_status_code=status)
        with pytest.raises(expected):
            AwsMails(ses).send(b"text", **addresses, configuration_set="configuration")
