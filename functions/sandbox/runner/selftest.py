"""The self-test: which calls of the runner work where it is, and what keeps runs from doing harm.

Nobody can ask Lambda beforehand, and it may change. The runner goes on without any of these.
"""

import ctypes
import errno
import json
import os
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

from runner.kernel import LIBC, read_io_priority
from runner.protocol import SCRIPT_NAME, InputFile, RunLimits, RunReport

LIMITS = RunLimits(timeout_seconds=20)

_PR_GET_DUMPABLE = 3


def probe_calls(scratch: str) -> dict[str, str]:
    """Return "works" or an error's name for each call that the runner can do without."""
    checks: dict[str, Callable[[], object]] = {
        "prctl": lambda: _call_libc(LIBC.prctl, _PR_GET_DUMPABLE, 0, 0, 0, 0),
        "pidfd_open": lambda: os.close(os.pidfd_open(os.getpid())),
        "getpriority": lambda: os.getpriority(os.PRIO_PROCESS, os.getpid()),
        "sched_getscheduler": lambda: os.sched_getscheduler(os.getpid()),
        "sched_getparam": lambda: os.sched_getparam(os.getpid()),
        "sched_getaffinity": lambda: os.sched_getaffinity(os.getpid()),
        "ioprio_get": lambda: _call_libc(read_io_priority, os.getpid()),
        "seqpacket": lambda: socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET),
        "listxattr": lambda: os.listxattr(scratch),
        "limits": Path("/proc/self/limits").read_text,
        "smaps_rollup": Path("/proc/self/smaps_rollup").read_text,
        "sockstat": Path("/proc/net/sockstat").read_text,
        "locks": Path("/proc/locks").read_text,
        "sysvipc": Path("/proc/sysvipc/shm").read_text,
    }
    return {name: _try(check) for name, check in checks.items()}


def read_probe() -> tuple[list[InputFile], list[InputFile]]:
    """Return the script that a self-test runs, and its result."""
    script = Path(__file__).with_name("probe.py").read_bytes()
    return [InputFile(SCRIPT_NAME, script)], [InputFile("result.json", b"{}")]


def describe_run(report: RunReport) -> dict[str, Any]:
    """Return how the probe's run ended, and what it found."""
    ended = {"ended": report.ended.value, "code": report.code, "spent": report.spent}
    try:
        return ended | {"protections": json.loads(report.stdout)}
    except ValueError:
        return ended | {"stderr": report.stderr.decode(errors="replace")}


def _try(check: Callable[[], object]) -> str:
    try:
        check()
    except OSError as error:
        return errno.errorcode.get(error.errno or 0, str(error))
    return "works"


def _call_libc(call: Any, *arguments: int) -> None:
    if call(*arguments) < 0:
        raise OSError(ctypes.get_errno(), "")
