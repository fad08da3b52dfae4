"""The system calls that no script may make, as a BPF program that the kernel runs on each call.

Scripts may use what arithmetic, files, threads and children need. A call that changes the machine, inspects other
processes, reaches a network, makes namespaces, or is often attacked fails with "operation not permitted". A call newer
than the table or of the x32 variety fails with "not implemented"; another architecture's numbering kills the process.
The zygote adds a second filter (`functions/sandbox/runner/kernel.py`) for the calls that it must make itself first.
"""

import errno
import platform
import struct
from collections.abc import Iterable
from enum import Enum
from typing import NamedTuple

from scoring_core.errors import SandboxFailure

# One BPF instruction: operation, jump if true, jump if false, operand (linux/filter.h).
_INSTRUCTION = struct.Struct("=HBBI")
_LOAD, _JUMP_EQUAL, _JUMP_GREATER_EQUAL, _JUMP_ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
# Offsets in struct seccomp_data (linux/seccomp.h). Of an argument only the low half is read, little-endian.
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16
_ALLOW, _REJECT, _KILL_PROCESS = (_RETURN, 0, 0, 0x7FFF0000), 0x00050000, (_RETURN, 0, 0, 0x80000000)

_AF_UNIX = 1
_NEW_NAMESPACES = 0x7E020000  # CLONE_NEWNS | NEWCGROUP | NEWUTS | NEWIPC | NEWUSER | NEWPID | NEWNET
_REJECTED_REQUESTS = (
    0x5412, 0x541C,  # TIOCSTI and TIOCLINUX type into the terminal that started the sandbox
    0x5452, 0x8901, 0x8902,  # FIOASYNC, FIOSETOWN and SIOCSPGRP send signals from files, as the commands below do
    0x40086602, 0x40087602, 0x401C5820,  # FS_IOC_SETFLAGS, FS_IOC_SETVERSION, FS_IOC_FSSETXATTR mark a folder for good
)  # fmt: skip
_REJECTED_COMMANDS = (
    1031, 1024,  # F_SETPIPE_SZ uses the quota of the user; F_SETLEASE delays writers on the host
    1026,  # F_NOTIFY reports what the host does in its folders
    8, 10, 15,  # F_SETOWN, F_SETSIG, F_SETOWN_EX send signals from files to any process
    1036, 1038,  # F_SET_RW_HINT and F_SET_FILE_RW_HINT mark a file, also one of the host
)  # fmt: skip
_REJECTED_SOCKET_OPTIONS = (
    7, 8, 32, 33,  # SO_SNDBUF, SO_RCVBUF and the two …FORCE: no process shows the memory of data in sockets
    26, 50, 51, 52,  # SO_ATTACH_FILTER, SO_ATTACH_BPF, two SO_ATTACH_REUSEPORT_… use the memory for all BPF programs
)  # fmt: skip
_MAP_HUGETLB, _MAP_ANONYMOUS, _MAP_SHARED = 0x40000, 0x20, 0x01
_PRIO_PROCESS, _IOPRIO_WHO_PROCESS = 0, 1
_NEWEST_CALL = 469  # file_setattr, Linux 6.17


class AuditArchitecture(Enum):
    """The architectures that have a table; the value is the kernel's AUDIT_ARCH."""

    X86_64 = 0xC000003E
    AARCH64 = 0xC00000B7


class CallNumbers(NamedTuple):
    """The number of a call on each architecture; None if the architecture has no such call."""

    x86_64: int | None
    aarch64: int | None

    def on(self, architecture: AuditArchitecture) -> int | None:
        """Return the number on an architecture."""
        return self.x86_64 if architecture is AuditArchitecture.X86_64 else self.aarch64


