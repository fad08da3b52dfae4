"""The notices that S3 sends through queues: hints that objects have come, perhaps twice, late, or foreign."""

import json
from typing import NamedTuple
from urllib.parse import unquote_plus

from storage.aws.schema import Schema


class InvalidMessage(Exception):
    """A queue message of an unexpected shape; no retry can help."""


class Notice(NamedTuple):
    """What a notice says of one object.

    Args:
        key: Of the object.
        version_id: Of the object; None in a notice that S3 did not send.
        tries: How often it was scored without success before this message; notices of S3 say nothing of it.
    """

    key: str
    version_id: str | None
    tries: int = 0


def read_notices(body: str) -> list[Notice]:
    """Give the objects that a message announces.

    Args:
        body: Of an SQS message: an S3 event notification as JSON.

    Returns:
        One notice an object; none for S3's own test event.

    Raises:
        InvalidMessage: The message has another shape.
        Newer: Newer code has put it there; those of S3 itself carry no schema number.
    """
    try:
        event = json.loads(body)
        Schema.NOTICE.check(event.get("schema", 0))
        if event.get("Event") == "s3:TestEvent":
            return []
        objects = [record["s3"]["object"] for record in event["Records"]]
        tries = int(event.get("tries", 0))
        return [Notice(unquote_plus(one["key"]), one.get("versionId"), tries) for one in objects]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise InvalidMessage(f"not an S3 notification: {body[:200]!r}") from error
