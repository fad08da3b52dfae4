"""How the work of a reader grows with its input, by CPU time: what steps cannot count, such as a regular expression.

A time is compared only with one of the same machine, moment and reader, on input of a quarter of the size: four times
the time is linear, sixteen times is quadratic, and the bound lies between them.
"""

import gc
import os
import signal
import time
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

LEAST_BYTES = 256
MOST_BYTES = 1 << 20
MOST_GROWTH = 9.0
"""Of the time, where the input grows by four: 4 is linear, 16 is quadratic."""
MEASURABLE_SECONDS = 0.001
ENOUGH_SECONDS = 0.12 if os.environ.get("HYPOTHESIS_PROFILE") == "fuzz" else 0.03
"""Input that takes longer is not doubled again."""
LONGEST_SECONDS = 2.0
"""CPU time after which one reading counts as endless."""
_CONFIRMATIONS = 5


class Superlinear(AssertionError):
    """The work grows faster than the input."""


def check_growth[T](read: Callable[[T], object], make: Callable[[int], T], *, most: int = MOST_BYTES) -> None:
    """Double the input until it is large or reading it takes long, and compare each time with that of a quarter.

    Args:
        read: Reads the input and leaves it as it is; it catches the errors that the input deserves.
        make: Size in bytes → input of about that size; each call makes a new one.
        most: The largest size, such as what the reader takes at most.

    Raises:
        Superlinear: The time grew more than `MOST_GROWTH`-fold, in the best of several tries too.
    """
    size = LEAST_BYTES
    base = _measure(read, make(size), tries=3)
    seconds = {size: 0.0}
    while size < most and seconds[size] < ENOUGH_SECONDS:
        size = min(2 * size, most)
        seconds[size] = _measure(read, make(size), tries=2) - base
        quarter = size // 4
        if _is_suspect(seconds.get(quarter, 0.0), seconds[size]):
            # Anything may slow one reading down, and a lucky `base` too: only what stays slow is slow.
            small = _measure(read, make(quarter), tries=_CONFIRMATIONS, patience=LONGEST_SECONDS) - base
            large = _measure(read, make(size), tries=_CONFIRMATIONS, patience=LONGEST_SECONDS) - base
            if _is_suspect(small, large):
                raise Superlinear(f"{quarter} bytes took {small:.4f} s, {size} bytes {large:.4f} s: quadratic?")


def check_memory[T](read: Callable[[T], object], make: Callable[[int], T], *, size: int, most_per_byte: int) -> None:
    """Check the peak memory of a reading, beyond its input, against the size of the input.

    Args:
        read: Reads the input.
        make: Size in bytes → input of about that size.
        size: That size.
        most_per_byte: How many bytes a byte of input may cost.
    """
    read(make(LEAST_BYTES))  # what is imported and built once is no cost of a reading
    data = make(size)
    tracemalloc.start()
    try:
        read(data)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak <= most_per_byte * size, f"{peak / size:.1f} bytes for each byte of input"


def _is_suspect(small: float, large: float) -> bool:
    return small >= MEASURABLE_SECONDS and large > MOST_GROWTH * small


def _measure[T](read: Callable[[T], object], data: T, *, tries: int, patience: float = ENOUGH_SECONDS) -> float:
    """Return the least CPU time of several tries, in seconds; there are no more once one takes too long."""
    best = LONGEST_SECONDS
    for _ in range(tries):
        with _bounded():
            start = time.thread_time()
            read(data)
            best = min(best, time.thread_time() - start)
        if best > patience:
            break
    return best


@contextmanager
def _bounded() -> Iterator[None]:
    """End what never ends, and keep Python's collector out of the figures."""

    def stop(_signal: int, _frame: FrameType | None) -> None:
        raise Superlinear(f"no end after {LONGEST_SECONDS} s")

    previous = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, LONGEST_SECONDS)
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, previous)
