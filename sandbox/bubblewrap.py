"""The sandbox on one machine: the runner inside bubblewrap, kept warm for each benchmark version."""

import contextlib
import json
import os
import select
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any, NamedTuple, Self

from sandbox.cgroup import Cgroup, make_cgroup
from sandbox.runner_pool import RunnerDiedError, RunnerPool
from sandbox.runtimes import find_mounts
from sandbox.seccomp import AuditArchitecture, build_filter, this_architecture
from sandbox.view import RESULTS, STAGE, BindMount, list_arguments
from scoring_core.errors import SandboxFailure
from scoring_core.runtimes import DEFAULT_RUNTIME
from scoring_core.scorers.script.run import (
    ScriptEnd,
    ScriptEnded,
    ScriptParameters,
    ScriptRun,
    ScriptSandbox,
    read_answer,
)

ATTEMPTS = 2

_INSTALL = "`apt-get install bubblewrap` (or your system's package of that name)"
_TRIAL_SECONDS = 10
# What a runner needs: namespaces of its own, and its own /proc, which a container may not mount.
_TRIAL = ("--unshare-all", "--ro-bind", "/", "/", "--proc", "/proc", "true")

_MIB = 1 << 20
# Memory of the runner and of the packages that it keeps warm, in addition to what a script may use.
_OWN_MEMORY_MIB = 384
_OWN_PROCESSES = 16
_START_SECONDS = 60.0
# In addition to a run's own time: its runner may wait 60 s for a warm zygote, and once more for a cold one.
_AROUND_RUN_SECONDS = 150.0
_END_SECONDS = 5.0
_MISSING = (
    f"bubblewrap is not installed: {_INSTALL}, then benchmarks with an evaluation script can be scored on this machine"
)


class Wall(NamedTuple):
    """What surrounds a runner.

    Args:
        view: Returns the files to mount and the arguments of bubblewrap, as `list_arguments` does.
        rules: Returns the filter of system calls.
    """

    view: Callable[..., tuple[list[Path], list[str]]] = list_arguments
    rules: Callable[[AuditArchitecture], bytes] = build_filter


BUBBLEWRAP = Wall()


@dataclass
class Sandbox(ScriptSandbox):
    """Runs the scripts of each benchmark version in runners of its own, and replaces a runner that is spent.

    Safe to call from several threads: a runner takes one run at a time, and another one is started if it is busy.

    Args:
        bubblewrap: The path of `bwrap`; None if it is not installed.
        group: Makes the control group of one runner, or returns None.
        wall: What surrounds each runner.
        results: The folder of results that are too large for an event; scripts may read them there.
    """

    bubblewrap: str | None = field(default_factory=lambda: shutil.which("bwrap"))
    group: Callable[..., Cgroup | None] = make_cgroup
    wall: Wall = BUBBLEWRAP
    results: Path | None = None
    # `--die-with-parent` means the thread that started bubblewrap, so that thread must live as long as the sandbox.
    _starter: ThreadPoolExecutor = field(
        default_factory=lambda: ThreadPoolExecutor(max_workers=1, thread_name_prefix="sandbox"), init=False
    )
    _pool: RunnerPool = field(init=False)

    def __post_init__(self) -> None:
        self._pool = RunnerPool(self._start)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def run(self, run: ScriptRun, *, version: str) -> ScriptEnd:
        """Run a script once; only the runs of a version share runners.

        Raises SandboxFailure.
        """
        event = replace(run, result=self._show(run.result)).to_event()
        for _ in range(ATTEMPTS):
            with contextlib.suppress(RunnerDiedError):
                return read_answer(self.invoke(version, event, keep=not run.fresh))
        return ScriptEnd(ended=ScriptEnded.RUNNER_DIED, spent=True)

    def invoke(self, tenant: str, event: Mapping[str, Any], *, keep: bool = True) -> dict[str, Any]:
        """Run one event in a runner of this tenant: see `RunnerPool.invoke`."""
        return self._pool.invoke(tenant, event, keep=keep)

    def close(self) -> None:
        """End every runner; present and later runs fail."""
        self._pool.close()
        self._starter.shutdown()

    def _show(self, result: bytes | Path) -> bytes | Path:
        """Return where a script finds a file of `results`."""
        return Path(RESULTS, result.name) if isinstance(result, Path) else result

    def _start(self, event: Mapping[str, Any]) -> "SandboxRunner":
        if self.bubblewrap is None:
            raise SandboxFailure(_MISSING)
        packages = [*find_mounts(event.get("runtime", DEFAULT_RUNTIME))]
        packages += [BindMount(self.results, RESULTS)] if self.results else []
        limits = event.get("limits", {})
        try:
            starting = self._starter.submit(SandboxRunner, self.bubblewrap, self.group, self.wall, packages, limits)
        except RuntimeError as error:
            raise SandboxFailure("the sandbox is closed: no further script can be run in it") from error
        return starting.result()


