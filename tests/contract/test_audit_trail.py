"""The audit trail: lines are added, never changed, and read in order of time."""

from datetime import timedelta
from typing import Any

import pytest

from local.aws import Cloud
from local.template import Template
from storage.actors import Actor, Role
from storage.audit import Action, AuditTrail
from storage.gateway.bucket import Bucket
from storage.gateway.errors import Conflict

ANNA = Actor(id="anna", role=Role.OWNER)
OPERATOR = Actor(id="arn:aws:iam::123456789012:user/olga", role=Role.OPERATOR)


@pytest.fixture
def trail(cloud: Cloud, template: Template, clock: Any) -> AuditTrail:
    """An audit trail whose ids are as random as zeros."""
    return AuditTrail(Bucket(cloud.s3, template.resources["ResultsBucket"].name), clock, bytes)


def test_entry_is_read_as_added(trail: AuditTrail) -> None:
    """A line comes back as it was added."""
    added = trail.add(
        ANNA, Action.WITHDRAW, benchmark="coin-run", subject="019b7ea9", detail={"reason": "playéd twice"}
    )

    assert list(trail.list_page(length=1000).entries) == [added]
    assert (added.actor, added.action, added.detail) == (ANNA, Action.WITHDRAW, {"reason": "playéd twice"})


def test_a_line_is_never_written_over(trail: AuditTrail) -> None:
    """Two lines of one name: the second is refused, the first stands."""
    trail.add(ANNA, Action.WITHDRAW)

    with pytest.raises(Conflict):
        trail.add(OPERATOR, Action.SWEEP)

    assert [entry.actor for entry in trail.list_page(length=1000).entries] == [ANNA]


def test_order_and_filters(trail: AuditTrail, clock: Any) -> None:
    """Lines come in order of time, of one benchmark or from a moment on if that is asked."""
    start = clock()
    for benchmark in ("coin-run", "iqa", "coin-run"):
        trail.add(OPERATOR, Action.PUBLISH, benchmark=benchmark, subject=benchmark)
        clock.advance(seconds=18 * 3600)

    of_coins = list(trail.list_page(benchmark="coin-run", length=1000).entries)
    later = list(trail.list_page(since=start + timedelta(hours=18), length=1000).entries)
    latest = list(trail.list_page(benchmark="coin-run", since=start + timedelta(hours=19), length=1000).entries)

    assert [one.at - start for one in of_coins] == [timedelta(0), timedelta(hours=36)]
    assert [one.benchmark for one in later] == ["iqa", "coin-run"]
    assert latest == of_coins[1:]
