# ruff: noqa: INP001  # it is shipped alone, as the whole of its function, and imported by nobody
"""Runs an owner's evaluation script on one result after another: one file, the standard library, nothing of ours.

Three kinds of process, each knowing less than the one before:

    supervisor   speaks the protocol (Lambda's handler, or JSON lines on stdin and stdout), reads, limits, kills, wipes
    zygote       a fresh interpreter with an empty environment: imports what the script names, compiles it, never runs
                 it, never sees a result; forks. Where that fails or lasts, it does without, and each run does it all
    run          one child for one result: own session and directory, limits, two pipes and nothing else; its parent is
                 the supervisor

In a Lambda the microVM is the wall around all three; on one machine it is bubblewrap, where the supervisor is process 1
of its own namespace and so cannot be killed, stopped or traced from inside. It is one file because that is how it is
shipped, which is why it is longer than others.
"""

from __future__ import annotations

import array
import ast
import base64
import contextlib
import ctypes
import enum
import errno
import gzip
import importlib.util
import itertools
import json
import os
import re
import resource
import selectors
import shutil
import signal
import socket
import stat
import struct
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import CodeType

STDOUT_BYTES = 1 << 20
STDERR_BYTES = 64 << 10
WARM_PACKAGES = ("numpy", "pandas", "scipy")
# Where Lambda's Python lies, it starts only if it is told where its own library is.
ENVIRONMENT = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8"} | {
    name: os.environ[name] for name in ("LD_LIBRARY_PATH",) if name in os.environ
}

_MIB = 1 << 20
_PAGE = resource.getpagesize()
_LOOK_EVERY_SECONDS = 0.05
_LOOKS = 4
_BETWEEN_LOOKS_SECONDS = 0.003
_START_SECONDS = 60.0
_WARM_CPU_SECONDS = 25
_READING_MIB = 192
_READY = b"ready"
_KILL_SECONDS = 5.0
_DRAIN_SECONDS = 2.0
_OPEN_FILES = 256
_OWN_PROCESSES = 8
_PENDING_SIGNALS = 256
_FAR_FUTURE_NS = 4 * 10**18
_SOCKETS_EACH = 4
_LOCKS_EACH = 64
_LOCKS_READ = 1 << 14
_INODE_BYTES = 1 << 10
_PR_SET_DUMPABLE = 4
_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER = 22, 2
_PR_SET_CHILD_SUBREAPER = 36
_PR_SET_NO_NEW_PRIVS = 38
_M_ARENA_MAX = -8
_IOPRIO_GET, _IOPRIO_OF_PROCESS = 252 if os.uname().machine == "x86_64" else 31, 1
_LIBC = ctypes.CDLL(None, use_errno=True)
# What is of a process alone, each page counted whole; and the same where pages that several share are divided by them.
_WHOLE = re.compile(r"^(?:RssAnon|RssShmem|VmSwap):\s+(\d+) kB", re.MULTILINE)
_DIVIDED = re.compile(r"^(?:Pss_Anon|Pss_Shmem|SwapPss):\s+(\d+) kB", re.MULTILINE)
_SOCKETS = re.compile(r"^sockets: used (\d+)$", re.MULTILINE)


class RunnerFault(Exception):
    """The runner itself cannot do its work; neither the script nor the result is to blame."""


class Ended(enum.StrEnum):
    """Why a run ended."""

    EXITED = "exited"
    SIGNALLED = "signalled"
    TIMED_OUT = "timed_out"
    STDOUT_FULL = "stdout_full"
    MEMORY_FULL = "memory_full"
    FILES_FULL = "files_full"


@dataclass(frozen=True, slots=True)
class Limits:
    """What one run may use.

    Args:
        timeout_seconds: Wall time.
        memory_mib: Memory of all its processes together, beyond what the warm interpreter holds.
        processes: Processes and threads at one time.
        files_mib: What it may write.
    """

    timeout_seconds: float = 30
    memory_mib: int = 512
    processes: int = 32
    files_mib: int = 64


@dataclass(frozen=True, slots=True)
class Bundle:
    """What all runs of one benchmark version share: the script, and its ground truth with the name of its file."""

    script: bytes
    truth: tuple[str, bytes] | None


@dataclass(frozen=True, slots=True)
class Result:
    """What one run reads: the bytes of a result, and the name of the file that holds them."""

    name: str
    content: bytes


