"""What the scripts of some folders have around them.

One of `scripts/trace/` runs twice, and adds to `seen` what the `first` run has left to the second.

One of `scripts/look/` looks for something that it must not reach. It calls `expect_refusal` or `expect_no_connection`,
or adds to `seen` what it reached, and scores 1 if that is nothing. It may set `REFUSED` to the error that a refusal
must be; another one then says that the kernel looked at the call.
"""

_LOOK = b"""
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
_TRACE = b"""
import json
import os
import sys

first = json.load(open(sys.argv[1]))["run"] == 1
seen = []


"""
_END = b"""
if seen:
    raise SystemExit(f"the script saw {seen!r}")
print('{"score": 1}')
"""
FRAMES = {"look": (_LOOK, _END), "trace": (_TRACE, _END)}
"""Folder of scripts → what is before and after each."""
