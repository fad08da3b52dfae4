"""Reads the notices that S3 sends through the queue: hints that results have come, perhaps twice, perhaps foreign."""

import json
from urllib.parse import unquote_plus

from ledger.keys import ResultKey, parse_result_key


class ForeignNotice(Exception):
    """A message that is not a notice of results; nothing can be done with it, now or later."""


def read_result_keys(body: str) -> list[ResultKey]:
    """Give the results that a message announces.

    Args:
        body: Of an SQS message: an S3 event notification as JSON.

    Returns:
        The keys of raw results; empty for S3's own test event and for other objects.

    Raises:
        ForeignNotice: The message has another shape.
    """
    try:
        notice = json.loads(body)
        if notice.get("Event") == "s3:TestEvent":
            return []
        keys = [unquote_plus(record["s3"]["object"]["key"]) for record in notice["Records"]]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ForeignNotice(f"not an S3 notification: {body[:200]!r}") from error
    return [key for key in map(parse_result_key, keys) if key is not None]
