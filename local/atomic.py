"""Makes moto's conditional writes what AWS's are: check and change in one step, whoever else writes at the same time.

moto checks the condition first and writes afterwards, and its server has a thread for each request.
"""

import threading
from collections.abc import Callable
from functools import cache, wraps
from typing import Any

from moto.dynamodb.models import DynamoDBBackend
from moto.s3.responses import S3Response

_WRITES = (
    (DynamoDBBackend, ("put_item", "update_item", "delete_item")),
    (S3Response, ("put_object",)),
)


@cache
def make_writes_atomic() -> None:
    """Let one conditional write at a time into moto; once for the process."""
    for owner, names in _WRITES:
        lock = threading.RLock()
        for name in names:
            setattr(owner, name, _one_at_a_time(getattr(owner, name), lock))


def _one_at_a_time[**Arguments, Result](write: Callable[Arguments, Result], lock: Any) -> Callable[Arguments, Result]:
    @wraps(write)
    def guarded(*arguments: Arguments.args, **named: Arguments.kwargs) -> Result:
        with lock:
            return write(*arguments, **named)

    return guarded
