# scored {"score": 1}
# What a user, or the machine, has only so much of: one that takes it all leaves the others none.
import fcntl
import mmap
import select
import socket
import struct

REFUSED = PermissionError

def attach_filter():
    accept = ctypes.create_string_buffer(struct.pack("HBBI", 0x06, 0, 0, 1))
    program = struct.pack("HxxxxxxQ", 1, ctypes.addressof(accept))
    with socket.socket(socket.AF_UNIX) as one:
        one.setsockopt(socket.SOL_SOCKET, 26, program)

def filter_own_calls():
    allow = ctypes.create_string_buffer(struct.pack("HBBI", 0x06, 0, 0, 0x7FFF0000))
    program = ctypes.create_string_buffer(struct.pack("HxxxxxxQ", 1, ctypes.addressof(allow)))
    if libc.prctl(22, 2, program, 0, 0) < 0:
        raise OSError(ctypes.get_errno(), "refused")

def grow_pipe():
    fcntl.fcntl(os.pipe()[1], 1031, 1 << 20)

def lease():
    with open("own", "w") as file:
        fcntl.fcntl(file, 1024, fcntl.F_WRLCK)

def map_huge_pages():
    if ctypes.c_long(libc.mmap(None, ctypes.c_size_t(2 << 20), 3, 0x40022, -1, 0)).value == -1:
        raise OSError(ctypes.get_errno(), "refused")

context = ctypes.c_ulong(0)
expect_refusal("io_setup", call, 206, 0, 128, ctypes.byref(context))
expect_refusal("inotify_init1", call, 294, 26, 0)
if INTEL:
    expect_refusal("inotify_init", call, 253, 0)
    expect_refusal("epoll_create", call, 213, 0, 1)
expect_refusal("fanotify_init", call, 300, 262, 0, 0)
expect_refusal("epoll", select.epoll)
expect_refusal("a larger pipe", grow_pipe)
expect_refusal("a lease", lease)
expect_refusal("a filter of a socket", attach_filter)
expect_refusal("a filter of calls", filter_own_calls)
expect_refusal("huge pages", map_huge_pages)
expect_refusal("shared memory", mmap.mmap, -1, 4096)

timer, timers = ctypes.c_long(), 0
while timers < 1000 and libc.syscall(222 if INTEL else 107, 1, None, ctypes.byref(timer)) == 0:
    timers += 1
if timers == 1000:
    seen.append("any number of timers")
