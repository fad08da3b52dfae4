"""Submission ids: UUIDv7 (RFC 9562), so that ids sort by time and the S3 key follows from the id alone."""

import hashlib
import re
import uuid
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

type Clock = Callable[[], datetime]
type Randomness = Callable[[int], bytes]

SHARED_LENGTH = 13
"""Characters that carry the time, the hyphen between them included."""
_PATTERN = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)
_MAX_MILLISECONDS = (datetime.max.replace(tzinfo=UTC) - _EPOCH) // _MILLISECOND


def utc_now() -> datetime:
    """Return the current time in UTC."""
    return datetime.now(UTC)


def make_submission_id(moment: datetime, randomness: bytes) -> str:
    """Return the id of a submission; 74 of the 10 random bytes' bits are used."""
    milliseconds = (moment - _EPOCH) // _MILLISECOND
    bits = milliseconds << 80 | int.from_bytes(randomness[:10])
    bits = bits & ~(0xF << 76) | 0x7 << 76
    bits = bits & ~(0x3 << 62) | 0x2 << 62
    return str(uuid.UUID(int=bits))


def first_id(moment: datetime) -> str:
    """Return the least id that a submission of this moment can have."""
    return make_submission_id(max(moment, _EPOCH), bytes(10))


def derive_submission_id(moment: datetime, *, key: str, version_id: str, entry: str) -> str:
    """Return the id of one entry of a batch, the same each time the batch is read.

    `moment` is the object's LastModified, so all ids of a batch share their first `SHARED_LENGTH` characters. The entry
    "" gives the id of the batch itself.
    """
    # A key may contain any character. With the lengths, no two batches hash alike.
    named = "".join(f"{len(part)}:{part}" for part in (key, version_id, entry))
    return make_submission_id(moment, hashlib.sha256(named.encode("utf-8", "surrogatepass")).digest())


def is_submission_id(text: str) -> bool:
    """Return whether a text is a canonical UUIDv7 with a time before the year 10000."""
    return _PATTERN.fullmatch(text) is not None and _milliseconds(text) <= _MAX_MILLISECONDS


def time_of(submission: str) -> datetime:
    """Return the moment of a submission id, in UTC and to the millisecond."""
    return _EPOCH + _milliseconds(submission) * _MILLISECOND


def _milliseconds(submission: str) -> int:
    return uuid.UUID(submission).int >> 80