@dataclass(slots=True)
class Outcome:
    """How one run ended and what it left."""

    ended: Ended = Ended.EXITED
    code: int | None = None
    signal: int | None = None
    stdout: bytearray = field(default_factory=bytearray)
    stderr: bytearray = field(default_factory=bytearray)
    stderr_dropped_bytes: int = 0
    seconds: float = 0.0
    peak_memory_bytes: int = 0
    spent: bool = False

    def to_json(self) -> dict[str, Any]:
        """Give the answer's JSON."""
        return {
            "ended": self.ended.value,
            "code": self.code,
            "signal": self.signal,
            "stdout": pack(self.stdout),
            "stderr": pack(self.stderr),
            "stderr_dropped_bytes": self.stderr_dropped_bytes,
            "seconds": self.seconds,
            "peak_memory_bytes": self.peak_memory_bytes,
            "spent": self.spent,
        }


class Places(NamedTuple):
    """Where the runner may write.

    Args:
        inputs: For what the script reads; under bubblewrap no run can write there.
        scratch: For what the script writes; emptied after every run.
        packages: Folders that join the import path.
    """

    inputs: str
    scratch: str
    packages: tuple[str, ...] = ()


class Supervisor:
    """Runs results of one benchmark version, until a run leaves it spent."""

    def __init__(self, places: Places, *, warm_cpu_seconds: int = _WARM_CPU_SECONDS) -> None:
        self._places = places
        self._warm_cpu_seconds = warm_cpu_seconds
        self._roots = [_Root(Path(folder)) for folder in sorted({places.scratch, places.inputs})]
        self._settings = _read_settings(os.getpid())
        self._ipc = _count_ipc()
        self._zygote: Zygote | None = None
        self._spent = False
        # Its memory and its environment are nobody's: no ptrace, no /proc/PID/environ, no /proc/PID/fd.
        _LIBC.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
        # A process that outlives its parent becomes a child of this one, and is found.
        _LIBC.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)

    def answer(self, event: dict[str, Any]) -> dict[str, Any]:
        """Run one event.

        Args:
            event: `script`, base64 of gzip; `result` and, optionally, `ground_truth`: {`name`, `content`}; `limits`
                as in `Limits`, each optional.

        Returns:
            An `Outcome` as JSON; or `{"refused": reason}` where this runner is spent; or `{"failure": reason}`.
        """
        if self._spent:
            return {"refused": "spent"}
        try:
            outcome = self.run(*_read_event(event))
        except (RunnerFault, OSError) as error:
            self._spent = True
            return {"failure": f"{type(error).__name__}: {error}", "spent": True}
        self._spent = outcome.spent
        return outcome.to_json()

    def warm(self, bundle: Bundle) -> Zygote:
        """Give the zygote of this bundle, started where there is none."""
        if self._zygote is not None and self._zygote.bundle != bundle:
            self._zygote.close()
            self._zygote = None
        if self._zygote is None:
            self._zygote = Zygote(bundle, self._places, warm_cpu_seconds=self._warm_cpu_seconds)
        return self._zygote

    def run(self, bundle: Bundle, result: Result, limits: Limits) -> Outcome:
        """Run the script on one result; afterwards none of its processes and files is left.

        Raises:
            RunnerFault: The run could not be started.
            OSError: Likewise.
        """
        zygote = self.warm(bundle)
        folder = tempfile.mkdtemp(prefix="result-", dir=self._places.inputs)
        path = Path(folder, result.name)
        path.write_bytes(result.content)
        path.chmod(0o444)
        before = _Before(self._places.scratch)
        work = tempfile.mkdtemp(prefix="run-", dir=before.path)
        pipes = os.pipe(), os.pipe()
        try:
            with contextlib.ExitStack() as writers:
                for _, writer in pipes:
                    writers.callback(os.close, writer)
                pid = zygote.start(str(path), work, limits, (pipes[0][1], pipes[1][1]))
            watch = _Watch(pid, zygote.pid, stdout=pipes[0][0], stderr=pipes[1][0], limits=limits, before=before)
            outcome = watch.follow()
        finally:
            left = _kill_descendants(besides=zygote.pid)
            os.close(pipes[0][0])
            os.close(pipes[1][0])
        wiped = [root.reset(besides=zygote.folder) for root in self._roots]
        outcome.spent = (
            outcome.ended is not Ended.EXITED
            or watch.survivors
            or left
            or not all(wiped)
            or not zygote.is_sound()
            or _read_settings(os.getpid()) != self._settings
            or _count_ipc() > self._ipc
        )
        return outcome


