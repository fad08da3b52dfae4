"""Calls of AWS at the same time: most of a call is waiting. Clients may be shared by threads."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

MAX_THREADS = 16


def run_at_once[Item, Result](act: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
    """Act on each item, up to 16 at a time, and return the results in order.

    All are finished when it returns or raises what one of them raised.
    """
    if len(items) <= 1:
        return [act(item) for item in items]
    with ThreadPoolExecutor(min(MAX_THREADS, len(items))) as pool:
        # Not `map`: it cancels what has not begun as soon as one raises.
        futures = [pool.submit(act, item) for item in items]
    return [future.result() for future in futures]
