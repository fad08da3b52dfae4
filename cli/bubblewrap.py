"""The sandbox on one machine: the runner inside bubblewrap, kept warm for each benchmark version."""

import contextlib
import json
import os
import select
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from types import TracebackType
from typing import IO, Any, Self

from cli.cgroup import Cgroup, make_cgroup
from cli.sandbox_view import STAGE, list_arguments
from cli.seccomp import build_filter, this_architecture
from scoring_core.errors import SandboxFailure
from scoring_core.script import Isolation, Parameters
from scoring_core.script_run import RunScript, ScriptEnd, ScriptEnded, ScriptRun, read_answer

ATTEMPTS = 2
MAX_IDLE = 4

_MIB = 1 << 20
# What the runner itself, the packages it keeps warm and the files in memory may hold beside a script's own memory.
_OWN_MEMORY_MIB = 384
_OWN_PROCESSES = 16
_START_SECONDS = 60.0
_END_SECONDS = 5.0
_MISSING = (
    "bubblewrap is not installed: `apt-get install bubblewrap` (or your system's package of that name), "
    "then benchmarks with an evaluation script can be scored on this machine"
)


class RunnerDiedError(SandboxFailure):
    """The runner ended, or fell silent, while a script ran: in all likelihood the script's doing."""


@dataclass(frozen=True, slots=True)
class _BenchmarkScript:
    """One benchmark version's script, ready to run."""

    sandbox: "Sandbox"
    tenant: str
    script: bytes
    ground_truth: tuple[str, bytes] | None
    parameters: Parameters

    def __call__(self, result: bytes, /, *, result_name: str = "result.json") -> ScriptEnd:
        name, truth = self.ground_truth or ("ground_truth", None)
        run = ScriptRun(
            script=self.script,
            result=result,
            limits=self.parameters.limits,
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
    _idle: OrderedDict[str, list["_Runner"]] = field(default_factory=OrderedDict, init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False)
    # `--die-with-parent` means the thread that started bubblewrap, so that thread lives as long as the sandbox.
    _starter: ThreadPoolExecutor = field(
        default_factory=lambda: ThreadPoolExecutor(max_workers=1, thread_name_prefix="sandbox"), init=False
    )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def for_benchmark(
        self, version: str, *, script: bytes, ground_truth: tuple[str, bytes] | None, parameters: Parameters
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
        runner = self._take(tenant, event)
        try:
            answer = runner.ask(event)
        except BaseException:
            runner.close()
            raise
        if keep and not answer.get("spent") and "refused" not in answer:
            self._put_back(tenant, runner)
        else:
            runner.close()
        return answer

    def close(self) -> None:
        """End every runner; nothing of them is left afterwards."""
        with self._lock:
            idle, self._idle = self._idle, OrderedDict()
        for runner in [one for runners in idle.values() for one in runners]:
            runner.close()
        self._starter.shutdown()

    def _take(self, tenant: str, event: Mapping[str, Any]) -> "_Runner":
        with self._lock:
            if self._idle.get(tenant):
                return self._idle[tenant].pop()
        if self.bubblewrap is None:
            raise SandboxFailure(_MISSING)
        return self._starter.submit(_Runner, self.bubblewrap, self.group, event.get("limits", {})).result()

    def _put_back(self, tenant: str, runner: "_Runner") -> None:
        with self._lock:
            self._idle.setdefault(tenant, []).append(runner)
            self._idle.move_to_end(tenant)
            surplus = []
            while sum(map(len, self._idle.values())) > MAX_IDLE:
                oldest = next(iter(self._idle))
                surplus.append(self._idle[oldest].pop(0))
                if not self._idle[oldest]:
                    del self._idle[oldest]
        for one in surplus:
            one.close()


class _Runner:
    """One runner in one bubblewrap, spoken to by JSON lines."""

    def __init__(self, bubblewrap: str, group: Callable[..., Cgroup | None], limits: Mapping[str, Any], /) -> None:
        defaults = Parameters().limits
        memory_mib = int(limits.get("memory_mib", defaults.memory_mib))
        files_mib = int(limits.get("files_mib", defaults.files_mib))
        processes = int(limits.get("processes", defaults.processes))
        self._buffer = b""
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115  # closed by close()
        self.cgroup = group(
            memory_bytes=(memory_mib + files_mib + _OWN_MEMORY_MIB) * _MIB, processes=processes + _OWN_PROCESSES
        )
        self._inside: int | None = None
        try:
            self._start(bubblewrap, files_mib)
        except BaseException:
            self.close()
            raise

    def ask(self, event: Mapping[str, Any]) -> dict[str, Any]:
        """Send an event and give the answer.

        Raises:
            RunnerDiedError: None came.
        """
        seconds = float(event.get("limits", {}).get("timeout_seconds", 0)) + _START_SECONDS
        try:
            self._input.write(json.dumps(event).encode() + b"\n")
            self._input.flush()
            answer: dict[str, Any] = json.loads(self._read_answer(seconds))
        except (OSError, EOFError, ValueError) as error:
            raise RunnerDiedError(f"the runner died while a script ran: {error}") from error
        return answer

    def close(self) -> None:
        """End everything in it at once, and wait until the kernel has."""
        process = getattr(self, "_process", None)
        if process is not None:
            # The whole group: until bubblewrap is done building, what it forked does not yet die with it.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            for stream in (process.stdin, process.stdout):
                with contextlib.suppress(OSError):  # what was buffered for a dead runner
                    stream.close()
        if self._inside is not None:
            select.select([self._inside], [], [], _END_SECONDS)
            os.close(self._inside)
            self._inside = None
        self._errors.close()
        if self.cgroup is not None:
            self.cgroup.remove()

    def _start(self, bubblewrap: str, files_mib: int) -> None:
        status, status_writer = os.pipe()
        gate, gate_writer = os.pipe()
        rules = _sealed(build_filter(this_architecture()))
        files = {"--json-status-fd": status_writer, "--block-fd": gate, "--seccomp": rules}
        command = _command(bubblewrap, files, files_mib)
        try:
            self._process = subprocess.Popen(  # noqa: S603  # bubblewrap, with arguments of our own
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                pass_fds=list(files.values()),
                # bwrap becomes process 1 of the sandbox: what it starts with is what /proc/1/environ shows.
                env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"},
                cwd="/",
                start_new_session=True,
            )
        finally:
            for number in files.values():
                os.close(number)
        try:
            inside = self._read_child(status)
            self._inside = os.pidfd_open(inside)
            self._enter_cgroup(inside)
            os.write(gate_writer, b"\n")
        finally:
            os.close(status)
            os.close(gate_writer)
        try:
            self._read_answer(_START_SECONDS)
        except (OSError, EOFError) as error:
            raise SandboxFailure(f"the runner did not start in the sandbox: {self._complaint()}") from error

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
        ready, _, _ = select.select([file], [], [], max(0.0, deadline - time.monotonic()))
        if not ready:
            raise TimeoutError(f"no answer within {seconds:g} s")
        chunks.append(os.read(file, 1 << 20))
        if not chunks[-1]:
            raise EOFError("it ended without an answer")
    line, _, rest = b"".join(chunks).partition(b"\n")
    return line, rest


def _sealed(content: bytes) -> int:
    """Give a descriptor from which this content can be read once."""
    reader, writer = os.pipe()
    os.write(writer, content)
    os.close(writer)
    return reader
