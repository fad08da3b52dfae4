"""The system call filter, run by a small machine as the kernel would run it."""

import errno
import struct

import pytest

from sandbox import seccomp

ALLOW, KILL = "allow", "kill"
BOTH = pytest.mark.parametrize("architecture", list(seccomp.AuditArchitecture))
OWN_PROCESS: tuple[list[tuple[int, ...]], list[tuple[int, ...]]] = ([(0,)], [(1,), (4711,)])
SIGCHLD, NEW_USER, NEW_PID, NEW_NET, CLONE_VM = 17, 0x10000000, 0x20000000, 0x40000000, 0x100


def verdict(architecture: seccomp.AuditArchitecture, call: int, *arguments: int, arch: int | None = None) -> str | int:
    """Run the filter on one call: "allow", "kill", or the error it answers.

    Source: the classic BPF of linux/filter.h, as far as the filter uses it.
    """
    data = struct.pack("<iIQ6Q", call, arch or architecture.value, 0, *(*arguments, *[0] * (6 - len(arguments))))
    program = list(struct.iter_unpack("=HBBI", seccomp.build_filter(architecture)))
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
def test_refused_calls_answer_not_permitted(architecture: seccomp.AuditArchitecture) -> None:
    """Each call of the table is refused on each architecture that has it."""
    numbers = {name: number for name, call in seccomp.REJECTED.items() if (number := call.on(architecture)) is not None}

    assert {name: verdict(architecture, number) for name, number in numbers.items()} == dict.fromkeys(
        numbers, errno.EPERM
    )
    assert len(numbers) > 50


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
def test_needed_calls_pass(architecture: seccomp.AuditArchitecture, name: str) -> None:
    """A filter that refuses what everything needs would be safe and useless."""
    number = NEEDED[name][0 if architecture is seccomp.AuditArchitecture.X86_64 else 1]

    if number is not None:
        assert verdict(architecture, number) == ALLOW


