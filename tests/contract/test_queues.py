"""What the state machine of queues reaches only after many receives, on both engines."""

from typing import Any

import pytest

from tests.contract.sides import DEAD, EVALUATE, SHARE, Clients

RECEIVES = 6
"""How often a message of the queue is received, as the template says."""


def receive(side: Clients, queue: str, **request: Any) -> list[str]:
    """Receive what is visible and return the bodies."""
    answer = side.sqs.receive_message(QueueUrl=side.url(queue), MaxNumberOfMessages=10, **request)
    return [message["Body"] for message in answer.get("Messages", ())]


def test_message_is_given_up_after_its_last_receive(side: Clients) -> None:
    """A message is received as often as the queue says, then it is a dead letter."""
    side.sqs.purge_queue(QueueUrl=side.url(EVALUATE))
    side.sqs.send_message(QueueUrl=side.url(EVALUATE), MessageBody="a")

    received = [receive(side, EVALUATE, VisibilityTimeout=0) for _ in range(RECEIVES + 1)]

    assert received == [*[["a"]] * RECEIVES, []]
    assert receive(side, DEAD) == ["a"]


@pytest.mark.parametrize("group", ["g", "h"])
def test_group_waits_for_its_message_in_flight(side: Clients, group: str) -> None:
    """No message of a group is received while one is in flight; another group's is."""
    for number, name in enumerate(("g", "g", group)):
        more = {"MessageGroupId": name, "MessageDeduplicationId": str(number)}
        side.sqs.send_message(QueueUrl=side.url(SHARE), MessageBody=f"{name}{number}", **more)
    side.sqs.receive_message(QueueUrl=side.url(SHARE), MaxNumberOfMessages=1)

    assert receive(side, SHARE) == ([] if group == "g" else ["h2"])
