"""What the kernel reports of processes and of what they use.

A Lambda may refuse any of these calls: what has no answer is None, which equals itself.
"""

import contextlib
import ctypes
import errno
import itertools
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, Self

LIBC = ctypes.CDLL(None, use_errno=True)
IS_X86_64 = os.uname().machine == "x86_64"

_PR_SET_DUMPABLE = 4
_IOPRIO_GET, _IOPRIO_WHO_PROCESS = 252 if IS_X86_64 else 31, 1
_REFUSED = (errno.EPERM, errno.EACCES, errno.ENOSYS)
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


def set_readable(*, readable: bool) -> bool:
    """Open or close this process to others of its user: ptrace and most of /proc.

    Return whether the kernel did so.
    """
    return bool(LIBC.prctl(_PR_SET_DUMPABLE, int(readable), 0, 0, 0) == 0)


def close_process() -> bool:
    """Close this process to its runs, and return whether it is closed."""
    # Without prctl, the program's mode can have closed it: then what is in /proc belongs to somebody else.
    return set_readable(readable=False) or Path("/proc/self/environ").stat().st_uid != os.getuid()


def answer_of[**Arguments, Answer](
    call: Callable[Arguments, Answer], /, *arguments: Arguments.args, **named: Arguments.kwargs
) -> Answer | None:
    """Return what a call answers; None if it is refused here.

    Raises OSError if it fails for another reason.
    """
    try:
        return call(*arguments, **named)
    except OSError as error:
        if error.errno in _REFUSED:
            return None
        raise


def read_io_priority(pid: int) -> int:
    """Return the I/O priority of a process; negative if the call fails."""
    priority: int = LIBC.syscall(_IOPRIO_GET, _IOPRIO_WHO_PROCESS, pid)
    return priority


def read_settings(pid: int) -> tuple[Any, ...]:
    """Return what others of its user can change in a process and its forks inherit."""
    return (
        answer_of(os.getpriority, os.PRIO_PROCESS, pid),
        answer_of(os.sched_getscheduler, pid),
        answer_of(lambda: os.sched_getparam(pid).sched_priority),
        answer_of(os.sched_getaffinity, pid),
        read_io_priority(pid),
        answer_of(Path(f"/proc/{pid}/limits").read_text),
    )


def count_ipc() -> int:
    """Count System V memory, semaphores and queues, which outlive every process."""
    lists = [answer_of(path.read_text) or "" for path in Path("/proc/sysvipc").glob("*")]
    return sum(len(text.splitlines()) for text in lists)


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
