"""What runs use: the memory of processes, and what no process shows."""

import contextlib
import itertools
import os
import re
from pathlib import Path
from typing import NamedTuple, Self

# Memory that a process does not share with files, in two ways: each page counted in full, and pages that several
# processes share divided among them.
_FULL = re.compile(r"^(?:RssAnon|RssShmem|VmSwap):\s+(\d+) kB", re.MULTILINE)
_DIVIDED = re.compile(r"^(?:Pss_Anon|Pss_Shmem|SwapPss):\s+(\d+) kB", re.MULTILINE)
_SOCKETS = re.compile(r"^sockets: used (\d+)$", re.MULTILINE)
_LOCKS_READ = 1 << 14
_INODE_BYTES = 1 << 10


class KernelUsage(NamedTuple):
    """What is in use at one moment of files, sockets and file locks."""

    file_bytes: int
    sockets: int
    locks: int

    @classmethod
    def read(cls, folder: str) -> Self:
        """Read the present usage; files are those of the file system that holds this folder, unnamed ones included."""
        files = os.statvfs(folder)
        # An empty file takes no block, but it takes memory of the kernel.
        inodes = files.f_files - files.f_ffree
        used = (files.f_blocks - files.f_bfree) * files.f_frsize + inodes * _INODE_BYTES
        return cls(used, _count_sockets(), _count_locks())


def count_ipc() -> int:
    """Count System V memory, semaphores and queues: they outlive every process."""
    return sum(len(path.read_text().splitlines()) for path in Path("/proc/sysvipc").glob("*"))


def full_memory_bytes(pid: int) -> int:
    """Return the memory of a process, with all that it shares: never less than its part."""
    return _read_bytes(pid, "status", _FULL) or 0


def divided_memory_bytes(pid: int) -> int:
    """Return the part of a process in the memory that it uses."""
    size = _read_bytes(pid, "smaps_rollup", _DIVIDED)
    # A process can close this file to the supervisor. All that it shares is then counted as its own.
    return full_memory_bytes(pid) if size is None else size


def _read_bytes(pid: int, name: str, amounts: re.Pattern[str]) -> int | None:
    folder = Path("/proc", str(pid))
    # If the first thread has ended, only the other threads still show the memory.
    for thread in itertools.chain([folder], folder.glob("task/*")):
        with contextlib.suppress(OSError):
            if sizes := amounts.findall((thread / name).read_text()):
                return sum(map(int, sizes)) * 1024
    return None


def _count_sockets() -> int:
    """Count the sockets of this network namespace, with those that are in flight through other sockets."""
    with contextlib.suppress(OSError):
        if match := _SOCKETS.search(Path("/proc/net/sockstat").read_text()):
            return int(match[1])
    return 0


def _count_locks() -> int:
    """Count the file locks that this namespace shows, but no more than any run may hold."""
    try:
        with Path("/proc/locks").open(encoding="utf-8") as locks:
            return sum(1 for _ in itertools.islice(locks, _LOCKS_READ))
    except OSError:
        return 0
