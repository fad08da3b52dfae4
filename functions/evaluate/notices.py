"""Reads off the notices of S3 which raw results have come."""

from ledger.keys import ResultKey, parse_result_key
from ledger.notices import ForeignNotice, read_notices

__all__ = ["ForeignNotice", "read_result_keys"]


def read_result_keys(body: str) -> list[ResultKey]:
    """Give the results that a message announces; other objects are passed over.

    Args:
        body: Of an SQS message: an S3 event notification as JSON.

    Raises:
        ForeignNotice: The message has another shape.
    """
    keys = (parse_result_key(one.key) for one in read_notices(body))
    return [key for key in keys if key is not None]
