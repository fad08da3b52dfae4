"""What the zygote asks of the kernel for its runs: Landlock, and a filter of system calls."""

import array
import ctypes
import errno
import os
import struct
import sys

from runner.kernel import IS_X86_64, LIBC
from runner.protocol import RunnerFault

_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER = 22, 2
_PR_SET_NO_NEW_PRIVS = 38
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446  # on every architecture
_WRITE_FILE, _TRUNCATE = 1 << 1, 1 << 14
# Writing, removing, creating and linking. Reading and executing are not handled, so they stay allowed.
_WRITES = _WRITE_FILE | sum(1 << bit for bit in range(4, 13))
_DEVICES = 1 << 6 | 1 << 11
# Rights by the version of Landlock that introduced them.
_SINCE = ((2, 1 << 13), (3, _TRUNCATE))


def build_rules(scratch: str) -> int | None:
    """Prepare Landlock's rules once, for every run, and return their file.

    They allow a run to write in its scratch folder only. Without Landlock in the kernel (before 5.13, and in a Lambda)
    it is None, and nothing is restricted.
    """
    version = LIBC.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), 1)
    if version < 1:
        return None
    handled = _WRITES | sum(right for since, right in _SINCE if version >= since)
    rights = array.array("Q", [handled])
    rules: int = LIBC.syscall(_CREATE_RULESET, ctypes.c_char_p(rights.tobytes()), ctypes.c_size_t(8), 0)
    if rules < 0:
        return None
    _allow(rules, scratch, handled & ~_DEVICES)
    _allow(rules, os.devnull, handled & (_WRITE_FILE | _TRUNCATE))
    return rules


def _allow(rules: int, path: str, rights: int) -> None:
    beneath = os.open(path, os.O_PATH | os.O_CLOEXEC)
    rule = rights.to_bytes(8, sys.byteorder) + beneath.to_bytes(4, sys.byteorder)
    if LIBC.syscall(_ADD_RULE, rules, 1, ctypes.c_char_p(rule), 0) != 0:
        raise RunnerFault(f"no Landlock rule for {path}: {os.strerror(ctypes.get_errno())}")
    os.close(beneath)


def restrict(rules: int | None) -> None:
    """Restrict this process and all its children, for good."""
    if rules is not None and LIBC.syscall(_RESTRICT_SELF, rules, 0) != 0:
        raise RunnerFault(f"no Landlock: {os.strerror(ctypes.get_errno())}")


def forbid_new_privileges() -> bool:
    """Keep this process and its children from gaining rights by what they execute.

    Return whether the kernel does so.
    """
    return bool(LIBC.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0)


def reject_rules_and_filters() -> bool:
    """Reject further Landlock rules and call filters, whose memory no process shows.

    Return whether the kernel does so. In a Lambda, which has neither, it may reject this filter too.
    """
    prctl = 157 if IS_X86_64 else 167
    steps = (
        (0x20, 0, 0, 0),  # load the call's number
        (0x15, 4, 0, 444),  # landlock_create_ruleset: reject
        (0x15, 3, 0, 445),  # landlock_add_rule: reject
        (0x15, 0, 3, prctl),  # anything but prctl: allow
        (0x20, 0, 0, 16),  # load its first argument
        (0x15, 0, 1, _PR_SET_SECCOMP),
        (0x06, 0, 0, 0x00050000 | errno.EPERM),
        (0x06, 0, 0, 0x7FFF0000),  # allow
    )
    program = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *step) for step in steps))
    head = ctypes.create_string_buffer(struct.pack("@HP", len(steps), ctypes.addressof(program)))
    if LIBC.prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, head, 0, 0) == 0:
        return True
    error = ctypes.get_errno()
    if error not in {errno.EPERM, errno.EINVAL, errno.ENOSYS}:
        raise RunnerFault(f"no filter of calls: {os.strerror(error)}")
    return False
