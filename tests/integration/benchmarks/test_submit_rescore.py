"""An owner asks for a rescore over HTTP; the function of the schedule begins with it at once."""

from datetime import UTC, datetime
from typing import Any

import pytest

from aggregate import rescore
from evaluate import queue
from storage.actors import Role
from storage.audit import Action
from storage.flags import FlagStore, rescore_flag
from storage.players.tokens import Scope
from tests.harness.factories import make_guest_record, make_player
from tests.harness.stack import TRUTH, Api, StackHarness, make_benchmark, make_context

OLGA = make_player("olga", "Olga")
PATH = "/api/benchmarks/tiny/rescore"


@pytest.fixture
def corrected(stack: StackHarness) -> None:
    """A benchmark with a result, whose ground truth was then corrected and published."""
    published = stack.publish(make_benchmark())
    record = make_guest_record(published, "Ada", {"score": 5.0}, number=1)
    stack.submissions.put_result(record.submission, b"{}")
    stack.publish(make_benchmark(truth=TRUTH.replace("4945", "4946")))


def markers_of(stack: StackHarness) -> FlagStore:
    """Return the store of markers."""
    return FlagStore(stack.access)


@pytest.mark.usefixtures("corrected")
def test_rescore_begins_at_once(
    api: Api, stack: StackHarness, invoked: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first request invokes the function for this benchmark alone; if it cannot, the schedule begins."""
    headers = stack.issue_token(OLGA, Scope.OWN, benchmarks=("tiny",))
    monkeypatch.setattr(rescore, "PATIENCE_SECONDS", 0)
    monkeypatch.setattr(rescore, "publish_phases", None)
    source = stack.queue_poller(queue.lambda_handler, queue="EvaluateQueue", function="EvaluateFunction")

    answers = [api("POST", PATH, headers=headers).status for _ in range(2)]
    promoted = [rescore.lambda_handler(invoked[0], make_context())]
    while source.deliver():
        pass
    promoted.append(rescore.lambda_handler(invoked[0], make_context()))

    assert (answers, invoked, promoted) == ([202, 202], [{"benchmark": "tiny"}], [[], ["tiny"]])


@pytest.mark.usefixtures("corrected", "invoked")
@pytest.mark.parametrize(("scope", "role"), [(Scope.OWN, Role.OWNER), (Scope.ADMIN, Role.ADMIN)])
def test_rescore_is_requested_by_owner_or_admin(api: Api, stack: StackHarness, scope: Scope, role: Role) -> None:
    """Owner and administrator ask, as often as they like; it is noted for the schedule, and on record."""
    published = stack.aggregator.benchmarks.current("tiny", fresh=True)
    headers = stack.issue_token(OLGA, scope, benchmarks=("tiny",))

    first, again = api("POST", PATH, headers=headers), api("POST", PATH, headers=headers)

    assert published.next is not None
    assert (first.status, again.status) == (202, 202)
    assert first.body == {"benchmark": "tiny", "version": published.version, "next": published.next.version}
    following = published.next
    flag = rescore_flag("tiny", version=following.version, published_at=following.published_at)
    assert markers_of(stack).is_set(flag, now=datetime.now(UTC))
    lines = [stack.read_json(key) for key in stack.keys(stack.results_bucket, "audit/")]
    actors: list[Any] = [
        (line["actor"]["id"], line["actor"]["role"]) for line in lines if line["action"] == Action.RESCORE
    ]
    assert actors == [("olga", role)] * 2


def test_nothing_to_rescore(api: Api, stack: StackHarness) -> None:
    """Without another version there is nothing to do, and that is said."""
    published = stack.publish(make_benchmark())
    headers = stack.issue_token(OLGA, Scope.OWN, benchmarks=("tiny",))

    answer = api("POST", PATH, headers=headers)

    assert answer.status == 409
    assert answer.body["detail"] == (
        f"tiny: nothing to rescore: version {published.version} is current, and none is published after it; "
        "correct its folder and publish it with `laurel publish FOLDER`, then rescore"
    )
    assert stack.keys(stack.results_bucket, "audit/") == []
