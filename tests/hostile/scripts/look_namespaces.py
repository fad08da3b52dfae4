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



expect_refusal("unshare user", os.unshare, os.CLONE_NEWUSER)
expect_refusal("unshare mounts", os.unshare, os.CLONE_NEWNS)
expect_refusal("clone user", call, 56, 220, 0x10000000 | 17, 0, 0, 0, 0)
expect_refusal("clone3", call, 435, 435, ctypes.create_string_buffer(88), 88)
expect_refusal("setns", lambda: os.setns(os.open("/proc/self/ns/net", os.O_RDONLY)))
if seen:
    raise SystemExit(f"the script saw {seen!r}")
print('{"score": 1}')
