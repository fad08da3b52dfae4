# scored {"score": 1}
import resource

others = [int(name) for name in os.listdir("/proc") if name.isdecimal()]
for pid in set(others) - {1, os.getppid(), os.getpid()}:
    expect_refusal("prlimit of the zygote", resource.prlimit, pid, resource.RLIMIT_CPU, (1, 1))
expect_refusal("prlimit of the parent", resource.prlimit, os.getppid(), resource.RLIMIT_NOFILE, (0, 0))
