"""Mends moto where the local stack needs more of it: conditional writes in one step, no work that grows for nothing.

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
from moto.dynamodb.models import DynamoDBBackend
from moto.s3.responses import S3Response
from moto.sqs.models import Message, SQSBackend

_WRITES = (
    (DynamoDBBackend, ("put_item", "update_item", "delete_item")),
    (S3Response, ("put_object",)),
)
_PLAIN = {"S", "N", "BOOL", "NULL", "SS", "NS"}
"""Types of attributes that moto holds in the very form of DynamoDB's JSON."""


@cache
def patch_moto() -> None:
    """Replace moto's slow or unsafe parts; once for the process."""
    for owner, names in _WRITES:
        lock = threading.RLock()
        for name in names:
            setattr(owner, name, _one_at_a_time(getattr(owner, name), lock))
    moto.sqs.models.unix_time_millis = _tell_milliseconds  # type: ignore[attr-defined, assignment]
    SQSBackend.is_message_valid_based_on_retention_period = _is_retained  # type: ignore[method-assign, assignment]
    BaseJSONSerializer._serialize_type_map = _pass_items(BaseJSONSerializer._serialize_type_map)  # type: ignore[method-assign]  # noqa: SLF001  # moto has no other door


def _one_at_a_time[**Arguments, Result](write: Callable[Arguments, Result], lock: Any) -> Callable[Arguments, Result]:
    @wraps(write)
    def guarded(*arguments: Arguments.args, **named: Arguments.kwargs) -> Result:
        with lock:
            return write(*arguments, **named)

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
