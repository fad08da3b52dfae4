# scored {"score": 1}
import ctypes
import pathlib
import platform

expect_refusal("bpf", call, 321, 280, 0, ctypes.create_string_buffer(256), 64)
expect_refusal("userfaultfd", call, 323, 282, 0)
expect_refusal("perf_event_open", call, 298, 241, ctypes.create_string_buffer(256), 0, -1, -1, 0)
expect_refusal("open_by_handle_at", call, 304, 265, 0, 0, 0)
expect_refusal("syslog", call, 103, 116, 10, 0, 0)
expect_refusal("init_module", call, 175, 105, 0, 0, 0)
expect_refusal("kexec_load", call, 246, 104, 0, 0, 0, 0)
expect_refusal("reboot", call, 169, 142, 0, 0, 0, 0)
expect_refusal("personality", call, 135, 92, 0x0040000)
expect_refusal("core_pattern", open, "/proc/sys/kernel/core_pattern", "w")
expect_refusal("sysrq", open, "/proc/sysrq-trigger", "w")
expect_refusal("uid_map", pathlib.Path("/proc/self/uid_map").write_text, "0 0 1")
