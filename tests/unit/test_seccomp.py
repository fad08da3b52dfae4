"""The system call filter, run by a small machine as the kernel would run it."""

import errno
import struct

import pytest

from sandbox.seccomp import (
    CLONE,
    CLONE3,
    FCNTL,
    IOCTL,
    IOPRIO_SET,
    MMAP,
    PRLIMIT64,
    REJECTED,
    SCHED_SETAFFINITY,
    SCHED_SETATTR,
    SCHED_SETPARAM,
    SCHED_SETSCHEDULER,
    SETPRIORITY,
    SETSOCKOPT,
    SOCKET,
    SOCKETPAIR,
    AuditArchitecture,
    build_filter,
    this_architecture,
)

ALLOW, KILL = "allow", "kill"
BOTH = pytest.mark.parametrize("architecture", list(AuditArchitecture))
SIGCHLD, NEW_USER, NEW_PID, NEW_NET, CLONE_VM = 17, 0x10000000, 0x20000000, 0x40000000, 0x100


def verdict(architecture: AuditArchitecture, call: int, *arguments: int, arch: int | None = None) -> str | int:
    """Run the filter on one call: "allow", "kill", or the error it answers.

    Source: the classic BPF of linux/filter.h, as far as the filter uses it.
    """
    data = struct.pack("<iIQ6Q", call, arch or architecture.value, 0, *(*arguments, *[0] * (6 - len(arguments))))
    program = list(struct.iter_unpack("=HBBI", build_filter(architecture)))
    at, held = 0, 0
    while True:
        operation, if_true, if_false, operand = program[at]
        at += 1
        match operation:
            case 0x20:
                held = struct.unpack_from("<I", data, operand)[0]
            case 0x15:
                at += if_true if held == operand else if_false
            case 0x35:
                at += if_true if held >= operand else if_false
            case 0x45:
                at += if_true if held & operand else if_false
            case 0x06 if operand == 0x7FFF0000:
                return ALLOW
            case 0x06 if operand == 0x80000000:
                return KILL
            case 0x06:
                assert operand >> 16 == 0x0005
                return int(operand & 0xFFFF)
            case _:
                pytest.fail(f"no such operation: {operation:#x}")


@BOTH
@pytest.mark.parametrize("name", REJECTED)
def test_refused_calls_answer_not_permitted(architecture: AuditArchitecture, name: str) -> None:
    """Each call of the table is refused on each architecture that has it."""
    number = REJECTED[name].on(architecture)

    if number is not None:
        assert verdict(architecture, number) == errno.EPERM


# Source: the kernel's tables; what Python, numpy and the runner live on.
NEEDED = {
    "read": (0, 63), "write": (1, 64), "openat": (257, 56), "close": (3, 57), "mmap": (9, 222), "munmap": (11, 215),
    "brk": (12, 214), "execve": (59, 221), "wait4": (61, 260), "kill": (62, 129), "futex": (202, 98),
    "getrandom": (318, 278), "prctl": (157, 167), "rt_sigaction": (13, 134), "exit_group": (231, 94),
    "landlock_create_ruleset": (444, 444), "landlock_restrict_self": (446, 446), "pidfd_open": (434, 434),
    "recvmsg": (47, 212), "statfs": (137, 43), "unlinkat": (263, 35), "setrlimit": (160, 164), "fork": (57, None),
}  # fmt: skip


@BOTH
@pytest.mark.parametrize("name", NEEDED)
def test_needed_calls_pass(architecture: AuditArchitecture, name: str) -> None:
    """A filter that refuses what everything needs would be safe and useless."""
    number = NEEDED[name][0 if architecture is AuditArchitecture.X86_64 else 1]

    if number is not None:
        assert verdict(architecture, number) == ALLOW


