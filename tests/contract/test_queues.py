"""What becomes of messages, on both sides of the gateway."""

from copy import replace

import pytest

from storage.gateway.errors import Refused
from storage.gateway.queue import FifoPlace, Queue
from tests.contract.sides import DEAD, EVALUATE, SHARE
from tests.harness.raw_cloud import RawCloud

RECEIVES = 6
"""How often a message of the queue is received, as the template says."""


@pytest.fixture
def queue(cloud: RawCloud) -> Queue:
    """The evaluate queue, without the test event that S3 sends it."""
    cloud.sqs.purge_queue(QueueUrl=EVALUATE)
    return Queue(cloud.messages, EVALUATE)


def bodies(queue: Queue, *, seconds: int | None = None) -> list[str]:
    """Receive what is visible, return the bodies, and hide it for another time."""
    received = queue.receive(wait_seconds=0)
    for message in received if seconds is not None else ():
        queue.client.hide(queue.url, message.receipt_handle, seconds=seconds or 0)
    return [message.body for message in received]


def test_message_is_given_up_after_its_last_receive(cloud: RawCloud, queue: Queue) -> None:
    """A message is received as often as the queue says, then it is a dead letter."""
    queue.send("a")

    received = [bodies(queue, seconds=0) for _ in range(RECEIVES + 1)]

    assert received == [*[["a"]] * RECEIVES, []]
    assert bodies(Queue(cloud.messages, DEAD)) == ["a"]


@pytest.mark.parametrize("group", ["g", "h"])
def test_group_waits_for_its_message_in_flight(cloud: RawCloud, group: str) -> None:
    """No message of a group is received while one is in flight; another group's is."""
    share = Queue(cloud.messages, SHARE)
    for number, name in enumerate(("g", "g", group)):
        share.send(f"{name}{number}", place=FifoPlace(name, str(number)))
    cloud.messages.receive(SHARE, most=1)

    assert bodies(share) == ([] if group == "g" else ["h2"])


def test_messages_are_counted_by_what_they_wait_for(queue: Queue) -> None:
    """What is hidden or delayed is not received; what is shown again is, as often as the message says."""
    assert list(queue.send_all(["a", "b"])) == [2]
    queue.send("c", delay_seconds=60)
    first, second = sorted(queue.receive(wait_seconds=0), key=lambda message: message.body)
    assert bodies(queue) == []

    queue.client.hide(queue.url, first.receipt_handle, seconds=0)
    queue.delete([second])

    (again,) = queue.receive(wait_seconds=0)
    counts = [message.attributes["ApproximateReceiveCount"] for message in (first, second, again)]
    assert (again.body, again.id, counts) == ("a", first.id, ["1", "1", "2"])


@pytest.mark.parametrize(("base_seconds", "shown"), [(30, []), (0, ["a"])])
def test_message_that_failed_is_deferred(queue: Queue, base_seconds: int, shown: list[str]) -> None:
    """It comes again after its time, with a base of 0 at once; a handle that nobody knows is refused."""
    queue = replace(queue, base_seconds=base_seconds)
    queue.send("a")
    (message,) = queue.receive(wait_seconds=0)

    queue.defer(message.receipt_handle, receives=1)

    assert bodies(queue) == shown
    with pytest.raises(Refused):
        queue.defer("no-such-handle", receives=1)


def test_group_has_each_message_once_in_order(cloud: RawCloud) -> None:
    """What is sent again under the same name is not there twice; the next comes once the one before is deleted."""
    share, received = Queue(cloud.messages, SHARE), []
    for body in ("a", "b", "a"):
        share.send(body, place=FifoPlace("g", body))

    while messages := cloud.messages.receive(SHARE, most=1):
        received.append((messages[0].body, messages[0].attributes["MessageGroupId"]))
        share.delete(messages)

    assert received == [("a", "g"), ("b", "g")]
