# scored {"score": 1}
# Rules of Landlock and filters of calls take memory that nothing counts.
import ctypes
import errno
import struct

libc = ctypes.CDLL(None, use_errno=True)
rules = struct.pack("QQ", 1 << 1, 1)
allow = ctypes.create_string_buffer(struct.pack("HBBI", 0x06, 0, 0, 0x7FFF0000))
program = struct.pack("@HP", 1, ctypes.addressof(allow))
for name, arguments in {
    "landlock_create_ruleset": (444, rules, ctypes.c_size_t(len(rules)), 0),
    "landlock_add_rule": (445, 3, 1, rules, 0),
}.items():
    if libc.syscall(*arguments) >= 0 or ctypes.get_errno() not in (errno.EPERM, errno.ENOSYS):
        seen.append(name)
if libc.prctl(22, 2, program, 0, 0) == 0:
    seen.append("a filter of calls")
