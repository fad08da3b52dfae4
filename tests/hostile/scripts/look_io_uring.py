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



expect_refusal("io_uring_setup", call, 425, 425, 1, ctypes.create_string_buffer(256))
if seen:
    raise SystemExit(f"the script saw {seen!r}")
print('{"score": 1}')
