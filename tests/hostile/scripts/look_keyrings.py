# scored {"score": 1}
import os

seen = []


def expect_refusal(name, call, *arguments, **options):
    try:
        found = call(*arguments, **options)
    except OSError:
        return
    seen.append(name)



import ctypes
import platform

libc = ctypes.CDLL(None, use_errno=True)
INTEL = platform.machine() == "x86_64"


def call(intel, arm, *arguments):
    if libc.syscall(intel if INTEL else arm, *arguments) < 0:
        raise OSError(ctypes.get_errno(), "refused")
    return "done"



expect_refusal("keyctl", call, 250, 219, 0, -3, 0)
expect_refusal("add_key", call, 248, 217, b"user", b"left", b"here", 4, -4)
if seen:
    raise SystemExit(f"the script saw {seen!r}")
print('{"score": 1}')
