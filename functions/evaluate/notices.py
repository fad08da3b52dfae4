"""Reads off the notices of S3 which raw results have come."""

from typing import NamedTuple

from storage.aws.s3_events import InvalidMessage, read_notices
from storage.keys import ResultKey, parse_result_key

__all__ = ["InvalidMessage", "ResultNotice", "read_result_keys", "read_result_notices"]


class ResultNotice(NamedTuple):
    """One raw result that a message announces, and how often it was scored without success."""

    key: ResultKey
    tries: int


def read_result_notices(body: str) -> list[ResultNotice]:
    """Return the results that a message announces; other objects are passed over.

    Args:
        body: Of an SQS message: an S3 event notification as JSON.

    Raises:
        InvalidMessage: The message has another shape.
    """
    notices = ((parse_result_key(notice.key), notice.tries) for notice in read_notices(body))
    return [ResultNotice(key, tries) for key, tries in notices if key is not None]


def read_result_keys(body: str) -> list[ResultKey]:
    """Return the keys of the results that a message announces, as `read_result_notices` does."""
    return [notice.key for notice in read_result_notices(body)]
