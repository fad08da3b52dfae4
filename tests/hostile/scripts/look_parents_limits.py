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



import resource

others = [int(name) for name in os.listdir("/proc") if name.isdecimal()]
for pid in set(others) - {1, os.getppid(), os.getpid()}:
    expect_refusal("prlimit of the zygote", resource.prlimit, pid, resource.RLIMIT_CPU, (1, 1))
expect_refusal("prlimit of the parent", resource.prlimit, os.getppid(), resource.RLIMIT_NOFILE, (0, 0))
if seen:
    raise SystemExit(f"the script saw {seen!r}")
print('{"score": 1}')