class Zygote:
    """The warm interpreter, seen from the supervisor.

    A script can be such that importing and compiling for it ends an interpreter, or takes more processor time than it
    has. That is no fault of the runner: it then starts a cold one, in which each run imports and compiles for itself,
    under its own limits. An interpreter that lives and only is not ready in time is a slow machine's.
    """

    def __init__(self, bundle: Bundle, places: Places, *, warm_cpu_seconds: int) -> None:
        self.bundle = bundle
        self.folder = Path(tempfile.mkdtemp(prefix="benchmark-", dir=places.inputs))
        files = {"evaluate.py": bundle.script}
        if bundle.truth is not None:
            name, content = bundle.truth
            if name == "evaluate.py":
                raise RunnerFault("the ground truth needs a file name other than evaluate.py")
            files[name] = content
        for name, content in files.items():
            path = self.folder / name
            path.write_bytes(content)
            path.chmod(0o444)
        self.folder.chmod(0o555)
        self._paths = [self.folder, *(self.folder / name for name in files)]
        for path in self._paths:
            # Reading moves an access time that lies before the last change, which a later run would see.
            os.utime(path, ns=(_FAR_FUTURE_NS, 0))
        self._marks = [_mark(path) for path in self._paths]
        if not self._launch(warm_cpu_seconds, places):
            self._end()
            if not self._launch(0, places):
                raise RunnerFault("the interpreter for scripts does not start")
        self.pid = self._process.pid
        self._settings = _read_settings(self.pid)

    def _launch(self, warm_cpu_seconds: int, places: Places) -> bool:
        """Start the interpreter, cold where it has no time to get warm, and return whether it survives its start.

        Raises:
            RunnerFault: It neither ended nor was ready in time.
        """
        self._control, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        arguments = [str(warm_cpu_seconds), str(its.fileno()), str(self._paths[1]), places.scratch, *places.packages]
        with its:
            self._process = subprocess.Popen(  # noqa: S603  # our own interpreter and file
                [sys.executable, "-I", str(Path(__file__).resolve()), "zygote", *arguments],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=[its.fileno()],
                cwd="/",
                env=ENVIRONMENT,
            )
        self._control.settimeout(_START_SECONDS)
        try:
            return self._control.recv(16) == _READY
        except TimeoutError as error:
            raise RunnerFault(f"the interpreter for scripts is not ready within {_START_SECONDS:g} s") from error

    def start(self, result: str, work: str, limits: Limits, outputs: tuple[int, int]) -> int:
        """Start one run and give its process id, once everything that limits it is in force.

        Raises:
            RunnerFault: It did not start.
        """
        order = json.dumps(
            [os.getpid(), result, work, limits.timeout_seconds, limits.memory_mib, limits.processes, limits.files_mib]
        )
        try:
            socket.send_fds(self._control, [order.encode()], list(outputs))
            answer = self._control.recv(4096).decode()
        except OSError as error:
            raise RunnerFault(f"the warm interpreter does not answer: {error}") from error
        if not answer.isdecimal():
            raise RunnerFault(answer or "the warm interpreter died")
        return int(answer)

    def is_sound(self) -> bool:
        """Say whether it lives, is not stopped, and its settings and files are untouched."""
        try:
            state = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()[0]
            unchanged = _read_settings(self.pid) == self._settings
            return state in "SRD" and unchanged and [_mark(path) for path in self._paths] == self._marks
        except OSError:
            return False

    def close(self) -> None:
        """End it and remove its files."""
        self._end()
        self.folder.chmod(0o755)
        shutil.rmtree(self.folder)

    def _end(self) -> None:
        self._process.kill()
        self._process.wait()
        self._control.close()


