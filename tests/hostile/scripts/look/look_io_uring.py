# scored {"score": 1}
import ctypes
import platform

expect_refusal("io_uring_setup", call, 425, 425, 1, ctypes.create_string_buffer(256))
