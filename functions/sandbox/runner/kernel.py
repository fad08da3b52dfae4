"""What the kernel reports of processes and of what they use, and what the zygote asks of it for its runs.

A Lambda may refuse any of these calls: what has no answer is None, which equals itself.
"""

import array
import contextlib
import ctypes
import errno
import itertools
import os
import re
import struct
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, Self

from runner.protocol import RunnerFault

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

_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER = 22, 2
_PR_SET_NO_NEW_PRIVS = 38
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446  # on every architecture
_WRITE_FILE, _TRUNCATE = 1 << 1, 1 << 14
# Writing, removing, creating and linking. Reading and executing are not handled, so they stay allowed.
_WRITES = _WRITE_FILE | sum(1 << bit for bit in range(4, 13))
_DEVICES = 1 << 6 | 1 << 11
# Rights by the version of Landlock that introduced them.
_SINCE = ((2, 1 << 13), (3, _TRUNCATE))


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


def build_rules(scratch: str) -> int | None:
    """Prepare Landlock's rules once, for every run, and return their file.

    They allow a run to write in its scratch folder only. Without Landlock in the kernel (before 5.13, and in a Lambda)
    it is None, and nothing is restricted.
    """
    version = LIBC.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), 1)
    if version < 1:
        return None
    handled = _WRITES | sum(right for since, right in _SINCE if version >= since)
    rights = array.array("Q", [handled])
    rules: int = LIBC.syscall(_CREATE_RULESET, ctypes.c_char_p(rights.tobytes()), ctypes.c_size_t(8), 0)
    if rules < 0:
        return None
    _allow(rules, scratch, handled & ~_DEVICES)
    _allow(rules, os.devnull, handled & (_WRITE_FILE | _TRUNCATE))
    return rules


def _allow(rules: int, path: str, rights: int) -> None:
    beneath = os.open(path, os.O_PATH | os.O_CLOEXEC)
    rule = rights.to_bytes(8, sys.byteorder) + beneath.to_bytes(4, sys.byteorder)
    if LIBC.syscall(_ADD_RULE, rules, 1, ctypes.c_char_p(rule), 0) != 0:
        raise RunnerFault(f"no Landlock rule for {path}: {os.strerror(ctypes.get_errno())}")
    os.close(beneath)


def restrict(rules: int | None) -> None:
    """Restrict this process and all its children, for good."""
    if rules is not None and LIBC.syscall(_RESTRICT_SELF, rules, 0) != 0:
        raise RunnerFault(f"no Landlock: {os.strerror(ctypes.get_errno())}")


def forbid_new_privileges() -> bool:
    """Keep this process and its children from gaining rights by what they execute.

    Return whether the kernel does so.
    """
    return bool(LIBC.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0)


def reject_rules_and_filters() -> bool:
    """Reject further Landlock rules and call filters, whose memory no process shows.

    Return whether the kernel does so. In a Lambda, which has neither, it may reject this filter too.
    """
    prctl = 157 if IS_X86_64 else 167
    steps = (
        (0x20, 0, 0, 0),  # load the call's number
        (0x15, 4, 0, 444),  # landlock_create_ruleset: reject
        (0x15, 3, 0, 445),  # landlock_add_rule: reject
        (0x15, 0, 3, prctl),  # anything but prctl: allow
        (0x20, 0, 0, 16),  # load its first argument
        (0x15, 0, 1, _PR_SET_SECCOMP),
        (0x06, 0, 0, 0x00050000 | errno.EPERM),
        (0x06, 0, 0, 0x7FFF0000),  # allow
    )
    program = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *step) for step in steps))
    head = ctypes.create_string_buffer(struct.pack("@HP", len(steps), ctypes.addressof(program)))
    if LIBC.prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, head, 0, 0) == 0:
        return True
    error = ctypes.get_errno()
    if error not in {errno.EPERM, errno.EINVAL, errno.ENOSYS}:
        raise RunnerFault(f"no filter of calls: {os.strerror(error)}")
    return False
