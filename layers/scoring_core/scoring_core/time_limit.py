"""A limit on the processor time of scoring in this process; evaluation scripts have their own.

A timer of the kernel counts the processor time of the process and interrupts Python code and regular expressions alike.
Waiting does not count, nor does other work of the machine.
"""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

MAX_SECONDS = 30.0
"""Many times what the largest valid result of 20 MB takes (measured: 1.1 s)."""

_AGAIN_SECONDS = 0.1


class OutOfTime(BaseException):
    """The limit was exceeded. No Exception, so that no scorer handles it as its own error."""


@contextmanager
def limit_processor_time(seconds: float) -> Iterator[None]:
    """Limit the processor time that this process spends inside the context.

    Only the main thread can be interrupted: there Lambda, the local workers and the command line score. In any other
    thread, and on systems without the timer (Windows), there is no limit. Raises OutOfTime if the limit was exceeded.
    """
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "SIGPROF"):
        yield
        return
    armed = True

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        if armed:
            raise OutOfTime

    before = signal.signal(signal.SIGPROF, interrupt)
    # Repeated, because Python drops an exception that is raised inside a destructor.
    signal.setitimer(signal.ITIMER_PROF, seconds, _AGAIN_SECONDS)
    # Two `finally`: an interruption inside the first must not leave the timer running.
    try:
        try:
            yield
        finally:
            armed = False
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
