"""The sandbox function behind a wall like Lambda's: what Lambda refuses is refused, what it lacks is missing.

The function is not process 1, starts with credentials in its environment, and talks to the runtime's interface on
127.0.0.1:9001. /var/task, /opt and all else are read-only, except 512 MiB of /tmp; there is no network and no /dev/shm.

Sources of what is refused: reports by people who ran into it, which `docs/sources.md` lists under "Lambda's wall".
"""

import errno
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Final

from sandbox import seccomp
from sandbox.bubblewrap import Sandbox, Wall
from sandbox.seccomp import CLONE3, REJECTED, AuditArchitecture, CallNumbers
from sandbox.view import PACKAGES_FOLDER, RUNNER, BindMount, find_interpreter, list_system

TASK: Final = "/var/task"
SITE_PACKAGES: Final = "/opt/python/lib/python3.13/site-packages"

_MIB: Final = 1 << 20
_CLONE_PARENT: Final = 0x8000
_TMP_MIB: Final = 512
_INIT: Final = Path(__file__).with_name("init.py")
_BOOTSTRAP: Final = Path(__file__).with_name("bootstrap.py")
# Users of Lambda report EPERM for these, or Lambda's user has no right to them.
_REPORTED: Final = {
    "prctl": CallNumbers(157, 167),
    "fallocate": CallNumbers(285, 47),
    **{
        name: REJECTED[name]
        for name in (
            *("ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "pidfd_getfd", "kcmp"),
            *("perf_event_open", "bpf", "userfaultfd", "seccomp", "personality"),
            *("io_uring_setup", "io_uring_enter", "io_uring_register"),
            *("add_key", "request_key", "keyctl"),
            *("unshare", "setns", "mount", "umount2", "pivot_root", "chroot", "open_tree", "move_mount", "fsopen"),
            *("fsconfig", "fsmount", "fspick", "mount_setattr", "name_to_handle_at", "open_by_handle_at"),
            *("quotactl", "swapon", "swapoff", "clock_settime", "settimeofday", "adjtimex", "clock_adjtime"),
            *("reboot", "kexec_load", "init_module", "finit_module", "delete_module", "sethostname", "acct", "syslog"),
        )
    },
}
# Nobody reports on these. The runner must do without them, too.
_UNKNOWN: Final = {
    "pidfd_open": CallNumbers(434, 434),
    "ioprio_get": CallNumbers(252, 31),
    "get_robust_list": CallNumbers(274, 100),
}
# Nothing suggests that Lambda refuses these.
_OTHERS: Final = {
    "getpriority": CallNumbers(140, 141),
    "sched_getscheduler": CallNumbers(145, 120),
    "sched_getparam": CallNumbers(143, 121),
    "listxattr": CallNumbers(194, 11),
}
# Lambda's kernel (5.10) is older than Landlock. No filter sees the flags of clone3, so one that refuses namespaces must
# refuse the call; only this error makes the C library use clone instead.
_MISSING: Final = {
    "landlock_create_ruleset": CallNumbers(444, 444),
    "landlock_add_rule": CallNumbers(445, 445),
    "landlock_restrict_self": CallNumbers(446, 446),
    "clone3": CLONE3,
}


def lambda_sandbox(
    *,
    allowed: Sequence[str] = (),
    refused: Sequence[str] = (),
    refuses_siblings: bool = False,
    timeout_seconds: float = 165,
    variables: Mapping[str, str] = MappingProxyType({}),
) -> Sandbox:
    """Return a sandbox whose runners are behind the wall, without a control group.

    Args:
        allowed: Calls that this wall lets through, as another Lambda might.
        refused: Calls of `_OTHERS` that it refuses as well.
        refuses_siblings: Whether it refuses `clone` with CLONE_PARENT; nobody reports on that.
        timeout_seconds: The function is ended if it takes longer; as long as template.yaml says.
        variables: Of the function, besides Lambda's own.
    """

    def view(*, files_mib: int, staged: bool, packages: Sequence[BindMount]) -> tuple[list[Path], list[str]]:
        del files_mib  # Lambda gives every function the same
        return _list_arguments(packages, timeout_seconds, variables, staged=staged)

    clone_flags = _CLONE_PARENT if refuses_siblings else 0
    rules = partial(build_rules, allowed=allowed, refused=refused, clone_flags=clone_flags)
    return Sandbox(group=lambda **_: None, wall=Wall(view=view, rules=rules))


def build_rules(
    architecture: AuditArchitecture, *, allowed: Sequence[str] = (), refused: Sequence[str] = (), clone_flags: int = 0
) -> bytes:
    """Return the filter of system calls."""
    others = {name: _OTHERS[name] for name in refused}
    denied = {name: numbers for name, numbers in (_REPORTED | _UNKNOWN | others).items() if name not in allowed}
    missing = {name: numbers for name, numbers in _MISSING.items() if name not in allowed}
    errors = dict.fromkeys(denied.values(), errno.EPERM) | dict.fromkeys(missing.values(), errno.ENOSYS)
    program = [seccomp._load(seccomp._NUMBER)]
    for numbers, error in errors.items():
        program += seccomp._on_call(numbers, architecture, [seccomp._reject(error)])
    flags = seccomp._when(seccomp._JUMP_ANY_BIT, seccomp._NEW_NAMESPACES | clone_flags)
    program += seccomp._on_call(seccomp.CLONE, architecture, [seccomp._argument(0), *flags, seccomp._ALLOW])
    return seccomp._pack([*program, seccomp._ALLOW])


def _list_arguments(
    packages: Sequence[BindMount], timeout_seconds: float, variables: Mapping[str, str], *, staged: bool
) -> tuple[list[Path], list[str]]:
    interpreter = find_interpreter()
    mounts = [
        *interpreter.mounts,
        BindMount(RUNNER, f"{TASK}/runner"),
        BindMount(_INIT, "/var/rapid/init.py"),
        BindMount(_BOOTSTRAP, "/var/runtime/bootstrap.py"),
        *(BindMount(mount.source, mount.target.replace(PACKAGES_FOLDER, SITE_PACKAGES)) for mount in packages),
    ]
    arguments = ["--unshare-all", "--uid", "993", "--gid", "990", "--new-session", "--die-with-parent", "--as-pid-1"]
    arguments += [*("--cap-drop", "ALL"), *list_system(interpreter, mounts, staged=staged)]
    arguments += ["--size", str(_MIB), "--tmpfs", "/dev"]
    for name in ("null", "zero", "full", "random", "urandom"):
        arguments += ["--dev-bind", f"/dev/{name}", f"/dev/{name}"]
    arguments += ["--remount-ro", "/dev", "--proc", "/proc"]
    arguments += ["--perms", "1777", "--size", str(_TMP_MIB * _MIB), "--tmpfs", "/tmp", "--remount-ro", "/"]  # noqa: S108 — in the view
    environment = {
        "PATH": "/usr/bin:/bin",
        "LANG": "C.UTF-8",
        "TZ": ":UTC",
        # Python's library, as Lambda's Python finds its own by /var/lang/lib.
        "LD_LIBRARY_PATH": f"{Path(interpreter.executable).parents[1] / 'lib'}:/var/task:/opt/lib",
        "PYTHONPATH": f"{TASK}:{SITE_PACKAGES}",
        "_HANDLER": "runner.lambda_handler",
        "LAMBDA_TASK_ROOT": TASK,
        "_LAMBDA_TELEMETRY_LOG_FD": "2",
        "AWS_LAMBDA_RUNTIME_API": "127.0.0.1:9001",
        "AWS_LAMBDA_FUNCTION_NAME": "laurel-prod-sandbox",
        **variables,
    }
    for name, value in environment.items():
        arguments += ["--setenv", name, value]
    init = [interpreter.executable, "-I", "/var/rapid/init.py", interpreter.executable, str(timeout_seconds)]
    return [mount.source for mount in mounts], [*arguments, "--chdir", TASK, "--", *init]
