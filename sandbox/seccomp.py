"""The system calls that no script may make, as the BPF program that the kernel runs on each of them.

Everything that a script needs for arithmetic, files, threads and children passes; what changes the machine, looks into
other processes, reaches a network, makes namespaces, or exists to be attacked answers "operation not permitted". A call
newer than the table, of another architecture's numbering, or of the x32 variety answers "not implemented" or kills.
The zygote adds a second filter (`functions/sandbox/runner/landlock.py`) for what it must do itself before the runs:
Landlock's rules, and filters.
"""

import errno
import platform
import struct
from enum import Enum
from typing import NamedTuple

from scoring_core.errors import SandboxFailure

# One BPF instruction: operation, jump if true, jump if false, operand (linux/filter.h).
_INSTRUCTION = struct.Struct("=HBBI")
_LOAD, _JUMP_EQUAL, _JUMP_GREATER_EQUAL, _JUMP_ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
# Where struct seccomp_data holds what (linux/seccomp.h); arguments are read by their low half, little-endian.
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16
_ALLOW, _REFUSE, _KILL_PROCESS = 0x7FFF0000, 0x00050000, 0x80000000

_AF_UNIX = 1
_NEW_NAMESPACES = 0x7E020000  # CLONE_NEWNS | NEWCGROUP | NEWUTS | NEWIPC | NEWUSER | NEWPID | NEWNET
_REFUSED_REQUESTS = (
    0x5412, 0x541C,  # TIOCSTI and TIOCLINUX type into the terminal that started the sandbox
    0x5452, 0x8901, 0x8902,  # FIOASYNC, FIOSETOWN and SIOCSPGRP: signals from files, as by the commands below
    0x40086602, 0x40087602, 0x401C5820,  # FS_IOC_SETFLAGS, FS_IOC_SETVERSION, FS_IOC_FSSETXATTR mark a folder for good
)  # fmt: skip
_REFUSED_COMMANDS = (
    1031, 1024,  # F_SETPIPE_SZ takes of the user's quota; F_SETLEASE holds up the host's writers
    1026,  # F_NOTIFY tells what the host does in its folders
    8, 10, 15,  # F_SETOWN, F_SETSIG, F_SETOWN_EX: signals from files to a process of choice
    1036, 1038,  # F_SET_RW_HINT and F_SET_FILE_RW_HINT leave a note on a file, the host's included
)  # fmt: skip
_REFUSED_SOCKET_OPTIONS = (
    7, 8, 32, 33,  # SO_SNDBUF, SO_RCVBUF and the two …FORCE: what lies in sockets is in no process's memory
    26, 50, 51, 52,  # SO_ATTACH_FILTER, SO_ATTACH_BPF, two SO_ATTACH_REUSEPORT_…: of the memory for all BPF programs
)  # fmt: skip
_MAP_HUGETLB, _MAP_ANONYMOUS, _MAP_SHARED = 0x40000, 0x20, 0x01
_PRIO_PROCESS, _IOPRIO_WHO_PROCESS = 0, 1
_NEWEST_CALL = 469  # file_setattr, Linux 6.17


class Architecture(Enum):
    """The machines there is a table for; the value is the kernel's AUDIT_ARCH."""

    X86_64 = 0xC000003E
    AARCH64 = 0xC00000B7


class _Numbers(NamedTuple):
    """One call's number on each architecture; None where there is no such call."""

    x86_64: int | None
    aarch64: int | None

    def on(self, architecture: Architecture) -> int | None:
        return self.x86_64 if architecture is Architecture.X86_64 else self.aarch64