@BOTH
@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        (SIGCHLD, ALLOW),
        (CLONE_VM | SIGCHLD, ALLOW),
        (NEW_USER | SIGCHLD, errno.EPERM),
        (NEW_PID, errno.EPERM),
        (CLONE_VM | NEW_NET, errno.EPERM),
    ],
)
def test_clone_makes_children_and_no_namespaces(
    architecture: AuditArchitecture, flags: int, expected: str | int
) -> None:
    """The flags decide."""
    number = CLONE.on(architecture)
    assert number is not None

    assert verdict(architecture, number, flags) == expected


@BOTH
def test_clone3_is_not_implemented(architecture: AuditArchitecture) -> None:
    """Its flags cannot be seen, and the C library falls back on clone for this answer alone."""
    assert verdict(architecture, CLONE3.x86_64 or 0, 0, 88) == errno.ENOSYS


@BOTH
@pytest.mark.parametrize(
    ("family", "expected"), [(1, ALLOW), (2, errno.EPERM), (10, errno.EPERM), (16, errno.EPERM), (40, errno.EPERM)]
)
def test_sockets_are_local_ones(architecture: AuditArchitecture, family: int, expected: str | int) -> None:
    """AF_UNIX passes; IPv4, IPv6, netlink and vsock do not."""
    for numbers in (SOCKET, SOCKETPAIR):
        assert verdict(architecture, numbers.on(architecture) or 0, family, 1, 0) == expected


@BOTH
@pytest.mark.parametrize(("process", "expected"), [(0, ALLOW), (1, errno.EPERM), (4711, errno.EPERM)])
def test_limits_are_ones_own(architecture: AuditArchitecture, process: int, expected: str | int) -> None:
    """Those of the runner cannot be lowered from inside."""
    assert verdict(architecture, PRLIMIT64.on(architecture) or 0, process, 7) == expected


SCHEDULING = {
    "setparam": SCHED_SETPARAM,
    "setscheduler": SCHED_SETSCHEDULER,
    "setaffinity": SCHED_SETAFFINITY,
    "setattr": SCHED_SETATTR,
}


@BOTH
@pytest.mark.parametrize("name", SCHEDULING)
@pytest.mark.parametrize(("process", "expected"), [(0, ALLOW), (1, errno.EPERM), (4711, errno.EPERM)])
def test_scheduling_is_ones_own(architecture: AuditArchitecture, name: str, process: int, expected: str | int) -> None:
    """That of the runner would be inherited by later runs."""
    assert verdict(architecture, SCHEDULING[name].on(architecture) or 0, process) == expected


@BOTH
@pytest.mark.parametrize(
    ("which", "who", "expected"), [(0, 0, ALLOW), (0, 1, errno.EPERM), (1, 0, errno.EPERM), (2, 0, errno.EPERM)]
)
def test_priorities_are_ones_own(architecture: AuditArchitecture, which: int, who: int, expected: str | int) -> None:
    """Of this process alone: no other, no group, no user; the one call counts the kinds from 0, the other from 1."""
    assert verdict(architecture, SETPRIORITY.on(architecture) or 0, which, who, 19) == expected
    assert verdict(architecture, IOPRIO_SET.on(architecture) or 0, which + 1, who, 3 << 13) == expected


@BOTH
@pytest.mark.parametrize("command", [1, 2, 4, 6, 9, 1030, 1032])
def test_usual_commands_of_files_pass(architecture: AuditArchitecture, command: int) -> None:
    """F_GETFD, F_SETFD, F_SETFL, F_SETLK, F_GETOWN, F_DUPFD_CLOEXEC and F_GETPIPE_SZ."""
    assert verdict(architecture, FCNTL.on(architecture) or 0, 3, command) == ALLOW


@BOTH
@pytest.mark.parametrize("command", [1031, 1024, 1026, 8, 10, 15, 1036, 1038])
def test_commands_that_reach_beyond_a_run_are_refused(architecture: AuditArchitecture, command: int) -> None:
    """F_SETPIPE_SZ, F_SETLEASE, F_NOTIFY, F_SETOWN, F_SETSIG, F_SETOWN_EX, F_SET_RW_HINT and F_SET_FILE_RW_HINT."""
    assert verdict(architecture, FCNTL.on(architecture) or 0, 3, command) == errno.EPERM


