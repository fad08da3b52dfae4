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



expect_refusal("ptrace the parent", call, 101, 117, 16, os.getppid(), 0, 0)
expect_refusal("ptrace the zygote", call, 101, 117, 16, 2, 0, 0)
expect_refusal("read the parent's memory", open, "/proc/1/mem", "rb")
expect_refusal("write the zygote's memory", open, "/proc/2/mem", "r+b")
expect_refusal("the parent's descriptors", os.listdir, "/proc/1/fd")
expect_refusal("process_vm_readv", call, 310, 270, 1, 0, 0, 0, 0, 0)
expect_refusal("pidfd_getfd", call, 438, 438, 0, 0, 0)
if seen:
    raise SystemExit(f"the script saw {seen!r}")
print('{"score": 1}')