class _Before:
    """What was there before a run, of what its processes do not show: files, sockets, and locks of files."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._used = self._count_used()
        self._sockets = _count_sockets()
        self._locks = _count_locks()

    def written_bytes(self) -> int:
        """Return how much has been written since; a file without a name counts as well."""
        return self._count_used() - self._used

    def opened_sockets(self) -> int:
        """Return how many sockets have been opened since and still are."""
        return _count_sockets() - self._sockets

    def taken_locks(self) -> int:
        """Return how many locks of files have been taken since and still are."""
        return _count_locks() - self._locks

    def _count_used(self) -> int:
        figures = os.statvfs(self.path)
        # An empty file takes no block, and yet the kernel's memory.
        files = figures.f_files - figures.f_ffree
        return (figures.f_blocks - figures.f_bfree) * figures.f_frsize + files * _INODE_BYTES


class _Watch:
    """Follows one run until it has ended or must be ended."""

    def __init__(self, pid: int, zygote: int, *, stdout: int, stderr: int, limits: Limits, before: _Before) -> None:
        self._pid = pid
        self._zygote = zygote
        self._stdout = stdout
        self._stderr = stderr
        self._limits = limits
        self._before = before
        self._most_sockets = _SOCKETS_EACH * (limits.processes + _OWN_PROCESSES)
        self._most_locks = _LOCKS_EACH * (limits.processes + _OWN_PROCESSES)
        self._outcome = Outcome()
        self.survivors = False

    def follow(self) -> Outcome:
        """Read its output until it ends, a limit is passed or time is up; then kill what is left and read the rest."""
        outcome = self._outcome
        started = time.monotonic()
        pidfd = os.pidfd_open(self._pid)
        with selectors.DefaultSelector() as selector:
            for pipe in (self._stdout, self._stderr):
                os.set_blocking(pipe, False)
                selector.register(pipe, selectors.EVENT_READ)
            selector.register(pidfd, selectors.EVENT_READ)
            ended = self._read_until_end(selector, pidfd, started)
            outcome.seconds = time.monotonic() - started
            if ended is not None:
                os.kill(self._pid, signal.SIGKILL)
            self._collect(ended)
            os.close(pidfd)
            self.survivors = _kill_descendants(besides=self._zygote) and ended is None
            selector.unregister(pidfd)
            self._drain(selector)
        if len(outcome.stdout) > STDOUT_BYTES:
            del outcome.stdout[STDOUT_BYTES:]
            outcome.ended = Ended.STDOUT_FULL if outcome.ended is Ended.EXITED else outcome.ended
        return outcome

    def _read_until_end(self, selector: selectors.BaseSelector, pidfd: int, started: float) -> Ended | None:
        deadline = started + self._limits.timeout_seconds
        look = started + _LOOK_EVERY_SECONDS
        while True:
            now = time.monotonic()
            if now >= deadline:
                return Ended.TIMED_OUT
            if now >= look:
                if passed := self._passed_limit():
                    return passed
                look = time.monotonic() + _LOOK_EVERY_SECONDS
            ready = {key.fd for key, _ in selector.select(max(0.0, min(deadline, look) - now))}
            for pipe in ready - {pidfd}:
                if not self._read(pipe):
                    selector.unregister(pipe)
            if len(self._outcome.stdout) > STDOUT_BYTES:
                return Ended.STDOUT_FULL
            if pidfd in ready:
                return None

    def _read(self, pipe: int) -> bool:
        try:
            chunk = os.read(pipe, 1 << 16)
        except BlockingIOError:
            return True
        kept, cap = (
            (self._outcome.stdout, STDOUT_BYTES + 1) if pipe == self._stdout else (self._outcome.stderr, STDERR_BYTES)
        )
        room = cap - len(kept)
        kept += chunk[:room]
        if pipe == self._stderr:
            self._outcome.stderr_dropped_bytes += max(0, len(chunk) - room)
        return bool(chunk)

    def _drain(self, selector: selectors.BaseSelector) -> None:
        deadline = time.monotonic() + _DRAIN_SECONDS
        while selector.get_map() and (left := deadline - time.monotonic()) > 0:
            for key, _ in selector.select(left):
                if not self._read(key.fd):
                    selector.unregister(key.fd)

    def _collect(self, ended: Ended | None) -> None:
        _, status, usage = os.wait4(self._pid, 0)
        outcome = self._outcome
        outcome.peak_memory_bytes = max(outcome.peak_memory_bytes, usage.ru_maxrss * 1024)
        if ended is not None:
            outcome.ended = ended
        elif os.WIFSIGNALED(status):
            outcome.ended = Ended.SIGNALLED
            outcome.signal = os.WTERMSIG(status)
        else:
            outcome.code = os.WEXITSTATUS(status)

    def _passed_limit(self) -> Ended | None:
        used = sum(map(_own_bytes, _descendants(besides=self._zygote)))
        allowed = self._limits.memory_mib * _MIB
        for number in range(_LOOKS):
            if used <= allowed:
                break
            # A child that is about to become another program is its parent until then, memory and all.
            time.sleep(_BETWEEN_LOOKS_SECONDS if number else 0)
            # What a fork shares with the warm interpreter or with others is whole in the cheap figure, not in this one.
            used = sum(map(_proportional_bytes, _descendants(besides=self._zygote)))
        self._outcome.peak_memory_bytes = max(self._outcome.peak_memory_bytes, used)
        # What lies in sockets is in no process's memory, and what locks are made of neither, so they are few.
        if used > allowed or self._before.opened_sockets() > self._most_sockets:
            return Ended.MEMORY_FULL
        if self._before.taken_locks() > self._most_locks:
            return Ended.MEMORY_FULL
        if self._before.written_bytes() > self._limits.files_mib * _MIB:
            return Ended.FILES_FULL
        return None


def _read_event(event: dict[str, Any]) -> tuple[Bundle, Result, Limits]:
    try:
        truth = event.get("ground_truth")
        bundle = Bundle(
            script=unpack(event["script"]),
            truth=None if truth is None else (_file_name(truth["name"]), unpack(truth["content"])),
        )
        result = Result(name=_file_name(event["result"]["name"]), content=unpack(event["result"]["content"]))
        return bundle, result, Limits(**event.get("limits", {}))
    except (KeyError, TypeError, ValueError, EOFError, OSError) as error:
        raise RunnerFault(f"this event is none: {error!r}") from error


def _file_name(name: str) -> str:
    if name in {"", ".", ".."} or "/" in name or "\0" in name:
        raise RunnerFault("a file needs a plain name")
    return name


def pack(data: bytes | bytearray) -> str:
    """Give bytes as base64 of gzip."""
    return base64.b64encode(gzip.compress(data, compresslevel=1, mtime=0)).decode()


def unpack(text: str) -> bytes:
    """Give the bytes back."""
    return gzip.decompress(base64.b64decode(text, validate=True))


def _mark(path: Path) -> tuple[int, int, int, int]:
    # A script can set every time but ctime.
    found = path.lstat()
    return found.st_ino, found.st_mode, found.st_size, found.st_ctime_ns


class _Root:
    """A folder that is emptied after every run, but for what was in it before the first one."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._known = _names(path)
        self._marks = self._mark_known()
        self._own = self._mark_own()

    def reset(self, *, besides: Path) -> bool:
        """Empty the folder but for what is known in it, and return whether nothing of a run is left in it or on it."""
        try:
            own = {besides.name} if besides.parent.samefile(self._path) else set()
            emptied = _wipe(self._path, self._known | own)
            with contextlib.suppress(PermissionError):  # another user's folder, whose times no run can set either
                os.utime(self._path, ns=(0, 0))
            return emptied and self._mark_own() == self._own and self._mark_known() == self._marks
        except OSError:
            return False

    def _mark_known(self) -> dict[Path, tuple[int, int, int, int]]:
        tops = [self._path / name for name in self._known]
        return {path: _mark(path) for top in tops for path in (top, *top.rglob("*"))}

    def _mark_own(self) -> tuple[int, int, int, dict[str, bytes]]:
        """Return what outlives the wiping: its mode, its owners and its extended attributes."""
        found = self._path.stat()
        attributes = {}
        try:
            attributes = {name: os.getxattr(self._path, name) for name in os.listxattr(self._path)}
        except OSError as error:
            if error.errno != errno.ENOTSUP:
                raise
        return found.st_mode, found.st_uid, found.st_gid, attributes


