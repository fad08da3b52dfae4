"""S3 events in queues: a notice that an object was created, perhaps delivered twice, late, or of another kind."""

import json
from typing import NamedTuple
from urllib.parse import quote_plus, unquote_plus

from storage.gateway.schema import Schema


class InvalidMessage(Exception):
    """A message that is no S3 event; nothing can be done with it, now or later."""


class TryCounts(NamedTuple):
    """How often a result was scored without success.

    `throttles` counts how often it could not even be tried, and `unanswered` how often in a row nobody knows which of
    the two happened.
    """

    tries: int = 0
    throttles: int = 0
    unanswered: int = 0


class Notice(NamedTuple):
    """One object of an event; only S3 names its version and size."""

    key: str
    version_id: str | None
    counts: TryCounts
    size_bytes: int | None


def make_notice(bucket: str, key: str, counts: TryCounts) -> str:
    """Return the body of an event about an object, as S3 would send it."""
    record = {
        "eventSource": "aws:s3",
        "eventName": "ObjectCreated:Put",
        "s3": {"bucket": {"name": bucket}, "object": {"key": quote_plus(key, safe="/")}},
    }
    above_zero = {name: count for name, count in counts._asdict().items() if count}
    return json.dumps({"schema": Schema.S3_EVENT.number, **above_zero, "Records": [record]})


def read_notices(body: str) -> list[Notice]:
    """Return the objects that an SQS message is about; none for S3's own test event.

    Raises InvalidMessage if the message has another shape, NewerSchema if newer code sent it.
    """
    try:
        event = json.loads(body)
        Schema.S3_EVENT.check(event.get("schema", 0))
        if event.get("Event") == "s3:TestEvent":
            return []
        objects = [record["s3"]["object"] for record in event["Records"]]
        counts = TryCounts(*(int(event.get(name, 0)) for name in TryCounts._fields))
        return [
            Notice(unquote_plus(created["key"]), created.get("versionId"), counts, created.get("size"))
            for created in objects
        ]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise InvalidMessage(f"not an S3 notification: {body[:200]!r}") from error
