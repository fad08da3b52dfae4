"""An owner asks for a rescore over HTTP; the schedule does it."""

from datetime import UTC, datetime
from typing import Any

import pytest

from ledger.audit_trail import Action, Role
from ledger.marker_store import MarkerStore, asked
from ledger.submissions import Player, PlayerKind
from ledger.token_store import Scope
from tests.integration.laboratory import TRUTH, Api, Laboratory, make_benchmark, make_record

OLGA = Player("olga", "Olga", PlayerKind.HUMAN, verified=True)
PATH = "/api/benchmarks/tiny/rescore"


@pytest.fixture
def corrected(laboratory: Laboratory) -> None:
    """A benchmark with a result, whose ground truth was then corrected and published."""
    published = laboratory.publish(make_benchmark())
    record = make_record(published, "Ada", {"score": 5.0}, number=1)
    laboratory.submissions.put_result(record.submission, b"{}", content_type="application/json")
    laboratory.publish(make_benchmark(truth=TRUTH.replace("4945", "4946")))


def markers_of(laboratory: Laboratory) -> MarkerStore:
    """Give the store of markers."""
    return MarkerStore(laboratory.cloud.dynamodb, laboratory.template.resources["AccessTable"].name)


@pytest.mark.usefixtures("corrected")
@pytest.mark.parametrize(("scope", "role"), [(Scope.OWN, Role.OWNER), (Scope.ADMIN, Role.ADMIN)])
def test_asked(api: Api, laboratory: Laboratory, scope: Scope, role: Role) -> None:
    """Owner and administrator ask, as often as they like; it is noted for the schedule, and on record."""
    published = laboratory.workshop.benchmarks.current("tiny", fresh=True)
    headers = laboratory.issue_token(OLGA, scope, benchmarks=("tiny",))

    first, again = api("POST", PATH, headers=headers), api("POST", PATH, headers=headers)

    assert published.next is not None
    assert (first.status, again.status) == (202, 202)
    assert first.body == {"benchmark": "tiny", "version": published.version, "next": published.next.version}
    assert markers_of(laboratory).stands(asked("tiny", revision=published.revision), now=datetime.now(UTC))
    lines = [laboratory.read_json(key) for key in laboratory.keys(laboratory.results_bucket, "audit/")]
    told: list[Any] = [(one["actor"]["id"], one["actor"]["role"]) for one in lines if one["action"] == Action.RESCORE]
    assert told == [("olga", role)] * 2


@pytest.mark.usefixtures("corrected")
def test_not_the_owner(api: Api, laboratory: Laboratory) -> None:
    """Nobody else asks, and nothing is noted."""
    stranger = laboratory.issue_token(OLGA, Scope.OWN, benchmarks=("other",))
    before = laboratory.items("AccessTable")

    assert (api("POST", PATH).status, api("POST", PATH, headers=stranger).status) == (401, 403)
    assert laboratory.items("AccessTable") == before


def test_nothing_to_rescore(api: Api, laboratory: Laboratory) -> None:
    """Without another version there is nothing to do, and that is said."""
    published = laboratory.publish(make_benchmark())
    headers = laboratory.issue_token(OLGA, Scope.OWN, benchmarks=("tiny",))

    answer = api("POST", PATH, headers=headers)

    assert (answer.status, published.version in answer.body["detail"]) == (409, True)
    assert laboratory.keys(laboratory.results_bucket, "audit/") == []
