"""Calls of AWS at the same time: most of a call is waiting. Clients may be shared by threads."""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from typing import Any

from storage.aws.clients import ENGINE_VARIABLE

MAX_THREADS = 16


class _InTurn(Executor):
    """Acts at once in the thread that submits."""

    def submit(self, act: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        """Act, and return a future that is done."""
        future: Future[Any] = Future()
        try:
            future.set_result(act(*arguments, **named))
        except Exception as error:  # noqa: BLE001  # the future raises it
            future.set_exception(error)
        return future


def open_pool(threads: int) -> Executor:
    """Return a pool of threads, or with an engine one without.

    A file answers one call after another, and starting a thread takes longer than a call.
    """
    return _InTurn() if os.environ.get(ENGINE_VARIABLE) else ThreadPoolExecutor(threads)


def run_at_once[Item, Result](act: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
    """Act on each item, up to 16 at a time, and return the results in order.

    All are finished when it returns or raises what one of them raised.
    """
    if len(items) <= 1:
        return [act(item) for item in items]
    with open_pool(min(MAX_THREADS, len(items))) as pool:
        # Not `map`: it cancels what has not begun as soon as one raises.
        futures = [pool.submit(act, item) for item in items]
    return [future.result() for future in futures]
