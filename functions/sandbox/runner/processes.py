"""The processes below the supervisor: how they are found, killed, and kept from each other."""

import contextlib
import ctypes
import os
import signal
import time
from pathlib import Path

from runner.protocol import RunnerFault

LIBC = ctypes.CDLL(None, use_errno=True)

_PR_SET_DUMPABLE = 4
_PR_SET_CHILD_SUBREAPER = 36
_IOPRIO_GET, _IOPRIO_WHO_PROCESS = 252 if os.uname().machine == "x86_64" else 31, 1
_KILL_SECONDS = 5.0


def set_readable(readable: bool) -> None:  # noqa: FBT001  # the only argument
    """Open or close this process to others of its user: ptrace, /proc/PID/environ, /proc/PID/fd."""
    LIBC.prctl(_PR_SET_DUMPABLE, int(readable), 0, 0, 0)


def adopt_orphans() -> None:
    """Become the parent of every process below this one that loses its own, so that it is found."""
    LIBC.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def read_settings(pid: int) -> tuple[int, int, int, set[int], int, str]:
    """Return what another process of the same user can change in a process, and what its forks inherit."""
    return (
        os.getpriority(os.PRIO_PROCESS, pid),
        os.sched_getscheduler(pid),
        os.sched_getparam(pid).sched_priority,
        os.sched_getaffinity(pid),
        LIBC.syscall(_IOPRIO_GET, _IOPRIO_WHO_PROCESS, pid),
        Path(f"/proc/{pid}/limits").read_text(),
    )


def read_stat(pid: int | str) -> list[str]:
    """Return the fields of /proc/PID/stat that follow the name, the state first; raises OSError."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()


def list_names(folder: str | Path) -> set[str]:
    """Return the names in a folder."""
    return {path.name for path in Path(folder).iterdir()}


def list_descendants(*, besides: int) -> list[int]:
    """Return every living process below this one, except one and what is below it."""
    children: dict[int, list[int]] = {}
    for name in list_names("/proc"):
        if name.isdecimal():
            with contextlib.suppress(OSError):
                fields = read_stat(name)
                state, parent, threads = fields[0], int(fields[1]), int(fields[17])
                # A process whose first thread has ended looks dead, but is not while it has others.
                if state not in "ZX" or threads > 1:
                    children.setdefault(parent, []).append(int(name))
    pids = [pid for pid in children.get(os.getpid(), ()) if pid != besides]
    for pid in pids:
        pids.extend(children.get(pid, ()))
    return pids


def kill_descendants(*, besides: int) -> bool:
    """Kill every process below this one, except one, and return whether there was any.

    Raises:
        RunnerFault: Some cannot be killed.
    """
    deadline = time.monotonic() + _KILL_SECONDS
    any_found = False
    while pids := list_descendants(besides=besides):
        any_found = True
        if time.monotonic() > deadline:
            raise RunnerFault(f"{len(pids)} processes cannot be killed")
        if os.getpid() == 1:
            # All at once, in the kernel: no fork bomb outruns it. The zygote is killed as well.
            pids = [-1]
        for number in (signal.SIGSTOP, signal.SIGKILL):
            for pid in pids:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, number)
        _reap(besides=besides)
    _reap(besides=besides)
    return any_found


def _reap(*, besides: int) -> None:
    with contextlib.suppress(ChildProcessError):
        while (ended := os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)) and ended.si_pid != besides:
            os.waitpid(ended.si_pid, 0)
