"""A control group for one sandbox, which limits its memory and processes together where the kernel allows it."""

import contextlib
import os
import re
import secrets
import time
from collections.abc import Iterator
from pathlib import Path

_ROOT = Path("/sys/fs/cgroup")
_RELEASE_SECONDS = 2.0
# Process id, start of that process, and a random part. The kernel reuses ids, but not together with the start.
_NAME = re.compile(r"laurel-(\d+)-(\d+)-[0-9a-f]{12}")


class Cgroup:
    """One group in each hierarchy that is needed: two in version 1, one in version 2."""

    def __init__(self, folders: list[Path]) -> None:
        self.folders = folders

    def add(self, pid: int) -> None:
        """Add a process and all that it will start; raises OSError."""
        for folder in self.folders:
            (folder / "cgroup.procs").write_text(str(pid))

    def remove(self) -> None:
        """Remove it once its last process has ended, or leave it to `make_cgroup`."""
        deadline = time.monotonic() + _RELEASE_SECONDS
        for folder in self.folders:
            while folder.exists() and time.monotonic() < deadline:
                with contextlib.suppress(OSError):
                    folder.rmdir()
                    break
                time.sleep(0.005)


def make_cgroup(*, memory_bytes: int, processes: int) -> Cgroup | None:
    """Make a group, and remove those beside it that ended processes left.

    Args:
        memory_bytes: For all processes, with their files in memory; swap does not extend it.
        processes: Processes and threads.

    Returns:
        None if this user may not make one; then only the runner itself limits memory.
    """
    name = f"laurel-{os.getpid()}-{_read_start(os.getpid())}-{secrets.token_hex(6)}"
    try:
        if (_ROOT / "memory").is_dir():
            return Cgroup(list(_make_version_1(name, memory_bytes=memory_bytes, processes=processes)))
        return Cgroup([_make_version_2(name, memory_bytes=memory_bytes, processes=processes)])
    except OSError:
        for controller in ("memory", "pids"):
            with contextlib.suppress(OSError):
                (_own_folder(controller) / name).rmdir()
        return None


def _make_version_1(name: str, *, memory_bytes: int, processes: int) -> Iterator[Path]:
    memory = _own_folder("memory") / name
    _remove_stale(memory.parent)
    memory.mkdir()
    (memory / "memory.limit_in_bytes").write_text(str(memory_bytes))
    with contextlib.suppress(FileNotFoundError):  # a kernel that does not count swap
        (memory / "memory.memsw.limit_in_bytes").write_text(str(memory_bytes))
    yield memory
    pids = _own_folder("pids") / name
    _remove_stale(pids.parent)
    pids.mkdir()
    (pids / "pids.max").write_text(str(processes))
    yield pids


def _make_version_2(name: str, *, memory_bytes: int, processes: int) -> Path:
    own = _own_folder("")
    # A group that holds processes cannot limit groups below it, so the new group mostly goes beside the own one.
    for parent in (own, own.parent):
        if not parent.is_relative_to(_ROOT):
            continue
        with contextlib.suppress(OSError):
            (parent / "cgroup.subtree_control").write_text("+memory +pids")
        _remove_stale(parent)
        folder = parent / name
        with contextlib.suppress(OSError):
            folder.mkdir()
            (folder / "memory.max").write_text(str(memory_bytes))
            (folder / "pids.max").write_text(str(processes))
            with contextlib.suppress(OSError):
                (folder / "memory.swap.max").write_text("0")
            return folder
        with contextlib.suppress(OSError):
            folder.rmdir()
    raise PermissionError("no control group may be made here")


def _remove_stale(parent: Path) -> None:
    """Remove the groups of ended processes; the kernel keeps a group that is in use."""
    for folder in parent.glob("laurel-*"):
        name = _NAME.fullmatch(folder.name)
        if name and _read_start(int(name[1])) != name[2]:
            with contextlib.suppress(OSError):
                folder.rmdir()


def _read_start(pid: int) -> str:
    """Return when a process was started, in ticks since boot; "" if there is none."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[19]
    except (FileNotFoundError, ProcessLookupError):
        return ""


def _own_folder(controller: str) -> Path:
    for line in Path("/proc/self/cgroup").read_text(encoding="utf-8").splitlines():
        _, controllers, path = line.split(":", 2)
        if controller in controllers.split(","):
            return _ROOT / controller / path.lstrip("/")
    raise FileNotFoundError(f"no hierarchy for {controller or 'version 2'}")
