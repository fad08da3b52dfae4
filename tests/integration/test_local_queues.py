"""The local stack's pollers on queues of the emulator."""

from types import SimpleNamespace
from typing import Any

import pytest

from tests.harness.stack import StackHarness


@pytest.mark.parametrize(("queue", "is_waiting"), [("EvaluateQueue", True), ("ShareQueue", False)])
def test_emulator_waits_only_for_queues_without_groups(stack: StackHarness, queue: str, *, is_waiting: bool) -> None:
    """The emulator takes a whole core while it waits for a message of a group that is being handled."""
    asked: list[dict[str, Any]] = []

    def receive_message(**request: Any) -> dict[str, Any]:
        asked.append(request)
        return {}

    poller = stack.queue_poller(lambda *_: {}, queue=queue, function="EvaluateFunction")
    poller.cloud = SimpleNamespace(sqs=SimpleNamespace(receive_message=receive_message))  # type: ignore[assignment]

    assert not poller.poll()
    assert [bool(request["WaitTimeSeconds"]) for request in asked] == [is_waiting]
