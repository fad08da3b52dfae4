"""An SQS queue. No other code calls SQS."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import batched
from typing import TYPE_CHECKING, Any, NamedTuple

from storage.gateway.errors import Busy, aws_errors

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient
    from mypy_boto3_sqs.type_defs import SendMessageBatchRequestEntryTypeDef

MAX_SECONDS = 42_000
"""SQS allows 12 hours from the receive; the longest function leaves this much."""
BATCH = 10
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


@dataclass(frozen=True, slots=True)
class Queue:
    """A queue; `base_seconds` is how long a message is hidden after its first failure."""

    client: "SQSClient"
    url: str
    base_seconds: int = 0

    def send(self, body: str, **options: Any) -> None:
        """Send a message; `options` are more of `SendMessage`."""
        with aws_errors("send a message"):
            self.client.send_message(QueueUrl=self.url, MessageBody=body, **options)

    def send_all(self, bodies: Iterable[str]) -> Iterator[int]:
        """Send messages as the iterator is consumed; yield each batch's size. Raises Busy."""
        for batch in batched(bodies, BATCH, strict=False):
            self._send_batch(batch)
            yield len(batch)

    def receive(self, *, wait_seconds: int) -> list[ReceivedMessage]:
        """Receive up to ten messages, and wait for the first one."""
        with aws_errors("receive messages"):
            answer = self.client.receive_message(
                QueueUrl=self.url,
                MaxNumberOfMessages=BATCH,
                WaitTimeSeconds=wait_seconds,
                MessageSystemAttributeNames=["All"],
            )
        return [
            ReceivedMessage(
                message["MessageId"],
                message["ReceiptHandle"],
                message["Body"],
                {str(name): value for name, value in message.get("Attributes", {}).items()},
            )
            for message in answer.get("Messages", ())
        ]

    def delete(self, messages: Iterable[ReceivedMessage]) -> None:
        """Delete messages that were handled; one that SQS keeps is received again."""
        with aws_errors("delete messages"):
            for message in messages:
                self.client.delete_message(QueueUrl=self.url, ReceiptHandle=message.receipt_handle)

    def defer(self, receipt_handle: str, *, receives: int) -> None:
        """Hide a failed message for base_seconds × 2ⁿ, n being its earlier receives."""
        seconds = backoff_seconds(self.base_seconds, tries=receives, most=MAX_SECONDS)
        with aws_errors("defer a message"):
            self.client.change_message_visibility(
                QueueUrl=self.url, ReceiptHandle=receipt_handle, VisibilityTimeout=seconds
            )

    def _send_batch(self, bodies: Sequence[str]) -> None:
        left: dict[str, SendMessageBatchRequestEntryTypeDef] = {
            str(number): {"Id": str(number), "MessageBody": body} for number, body in enumerate(bodies)
        }
        for _ in range(_MAX_TRIES):
            with aws_errors("send messages"):
                answer = self.client.send_message_batch(QueueUrl=self.url, Entries=list(left.values()))
            for sent in answer.get("Successful", ()):
                del left[sent["Id"]]
            if not left:
                return
        raise Busy(f"send messages: {len(left)} of {len(bodies)} not accepted after {_MAX_TRIES} tries")
