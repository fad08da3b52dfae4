"""What the gateway is to a process: AWS, or the file of an engine, opened once; and its calls at the same time."""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol, cast

if TYPE_CHECKING:
    from storage.gateway.bucket import Objects
    from storage.gateway.functions import Functions
    from storage.gateway.queue import Messages
    from storage.gateway.ses import Mails
    from storage.gateway.table import Tables

ENGINE_VARIABLE = "LAUREL_ENGINE"
"""Names the file of the engine that answers in place of AWS."""
MAX_THREADS = 16
"""Of calls at the same time: most of a call is waiting. Clients may be shared by threads."""


type RunAtOnce = Callable[[Callable[[Any], Any], Sequence[Any]], list[Any]]
"""As `run_at_once`."""


class Services(Protocol):
    """What answers the calls of a process: `AwsServices`, or the engine's. `mails` are never retried."""

    tables: "Tables"
    objects: "Objects"
    messages: "Messages"
    mails: "Mails"
    functions: "Functions"


@cache
def gateway() -> Services:
    """Return what answers this process."""
    if path := os.environ.get(ENGINE_VARIABLE):
        # A Lambda function does not have it.
        return cast("Services", import_module("engine.cloud").open_engine(path))
    from storage.gateway.aws import AwsServices, make_session  # noqa: PLC0415  # a server of its own has no botocore

    return cast("Services", AwsServices(make_session()))


def try_at_once[Item, Result](act: Callable[[Item], Result], items: Sequence[Item]) -> list[Future[Result]]:
    """Act on each item, up to 16 at a time; return futures in order, all done.

    An engine's file answers one call after another, and starting a thread takes longer than a call.
    """
    if len(items) <= 1 or os.environ.get(ENGINE_VARIABLE):
        return [make_future(act, item) for item in items]
    with ThreadPoolExecutor(min(MAX_THREADS, len(items))) as pool:
        # Not `map`: it cancels what has not begun as soon as one raises.
        return [pool.submit(act, item) for item in items]


def make_future[Item, Result](act: Callable[[Item], Result], item: Item) -> Future[Result]:
    """Act at once, and return what a pool would; what is no Exception is raised."""
    future: Future[Result] = Future()
    try:
        future.set_result(act(item))
    except Exception as error:  # noqa: BLE001  # the future raises it
        future.set_exception(error)
    return future


def run_at_once[Item, Result](act: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
    """Act on each item, up to 16 at a time, and return the results in order.

    All are finished when it returns or raises what one of them raised.
    """
    return [future.result() for future in try_at_once(act, items)]