def _read_settings(pid: int) -> tuple[int, int, int, set[int], int, str]:
    """Give what another process of the same user can change in a process, and what its forks inherit."""
    return (
        os.getpriority(os.PRIO_PROCESS, pid),
        os.sched_getscheduler(pid),
        os.sched_getparam(pid).sched_priority,
        os.sched_getaffinity(pid),
        _LIBC.syscall(_IOPRIO_GET, _IOPRIO_OF_PROCESS, pid),
        Path(f"/proc/{pid}/limits").read_text(),
    )


def _count_ipc() -> int:
    """Count System V memory, semaphores and queues: they outlive every process."""
    return sum(len(path.read_text().splitlines()) for path in Path("/proc/sysvipc").glob("*"))


def _count_sockets() -> int:
    """Return how many sockets this network namespace has, those on their way through other sockets included."""
    with contextlib.suppress(OSError):
        if found := _SOCKETS.search(Path("/proc/net/sockstat").read_text()):
            return int(found[1])
    return 0


def _count_locks() -> int:
    """Return how many locks of files there are, as far as this namespace shows them and not beyond what any run may."""
    try:
        with Path("/proc/locks").open(encoding="utf-8") as locks:
            return sum(1 for _ in itertools.islice(locks, _LOCKS_READ))
    except OSError:
        return 0


def _names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def _wipe(folder: Path, known: set[str]) -> bool:
    """Empty a folder but for what is known, and say whether that worked; no link is followed."""
    try:
        for name in _names(folder) - known:
            path = folder / name
            if not stat.S_ISDIR(path.lstat().st_mode):
                path.unlink()
                continue
            _open_up(path)
            shutil.rmtree(path)
    except (OSError, RecursionError):
        return False
    return True


def _open_up(folder: Path) -> None:
    # A folder that its owner may not read or enter cannot be emptied. Nothing of the run lives to swap it for a link.
    folder.chmod(0o700)
    for entry in os.scandir(folder):
        if entry.is_dir(follow_symlinks=False):
            _open_up(Path(entry.path))


def _descendants(*, besides: int) -> list[int]:
    """Give every living process below this one, but for one; what lost its parent hangs below this one directly."""
    children: dict[int, list[int]] = {}
    for name in _names(Path("/proc")):
        if name.isdecimal():
            with contextlib.suppress(OSError):
                fields = Path("/proc", name, "stat").read_text().rpartition(")")[2].split()
                state, parent, threads = fields[0], int(fields[1]), int(fields[17])
                # A process whose first thread has ended looks dead, but is not while it has others.
                if state not in "ZX" or threads > 1:
                    children.setdefault(parent, []).append(int(name))
    found = [pid for pid in children.get(os.getpid(), ()) if pid != besides]
    for pid in found:
        found.extend(children.get(pid, ()))
    return found


