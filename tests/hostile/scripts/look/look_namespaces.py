# scored {"score": 1}
import ctypes
import platform

expect_refusal("unshare user", os.unshare, os.CLONE_NEWUSER)
expect_refusal("unshare mounts", os.unshare, os.CLONE_NEWNS)
expect_refusal("clone user", call, 56, 220, 0x10000000 | 17, 0, 0, 0, 0)
expect_refusal("clone3", call, 435, 435, ctypes.create_string_buffer(88), 88)
expect_refusal("setns", lambda: os.setns(os.open("/proc/self/ns/net", os.O_RDONLY)))
