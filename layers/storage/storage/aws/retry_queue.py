"""Puts a failed message off, longer each time, instead of letting it come back at once or after the full timeout."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from storage.aws.errors import aws_errors

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient

MAX_SECONDS = 42_000
"""SQS allows 12 hours, counted from the receive; the longest function leaves this much."""


def backoff_seconds(base_seconds: int, *, tries: int, most: int) -> int:
    """Return how long to wait after the n-th try that failed: base_seconds × 2ⁿ⁻¹, at most `most`."""
    return min(base_seconds << (tries - 1), most)


@dataclass(frozen=True, slots=True)
class RetryQueue:
    """An SQS queue whose consumer sets the visibility of what failed."""

    sqs: "SQSClient"
    url: str
    base_seconds: int

    def put_off(self, receipt_handle: str, *, receives: int) -> None:
        """Hide a message for base_seconds × 2ⁿ, n being the number of receives before this one."""
        seconds = backoff_seconds(self.base_seconds, tries=receives, most=MAX_SECONDS)
        with aws_errors("put a message off"):
            self.sqs.change_message_visibility(
                QueueUrl=self.url, ReceiptHandle=receipt_handle, VisibilityTimeout=seconds
            )
