"""The descendants of a process, orphans, and ports for processes."""

import ctypes
import socket
import subprocess
from contextlib import ExitStack
from pathlib import Path

from local.functions import Function

_SUBREAPER = 36


def adopt_orphans() -> None:
    """Make every orphan of a sandbox a child of this process, so that `living_below` lists it."""
    ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)


def living_below(pid: int) -> set[int]:
    """Return the living descendants of a process."""
    parents = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, parent = path.read_text().rpartition(")")[2].split()[:2]
        except OSError:
            continue
        if state not in "ZX":
            parents[int(path.parent.name)] = int(parent)
    below = {pid}
    while more := {child for child, parent in parents.items() if parent in below} - below:
        below |= more
    return below - {pid}


def list_busy(function: Function) -> list[subprocess.Popen[bytes]]:
    """Return the worker processes of a function that handle an event now."""
    idle = list(function._idle.queue)
    return [worker.process for worker in function._workers.copy() if worker._is_ready and worker not in idle]


def find_ports(count: int) -> list[int]:
    """Return so many ports of this machine that nobody uses."""
    with ExitStack() as ending:
        listeners = [ending.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(count)]
        return [listener.getsockname()[1] for listener in listeners]
