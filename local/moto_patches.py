"""Mends moto where the local stack needs more of it: conditional writes in one step, no work that grows for nothing.

It also refuses keys that are longer than AWS takes: moto looks at those of items that are put, and at no others.

moto checks a condition first and writes afterwards, and its server has a thread for each request: both of two writers
could win. Whenever it takes or hands out a message it counts all messages of the queue three times, with a slow look at
the clock for each. And it looks up every member of an item's every attribute, though DynamoDB's JSON is already made.
"""

import threading
import time
from collections.abc import Callable
from functools import cache, wraps
from typing import Any

import moto.sqs.models
from botocore.model import MapShape
from moto.core.serialize import BaseJSONSerializer
from moto.dynamodb.exceptions import HashKeyTooLong, RangeKeyTooLong
from moto.dynamodb.limits import HASH_KEY_MAX_LENGTH, RANGE_KEY_MAX_LENGTH
from moto.dynamodb.models import DynamoDBBackend
from moto.dynamodb.models.dynamo_type import DynamoType
from moto.dynamodb.models.table import Table
from moto.s3.exceptions import S3ClientError
from moto.s3.models import S3Backend
from moto.s3.responses import S3Response
from moto.sqs.models import Message, SQSBackend

_WRITES = (
    (DynamoDBBackend, ("put_item", "update_item", "delete_item")),
    (S3Response, ("put_object",)),
)
_MAX_NAME_BYTES = 1024
_PLAIN = {"S", "N", "BOOL", "NULL", "SS", "NS"}
"""Types of attributes that moto holds in the very form of DynamoDB's JSON."""


@cache
def patch_moto() -> None:
    """Replace moto's slow or unsafe parts; once for the process."""
    for owner, names in _WRITES:
        lock = threading.RLock()
        for name in names:
            setattr(owner, name, _one_at_a_time(getattr(owner, name), lock))
    for name in ("get_item", "delete_item", "query"):
        setattr(Table, name, _with_short_keys(getattr(Table, name)))
    for name in ("get_object", "put_object"):
        setattr(S3Backend, name, _with_short_name(getattr(S3Backend, name)))
    moto.sqs.models.unix_time_millis = _tell_milliseconds  # type: ignore[attr-defined, assignment]
    SQSBackend.is_message_valid_based_on_retention_period = _is_retained  # type: ignore[method-assign, assignment]
    BaseJSONSerializer._serialize_type_map = _pass_items(BaseJSONSerializer._serialize_type_map)  # type: ignore[method-assign]  # noqa: SLF001  # moto has no other door


def _one_at_a_time[**Arguments, Result](write: Callable[Arguments, Result], lock: Any) -> Callable[Arguments, Result]:
    @wraps(write)
    def guarded(*arguments: Arguments.args, **named: Arguments.kwargs) -> Result:
        with lock:
            return write(*arguments, **named)

    return guarded


class _NameTooLong(S3ClientError):
    code = 400  # type: ignore[assignment]  # as moto's own errors of S3 have it

    def __init__(self) -> None:
        super().__init__("KeyTooLongError", "Your key is too long")


def _with_short_keys[Result](operate: Callable[..., Result]) -> Callable[..., Result]:
    """Refuse what names a key, or a range of keys, that DynamoDB does not take."""

    @wraps(operate)
    def guarded(table: Table, hash_key: DynamoType, *rest: Any, **named: Any) -> Result:
        if hash_key.size() > HASH_KEY_MAX_LENGTH:
            raise HashKeyTooLong
        found = [*rest, *named.values()]
        ranges = [one for value in found for one in (value if isinstance(value, list) else [value])]
        if any(isinstance(one, DynamoType) and one.size() > RANGE_KEY_MAX_LENGTH for one in ranges):
            raise RangeKeyTooLong
        return operate(table, hash_key, *rest, **named)

    return guarded


def _with_short_name[Result](operate: Callable[..., Result]) -> Callable[..., Result]:
    """Refuse the name of an object that S3 does not take."""

    @wraps(operate)
    def guarded(backend: S3Backend, bucket_name: str, key_name: str, *rest: Any, **named: Any) -> Result:
        if len(key_name.encode()) > _MAX_NAME_BYTES:
            raise _NameTooLong
        return operate(backend, bucket_name, key_name, *rest, **named)

    return guarded


def _tell_milliseconds() -> float:
    return time.time() * 1000


def _is_retained(backend: SQSBackend, queue_name: str, message: Message) -> bool:
    """Tell whether a message is younger than its queue keeps messages."""
    kept_seconds = backend.get_queue(queue_name).message_retention_period  # type: ignore[attr-defined]  # set by name
    sent_seconds = float(message.sent_timestamp) / 1000  # type: ignore[arg-type]  # a message in a queue was sent
    # By moto's name for its clock, so that whoever replaces that clock is heard.
    return bool(sent_seconds + kept_seconds > moto.sqs.models.unix_time())  # type: ignore[attr-defined]


def _pass_items(serialize: Callable[..., None]) -> Callable[..., None]:
    """Let items of plain attributes through as they are; all other maps are serialized as before."""

    @wraps(serialize)
    def passing(serializer: BaseJSONSerializer, serialized: Any, value: Any, shape: MapShape, key: str) -> None:
        if shape.value.name == "AttributeValue" and all(one.keys() <= _PLAIN for one in value.values()):
            serialized[serializer.get_serialized_name(shape, key)] = value  # type: ignore[arg-type]
        else:
            serialize(serializer, serialized, value, shape, key)

    return passing
