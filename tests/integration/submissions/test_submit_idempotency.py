"""Idempotency-Key: a repeat gives the same submission, anything else under the same key is rejected."""

from collections.abc import Mapping
from copy import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from scoring_core.outcome import Outcome
from storage.players.quotas import QuotaStore
from submit import dependencies
from tests.harness.clock import Clock
from tests.harness.factories import make_guest_record
from tests.harness.stack import GOOD, Api, StackHarness, failing, make_benchmark, restart_api

pytestmark = pytest.mark.usefixtures("tiny")

KEY = {"Idempotency-Key": "run-1"}


def claims(stack: StackHarness) -> list[dict[str, Any]]:
    """Read what was claimed."""
    return [item for item in stack.items("AccessTable") if item["key"]["S"].startswith("idempotency#")]


def test_repeated_key_returns_the_same_submission(api: Api, stack: StackHarness) -> None:
    """The same request again gives the same submission and the same receipt, and there is one result."""
    first = api.post(headers=KEY, query={"player": "Ada"})
    second = api.post(headers=KEY, query={"player": "Ada"})

    assert (first.status, second.status) == (202, 202)
    assert second.body == first.repeated
    assert second.headers["location"] == first.headers["location"]
    assert len(stack.results()) == 1


@pytest.mark.parametrize(
    "other",
    [
        {"body": {**GOOD, "text": "TR-V017-1,2"}},
        {"query": {"player": "Grace"}},
        {"query": {"player": "ada"}},
        {"query": {"player": "Ada", "kind": "model"}},
        {"query": {"player": "Ada", "part": "1"}},
        {"query": None},
    ],
)
def test_key_of_another_request_is_refused(api: Api, stack: StackHarness, other: Mapping[str, Any]) -> None:
    """The same key with another body, player, kind or part is rejected, and nothing is kept."""
    api.post(headers=KEY, query={"player": "Ada"})

    answer = api.post(**{"headers": KEY, "query": {"player": "Ada"}, **other})

    assert answer.status == 422
    assert answer.body["type"] == "urn:laurel:problem:idempotency-key-reused"
    assert len(stack.results()) == 1


def test_repeat_from_another_address_after_days(api: Api, stack: StackHarness, clock: Clock) -> None:
    """The key of a guest with a player key is the player's for eight days, wherever the repeat comes from."""
    dependencies.services().clock = clock
    ada, other = ({**KEY, "Laurel-Player-Key": f"player_{digit * 32}"} for digit in "ab")
    first = api.post(headers=ada, query={"player": "Ada"}, address="192.0.2.7")
    clock.advance(days=6)

    again = api.post(headers=ada, query={"player": "Ada"}, address="198.51.100.9")
    foreign = api.post(headers=other, query={"player": "Ada"}, address="192.0.2.7")

    assert (again.status, again.body) == (202, first.repeated)
    assert foreign.body["submission"] != first.body["submission"]
    assert len(stack.results()) == 2


@pytest.mark.usefixtures("lone_guest")
def test_first_try_is_finished_after_days(api: Api, stack: StackHarness, clock: Clock) -> None:
    """A repeat of a try that kept nothing stores it as of then, and charges no quota of today."""
    stack.publish(make_benchmark(submissions={"per_day": 1}))
    dependencies.services().clock = clock
    with failing(stack.cloud.s3, "PutObject"):
        crashed = api.post(headers=KEY)
    (claim,) = claims(stack)
    clock.advance(days=6)

    again, repeated, today = api.post(headers=KEY), api.post(headers=KEY), api.post()

    assert [answer.status for answer in (crashed, again, repeated, today)] == [503, 202, 202, 202]
    assert again.repeated == repeated.body
    assert again.body["submission"] == claim["submission"]["S"]
    assert len(stack.results()) == 2