# Source: the kernel's arch/x86/entry/syscalls/syscall_64.tbl and include/uapi/asm-generic/unistd.h.
REFUSED = {
    # looking into, or changing, other processes
    "ptrace": _Numbers(101, 117),
    "process_vm_readv": _Numbers(310, 270),
    "process_vm_writev": _Numbers(311, 271),
    "process_madvise": _Numbers(440, 440),
    "process_mrelease": _Numbers(448, 448),
    "pidfd_getfd": _Numbers(438, 438),
    "kcmp": _Numbers(312, 272),
    "move_pages": _Numbers(279, 239),
    "migrate_pages": _Numbers(256, 238),
    "perf_event_open": _Numbers(298, 241),
    # memory and messages that outlive their process, or that no limit counts
    "memfd_create": _Numbers(319, 279),
    "memfd_secret": _Numbers(447, 447),
    "shmget": _Numbers(29, 194),
    "shmat": _Numbers(30, 196),
    "shmctl": _Numbers(31, 195),
    "semget": _Numbers(64, 190),
    "semop": _Numbers(65, 193),
    "semctl": _Numbers(66, 191),
    "semtimedop": _Numbers(220, 192),
    "msgget": _Numbers(68, 186),
    "msgsnd": _Numbers(69, 189),
    "msgrcv": _Numbers(70, 188),
    "msgctl": _Numbers(71, 187),
    "mq_open": _Numbers(240, 180),
    "mq_unlink": _Numbers(241, 181),
    "vmsplice": _Numbers(278, 75),
    "splice": _Numbers(275, 76),
    "tee": _Numbers(276, 77),
    "sendfile": _Numbers(40, 71),
    "setxattr": _Numbers(188, 5),
    "lsetxattr": _Numbers(189, 6),
    "fsetxattr": _Numbers(190, 7),
    "removexattr": _Numbers(197, 14),
    "lremovexattr": _Numbers(198, 15),
    "fremovexattr": _Numbers(199, 16),
    "setxattrat": _Numbers(463, 463),
    "removexattrat": _Numbers(466, 466),
    "file_setattr": _Numbers(469, 469),
    "add_key": _Numbers(248, 217),
    "request_key": _Numbers(249, 218),
    "keyctl": _Numbers(250, 219),
    # what there is only so much of for a user, or for the whole machine
    "io_setup": _Numbers(206, 0),
    "inotify_init": _Numbers(253, None),
    "inotify_init1": _Numbers(294, 26),
    "fanotify_init": _Numbers(300, 262),
    "fanotify_mark": _Numbers(301, 263),
    "epoll_create": _Numbers(213, None),
    "epoll_create1": _Numbers(291, 20),
    # large and often attacked
    "io_uring_setup": _Numbers(425, 425),
    "io_uring_enter": _Numbers(426, 426),
    "io_uring_register": _Numbers(427, 427),
    "userfaultfd": _Numbers(323, 282),
    "bpf": _Numbers(321, 280),
    "seccomp": _Numbers(317, 277),
    "modify_ldt": _Numbers(154, None),
    "personality": _Numbers(135, 92),
    "lookup_dcookie": _Numbers(212, 18),
    # namespaces and mounts
    "unshare": _Numbers(272, 97),
    "setns": _Numbers(308, 268),
    "mount": _Numbers(165, 40),
    "umount2": _Numbers(166, 39),
    "pivot_root": _Numbers(155, 41),
    "chroot": _Numbers(161, 51),
    "open_tree": _Numbers(428, 428),
    "move_mount": _Numbers(429, 429),
    "fsopen": _Numbers(430, 430),
    "fsconfig": _Numbers(431, 431),
    "fsmount": _Numbers(432, 432),
    "fspick": _Numbers(433, 433),
    "mount_setattr": _Numbers(442, 442),
    "statmount": _Numbers(457, 457),
    "listmount": _Numbers(458, 458),
    "open_tree_attr": _Numbers(467, 467),
    "name_to_handle_at": _Numbers(303, 264),
    "open_by_handle_at": _Numbers(304, 265),
    "quotactl": _Numbers(179, 60),
    "quotactl_fd": _Numbers(443, 443),
    "swapon": _Numbers(167, 224),
    "swapoff": _Numbers(168, 225),
    # the machine
    "clock_settime": _Numbers(227, 112),
    "settimeofday": _Numbers(164, 170),
    "adjtimex": _Numbers(159, 171),
    "clock_adjtime": _Numbers(305, 266),
    "reboot": _Numbers(169, 142),
    "kexec_load": _Numbers(246, 104),
    "kexec_file_load": _Numbers(320, 294),
    "init_module": _Numbers(175, 105),
    "finit_module": _Numbers(313, 273),
    "delete_module": _Numbers(176, 106),
    "create_module": _Numbers(174, None),
    "query_module": _Numbers(178, None),
    "sethostname": _Numbers(170, 161),
    "setdomainname": _Numbers(171, 162),
    "acct": _Numbers(163, 89),
    "syslog": _Numbers(103, 116),
    "vhangup": _Numbers(153, 58),
    "ioperm": _Numbers(173, None),
    "iopl": _Numbers(172, None),
    "uselib": _Numbers(134, None),
    "sysfs": _Numbers(139, None),
    "nfsservctl": _Numbers(180, 42),
}

