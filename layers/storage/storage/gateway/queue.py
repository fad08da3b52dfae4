"""A queue of messages."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import batched
from typing import NamedTuple, Protocol

from storage.gateway.errors import Busy

MAX_SECONDS = 42_000
"""SQS allows 12 hours from the receive; the longest function leaves this much."""
BATCH = 10
"""Messages that are sent or received by one request."""
_MAX_TRIES = 5


def backoff_seconds(base_seconds: int, *, tries: int, most: int) -> int:
    """Return the wait after the n-th failed try: base_seconds × 2ⁿ⁻¹, at most `most`."""
    return min(base_seconds << (tries - 1), most)


class ReceivedMessage(NamedTuple):
    """A message, which stays hidden from others for a while; the attributes are those that SQS adds."""

    id: str
    receipt_handle: str
    body: str
    attributes: Mapping[str, str]


class FifoPlace(NamedTuple):
    """The group of a FIFO queue that a message is sent to, and the name by which it is sent once in five minutes."""

    group: str
    name: str


class Messages(Protocol):
    """Where queues are: `AwsMessages`, or the engine's. Any call raises Busy or Refused, as for a missing queue."""

    def send(self, url: str, body: str, /, *, delay_seconds: int | None = None, place: FifoPlace | None = None) -> None:
        """Send a message of up to 1 MB."""

    def send_many(self, url: str, bodies: Sequence[str], /) -> Sequence[str]:
        """Send up to BATCH messages; return those that were not accepted."""

    def receive(self, url: str, /, *, most: int = BATCH, wait_seconds: int = 0) -> list[ReceivedMessage]:
        """Receive messages, and wait for the first one."""

    def delete(self, url: str, receipt_handle: str, /) -> None:
        """Delete a message by its last receipt."""

    def hide(self, url: str, receipt_handle: str, /, *, seconds: int) -> None:
        """Hide a message that was received for another time."""


class Queue(NamedTuple):
    """A queue; `base_seconds` is how long a message is hidden after its first failure."""

    client: Messages
    url: str
    base_seconds: int = 0

    def send(self, body: str, *, delay_seconds: int | None = None, place: FifoPlace | None = None) -> None:
        """Send a message, visible after 0 to 900 s; a FIFO queue needs a place."""
        self.client.send(self.url, body, delay_seconds=delay_seconds, place=place)

    def send_all(self, bodies: Iterable[str]) -> Iterator[int]:
        """Send messages as the iterator is consumed; yield each batch's size. Raises Busy."""
        for batch in batched(bodies, BATCH, strict=False):
            left: Sequence[str] = batch
            for _ in range(_MAX_TRIES):
                if not (left := self.client.send_many(self.url, left)):
                    break
            else:
                raise Busy(f"send messages: {len(left)} of {len(batch)} not accepted after {_MAX_TRIES} tries")
            yield len(batch)

    def receive(self, *, wait_seconds: int) -> list[ReceivedMessage]:
        """Receive up to ten messages, and wait for the first one."""
        return self.client.receive(self.url, wait_seconds=wait_seconds)

    def delete(self, messages: Iterable[ReceivedMessage]) -> None:
        """Delete messages that were handled; one that SQS keeps is received again."""
        for message in messages:
            self.client.delete(self.url, message.receipt_handle)

    def defer(self, receipt_handle: str, *, receives: int) -> None:
        """Hide a failed message for base_seconds × 2ⁿ, n being its earlier receives."""
        seconds = backoff_seconds(self.base_seconds, tries=receives, most=MAX_SECONDS)
        self.client.hide(self.url, receipt_handle, seconds=seconds)
