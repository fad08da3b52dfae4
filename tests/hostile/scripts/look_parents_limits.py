# scored {"score": 1}
import os

seen = []


def expect_refusal(name, call, *arguments, **options):
    try:
        found = call(*arguments, **options)
    except OSError:
        return
    seen.append((name, found))



import ctypes
import platform

libc = ctypes.CDLL(None, use_errno=True)
INTEL = platform.machine() == "x86_64"


def call(intel, arm, *arguments):
    if libc.syscall(intel if INTEL else arm, *arguments) < 0:
        raise OSError(ctypes.get_errno(), "refused")
    return "done"



import resource

expect_refusal("prlimit of process 1", resource.prlimit, 1, resource.RLIMIT_NOFILE, (0, 0))
expect_refusal("prlimit of process 2", resource.prlimit, 2, resource.RLIMIT_CPU, (1, 1))
if seen:
    raise SystemExit(f"the script saw {seen!r}")
print('{"score": 1}')
