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



expect_refusal("mount", libc_mount := lambda: call(165, 40, b"none", b"/tmp", b"tmpfs", 0, 0))
expect_refusal("umount", call, 166, 39, b"/tmp", 0)
expect_refusal("chroot", os.chroot, "/tmp")
expect_refusal("fsopen", call, 430, 430, b"tmpfs", 0)
expect_refusal("a device", os.mknod, "/tmp/device", 0o60600, os.makedev(254, 0))
if seen:
    raise SystemExit(f"the script saw {seen!r}")
print('{"score": 1}')