def _kill_descendants(*, besides: int) -> bool:
    """Kill every process below this one, but for one, and say whether there was any."""
    deadline = time.monotonic() + _KILL_SECONDS
    any_found = False
    while pids := _descendants(besides=besides):
        any_found = True
        if time.monotonic() > deadline:
            raise RunnerFault(f"{len(pids)} processes cannot be killed")
        if os.getpid() == 1:
            # All at once, in the kernel: no fork bomb outruns it. It takes the zygote along.
            pids = [-1]
        for number in (signal.SIGSTOP, signal.SIGKILL):
            for pid in pids:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, number)
        _reap(besides=besides)
    _reap(besides=besides)
    return any_found


def _reap(*, besides: int) -> None:
    with contextlib.suppress(ChildProcessError):
        while (found := os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)) and found.si_pid != besides:
            os.waitpid(found.si_pid, 0)


def _own_bytes(pid: int) -> int:
    """Give the memory of a process, what it shares included: never less than its part."""
    return _read_bytes(pid, "status", _WHOLE) or 0


def _proportional_bytes(pid: int) -> int:
    """Give a process's part of the memory that it uses."""
    found = _read_bytes(pid, "smaps_rollup", _DIVIDED)
    # A process can close this file to the supervisor, which then takes everything for the process's own.
    return _own_bytes(pid) if found is None else found


def _read_bytes(pid: int, name: str, amounts: re.Pattern[str]) -> int | None:
    # Where the first thread has ended, only the others still show the memory.
    folder = Path("/proc", str(pid))
    for one in itertools.chain([folder], folder.glob("task/*")):
        with contextlib.suppress(OSError):
            if found := amounts.findall(one.joinpath(name).read_text()):
                return sum(map(int, found)) * 1024
    return None


class _Order(NamedTuple):
    """One run, as the zygote is told of it."""

    supervisor: int
    result: str
    work: str
    timeout_seconds: float
    memory_mib: int
    processes: int
    files_mib: int


def keep_warm(control: socket.socket, script: str, scratch: str, packages: list[str], *, warm_cpu_seconds: int) -> None:
    """Be the zygote: import what the script names, then fork a run for each order until the supervisor is gone."""
    _LIBC.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
    # Else the C library puts by 64 MiB of address space for each thread of a run, which counts against its limit.
    with contextlib.suppress(AttributeError):  # a C library that does not, and has no such call
        _LIBC.mallopt(_M_ARENA_MAX, 1)
    sys.path += packages
    source = Path(script).read_bytes()
    code = _warm_up(source, script, warm_cpu_seconds) if warm_cpu_seconds else None
    walls = _Walls.build(scratch)
    _LIBC.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    _refuse_more_walls()
    control.send(_READY)
    while True:
        message, outputs, _, _ = socket.recv_fds(control, 4096, 2)
        if not message:
            return
        order = _Order(*json.loads(message))
        between = os.fork()
        if between == 0:
            if os.fork() == 0:
                _become_run(control, order, outputs, walls)
                _run_script(code, source, script, order.result)
            os._exit(0)
        os.waitpid(between, 0)
        for output in outputs:
            os.close(output)


def _warm_up(source: bytes, script: str, cpu_seconds: int) -> CodeType | None:
    """Import what the source names and compile it; what goes wrong beyond what Python foresees ends this process."""
    times = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (_within(times[1], cpu_seconds), times[1]))
    limits = resource.getrlimit(resource.RLIMIT_AS)
    bound = _within(limits[1], _held_bytes() + _READING_MIB * _MIB)
    resource.setrlimit(resource.RLIMIT_AS, (bound, limits[1]))
    named, code = _find_modules(source), _compile(source, script)
    resource.setrlimit(resource.RLIMIT_AS, limits)
    _import_all(named)
    resource.setrlimit(resource.RLIMIT_CPU, times)
    return code


def _find_modules(source: bytes) -> set[str]:
    """Return the packages worth keeping warm that the source names; the source is parsed, never run."""
    named = {name for name in WARM_PACKAGES if re.search(rb"\b" + name.encode() + rb"\b", source)}
    with contextlib.suppress(SyntaxError, ValueError, RecursionError, MemoryError):
        named.update(_modules_named(ast.parse(source)))
    return named


def _import_all(named: set[str]) -> None:
    # One thread: a fork carries no other over, and sums of the same numbers come out the same on every machine.
    threads = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
    os.environ.update(dict.fromkeys(threads, "1"))
    for name in sorted(named):
        with contextlib.suppress(ImportError):
            __import__(name)
    for name in threads:
        del os.environ[name]