# By call: arguments with which it passes, and with which it is refused.
ARGUMENTS: dict[str, tuple[seccomp.CallNumbers, list[tuple[int, ...]], list[tuple[int, ...]]]] = {
    "clone makes children and no namespaces": (
        seccomp.CLONE,
        [(SIGCHLD,), (CLONE_VM | SIGCHLD,)],
        [(NEW_USER | SIGCHLD,), (NEW_PID,), (CLONE_VM | NEW_NET,)],
    ),
    # AF_UNIX passes; IPv4, IPv6, netlink and vsock do not.
    "sockets are local": (seccomp.SOCKET, [(1, 1, 0)], [(family, 1, 0) for family in (2, 10, 16, 40)]),
    "pairs of sockets are local": (seccomp.SOCKETPAIR, [(1, 1, 0)], [(family, 1, 0) for family in (2, 10, 16, 40)]),
    # Limits and scheduling of the runner cannot be changed from inside: later runs would inherit them.
    "limits are one's own": (seccomp.PRLIMIT64, [(0, 7)], [(1, 7), (4711, 7)]),
    "parameters of scheduling are one's own": (seccomp.SCHED_SETPARAM, *OWN_PROCESS),
    "scheduler is one's own": (seccomp.SCHED_SETSCHEDULER, *OWN_PROCESS),
    "processors are one's own": (seccomp.SCHED_SETAFFINITY, *OWN_PROCESS),
    "attributes of scheduling are one's own": (seccomp.SCHED_SETATTR, *OWN_PROCESS),
    # No other process, no group, no user; the one call counts the kinds from 0, the other from 1.
    "priority is one's own": (seccomp.SETPRIORITY, [(0, 0, 19)], [(0, 1, 19), (1, 0, 19), (2, 0, 19)]),
    "priority of input is one's own": (
        seccomp.IOPRIO_SET,
        [(1, 0, 3 << 13)],
        [(1, 1, 3 << 13), (2, 0, 3 << 13), (3, 0, 3 << 13)],
    ),
    # F_GETFD, F_SETFD, F_SETFL, F_SETLK, F_GETOWN, F_DUPFD_CLOEXEC and F_GETPIPE_SZ pass; F_SETPIPE_SZ, F_SETLEASE,
    # F_NOTIFY, F_SETOWN, F_SETSIG, F_SETOWN_EX, F_SET_RW_HINT and F_SET_FILE_RW_HINT do not.
    "commands of files reach nothing beyond a run": (
        seccomp.FCNTL,
        [(3, command) for command in (1, 2, 4, 6, 9, 1030, 1032)],
        [(3, command) for command in (1031, 1024, 1026, 8, 10, 15, 1036, 1038)],
    ),
    # SO_REUSEADDR, SO_KEEPALIVE, SO_PASSCRED and SO_RCVTIMEO pass; SO_SNDBUF, SO_RCVBUF, SO_SNDBUFFORCE,
    # SO_RCVBUFFORCE, and what attaches a filter, do not.
    "sockets stay small and take no programs": (
        seccomp.SETSOCKOPT,
        [(3, 1, option) for option in (2, 9, 16, 20)],
        [(3, 1, option) for option in (7, 8, 32, 33, 26, 50, 51, 52)],
    ),
    # Private memory and files pass; shared memory without a file, and huge pages, do not.
    "shared memory has a file": (
        seccomp.MMAP,
        [(0, 4096, 3, flags) for flags in (0x22, 0x02, 0x01, 0x20022)],
        [(0, 4096, 3, flags) for flags in (0x21, 0x23, 0x40022, 0x40021, 0x40001)],
    ),
    # FS_IOC_GETFLAGS passes; FS_IOC_SETFLAGS, FS_IOC_SETVERSION and FS_IOC_FSSETXATTR do not.
    "files have no flags": (seccomp.IOCTL, [(3, 0x80086601)], [(3, 0x40086602), (3, 0x40087602), (3, 0x401C5820)]),
    # TCGETS and FIONBIO pass, TIOCSTI and TIOCLINUX do not.
    "nothing is typed into a terminal": (seccomp.IOCTL, [(0, 0x5401), (0, 0x5421)], [(0, 0x5412), (0, 0x541C)]),
    # FIOASYNC, FIOSETOWN and SIOCSPGRP are refused as their commands of fcntl are.
    "files send no signals": (seccomp.IOCTL, [], [(0, 0x5452), (0, 0x8901), (0, 0x8902)]),
}


@BOTH
@pytest.mark.parametrize("guard", ARGUMENTS)
def test_arguments_decide(architecture: seccomp.AuditArchitecture, guard: str) -> None:
    """What the call does within the run passes; what reaches beyond it is not permitted."""
    call, passing, refused = ARGUMENTS[guard]
    number = call.on(architecture)
    assert number is not None

    assert {arguments: verdict(architecture, number, *arguments) for arguments in passing} == dict.fromkeys(
        passing, ALLOW
    )
    assert {arguments: verdict(architecture, number, *arguments) for arguments in refused} == dict.fromkeys(
        refused, errno.EPERM
    )


@BOTH
def test_clone3_is_not_implemented(architecture: seccomp.AuditArchitecture) -> None:
    """Its flags cannot be seen, and the C library falls back on clone for this answer alone."""
    assert verdict(architecture, seccomp.CLONE3.x86_64 or 0, 0, 88) == errno.ENOSYS


@BOTH
@pytest.mark.parametrize("number", [470, 4711, 0x40000000, 0x40000000 + 101, 0x40000000 + 59])
def test_calls_beyond_the_table_are_not_implemented(architecture: seccomp.AuditArchitecture, number: int) -> None:
    """What is newer than the table, and the x32 numbering."""
    assert verdict(architecture, number) == errno.ENOSYS


@BOTH
def test_another_architectures_numbering_kills(architecture: seccomp.AuditArchitecture) -> None:
    """The old 32-bit numbers name other calls."""
    i386 = 0x40000003

    assert verdict(architecture, 26, arch=i386) == KILL


def test_this_machine_has_a_table() -> None:
    """The tests themselves run on one of the two."""
    assert seccomp.this_architecture() in seccomp.AuditArchitecture
