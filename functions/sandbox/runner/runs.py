"""The two ways in which the supervisor learns how a run ended: from the kernel, or from the zygote."""

import contextlib
import json
import os
import select
import signal
import socket
from typing import NamedTuple

_STATUS_SECONDS = 5.0


class RunEnd(NamedTuple):
    """How a run ended: the status as `wait` reports it, and the largest memory that it had resident, in KiB."""

    status: int
    peak_kib: int


class SiblingRun(NamedTuple):
    """A run that is the supervisor's own child."""

    pid: int

    def has_ended(self) -> bool:
        """Return whether it has ended."""
        return os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None

    def collect(self) -> RunEnd:
        """Wait for its end."""
        _, status, usage = os.wait4(self.pid, 0)
        return RunEnd(status, usage.ru_maxrss)


class WaitedRun(NamedTuple):
    """A run that is the zygote's child; the zygote waits for it, and sends how it ended.

    A run can end its zygote, or stop it. Then it counts as killed: its script did that.
    """

    pid: int
    control: socket.socket

    def has_ended(self) -> bool:
        """Return whether the zygote has sent how it ended, or is gone."""
        return bool(select.select([self.control], [], [], 0)[0])

    def collect(self) -> RunEnd:
        """Receive how it ended; without an answer, kill it."""
        with contextlib.suppress(OSError, ValueError, TypeError):
            if select.select([self.control], [], [], _STATUS_SECONDS)[0]:
                return RunEnd(*json.loads(self.control.recv(4096)))
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)
        return RunEnd(signal.SIGKILL, 0)


type Run = SiblingRun | WaitedRun
"""A run that the zygote has started."""
