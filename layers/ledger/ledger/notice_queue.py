"""Puts results on the evaluate queue again, by notices of the form that S3 sends."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import batched
from typing import TYPE_CHECKING
from urllib.parse import quote_plus

from ledger.errors import Busy, translated
from ledger.forms import Form
from ledger.keys import ResultKey

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient
    from mypy_boto3_sqs.type_defs import SendMessageBatchRequestEntryTypeDef

BATCH = 10
MAX_TRIES = 5


@dataclass(frozen=True, slots=True)
class NoticeQueue:
    """The evaluate queue, seen by who puts something on it."""

    sqs: "SQSClient"
    url: str
    bucket: str

    def send(self, keys: Iterable[ResultKey]) -> Iterator[int]:
        """Send a notice for each of these results; gives, batch by batch, how many were sent.

        Nothing is sent before the iterator is consumed.

        Raises:
            Busy: The queue would not take some of a batch, however often it was tried.
        """
        for batch in batched(keys, BATCH, strict=False):
            self._send_batch(batch)
            yield len(batch)

    def _send_batch(self, keys: Sequence[ResultKey]) -> None:
        left: dict[str, SendMessageBatchRequestEntryTypeDef] = {
            str(number): {"Id": str(number), "MessageBody": self._notice(key)} for number, key in enumerate(keys)
        }
        for _ in range(MAX_TRIES):
            with translated("put results on the queue"):
                answer = self.sqs.send_message_batch(QueueUrl=self.url, Entries=list(left.values()))
            for sent in answer.get("Successful", ()):
                del left[sent["Id"]]
            if not left:
                return
        raise Busy(f"put results on the queue: {len(left)} of {len(keys)} not taken after {MAX_TRIES} tries")

    def _notice(self, key: ResultKey) -> str:
        record = {
            "eventSource": "aws:s3",
            "eventName": "ObjectCreated:Put",
            "s3": {"bucket": {"name": self.bucket}, "object": {"key": quote_plus(str(key), safe="/")}},
        }
        return json.dumps({"schema": Form.NOTICE.schema, "Records": [record]})
