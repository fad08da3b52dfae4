"""Fixes moto where the local stack needs it.

* moto checks a condition and writes afterwards, in a thread for each request, so that two writers could win. It changes
  an item attribute by attribute, so that a reader could see half of a change.
* moto checks the length of keys only of items that are put. AWS rejects long keys everywhere.
* moto copies a whole table for each write of a transaction, with all that its items hold.
"""

import threading
from collections.abc import Callable
from copy import copy
from functools import cache, wraps
from typing import Any

from moto.dynamodb.exceptions import HashKeyTooLong, RangeKeyTooLong
from moto.dynamodb.limits import HASH_KEY_MAX_LENGTH, RANGE_KEY_MAX_LENGTH
from moto.dynamodb.models import DynamoDBBackend
from moto.dynamodb.models.dynamo_type import DynamoType, Item
from moto.dynamodb.models.table import Table
from moto.s3.exceptions import S3ClientError
from moto.s3.models import S3Backend
from moto.s3.responses import S3Response

_ATOMIC = (
    (DynamoDBBackend, ("get_item", "query", "put_item", "update_item", "delete_item", "transact_write_items")),
    (S3Response, ("put_object",)),
)
_MAX_NAME_BYTES = 1024


@cache
def patch_moto() -> None:
    """Patch moto, once in a process."""
    for name in ("get_item", "put_item", "update_item"):
        setattr(DynamoDBBackend, name, _copying(getattr(DynamoDBBackend, name)))
    for owner, names in _ATOMIC:
        lock = threading.RLock()
        for name in names:
            setattr(owner, name, _one_at_a_time(getattr(owner, name), lock))
    Table.__deepcopy__ = _copy_table  # type: ignore[attr-defined]
    for name in ("get_item", "delete_item", "query"):
        setattr(Table, name, _with_short_keys(getattr(Table, name)))
    for name in ("get_object", "put_object"):
        setattr(S3Backend, name, _with_short_name(getattr(S3Backend, name)))


def _one_at_a_time[**Arguments, Result](call: Callable[Arguments, Result], lock: Any) -> Callable[Arguments, Result]:
    @wraps(call)
    def guarded(*arguments: Arguments.args, **named: Arguments.kwargs) -> Result:
        with lock:
            return call(*arguments, **named)

    return guarded


def _copying[**Arguments](call: Callable[Arguments, Item | None]) -> Callable[Arguments, Item | None]:
    """Return a copy, as a query does: no write changes it while it is being sent."""

    @wraps(call)
    def copied(*arguments: Arguments.args, **named: Arguments.kwargs) -> Item | None:
        item = copy(call(*arguments, **named))
        if item is not None:
            item.attrs = dict(item.attrs)  # type: ignore[assignment]  # its own kind measures itself at each attribute
        return item

    return copied


def _copy_table(table: Table, _: Any) -> Table:
    """Copy a table for the case that a transaction of puts fails: these replace its items and change none."""
    copied = copy(table)
    copied.items = copy(table.items)
    if table.has_range_key:
        for partition, items in table.items.items():
            copied.items[partition] = copy(items)
    if table.stream_shard is not None:
        copied.stream_shard = copy(table.stream_shard)
        copied.stream_shard.table, copied.stream_shard.items = copied, [*table.stream_shard.items]
    return copied


class _NameTooLong(S3ClientError):
    code = 400  # type: ignore[assignment]  # as moto's own errors of S3 have it

    def __init__(self) -> None:
        super().__init__("KeyTooLongError", "Your key is too long")


def _with_short_keys[Result](operate: Callable[..., Result]) -> Callable[..., Result]:
    """Reject keys, and ranges of keys, that are too long for DynamoDB."""

    @wraps(operate)
    def guarded(table: Table, hash_key: DynamoType, *rest: Any, **named: Any) -> Result:
        if hash_key.size() > HASH_KEY_MAX_LENGTH:
            raise HashKeyTooLong
        values = [*rest, *named.values()]
        ranges = [key for value in values for key in (value if isinstance(value, list) else [value])]
        if any(isinstance(key, DynamoType) and key.size() > RANGE_KEY_MAX_LENGTH for key in ranges):
            raise RangeKeyTooLong
        return operate(table, hash_key, *rest, **named)

    return guarded


def _with_short_name[Result](operate: Callable[..., Result]) -> Callable[..., Result]:
    """Reject names of objects that are too long for S3."""

    @wraps(operate)
    def guarded(backend: S3Backend, bucket_name: str, key_name: str, *rest: Any, **named: Any) -> Result:
        if len(key_name.encode()) > _MAX_NAME_BYTES:
            raise _NameTooLong
        return operate(backend, bucket_name, key_name, *rest, **named)

    return guarded
