# scored {"score": 1}
# The numbers of the old 32-bit interface name other calls; a filter that only reads numbers is fooled by them.
import ctypes
import errno
import platform

if platform.machine() == "x86_64":
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.syscall(0x40000000 + 101, 0, 0, 0, 0) >= 0 or ctypes.get_errno() not in (errno.ENOSYS, errno.EPERM):
        seen.append("x32")
