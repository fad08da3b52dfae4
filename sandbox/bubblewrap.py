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
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from types import TracebackType
from typing import IO, Any, Self

from sandbox.cgroup import Cgroup, make_cgroup
from sandbox.runner_pool import RunnerDiedError, RunnerPool
from sandbox.seccomp import build_filter, this_architecture
from sandbox.view import STAGE, list_arguments
from scoring_core.errors import SandboxFailure
from scoring_core.scorers.script import Isolation, ScriptParameters
from scoring_core.scorers.script.run import RunScript, ScriptEnd, ScriptEnded, ScriptRun, read_answer

ATTEMPTS = 2

_MIB = 1 << 20
# What the runner itself, the packages it keeps warm and the files in memory may hold beside a script's own memory.
_OWN_MEMORY_MIB = 384
_OWN_PROCESSES = 16
_START_SECONDS = 60.0
# Beside a run's own time: its runner may wait so long for a warm interpreter, and once more for a cold one.
_AROUND_RUN_SECONDS = 150.0
_END_SECONDS = 5.0
_MISSING = (
    "bubblewrap is not installed: `apt-get install bubblewrap` (or your system's package of that name), "
    "then benchmarks with an evaluation script can be scored on this machine"
)


@dataclass(frozen=True, slots=True)
class _BenchmarkScript:
    """One benchmark version's script, ready to run."""

    sandbox: "Sandbox"
    tenant: str
    script: bytes
    ground_truth: tuple[str, bytes] | None
    parameters: ScriptParameters

    def __call__(self, result: bytes, /, *, result_name: str = "result.json") -> ScriptEnd:
        name, truth = self.ground_truth or ("ground_truth", None)
        run = ScriptRun(
            script=self.script,
            result=result,
            limits=self.parameters,
            ground_truth=truth,
            ground_truth_name=name,
            result_name=result_name,
        )
        event = run.to_event()
        for _ in range(ATTEMPTS):
            with contextlib.suppress(RunnerDiedError):
                answer = self.sandbox.invoke(self.tenant, event, keep=self.parameters.isolation is Isolation.SHARED)
                return read_answer(answer)
        return ScriptEnd(ended=ScriptEnded.RUNNER_DIED, spent=True)


@dataclass
class Sandbox:
    """Runs scripts, each benchmark version in runners of its own; a runner that reports itself spent is replaced.

    Safe to call from several threads: a runner takes one run at a time, and another is started where it is busy.

    Args:
        bubblewrap: The path of `bwrap`; None where it is not installed.
        group: Makes the control group of one runner, or gives None.
    """

    bubblewrap: str | None = field(default_factory=lambda: shutil.which("bwrap"))
    group: Callable[..., Cgroup | None] = make_cgroup
    # `--die-with-parent` means the thread that started bubblewrap, so that thread lives as long as the sandbox.
    _starter: ThreadPoolExecutor = field(
        default_factory=lambda: ThreadPoolExecutor(max_workers=1, thread_name_prefix="sandbox"), init=False
    )
    _pool: RunnerPool = field(init=False)

    def __post_init__(self) -> None:
        self._pool = RunnerPool(self._start)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def for_benchmark(
        self, version: str, *, script: bytes, ground_truth: tuple[str, bytes] | None, parameters: ScriptParameters
    ) -> RunScript:
        """Give what runs one benchmark's script.

        Args:
            version: The benchmark's version; runners are shared within it and never beyond it.
            script: The bytes of `evaluate.py`.
            ground_truth: File name and bytes of what lies beside it; None where nothing does.
            parameters: The benchmark's parameters.

        Returns:
            A call from a result to how the run ended. Where the runner dies twice with it, that is the script's end.
        """
        return _BenchmarkScript(self, version, script, ground_truth, parameters)

    def invoke(self, tenant: str, event: Mapping[str, Any], *, keep: bool = True) -> dict[str, Any]:
        """Run one event as the sandbox function of the cloud would.

        Args:
            tenant: Whose runner; what it keeps is never seen by another tenant.
            event: As `ScriptRun.to_event` gives it.
            keep: Whether the runner may serve this tenant again, unless it is spent.

        Returns:
            The runner's answer, as `read_answer` reads it.

        Raises:
            RunnerDiedError: The runner ended during the run.
            SandboxFailure: No runner could be started; the message says what is missing.
        """
        return self._pool.invoke(tenant, event, keep=keep)

    def close(self) -> None:
        """End every runner; a run that is still going on fails, and so does every later one."""
        self._pool.close()
        self._starter.shutdown()

    def _start(self, event: Mapping[str, Any]) -> "_Runner":
        if self.bubblewrap is None:
            raise SandboxFailure(_MISSING)
        try:
            starting = self._starter.submit(_Runner, self.bubblewrap, self.group, event.get("limits", {}))
        except RuntimeError as error:
            raise SandboxFailure("the sandbox is closed: no further script can be run in it") from error
        return starting.result()