def _modules_named(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        for name in names:
            if name.partition(".")[0] in WARM_PACKAGES and "__main__" not in name:
                yield name


def _compile(source: bytes, script: str) -> CodeType | None:
    with contextlib.suppress(SyntaxError, ValueError, RecursionError, MemoryError):
        return _compile_strictly(source, script)
    return None


def _compile_strictly(source: bytes, script: str) -> CodeType:
    # Decoded first, as Python does with a file: given bytes, compile() lets a wrong encoding pass in a comment.
    return compile(importlib.util.decode_source(source), script, "exec", dont_inherit=True)


class _Walls:
    """Landlock: a run may write in its scratch folder and nowhere else, its own script and input included.

    Where the kernel has none (before 5.13, and in a Lambda) `file` is None and nothing is walled in.
    """

    _CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446  # on every architecture
    _WRITE_FILE, _TRUNCATE = 1 << 1, 1 << 14
    # Removing, making and linking; reading and executing are not handled, so they stay free.
    _WRITES = _WRITE_FILE | sum(1 << bit for bit in range(4, 13))
    _DEVICES = 1 << 6 | 1 << 11
    _SINCE = ((2, 1 << 13), (3, _TRUNCATE))

    def __init__(self, file: int | None) -> None:
        self._file = file

    @classmethod
    def build(cls, scratch: str) -> _Walls:
        """Prepare the rules once; every run then puts them on."""
        version = _LIBC.syscall(cls._CREATE_RULESET, None, ctypes.c_size_t(0), 1)
        if version < 1:
            return cls(None)
        handled = cls._WRITES | sum(bit for since, bit in cls._SINCE if version >= since)
        rules = array.array("Q", [handled])
        file = _LIBC.syscall(cls._CREATE_RULESET, ctypes.c_char_p(rules.tobytes()), ctypes.c_size_t(8), 0)
        if file < 0:
            return cls(None)
        cls._allow(file, scratch, handled & ~cls._DEVICES)
        cls._allow(file, os.devnull, handled & (cls._WRITE_FILE | cls._TRUNCATE))
        return cls(file)

    @classmethod
    def _allow(cls, file: int, path: str, rights: int) -> None:
        beneath = os.open(path, os.O_PATH | os.O_CLOEXEC)
        rule = rights.to_bytes(8, sys.byteorder) + beneath.to_bytes(4, sys.byteorder)
        if _LIBC.syscall(cls._ADD_RULE, file, 1, ctypes.c_char_p(rule), 0) != 0:
            raise RunnerFault(f"no Landlock rule for {path}: {os.strerror(ctypes.get_errno())}")
        os.close(beneath)

    def put_on(self) -> None:
        """Restrict this process and all it will start, for good."""
        if self._file is not None and _LIBC.syscall(self._RESTRICT_SELF, self._file, 0) != 0:
            raise RunnerFault(f"no Landlock: {os.strerror(ctypes.get_errno())}")


def _refuse_more_walls() -> None:
    """Refuse the runs Landlock's rules and filters of calls: nothing counts the memory that they take.

    In a Lambda, where neither exists, this may be refused itself.
    """
    prctl = 157 if os.uname().machine == "x86_64" else 167
    steps = (
        (0x20, 0, 0, 0),  # load the call's number
        (0x15, 4, 0, 444),  # landlock_create_ruleset: refuse
        (0x15, 3, 0, 445),  # landlock_add_rule: refuse
        (0x15, 0, 3, prctl),  # anything but prctl: allow
        (0x20, 0, 0, 16),  # load its first argument
        (0x15, 0, 1, _PR_SET_SECCOMP),
        (0x06, 0, 0, 0x00050000 | errno.EPERM),
        (0x06, 0, 0, 0x7FFF0000),  # allow
    )
    program = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *step) for step in steps))
    head = ctypes.create_string_buffer(struct.pack("@HP", len(steps), ctypes.addressof(program)))
    if _LIBC.prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, head, 0, 0) != 0:
        error = ctypes.get_errno()
        if error not in {errno.EPERM, errno.EINVAL, errno.ENOSYS}:
            raise RunnerFault(f"no filter of calls: {os.strerror(error)}")


def _become_run(control: socket.socket, order: _Order, outputs: list[int], walls: _Walls) -> None:
    """Turn this fork into a run, tell the supervisor its process id, and let go of everything else."""
    try:
        os.setsid()
        while os.getppid() != order.supervisor:
            os.sched_yield()
        os.dup2(outputs[0], 1)
        os.dup2(outputs[1], 2)
        os.chdir(order.work)
        os.umask(0o077)
        _set_limits(order)
        walls.put_on()
        _LIBC.prctl(_PR_SET_DUMPABLE, 1, 0, 0, 0)
        control.send(str(os.getpid()).encode())
    except (OSError, ValueError, RunnerFault) as error:
        control.send(f"the run cannot be confined: {error!r}".encode())
        os._exit(1)
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))