class SandboxRunner:
    """One runner in one bubblewrap, which reads and writes JSON lines."""

    def __init__(
        self,
        bubblewrap: str,
        group: Callable[..., Cgroup | None],
        wall: Wall,
        packages: Sequence[BindMount],
        limits: Mapping[str, Any],
        /,
    ) -> None:
        defaults = ScriptParameters()
        memory_mib = int(limits.get("memory_mib", defaults.memory_mib))
        files_mib = int(limits.get("files_mib", defaults.files_mib))
        processes = int(limits.get("processes", defaults.processes))
        self._buffer = b""
        self._inside: int | None = None
        self._cleanup = contextlib.ExitStack()
        try:
            self._errors: IO[bytes] = self._cleanup.enter_context(tempfile.TemporaryFile())  # noqa: SIM115  # it is one
            self._cgroup = group(
                memory_bytes=(memory_mib + files_mib + _OWN_MEMORY_MIB) * _MIB, processes=processes + _OWN_PROCESSES
            )
            if self._cgroup is not None:
                self._cleanup.callback(self._cgroup.remove)
            self._start(bubblewrap, wall, packages, files_mib)
        except BaseException:
            self.close()
            raise

    def ask(self, event: Mapping[str, Any]) -> dict[str, Any]:
        """Send an event and return the answer; raises RunnerDiedError if none comes."""
        seconds = float(event.get("limits", {}).get("timeout_seconds", 0)) + _AROUND_RUN_SECONDS
        try:
            self._input.write(json.dumps(event).encode() + b"\n")
            self._input.flush()
            answer: dict[str, Any] = json.loads(self._read_answer(seconds))
        except (OSError, EOFError, ValueError) as error:
            raise RunnerDiedError(f"the runner died while a script ran: {error}") from error
        return answer

    def is_alive(self) -> bool:
        """Return whether its process 1 is alive."""
        return self._inside is not None and not _is_readable(self._inside, 0)

    def close(self) -> None:
        """Kill everything in it, and wait for its end."""
        self._cleanup.close()

    def _start(self, bubblewrap: str, wall: Wall, packages: Sequence[BindMount], files_mib: int) -> None:
        with contextlib.ExitStack() as own, contextlib.ExitStack() as passed:
            status, status_writer = os.pipe()
            own.callback(os.close, status)
            passed.callback(os.close, status_writer)
            gate, gate_writer = os.pipe()
            own.callback(os.close, gate_writer)
            passed.callback(os.close, gate)
            rules, rules_writer = os.pipe()
            passed.callback(os.close, rules)
            with os.fdopen(rules_writer, "wb") as writer:
                writer.write(wall.rules(this_architecture()))
            files = {"--json-status-fd": status_writer, "--block-fd": gate, "--seccomp": rules}
            command = _command(bubblewrap, wall, files, packages, files_mib)
            # bwrap becomes process 1 of the sandbox, so scripts see this environment in /proc/1/environ.
            self._launch(command, environment={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}, files=list(files.values()))
            passed.close()
            inside = self._find_child(status)
            if self._cgroup is not None:
                with contextlib.suppress(OSError):  # then only the runner itself limits memory
                    self._cgroup.add(inside)
            with contextlib.suppress(BrokenPipeError):  # it died since; there will be no answer
                os.write(gate_writer, b"\n")
        self._await_ready()

    def _launch(self, command: Sequence[str], *, environment: Mapping[str, str], files: Sequence[int] = ()) -> None:
        self._process = subprocess.Popen(  # noqa: S603  # our own arguments, or the command of an owner
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            pass_fds=files,
            env=environment,
            cwd="/",
            start_new_session=True,
        )
        assert self._process.stdin is not None  # noqa: S101  # for the type checker
        assert self._process.stdout is not None  # noqa: S101  # likewise
        self._input, self._output = self._process.stdin, self._process.stdout
        self._cleanup.callback(self._end)

    def _await_ready(self) -> None:
        try:
            while b'"ready"' not in self._read_answer(_START_SECONDS):
                pass  # what a container prints before
        except (OSError, EOFError) as error:
            raise SandboxFailure(f"the runner did not start in the sandbox: {self._read_errors()}") from error

    def _end(self) -> None:
        # Kill the whole group: until bubblewrap has built the sandbox, its children do not die with it.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        for stream in (self._input, self._output):
            with contextlib.suppress(OSError):  # an event still buffered for a dead runner
                stream.close()
        if self._inside is not None:
            _is_readable(self._inside, _END_SECONDS)
            os.close(self._inside)

    def _find_child(self, status: int) -> int:
        """Find process 1 of the sandbox, which bubblewrap reports, and return its id."""
        try:
            report, _ = _read_line(status, b"", _START_SECONDS)
            inside = int(json.loads(report)["child-pid"])
            self._inside = os.pidfd_open(inside)
        except (OSError, EOFError, KeyError, ValueError) as error:
            raise SandboxFailure(f"bubblewrap could not build the sandbox: {self._read_errors()}") from error
        return inside

    def _read_answer(self, seconds: float) -> bytes:
        line, self._buffer = _read_line(self._output.fileno(), self._buffer, seconds)
        return line

    def _read_errors(self) -> str:
        self._errors.seek(0)
        return self._errors.read(4096).decode(errors="replace").strip() or "it gave no reason"