# Source: the kernel's arch/x86/entry/syscalls/syscall_64.tbl and include/uapi/asm-generic/unistd.h.
_REJECTED_CALLS = {
    # inspect or change other processes
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271),
    "process_madvise": (440, 440), "process_mrelease": (448, 448), "pidfd_getfd": (438, 438), "kcmp": (312, 272),
    "move_pages": (279, 239), "migrate_pages": (256, 238), "perf_event_open": (298, 241),
    # create memory or messages that outlive their process or that no limit counts
    "memfd_create": (319, 279), "memfd_secret": (447, 447), "shmget": (29, 194), "shmat": (30, 196),
    "shmctl": (31, 195), "semget": (64, 190), "semop": (65, 193), "semctl": (66, 191), "semtimedop": (220, 192),
    "msgget": (68, 186), "msgsnd": (69, 189), "msgrcv": (70, 188), "msgctl": (71, 187), "mq_open": (240, 180),
    "mq_unlink": (241, 181), "vmsplice": (278, 75), "splice": (275, 76), "tee": (276, 77), "sendfile": (40, 71),
    "setxattr": (188, 5), "lsetxattr": (189, 6), "fsetxattr": (190, 7), "removexattr": (197, 14),
    "lremovexattr": (198, 15), "fremovexattr": (199, 16), "setxattrat": (463, 463), "removexattrat": (466, 466),
    "file_setattr": (469, 469), "add_key": (248, 217), "request_key": (249, 218), "keyctl": (250, 219),
    # use what a user, or the whole machine, has little of
    "io_setup": (206, 0), "inotify_init": (253, None), "inotify_init1": (294, 26), "fanotify_init": (300, 262),
    "fanotify_mark": (301, 263), "epoll_create": (213, None), "epoll_create1": (291, 20),
    # are large and often attacked
    "io_uring_setup": (425, 425), "io_uring_enter": (426, 426), "io_uring_register": (427, 427),
    "userfaultfd": (323, 282), "bpf": (321, 280), "seccomp": (317, 277), "modify_ldt": (154, None),
    "personality": (135, 92), "lookup_dcookie": (212, 18),
    # change namespaces and mounts
    "unshare": (272, 97), "setns": (308, 268), "mount": (165, 40), "umount2": (166, 39), "pivot_root": (155, 41),
    "chroot": (161, 51), "open_tree": (428, 428), "move_mount": (429, 429), "fsopen": (430, 430),
    "fsconfig": (431, 431), "fsmount": (432, 432), "fspick": (433, 433), "mount_setattr": (442, 442),
    "statmount": (457, 457), "listmount": (458, 458), "open_tree_attr": (467, 467), "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265), "quotactl": (179, 60), "quotactl_fd": (443, 443), "swapon": (167, 224),
    "swapoff": (168, 225),
    # change the machine
    "clock_settime": (227, 112), "settimeofday": (164, 170), "adjtimex": (159, 171), "clock_adjtime": (305, 266),
    "reboot": (169, 142), "kexec_load": (246, 104), "kexec_file_load": (320, 294), "init_module": (175, 105),
    "finit_module": (313, 273), "delete_module": (176, 106), "create_module": (174, None),
    "query_module": (178, None), "sethostname": (170, 161), "setdomainname": (171, 162), "acct": (163, 89),
    "syslog": (103, 116), "vhangup": (153, 58), "ioperm": (173, None), "iopl": (172, None), "uselib": (134, None),
    "sysfs": (139, None), "nfsservctl": (180, 42),
}  # fmt: skip
REJECTED = {name: CallNumbers(*numbers) for name, numbers in _REJECTED_CALLS.items()}

# Calls of which an argument decides.
CLONE, CLONE3 = CallNumbers(56, 220), CallNumbers(435, 435)
SOCKET, SOCKETPAIR = CallNumbers(41, 198), CallNumbers(53, 199)
IOCTL, FCNTL, SETSOCKOPT = CallNumbers(16, 29), CallNumbers(72, 25), CallNumbers(54, 208)
PRLIMIT64, MMAP = CallNumbers(302, 261), CallNumbers(9, 222)
SETPRIORITY, IOPRIO_SET = CallNumbers(141, 140), CallNumbers(251, 30)
SCHED_SETPARAM, SCHED_SETSCHEDULER = CallNumbers(142, 118), CallNumbers(144, 119)
SCHED_SETAFFINITY, SCHED_SETATTR = CallNumbers(203, 122), CallNumbers(314, 274)


