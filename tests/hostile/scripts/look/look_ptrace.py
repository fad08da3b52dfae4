# scored {"score": 1}
expect_refusal("ptrace the parent", call, 101, 117, 16, os.getppid(), 0, 0)
for zygote in {int(name) for name in os.listdir("/proc") if name.isdecimal()} - {1, os.getppid(), os.getpid()}:
    expect_refusal("ptrace the zygote", call, 101, 117, 16, zygote, 0, 0)
    expect_refusal("write the zygote's memory", open, f"/proc/{zygote}/mem", "r+b")
expect_refusal("read the parent's memory", open, f"/proc/{os.getppid()}/mem", "rb")
expect_refusal("the parent's descriptors", os.listdir, f"/proc/{os.getppid()}/fd")
expect_refusal("process_vm_readv", call, 310, 270, os.getppid(), 0, 0, 0, 0, 0)
expect_refusal("pidfd_getfd", call, 438, 438, 0, 0, 0)
