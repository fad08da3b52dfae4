"""What the kernel reports of processes and of what they use, and how they are killed."""

import contextlib
import ctypes
import itertools
import os
import re
import signal
import time
from pathlib import Path
from typing import NamedTuple, Self

from runner.protocol import RunnerFault

LIBC = ctypes.CDLL(None, use_errno=True)

_PR_SET_DUMPABLE, _PR_SET_CHILD_SUBREAPER = 4, 36
_IOPRIO_GET, _IOPRIO_WHO_PROCESS = 252 if os.uname().machine == "x86_64" else 31, 1
_KILL_SECONDS = 5.0
# Memory that a process does not share with files, counted in two ways: each page in full, and pages that several
# processes share divided among them.
_FULL = re.compile(r"^(?:RssAnon|RssShmem|VmSwap):\s+(\d+) kB", re.MULTILINE)
_DIVIDED = re.compile(r"^(?:Pss_Anon|Pss_Shmem|SwapPss):\s+(\d+) kB", re.MULTILINE)
_SOCKETS = re.compile(r"^sockets: used (\d+)$", re.MULTILINE)
_LOCKS_READ = 1 << 14
_INODE_BYTES = 1 << 10


class KernelUsage(NamedTuple):
    """What is in use of files, sockets and file locks at one moment."""

    file_bytes: int
    sockets: int
    locks: int

    @classmethod
    def read(cls, folder: str) -> Self:
        """Read the present usage; files are those of this folder's file system."""
        files = os.statvfs(folder)
        # An empty file takes no block, but it takes memory of the kernel.
        inodes = files.f_files - files.f_ffree
        used = (files.f_blocks - files.f_bfree) * files.f_frsize + inodes * _INODE_BYTES
        sockets = locks = 0
        with contextlib.suppress(OSError):
            # Sockets of this network namespace, with those that are in flight through other sockets.
            match = _SOCKETS.search(Path("/proc/net/sockstat").read_text())
            sockets = int(match[1]) if match else 0
        with contextlib.suppress(OSError), Path("/proc/locks").open(encoding="utf-8") as lines:
            # The locks that this namespace shows. No run may hold more than are read.
            locks = sum(1 for _ in itertools.islice(lines, _LOCKS_READ))
        return cls(used, sockets, locks)


def set_readable(*, readable: bool) -> None:
    """Open or close this process to others of its user: ptrace and most of /proc."""
    LIBC.prctl(_PR_SET_DUMPABLE, int(readable), 0, 0, 0)


def adopt_orphans() -> None:
    """Become the parent of every process below this one that loses its own."""
    LIBC.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def read_settings(pid: int) -> tuple[int, int, int, set[int], int, str]:
    """Return what others of its user can change in a process and its forks inherit."""
    return (
        os.getpriority(os.PRIO_PROCESS, pid),
        os.sched_getscheduler(pid),
        os.sched_getparam(pid).sched_priority,
        os.sched_getaffinity(pid),
        LIBC.syscall(_IOPRIO_GET, _IOPRIO_WHO_PROCESS, pid),
        Path(f"/proc/{pid}/limits").read_text(),
    )


def count_ipc() -> int:
    """Count System V memory, semaphores and queues, which outlive every process."""
    return sum(len(path.read_text().splitlines()) for path in Path("/proc/sysvipc").glob("*"))


def full_memory_bytes(pid: int) -> int:
    """Return the memory of a process, counting in full what it shares."""
    return _read_bytes(pid, "status", _FULL) or 0


def divided_memory_bytes(pid: int) -> int:
    """Return the memory of a process, counting only its part of what it shares."""
    size = _read_bytes(pid, "smaps_rollup", _DIVIDED)
    # A process can close this file to the supervisor. All that it shares then counts as its own.
    return full_memory_bytes(pid) if size is None else size


def _read_bytes(pid: int, name: str, amounts: re.Pattern[str]) -> int | None:
    folder = Path("/proc", str(pid))
    # If the first thread has ended, only the other threads still show the memory.
    for thread in itertools.chain([folder], folder.glob("task/*")):
        with contextlib.suppress(OSError):
            if sizes := amounts.findall((thread / name).read_text()):
                return sum(map(int, sizes)) * 1024
    return None


def read_stat(pid: int | str) -> list[str]:
    """Return the fields of /proc/PID/stat after the name, the state first."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()


def list_descendants(*, besides: int) -> list[int]:
    """Return every living process below this one, except one and its own."""
    children: dict[int, list[int]] = {}
    for path in Path("/proc").iterdir():
        if path.name.isdecimal():
            with contextlib.suppress(OSError):
                fields = read_stat(path.name)
                state, parent, threads = fields[0], int(fields[1]), int(fields[17])
                # A process whose first thread has ended looks dead, but is not while it has others.
                if state not in "ZX" or threads > 1:
                    children.setdefault(parent, []).append(int(path.name))
    pids = [pid for pid in children.get(os.getpid(), ()) if pid != besides]
    for pid in pids:
        pids.extend(children.get(pid, ()))
    return pids


def kill_descendants(*, besides: int) -> bool:
    """Kill every process below this one, except one; return whether there was any."""
    deadline = time.monotonic() + _KILL_SECONDS
    any_found = False
    while True:
        pids = list_descendants(besides=besides)
        if pids and time.monotonic() > deadline:
            raise RunnerFault(f"{len(pids)} processes cannot be killed")
        # As process 1, kill all at once, in the kernel: no fork bomb outruns it. The zygote is killed as well.
        targets = [-1] if pids and os.getpid() == 1 else pids
        for number in (signal.SIGSTOP, signal.SIGKILL):
            for pid in targets:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, number)
        with contextlib.suppress(ChildProcessError):
            while (ended := os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)) and ended.si_pid != besides:
                os.waitpid(ended.si_pid, 0)
        if not pids:
            return any_found
        any_found = True
