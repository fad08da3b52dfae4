"""What becomes of messages, on both engines."""

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


def test_messages_are_counted_by_what_they_wait_for(side: Clients) -> None:
    """Visible, in flight until it is deleted or shown again, or delayed."""
    url = side.url(EVALUATE)
    side.sqs.purge_queue(QueueUrl=url)
    names = [f"ApproximateNumberOfMessages{kind}" for kind in ("", "NotVisible", "Delayed")]

    def count() -> list[str]:
        attributes = side.sqs.get_queue_attributes(QueueUrl=url, AttributeNames=names)["Attributes"]
        return [attributes[name] for name in names]

    for body, delay in (("a", 0), ("b", 0), ("c", 60)):
        side.sqs.send_message(QueueUrl=url, MessageBody=body, DelaySeconds=delay)
    assert count() == ["2", "0", "1"]
    answer = side.sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10, MessageSystemAttributeNames=["All"])
    first, second = sorted(answer["Messages"], key=lambda message: message["Body"])
    assert count() == ["0", "2", "1"]

    side.sqs.change_message_visibility(QueueUrl=url, ReceiptHandle=first["ReceiptHandle"], VisibilityTimeout=0)
    side.sqs.delete_message(QueueUrl=url, ReceiptHandle=second["ReceiptHandle"])

    assert count() == ["1", "0", "1"]
    (again,) = side.sqs.receive_message(QueueUrl=url, MessageSystemAttributeNames=["All"])["Messages"]
    assert [each["Attributes"]["ApproximateReceiveCount"] for each in (first, second, again)] == ["1", "1", "2"]
    assert receive(side, EVALUATE) == []


def test_group_has_each_message_once_in_order(side: Clients) -> None:
    """What is sent again under the same id is not there twice; the next comes once the one before is deleted."""
    url, received = side.url(SHARE), []
    for body in ("a", "b", "a"):
        more = {"MessageGroupId": "g", "MessageDeduplicationId": body}
        side.sqs.send_message(QueueUrl=url, MessageBody=body, **more)

    while messages := side.sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=1).get("Messages"):
        received.append(messages[0]["Body"])
        side.sqs.delete_message(QueueUrl=url, ReceiptHandle=messages[0]["ReceiptHandle"])

    assert received == ["a", "b"]
