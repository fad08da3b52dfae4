"""A bound on the processor time of scoring, so that no result and no ground truth occupies a scorer for long.

Evaluation scripts have limits of their own; this one is for the code that runs in our process. A timer of the kernel
counts the processor time of the process and interrupts Python code and regular expressions alike. Time spent waiting,
and a machine that is busy with other work, count for nothing.
"""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

MAX_SECONDS = 30.0
"""Of processor time: many times what the largest sound result of 20 MB takes (measured: 1.1 s)."""

_AGAIN_SECONDS = 0.1


class OutOfTime(BaseException):
    """The bound was passed. Not an Exception, so that no scorer takes it for an error of its own."""


@contextmanager
def limit_processor_time(seconds: float) -> Iterator[None]:
    """Bound the processor time that this process spends while the context lasts.

    Only the main thread can be interrupted. In any other thread, and on systems without the timer (Windows), there is
    no bound: Lambda, the local workers and the command line score in the main thread of a process.

    Args:
        seconds: Of processor time.

    Raises:
        OutOfTime: The bound was passed.
    """
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "SIGPROF"):
        yield
        return
    armed = True

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        if armed:
            raise OutOfTime

    before = signal.signal(signal.SIGPROF, interrupt)
    # Again and again: Python drops an exception that is raised inside a destructor.
    signal.setitimer(signal.ITIMER_PROF, seconds, _AGAIN_SECONDS)
    # Twice `finally`: the bound may be passed in the first, and then the timer would go on interrupting what follows.
    try:
        try:
            yield
        finally:
            armed = False
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
