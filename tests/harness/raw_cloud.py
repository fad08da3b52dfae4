"""A cloud whose clients a test may call itself."""

from dataclasses import dataclass
from typing import Any

from storage.gateway.aws import AwsMessages, AwsObjects
from storage.gateway.bucket import Objects
from storage.gateway.queue import Messages


@dataclass(frozen=True)
class RawCloud:
    """What the stack reads and writes, and clients of S3 and SQS with botocore's methods."""

    objects: Objects
    messages: Messages
    tables: Any
    streams: Any
    s3: Any
    sqs: Any

    @property
    def dynamodb(self) -> Any:
        """The tables, of which more may be asked than the gateway does."""
        return self.tables


def wrap(s3: Any, sqs: Any, tables: Any, streams: Any) -> RawCloud:
    """Return the cloud of some clients."""
    return RawCloud(AwsObjects(s3), AwsMessages(sqs), tables, streams, s3, sqs)