def test_a_repeat_does_not_wait(api: Api, stack: StackHarness, monkeypatch: pytest.MonkeyPatch) -> None:
    """A repeat costs no quota, so it may not wait: it is answered at once."""
    monkeypatch.setattr("handlers.http.outcomes.time.sleep", lambda _: pytest.fail("a repeat waits"))
    first = api.post(headers=KEY)
    waiting = {**KEY, "Prefer": "wait=10"}

    queued = api.post(headers=waiting)
    submission = stack.submission()
    record = make_guest_record(stack.publish(make_benchmark()), "Ada", {"coins": 1}, number=0)
    stack.submissions.put_record(replace(record, submission=submission))
    scored = api.post(headers=waiting)

    assert (queued.status, queued.body, "preference-applied" in queued.headers) == (202, first.repeated, False)
    assert (scored.status, scored.body["outcome"], scored.body["receipt"]) == (200, "scored", first.body["receipt"])


@pytest.mark.parametrize("outcome", [Outcome.INVALID, Outcome.INTERNAL_ERROR])
def test_a_repeat_costs_nothing(api: Api, stack: StackHarness, outcome: Outcome) -> None:
    """A repeat of an accepted submission is not charged again and never rejected, even if the quota is used up."""
    stack.publish(make_benchmark(submissions={"per_day": 1}))
    first = api.post(headers=KEY)
    submission = stack.submission()
    quotas = QuotaStore(stack.access)
    quotas.settle(submission, outcome)

    again = api.post(headers=KEY)
    corrected = api.post({**GOOD, "question": "2"})
    last = api.post(headers=KEY)

    assert [answer.status for answer in (first, again, corrected, last)] == [202] * 4
    assert first.repeated == again.body == last.body
    assert len(stack.results()) == 2


@pytest.mark.usefixtures("lone_guest")
def test_a_repeat_on_the_next_day(api: Api, stack: StackHarness, clock: Clock) -> None:
    """A claim that kept nothing does not hold its client to the quota of a day that is over."""
    stack.publish(make_benchmark(submissions={"per_day": 1}))
    dependencies.services().clock = clock
    clock.moment = datetime.now(UTC).replace(hour=23)
    with failing(stack.cloud.dynamodb, "UpdateItem"):
        broken = api.post(headers=KEY)
    other, late = api.post(), api.post(headers=KEY)
    clock.advance(hours=2)

    refused, taken = api.post(headers=KEY), api.post(headers=KEY)

    assert [answer.status for answer in (broken, other, late, refused, taken)] == [503, 202, 429, 429, 202]


def test_a_repeat_after_the_end(api: Api, stack: StackHarness) -> None:
    """A repeat after closing is answered if its submission was accepted before; no new key is claimed."""
    first = api.post(headers=KEY)
    stack.publish(make_benchmark(closes="2026-01-01T00:00:00Z"))
    restart_api()  # another process, which has read no benchmark yet

    again, late = api.post(headers=KEY), api.post(headers={"Idempotency-Key": "late"})

    assert (again.status, again.body, late.status) == (202, first.repeated, 403)
    assert len(claims(stack)) == 1


def test_a_repeat_that_finishes_the_first_try_waits(api: Api, stack: StackHarness) -> None:
    """Where the first try kept nothing, the second hands the result in, and may wait for its outcome."""
    with failing(stack.cloud.s3, "PutObject"):
        api.post(headers=KEY)

    answer = api.post(headers={**KEY, "Prefer": "wait=1"})

    assert (answer.status, answer.headers["preference-applied"]) == (202, "wait=1")


def test_a_refused_request_claims_nothing(api: Api, stack: StackHarness) -> None:
    """A body that is rejected leaves its key free."""
    api.post(b"{", headers=KEY)

    assert stack.left_behind() == 0
    assert api.post(headers=KEY).status == 202


@pytest.mark.parametrize("key", ["", "two words", "x" * 256, "cl\u00e9", "\x7f"])
def test_malformed_key_is_refused(api: Api, stack: StackHarness, key: str) -> None:
    """A key is 1 to 255 visible ASCII characters."""
    answer = api.post(headers={"Idempotency-Key": key})

    assert answer.status == 400
    assert answer.body["type"] == "urn:laurel:problem:invalid-idempotency-key"
    assert stack.left_behind() == 0
