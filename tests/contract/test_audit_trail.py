"""The audit trail: lines are added, never changed, and read in order of time."""

from typing import Any

import pytest

from local.template import Template
from storage.actors import Actor, Role
from storage.audit import Action, AuditTrail
from storage.gateway.bucket import Bucket
from storage.gateway.errors import Conflict
from tests.harness.raw_cloud import RawCloud

ANNA = Actor(id="anna", role=Role.OWNER)
OPERATOR = Actor(id="arn:aws:iam::123456789012:user/olga", role=Role.OPERATOR)


@pytest.fixture
def trail(cloud: RawCloud, template: Template, clock: Any) -> AuditTrail:
    """An audit trail whose ids are as random as zeros."""
    return AuditTrail(Bucket(cloud.objects, template.resources["ResultsBucket"].name), clock, bytes)


def test_a_line_is_never_written_over(trail: AuditTrail) -> None:
    """Two lines of one name: the second is refused, the first stands."""
    trail.add(ANNA, Action.WITHDRAW)

    with pytest.raises(Conflict):
        trail.add(OPERATOR, Action.SWEEP)

    assert [entry.actor for entry in trail.list_page(length=1000).entries] == [ANNA]
