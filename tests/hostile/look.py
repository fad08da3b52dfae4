"""What every script of `scripts/look/` has around it: it looks for something that it must not reach.

It calls `expect_refusal` or `expect_no_connection`, or adds to `seen` what it reached, and scores 1 if that is nothing.
It may set `REFUSED` to the error that a refusal must be; another one then says that the kernel looked at the call.
"""

BEGIN = b"""
import ctypes
import os
import platform
import socket

libc = ctypes.CDLL(None, use_errno=True)
INTEL = platform.machine() == "x86_64"
REFUSED = OSError
seen = []


def expect_refusal(name, call, *arguments, **options):
    try:
        found = call(*arguments, **options)
    except REFUSED:
        return
    except OSError:
        pass
    seen.append(name)


def expect_no_connection(family, kind, address):
    try:
        with socket.socket(family, kind) as client:
            client.settimeout(1)
            client.connect(address)
            client.send(b"hello")
    except OSError:
        return
    seen.append("connected")


def call(intel, arm, *arguments):
    if libc.syscall(intel if INTEL else arm, *arguments) < 0:
        raise OSError(ctypes.get_errno(), "refused")
    return "done"


"""
END = b"""
if seen:
    raise SystemExit(f"the script saw {seen!r}")
print('{"score": 1}')
"""
