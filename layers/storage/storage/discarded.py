"""The batches of a stream that Lambda discarded: objects that it writes to the failure destination of an event source.

Source: AWS Lambda Developer Guide, "Retain discarded records for a DynamoDB event source": the key is
`aws/lambda/<event source mapping>/<shard>/<time>-<random>`, and `payload` is the whole event.
"""

import json
import random
from itertools import islice
from typing import Any, NamedTuple

from storage.gateway.bucket import Bucket
from storage.gateway.errors import UnknownObject

PREFIX = "aws/lambda/"
MAX_LISTED = 10_000


class DiscardedBatch(NamedTuple):
    """A discarded batch: the name of the function that read it, and the event, as Lambda passed it."""

    function: str
    event: dict[str, Any]


class DiscardedBatches(NamedTuple):
    """The discarded batches in the results bucket."""

    bucket: Bucket

    def list_shuffled(self) -> list[str]:
        """List the first keys in random order.

        In a fixed order, batches that keep failing could always be before the others.
        """
        keys = list(islice(self.bucket.list_keys(PREFIX), MAX_LISTED))
        return random.sample(keys, len(keys))

    def read(self, key: str) -> DiscardedBatch:
        """Read a batch. Raises NotFound, UnknownObject."""
        stored = self.bucket.get(key)
        try:
            discarded = json.loads(stored.body)
            payload = discarded["payload"]
            event = json.loads(payload) if isinstance(payload, str) else payload
            function = discarded["requestContext"]["functionArn"].split(":")[6]
            return DiscardedBatch(function, {"Records": list(event["Records"])})
        except (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError) as error:
            raise UnknownObject(f"{key}: not a batch that Lambda discarded") from error

    def delete(self, key: str) -> None:
        """Delete a batch; the bucket keeps its last version for a while."""
        self.bucket.delete(key)
