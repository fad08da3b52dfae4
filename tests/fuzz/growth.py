"""How the work of a reader grows with its input, by CPU time: what steps cannot count, such as a regular expression.

A time is compared only with one of the same machine, moment and reader. Input of a quarter of the size raises
suspicion, and decides unless input of a sixteenth can be measured: that hardly feels what is a step and no growth.
"""

import gc
import os
import signal
import time
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType

LEAST_BYTES = 256
MOST_BYTES = 1 << 20
MOST_GROWTH = {4: 12.0, 16: 96.0}
"""How many times as large the input is → how many times as long it may take: as many is linear, their square quadratic.
Both bounds reject the same: quadratic work that is more than eight times the linear work. Memory that leaves the caches
of the processor costs some times as much, once."""
MEASURABLE_SECONDS = 0.001
LEAST_SECONDS = 0.0001
ENOUGH_SECONDS = 0.12 if os.environ.get("HYPOTHESIS_PROFILE") == "fuzz" else 0.03
"""Input that takes longer is not doubled again."""
LONGEST_SECONDS = 2.0
"""CPU time after which one reading counts as endless."""
_SUSPECT_GROWTH = 7.0
_ROUNDS = 12
_FILLER = 1_000_000
_KEPT_EACH = 4096
"""An arena of 1 MiB holds some 16,000 empty lists."""


class Superlinear(AssertionError):
    """The work grows faster than the input."""


def check_growth[T](read: Callable[[T], object], make: Callable[[int], T], *, most: int = MOST_BYTES) -> None:
    """Double the input until it is large or reading it takes long, and compare each time with that of a quarter.

    Args:
        read: Reads the input and leaves it as it is; it catches the errors that the input deserves.
        make: Size in bytes → input of about that size; each call makes a new one.
        most: The largest size, such as what the reader takes at most.

    Raises:
        Superlinear: The time grew more than `MOST_GROWTH` says, in each of several rounds.
    """
    size, enough = LEAST_BYTES, ENOUGH_SECONDS
    with suppress(Superlinear):  # what is imported once is no cost of a reading, and takes seconds on a slow machine
        _measure(read, make(size), tries=1)
    base = _measure(read, make(size), tries=3)
    seconds = {size: 0.0}
    while size < most and seconds[size] < enough:
        size = min(2 * size, most)
        seconds[size] = _measure(read, make(size), tries=2) - base
        quarter = size // 4
        small = seconds.get(quarter, 0.0)
        enough = ENOUGH_SECONDS
        if small >= MEASURABLE_SECONDS and seconds[size] > _SUSPECT_GROWTH * small:
            # Beside what each reading costs, a few bytes take no time that could be compared.
            times = 16 if seconds.get(size // 16, 0.0) > max(base, LEAST_SECONDS) else 4
            _confirm(read, make(size // times), make(size), base=base, sizes=(size // times, size), times=times)
            # What is quadratic hides behind what is linear until the input is large.
            enough = LONGEST_SECONDS / 4


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


def _confirm[T](
    read: Callable[[T], object], small: T, large: T, *, base: float, sizes: tuple[int, int], times: int
) -> None:
    """Raise Superlinear where each of several rounds finds too much growth: a busy machine slows some of them."""
    # What is small finds room in memory that the process has; what is large would pay for new pages besides, each time,
    # as Python returns an arena that is empty. One object in each keeps them all, and neither pays.
    kept: list[list[object]] = [[] for _ in range(_FILLER)][::_KEPT_EACH]
    growths = []
    # What is far below the time that each reading takes anyway cannot be told from it.
    least = max(base / 8, LEAST_SECONDS)
    for _ in range(_ROUNDS):
        seconds = _measure(read, small, tries=3, patience=LONGEST_SECONDS) - base
        growths.append((_measure(read, large, tries=2, patience=LONGEST_SECONDS) - base) / max(seconds, least))
        if growths[-1] <= MOST_GROWTH[times]:
            return
    del kept
    raise Superlinear(f"{sizes[1]} bytes took {min(growths):.1f} times as long as {sizes[0]}")


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