def _command(
    bubblewrap: str, wall: Wall, files: Mapping[str, int], packages: Sequence[BindMount], files_mib: int
) -> list[str]:
    staged = os.geteuid() == 0
    sources, view = wall.view(files_mib=files_mib, staged=staged, packages=packages)
    command = [bubblewrap, *(word for option, number in files.items() for word in (option, str(number))), *view]
    if not staged:
        return command
    stage = ["unshare", "--mount", "--propagation", "private", "sh", "-c", STAGE, "sh"]
    return [*stage, *map(str, sources), "--", *command]


def _read_line(file: int, buffered: bytes, seconds: float) -> tuple[bytes, bytes]:
    """Return one line and what follows it; raises TimeoutError or EOFError."""
    deadline = time.monotonic() + seconds
    chunks = [buffered]
    while b"\n" not in chunks[-1]:
        if not _is_readable(file, deadline - time.monotonic()):
            raise TimeoutError(f"no answer within {seconds:g} s")
        chunks.append(os.read(file, 1 << 20))
        if not chunks[-1]:
            raise EOFError("it ended without an answer")
    line, _, rest = b"".join(chunks).partition(b"\n")
    return line, rest


def _is_readable(file: int, seconds: float) -> bool:
    """Wait until a file can be read or has ended, or the process of a pidfd has."""
    poll = select.poll()
    poll.register(file, select.POLLIN)
    return bool(poll.poll(max(0.0, seconds) * 1000))


def find_unsupported() -> dict[str, str]:
    """Return the scorers that cannot work on this machine: scorer → why."""
    unsupported = {}
    if reason := explain_missing_sandbox():
        unsupported["script"] = reason
    if find_spec("scipy") is None:
        unsupported["iqa_fusion"] = "scipy is not installed: install the package as `laurel[science]`"
    return unsupported


def explain_missing_sandbox() -> str | None:
    """Return why no script can run here, and what to do; None if scripts can run."""
    program = shutil.which("bwrap")
    if program is None:
        return f"bubblewrap is not installed: {_INSTALL}"
    try:
        done = subprocess.run(  # noqa: S603  # a constant command
            [program, *_TRIAL], capture_output=True, text=True, timeout=_TRIAL_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"bubblewrap does not start: {error}"
    if done.returncode != 0:
        reason = done.stderr.strip() or f"exit code {done.returncode}"
        return f"bubblewrap cannot isolate: {reason}; allow user namespaces on this machine, or to this container"
    return None