class _Runner:
    """One runner in one bubblewrap, spoken to by JSON lines."""

    def __init__(self, bubblewrap: str, group: Callable[..., Cgroup | None], limits: Mapping[str, Any], /) -> None:
        defaults = ScriptParameters()
        memory_mib = int(limits.get("memory_mib", defaults.memory_mib))
        files_mib = int(limits.get("files_mib", defaults.files_mib))
        processes = int(limits.get("processes", defaults.processes))
        self._buffer = b""
        self._inside: int | None = None
        self._remains = contextlib.ExitStack()
        try:
            self._errors: IO[bytes] = self._remains.enter_context(tempfile.TemporaryFile())  # noqa: SIM115  # it is one
            self.cgroup = group(
                memory_bytes=(memory_mib + files_mib + _OWN_MEMORY_MIB) * _MIB, processes=processes + _OWN_PROCESSES
            )
            self._remains.callback(self._remove_cgroup)
            self._start(bubblewrap, files_mib)
        except BaseException:
            self.close()
            raise

    def ask(self, event: Mapping[str, Any]) -> dict[str, Any]:
        """Send an event and give the answer.

        Raises:
            RunnerDiedError: None came.
        """
        seconds = float(event.get("limits", {}).get("timeout_seconds", 0)) + _AROUND_RUN_SECONDS
        try:
            self._input.write(json.dumps(event).encode() + b"\n")
            self._input.flush()
            answer: dict[str, Any] = json.loads(self._read_answer(seconds))
        except (OSError, EOFError, ValueError) as error:
            raise RunnerDiedError(f"the runner died while a script ran: {error}") from error
        return answer

    def is_alive(self) -> bool:
        """Return whether its process 1 still lives."""
        return self._inside is not None and not _is_readable(self._inside, 0)

    def close(self) -> None:
        """End everything in it at once, and wait until the kernel has; one step that fails stops no other."""
        self._remains.close()

    def _start(self, bubblewrap: str, files_mib: int) -> None:
        with contextlib.ExitStack() as ours, contextlib.ExitStack() as theirs:
            status, status_writer = os.pipe()
            ours.callback(os.close, status)
            theirs.callback(os.close, status_writer)
            gate, gate_writer = os.pipe()
            ours.callback(os.close, gate_writer)
            theirs.callback(os.close, gate)
            rules = _sealed(build_filter(this_architecture()))
            theirs.callback(os.close, rules)
            files = {"--json-status-fd": status_writer, "--block-fd": gate, "--seccomp": rules}
            self._process = subprocess.Popen(  # noqa: S603  # bubblewrap, with arguments of our own
                _command(bubblewrap, files, files_mib),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                pass_fds=list(files.values()),
                # bwrap becomes process 1 of the sandbox: what it starts with is what /proc/1/environ shows.
                env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"},
                cwd="/",
                start_new_session=True,
            )
            self._remains.callback(self._end)
            theirs.close()
            inside = self._read_child(status)
            self._inside = os.pidfd_open(inside)
            self._enter_cgroup(inside)
            os.write(gate_writer, b"\n")
        try:
            self._read_answer(_START_SECONDS)
        except (OSError, EOFError) as error:
            raise SandboxFailure(f"the runner did not start in the sandbox: {self._complaint()}") from error

    def _end(self) -> None:
        # The whole group: until bubblewrap is done building, what it forked does not yet die with it.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        for stream in filter(None, (self._process.stdin, self._process.stdout)):
            with contextlib.suppress(OSError):  # what was buffered for a dead runner
                stream.close()
        if self._inside is not None:
            _is_readable(self._inside, _END_SECONDS)
            os.close(self._inside)

    def _remove_cgroup(self) -> None:
        if self.cgroup is not None:
            self.cgroup.remove()

    @property
    def _input(self) -> IO[bytes]:
        assert self._process.stdin is not None  # noqa: S101  # for the type checker: it was asked for
        return self._process.stdin

    def _read_child(self, status: int) -> int:
        """Give the process id of process 1, as bubblewrap reports it; a failure of its own reports none."""
        try:
            report, _ = _read_line(status, b"", _START_SECONDS)
            return int(json.loads(report)["child-pid"])
        except (OSError, EOFError, KeyError, ValueError) as error:
            raise SandboxFailure(f"bubblewrap could not build the sandbox: {self._complaint()}") from error

    def _enter_cgroup(self, pid: int) -> None:
        if self.cgroup is None:
            return
        try:
            self.cgroup.add(pid)
        except OSError:
            self.cgroup.remove()
            self.cgroup = None

    def _read_answer(self, seconds: float) -> bytes:
        assert self._process.stdout is not None  # noqa: S101  # for the type checker: it was asked for
        line, self._buffer = _read_line(self._process.stdout.fileno(), self._buffer, seconds)
        return line

    def _complaint(self) -> str:
        self._errors.seek(0)
        said = self._errors.read(4096).decode(errors="replace").strip()
        return said or "it gave no reason"


def _command(bubblewrap: str, files: Mapping[str, int], files_mib: int) -> list[str]:
    staged = os.geteuid() == 0
    sources, view = list_arguments(files_mib=files_mib, staged=staged)
    command = [bubblewrap, *(word for option, number in files.items() for word in (option, str(number))), *view]
    if not staged:
        return command
    stage = ["unshare", "--mount", "--propagation", "private", "sh", "-c", STAGE, "sh"]
    return [*stage, *map(str, sources), "--", *command]


def _read_line(file: int, buffered: bytes, seconds: float) -> tuple[bytes, bytes]:
    """Give one line and what was read beyond it; raises TimeoutError, or EOFError where the file ends before."""
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
    """Wait until a file can be read or has ended; the file of a process can be read once that has ended."""
    waiting = select.poll()
    waiting.register(file, select.POLLIN)
    return bool(waiting.poll(max(0.0, seconds) * 1000))


def _sealed(content: bytes) -> int:
    """Give a descriptor from which this content can be read once."""
    reader, writer = os.pipe()
    os.write(writer, content)
    os.close(writer)
    return reader
