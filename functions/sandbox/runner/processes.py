"""Starts the processes of runs, finds them and kills them; and learns how they ended."""

import contextlib
import ctypes
import errno
import json
import os
import select
import signal
import socket
import time
from pathlib import Path
from typing import NamedTuple

from runner.kernel import IS_X86_64
from runner.protocol import RunnerFault

_CLONE, _GET_ROBUST_LIST = (56, 274) if IS_X86_64 else (220, 100)
_CLONE_PARENT, _CLONE_CHILD_CLEARTID, _CLONE_CHILD_SETTID = 0x8000, 0x200000, 0x1000000
_KILL_SECONDS = _STATUS_SECONDS = 5.0
_REFUSED = (errno.EPERM, errno.EACCES, errno.ENOSYS, errno.EINVAL)
# Its calls keep the interpreter's lock, as `os.fork` does.
_HOLDING_LOCK = ctypes.PyDLL(None, use_errno=True)


def fork_run() -> tuple[int, bool]:
    """Fork a child of this process's parent, or of this process if that is refused.

    Return its id, 0 in the fork itself, and whether it is a child of the parent. Raises OSError if the kernel makes no
    more processes.
    """
    try:
        return fork_sibling(), True
    except OSError as error:
        if error.errno not in _REFUSED:
            raise
    return os.fork(), False


def fork_sibling() -> int:
    """Fork like `os.fork`, but make the child one of this process's parent.

    Raises OSError if the kernel makes no more processes, or refuses this kind.
    """
    python = ctypes.pythonapi
    call = _HOLDING_LOCK.syscall
    call.restype = ctypes.c_long
    flags, thread_id = _CLONE_PARENT | signal.SIGCHLD, _find_thread_id()
    if thread_id:
        flags |= _CLONE_CHILD_SETTID | _CLONE_CHILD_CLEARTID
    last = (0, thread_id, 0) if IS_X86_64 else (0, 0, thread_id)
    arguments = [ctypes.c_long(argument) for argument in (_CLONE, flags, 0, *last)]
    python.PyOS_BeforeFork()
    pid: int = call(*arguments)
    if pid == 0:
        python.PyOS_AfterFork_Child()
        return 0
    error = ctypes.get_errno()
    python.PyOS_AfterFork_Parent()
    if pid < 0:
        raise OSError(error, os.strerror(error))
    return pid


def _find_thread_id() -> int:
    """Return the address where the C library keeps the id of this thread, or 0.

    Unlike `fork`, the bare call does not renew it. With the old one, a signal from another thread of the run would not
    reach the first. The C library keeps it 16 bytes before its list of robust locks, whose address the kernel knows.
    """
    head, size = ctypes.c_void_p(), ctypes.c_size_t()
    if _HOLDING_LOCK.syscall(_GET_ROBUST_LIST, 0, ctypes.byref(head), ctypes.byref(size)) != 0 or not head.value:
        return 0
    address = head.value - 16
    return address if ctypes.c_int.from_address(address).value == os.getpid() else 0


def read_stat(pid: int | str) -> list[str]:
    """Return the fields of /proc/PID/stat after the name, the state first."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()


class RunProcesses:
    """The processes of runs: all that this process may signal, except those that were there before the first run.

    The children of a run can lose their parent and leave their session. Only in a microVM or a namespace, where nobody
    else starts processes as this user, is every new one known to be theirs. Raises RunnerFault if this is neither
    process 1 of a namespace nor in a Lambda, so foreign processes would be killed.
    """

    def __init__(self) -> None:
        if os.getpid() != 1 and "LAMBDA_TASK_ROOT" not in os.environ:
            raise RunnerFault("the runner needs a microVM, or a process namespace of its own")
        self._initial = _list_living()
        others = {pid for pid, _ in self._initial} - {1, os.getpid()}
        # Then the kernel can kill all at once, and no fork bomb is faster. It spares process 1 and this one.
        self.is_alone = not any(map(_may_signal, others))

    def find(self, *, besides: int) -> list[int]:
        """Return the living ones, except one."""
        new = _list_living() - self._initial
        return [pid for pid, _ in new if pid != besides and _may_signal(pid)]

    def kill(self, *, besides: int) -> bool:
        """Kill them, and return whether there was any.

        If this process is alone with them, the one that is excepted is killed as well.
        """
        deadline = time.monotonic() + _KILL_SECONDS
        any_found = False
        while True:
            pids = self.find(besides=besides)
            if pids and time.monotonic() > deadline:
                raise RunnerFault(f"{len(pids)} processes cannot be killed")
            targets = [-1] if pids and self.is_alone else pids
            for number in (signal.SIGSTOP, signal.SIGKILL):
                for pid in targets:
                    with contextlib.suppress(ProcessLookupError, PermissionError):
                        os.kill(pid, number)
            with contextlib.suppress(ChildProcessError):
                while (ended := os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)) and (
                    ended.si_pid != besides
                ):
                    os.waitpid(ended.si_pid, 0)
            if not pids:
                return any_found
            any_found = True


def _list_living() -> set[tuple[int, str]]:
    """Return the id and the start of each living process: ids are used again."""
    living = set()
    for path in Path("/proc").iterdir():
        if path.name.isdecimal():
            with contextlib.suppress(OSError):
                fields = read_stat(path.name)
                state, threads, start = fields[0], int(fields[17]), fields[19]
                # A process whose first thread has ended looks dead, but is not while it has others.
                if state not in "ZX" or threads > 1:
                    living.add((int(path.name), start))
    return living


def _may_signal(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, PermissionError):
        return False
    return True


class SiblingRun(NamedTuple):
    """A run that is the supervisor's own child."""

    pid: int

    def has_ended(self) -> bool:
        """Return whether it has ended."""
        return os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None

    def collect(self) -> tuple[int, int]:
        """Wait for its end.

        Return its status as `wait` reports it, and its largest resident memory in KiB.
        """
        _, status, usage = os.wait4(self.pid, 0)
        return status, usage.ru_maxrss


class WaitedRun(NamedTuple):
    """A run that is the zygote's child; the zygote waits for it, and sends how it ended.

    A run can end its zygote, or stop it. Then it counts as killed: its script did that.
    """

    pid: int
    control: socket.socket

    def has_ended(self) -> bool:
        """Return whether the zygote has sent how it ended, or is gone."""
        return bool(select.select([self.control], [], [], 0)[0])

    def collect(self) -> tuple[int, int]:
        """Receive the same; without an answer, kill it."""
        with contextlib.suppress(OSError, ValueError, TypeError):
            if select.select([self.control], [], [], _STATUS_SECONDS)[0]:
                status, peak_kib = json.loads(self.control.recv(4096))
                return status, peak_kib
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)
        return signal.SIGKILL, 0


type Run = SiblingRun | WaitedRun
"""A run that the zygote has started."""