def build_filter(architecture: AuditArchitecture) -> bytes:
    """Return the filter for `bwrap --seccomp`, an array of `struct sock_filter`."""
    program = [
        _load(_ARCHITECTURE),
        (_JUMP_EQUAL, 1, 0, architecture.value),
        _KILL_PROCESS,
        _load(_NUMBER),
        # The x32 calls (bit 30) are above the newest call as well.
        *_when(_JUMP_GREATER_EQUAL, _NEWEST_CALL + 1, [_reject(errno.ENOSYS)]),
        # A filter cannot see the flags of clone3, which are behind a pointer. The C library then falls back on clone.
        *_on_call(CLONE3, architecture, [_reject(errno.ENOSYS)]),
    ]
    for numbers in REJECTED.values():
        program += _on_call(numbers, architecture, [_reject()])
    program += _on_call(CLONE, architecture, [_argument(0), *_when(_JUMP_ANY_BIT, _NEW_NAMESPACES), _ALLOW])
    for numbers in (SOCKET, SOCKETPAIR):
        program += _on_call(numbers, architecture, [_argument(0), *_unless(_AF_UNIX), _ALLOW])
    # A process may change its own limits and scheduling (0), but not those of another.
    for numbers in (PRLIMIT64, SCHED_SETPARAM, SCHED_SETSCHEDULER, SCHED_SETAFFINITY, SCHED_SETATTR):
        program += _on_call(numbers, architecture, [_argument(0), *_unless(0), _ALLOW])
    for numbers, process in ((SETPRIORITY, _PRIO_PROCESS), (IOPRIO_SET, _IOPRIO_WHO_PROCESS)):
        own = [_argument(0), *_unless(process), _argument(1), *_unless(0), _ALLOW]
        program += _on_call(numbers, architecture, own)
    for numbers, index, rejected in (
        (IOCTL, 1, _REJECTED_REQUESTS),
        (FCNTL, 1, _REJECTED_COMMANDS),
        (SETSOCKOPT, 2, _REJECTED_SOCKET_OPTIONS),
    ):
        steps = [step for value in rejected for step in _when(_JUMP_EQUAL, value)]
        program += _on_call(numbers, architecture, [_argument(index), *steps, _ALLOW])
    # All shared memory without a file stays in use while one page of it is mapped, and nothing outside can count it.
    shared = _when(_JUMP_ANY_BIT, _MAP_ANONYMOUS, _when(_JUMP_ANY_BIT, _MAP_SHARED))
    program += _on_call(MMAP, architecture, [_argument(3), *_when(_JUMP_ANY_BIT, _MAP_HUGETLB), *shared, _ALLOW])
    program.append(_ALLOW)
    return _pack(program)


def this_architecture() -> AuditArchitecture:
    """Return the architecture of this machine; raises SandboxFailure."""
    try:
        return AuditArchitecture[platform.machine().upper()]
    except KeyError:
        names = ", ".join(architecture.name.lower() for architecture in AuditArchitecture)
        raise SandboxFailure(f"no system call table for {platform.machine()}: expected {names}") from None


type _Step = tuple[int, int, int, int]


def _pack(program: Iterable[_Step]) -> bytes:
    return b"".join(_INSTRUCTION.pack(*step) for step in program)


def _load(offset: int) -> _Step:
    return _LOAD, 0, 0, offset


def _argument(index: int) -> _Step:
    return _load(_ARGUMENTS + 8 * index)


def _reject(error: int = errno.EPERM) -> _Step:
    return _RETURN, 0, 0, _REJECT | error


def _when(operation: int, operand: int, then: list[_Step] | None = None) -> list[_Step]:
    then = then or [_reject()]
    return [(operation, 0, len(then), operand), *then]


def _unless(operand: int) -> list[_Step]:
    return [(_JUMP_EQUAL, 1, 0, operand), _reject()]


def _on_call(numbers: CallNumbers, architecture: AuditArchitecture, then: list[_Step]) -> list[_Step]:
    number = numbers.on(architecture)
    return [] if number is None else _when(_JUMP_EQUAL, number, then)
