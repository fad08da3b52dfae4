"""The script of the self-test: prints what a run cannot do, each as true, and what it can do, as false."""

import ctypes
import json
import os
import platform
import socket
from collections.abc import Callable
from pathlib import Path

PARENT = os.getppid()


def fails(call: Callable[..., object], *arguments: object) -> bool:
    """Return whether a call fails."""
    try:
        call(*arguments)
    except OSError:
        return True
    return False


def trace() -> None:
    """Attach to the supervisor."""
    number = 101 if platform.machine() == "x86_64" else 117
    if ctypes.CDLL(None).syscall(number, 16, PARENT, 0, 0) != 0:
        raise OSError


def connect(host: str, port: int) -> None:
    """Connect to an address, within a second."""
    socket.create_connection((host, port), timeout=1).close()


def has_credentials() -> bool:
    """Return whether the supervisor's environment shows credentials."""
    try:
        environment = Path(f"/proc/{PARENT}/environ").read_bytes()
    except OSError:
        return False
    return any(
        entry.partition(b"=")[2] for entry in environment.split(b"\0") if entry.startswith(b"AWS_SECRET_ACCESS_KEY=")
    )


print(  # noqa: T201  # as every script answers
    json.dumps(
        {
            "supervisor_memory_closed": fails(open, f"/proc/{PARENT}/mem", "rb"),
            "supervisor_environment_closed": fails(open, f"/proc/{PARENT}/environ", "rb"),
            "no_credentials": not has_credentials() and not any(name.startswith("AWS_") for name in os.environ),
            "supervisor_not_signalled": PARENT == 1 or fails(os.kill, PARENT, 0),
            "supervisor_not_traced": fails(trace),
            "no_namespaces": fails(os.unshare, os.CLONE_NEWUSER),
            "no_network": fails(connect, "1.1.1.1", 443),
            "no_metadata": fails(connect, "169.254.169.254", 80),
            "no_runtime_interface": all(fails(connect, host, 9001) for host in ("127.0.0.1", "169.254.100.1")),
            "not_root": os.getuid() != 0,
        }
    )
)