def _set_limits(order: _Order) -> None:
    seconds = int(order.timeout_seconds) + 1
    for which, most in (
        (resource.RLIMIT_AS, _held_bytes() + order.memory_mib * _MIB),
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_FSIZE, order.files_mib * _MIB),
        (resource.RLIMIT_NPROC, order.processes + _OWN_PROCESSES),
        (resource.RLIMIT_NOFILE, _OPEN_FILES),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_MEMLOCK, 0),
        (resource.RLIMIT_MSGQUEUE, 0),
        (resource.RLIMIT_SIGPENDING, _PENDING_SIGNALS),
        (resource.RLIMIT_NICE, 0),
        (resource.RLIMIT_RTPRIO, 0),
    ):
        value = _within(resource.getrlimit(which)[1], most)
        resource.setrlimit(which, (value, value))


def _within(hard: int, most: int) -> int:
    return most if hard == resource.RLIM_INFINITY else min(most, hard)


def _held_bytes() -> int:
    """Return how much address space this process has."""
    return int(Path("/proc/self/statm").read_text().split()[0]) * _PAGE


def _run_script(code: CodeType | None, source: bytes, script: str, result: str) -> NoReturn:
    """Run the script as `python -I evaluate.py result.json` would, and end as Python ends."""
    main = type(sys)("__main__")
    main.__dict__.update(__file__=script, __builtins__=__builtins__)
    sys.modules["__main__"] = main
    sys.argv = [script, result]
    _seed_numpy()
    status = 0
    try:
        exec(code or _compile_strictly(source, script), main.__dict__)  # noqa: S102  # our purpose
    except SystemExit as request:
        status = _exit_status(request)
    except BaseException as error:  # noqa: BLE001  # Python's own last resort: print it and exit with 1
        own = error.__traceback__
        shown = error.with_traceback(own and own.tb_next)
        sys.excepthook(type(shown), shown, shown.__traceback__)
        status = 1
    _finish(status)


def _seed_numpy() -> None:
    # Forks would otherwise all draw the same "random" numbers; the standard library's generator sees to itself.
    if numpy_random := sys.modules.get("numpy.random"):
        numpy_random.seed()


def _exit_status(request: SystemExit) -> int:
    if request.code is None:
        return 0
    if isinstance(request.code, int):
        return request.code & 0xFF
    with contextlib.suppress(OSError, ValueError):
        sys.stderr.write(f"{request.code}\n")
    return 1


def _finish(status: int) -> NoReturn:
    """Join its threads, run what it registered for the end, flush; taking the modules apart would only cost time."""
    import atexit  # noqa: PLC0415  # only a run needs them
    import threading  # noqa: PLC0415

    try:
        threading._shutdown()  # type: ignore[attr-defined]  # noqa: SLF001  # what the interpreter calls at its end
        atexit._run_exitfuncs()  # noqa: SLF001  # likewise
    finally:
        for stream in (sys.stdout, sys.stderr):
            try:
                if stream is not None and not stream.closed:
                    stream.flush()
            except (OSError, ValueError):
                status = status or 120  # Python's own code for output that could not be written
        os._exit(status)


_supervisor: Supervisor | None = None


def lambda_handler(event: dict[str, Any], _context: object) -> dict[str, Any]:
    """Run one event in a Lambda; its microVM belongs to one tenant, and so to one benchmark version."""
    global _supervisor  # noqa: PLW0603  # what a warm function keeps
    if _supervisor is None:
        scratch = tempfile.gettempdir()
        packages = tuple(path for path in sys.path if path.startswith("/opt/"))
        _supervisor = Supervisor(Places(inputs=scratch, scratch=scratch, packages=packages))
    return _supervisor.answer(event)


def serve(places: Places) -> None:
    """Answer one event a line on stdin with one line on stdout, until stdin ends."""
    # Process 1 of a namespace is deaf to every signal from inside that it has no handler for; Python has one for this.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    supervisor = Supervisor(places)
    sys.stdout.write('{"ready": true}\n')
    sys.stdout.flush()
    for line in sys.stdin:
        sys.stdout.write(json.dumps(supervisor.answer(json.loads(line))) + "\n")
        sys.stdout.flush()


def main(arguments: list[str]) -> None:
    """Be what the command line says: `serve INPUTS SCRATCH …` or `zygote SECONDS CONTROL SCRIPT SCRATCH …`."""
    match arguments:
        case ["serve", inputs, scratch, *packages]:
            serve(Places(inputs, scratch, tuple(packages)))
        case ["zygote", seconds, control, script, scratch, *packages]:
            keep_warm(socket.socket(fileno=int(control)), script, scratch, packages, warm_cpu_seconds=int(seconds))
        case _:
            sys.exit("usage: runner.py serve INPUTS SCRATCH [PACKAGE_FOLDER …]")


if __name__ == "__main__":
    main(sys.argv[1:])