# Calls that are judged by an argument.
CLONE = _Numbers(56, 220)
CLONE3 = _Numbers(435, 435)
SOCKET = _Numbers(41, 198)
SOCKETPAIR = _Numbers(53, 199)
PRLIMIT64 = _Numbers(302, 261)
IOCTL = _Numbers(16, 29)
FCNTL = _Numbers(72, 25)
SETSOCKOPT = _Numbers(54, 208)
MMAP = _Numbers(9, 222)
SETPRIORITY = _Numbers(141, 140)
IOPRIO_SET = _Numbers(251, 30)
SCHED_SETPARAM = _Numbers(142, 118)
SCHED_SETSCHEDULER = _Numbers(144, 119)
SCHED_SETAFFINITY = _Numbers(203, 122)
SCHED_SETATTR = _Numbers(314, 274)


def build_filter(architecture: Architecture) -> bytes:
    """Give the filter as an array of `struct sock_filter`, ready for `bwrap --seccomp`."""
    program = [
        _load(_ARCHITECTURE),
        (_JUMP_EQUAL, 1, 0, architecture.value),
        (_RETURN, 0, 0, _KILL_PROCESS),
        _load(_NUMBER),
        # Above the newest call lies x32 as well (bit 30).
        *_when(_JUMP_GREATER_EQUAL, _NEWEST_CALL + 1, [_refuse(errno.ENOSYS)]),
        # Its flags lie behind a pointer, where no filter sees them; the C library then falls back on clone.
        *_on_call(CLONE3, architecture, [_refuse(errno.ENOSYS)]),
    ]
    for numbers in REFUSED.values():
        program += _on_call(numbers, architecture, [_refuse(errno.EPERM)])
    program += _on_call(CLONE, architecture, [_argument(0), *_when(_JUMP_ANY_BIT, _NEW_NAMESPACES), _allow()])
    for numbers in (SOCKET, SOCKETPAIR):
        program += _on_call(numbers, architecture, [_argument(0), *_unless(_AF_UNIX), _allow()])
    # Limits and scheduling of oneself (0) may be changed; those of another process are none of one's business.
    for numbers in (PRLIMIT64, SCHED_SETPARAM, SCHED_SETSCHEDULER, SCHED_SETAFFINITY, SCHED_SETATTR):
        program += _on_call(numbers, architecture, [_argument(0), *_unless(0), _allow()])
    for numbers, process in ((SETPRIORITY, _PRIO_PROCESS), (IOPRIO_SET, _IOPRIO_WHO_PROCESS)):
        oneself = [_argument(0), *_unless(process), _argument(1), *_unless(0), _allow()]
        program += _on_call(numbers, architecture, oneself)
    for numbers, index, refused in (
        (IOCTL, 1, _REFUSED_REQUESTS),
        (FCNTL, 1, _REFUSED_COMMANDS),
        (SETSOCKOPT, 2, _REFUSED_SOCKET_OPTIONS),
    ):
        steps = [step for value in refused for step in _when(_JUMP_EQUAL, value)]
        program += _on_call(numbers, architecture, [_argument(index), *steps, _allow()])
    # Shared memory without a file stays whole for as long as one page of it is mapped: nothing outside can count it.
    program += _on_call(
        MMAP,
        architecture,
        [
            _argument(3),
            *_when(_JUMP_ANY_BIT, _MAP_HUGETLB),
            *_when(_JUMP_ANY_BIT, _MAP_ANONYMOUS, _when(_JUMP_ANY_BIT, _MAP_SHARED)),
            _allow(),
        ],
    )
    program.append(_allow())
    return b"".join(_INSTRUCTION.pack(*step) for step in program)


def this_architecture() -> Architecture:
    """Give the architecture of this machine.

    Raises:
        SandboxFailure: There is no table for it.
    """
    try:
        return Architecture[platform.machine().upper()]
    except KeyError:
        known = ", ".join(one.name.lower() for one in Architecture)
        raise SandboxFailure(f"no system call table for {platform.machine()}: expected {known}") from None


type _Step = tuple[int, int, int, int]


def _load(offset: int) -> _Step:
    return _LOAD, 0, 0, offset


def _argument(index: int) -> _Step:
    return _load(_ARGUMENTS + 8 * index)


def _allow() -> _Step:
    return _RETURN, 0, 0, _ALLOW


def _refuse(number: int = errno.EPERM) -> _Step:
    return _RETURN, 0, 0, _REFUSE | number


def _when(operation: int, operand: int, then: list[_Step] | None = None) -> list[_Step]:
    then = then or [_refuse()]
    return [(operation, 0, len(then), operand), *then]


def _unless(operand: int) -> list[_Step]:
    return [(_JUMP_EQUAL, 1, 0, operand), _refuse()]


def _on_call(numbers: _Numbers, architecture: Architecture, then: list[_Step]) -> list[_Step]:
    number = numbers.on(architecture)
    return [] if number is None else _when(_JUMP_EQUAL, number, then)