@BOTH
@pytest.mark.parametrize("option", [2, 9, 16, 20])
def test_usual_options_of_sockets_pass(architecture: AuditArchitecture, option: int) -> None:
    """SO_REUSEADDR, SO_KEEPALIVE, SO_PASSCRED and SO_RCVTIMEO."""
    assert verdict(architecture, SETSOCKOPT.on(architecture) or 0, 3, 1, option) == ALLOW


@BOTH
@pytest.mark.parametrize("option", [7, 8, 32, 33, 26, 50, 51, 52])
def test_sockets_stay_small_and_take_no_programs(architecture: AuditArchitecture, option: int) -> None:
    """SO_SNDBUF, SO_RCVBUF, SO_SNDBUFFORCE, SO_RCVBUFFORCE, and what attaches a filter."""
    assert verdict(architecture, SETSOCKOPT.on(architecture) or 0, 3, 1, option) == errno.EPERM


@BOTH
@pytest.mark.parametrize(
    ("flags", "expected"),
    [(0x22, ALLOW), (0x02, ALLOW), (0x01, ALLOW), (0x20022, ALLOW)]
    + [(flags, errno.EPERM) for flags in (0x21, 0x23, 0x40022, 0x40021, 0x40001)],
)
def test_shared_memory_has_a_file(architecture: AuditArchitecture, flags: int, expected: str | int) -> None:
    """Private memory and files pass; shared memory without a file, and huge pages, do not."""
    assert verdict(architecture, MMAP.on(architecture) or 0, 0, 4096, 3, flags) == expected


@BOTH
@pytest.mark.parametrize(
    ("request_", "expected"),
    [(0x80086601, ALLOW), (0x40086602, errno.EPERM), (0x40087602, errno.EPERM), (0x401C5820, errno.EPERM)],
)
def test_files_have_no_flags(architecture: AuditArchitecture, request_: int, expected: str | int) -> None:
    """FS_IOC_GETFLAGS passes; FS_IOC_SETFLAGS, FS_IOC_SETVERSION and FS_IOC_FSSETXATTR do not."""
    assert verdict(architecture, IOCTL.on(architecture) or 0, 3, request_) == expected


@BOTH
@pytest.mark.parametrize(
    ("request_", "expected"), [(0x5401, ALLOW), (0x5421, ALLOW), (0x5412, errno.EPERM), (0x541C, errno.EPERM)]
)
def test_nothing_is_typed_into_a_terminal(architecture: AuditArchitecture, request_: int, expected: str | int) -> None:
    """TCGETS passes, TIOCSTI and TIOCLINUX do not."""
    assert verdict(architecture, IOCTL.on(architecture) or 0, 0, request_) == expected


@BOTH
@pytest.mark.parametrize("request_", [0x5452, 0x8901, 0x8902])
def test_files_send_no_signals(architecture: AuditArchitecture, request_: int) -> None:
    """FIOASYNC, FIOSETOWN and SIOCSPGRP are refused as their commands of fcntl are."""
    assert verdict(architecture, IOCTL.on(architecture) or 0, 0, request_) == errno.EPERM


@BOTH
@pytest.mark.parametrize("number", [470, 4711, 0x40000000, 0x40000000 + 101, 0x40000000 + 59])
def test_calls_beyond_the_table_are_not_implemented(architecture: AuditArchitecture, number: int) -> None:
    """What is newer than the table, and the x32 numbering."""
    assert verdict(architecture, number) == errno.ENOSYS


@BOTH
def test_another_architectures_numbering_kills(architecture: AuditArchitecture) -> None:
    """The old 32-bit numbers name other calls."""
    i386 = 0x40000003

    assert verdict(architecture, 26, arch=i386) == KILL


def test_this_machine_has_a_table() -> None:
    """The tests themselves run on one of the two."""
    assert this_architecture() in AuditArchitecture
