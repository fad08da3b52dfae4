"""The supervisor: runs results of one benchmark version until a run leaves it spent."""

import json
import os
import resource
import signal
import sys
import tempfile
from pathlib import Path
from typing import Any

from runner.cleanup import CleanFolder
from runner.kernel import KernelUsage, close_process, count_ipc, read_settings
from runner.monitor import RunMonitor
from runner.processes import RunProcesses
from runner.protocol import (
    SCRIPT_NAME,
    InputFile,
    RunLimits,
    RunnerFault,
    RunReport,
    RunStatus,
    SandboxPaths,
    UnwritableFile,
    read_event,
)
from runner.zygote import Zygote

_WARM_CPU_SECONDS = 25
_PROBE_LIMITS = RunLimits(timeout_seconds=20)


class Supervisor:
    """Runs results of one benchmark version, until a run leaves it spent."""

    def __init__(self, paths: SandboxPaths, *, warm_cpu_seconds: int = _WARM_CPU_SECONDS) -> None:
        self._paths = paths
        self._warm_cpu_seconds = warm_cpu_seconds
        self._folders = [CleanFolder(Path(folder)) for folder in sorted({paths.scratch, paths.inputs})]
        self._settings = read_settings(os.getpid())
        self._ipc = count_ipc()
        self._zygote: Zygote | None = None
        self._spent = self._is_reported = False
        self._limits = _read_own_limits()
        self._processes = RunProcesses()
        self._is_closed = close_process()

    def answer(self, event: dict[str, Any]) -> dict[str, Any]:
        """Run one event.

        Args:
            event: `script`, base64 of gzip; `result` and, optionally, `ground_truth`: {`name`, `content`}; `modules`,
                a list of the same, further files beside the script; `run`, what `run.json` beside the result holds, if
                there is one, packed as the script; `limits` as in `RunLimits`, each optional; `fresh` if the run needs
                a new zygote. Or `{"self_test": true}` and nothing else.

        Returns:
            A `RunReport` as JSON, or `{"refused": reason}` if this runner is spent, or `{"failure": reason}`. Of a
            self-test `{"self_test": …}`, which is no answer to a run.
        """
        if self._spent:
            return {"refused": "spent"}
        try:
            if event == {"self_test": True}:
                return {"self_test": self.test_itself()}
            if event.get("fresh"):
                self._end_zygote()
            report = self.run(*read_event(event))
        except (RunnerFault, OSError) as error:
            if _read_own_limits() != self._limits:
                # The script took from this process what it needs for its work. Only its end puts that on the script.
                os._exit(1)
            self._spent = True
            return {"failure": f"{type(error).__name__}: {error}", "spent": True}
        self._spent = report.spent
        return report.to_json()

    def run(self, files: list[InputFile], inputs: list[InputFile], limits: RunLimits) -> RunReport:
        """Run the script on one result, then remove all its processes and files.

        The result is the first of the inputs, which lie in one folder. Raises RunnerFault or OSError if the run could
        not be started or cleaned up.
        """
        try:
            zygote = self._get_zygote(files)
        except UnwritableFile as error:  # whose owner gave the files: the script fails, not this runner
            return RunReport(code=1, stderr=bytearray(str(error).encode(errors="replace")))
        folder = tempfile.mkdtemp(prefix="result-", dir=self._paths.inputs)
        path, *_ = [file.write(folder) for file in inputs]
        before = KernelUsage.read(self._paths.scratch)
        work = tempfile.mkdtemp(prefix="run-", dir=self._paths.scratch)
        (stdout, stdout_writer), (stderr, stderr_writer) = os.pipe(), os.pipe()
        try:
            try:
                started = zygote.start_run(str(path), work, limits, (stdout_writer, stderr_writer))
            finally:
                os.close(stdout_writer)
                os.close(stderr_writer)
            monitor = RunMonitor(
                started, zygote.pid, stdout, stderr, limits, self._paths.scratch, before, self._processes
            )
            report = monitor.follow()
        finally:
            survived = self._processes.kill(besides=zygote.pid)
            os.close(stdout)
            os.close(stderr)
        clean = [folder.reset(besides=zygote.folder) for folder in self._folders]
        report.spent = (
            report.ended is not RunStatus.EXITED
            or monitor.survivors
            or survived
            or not all(clean)
            or not zygote.is_sound()
            or read_settings(os.getpid()) != self._settings
            or count_ipc() > self._ipc
        )
        return report

    def test_itself(self) -> dict[str, Any]:
        """Return what a run of the probe can do here, and how closed the others are.

        Nobody can ask Lambda beforehand, and it may change. The runner goes on without any of these. Raises
        RunnerFault or OSError if the probe could not be run.
        """
        files = [InputFile(SCRIPT_NAME, Path(__file__).with_name("probe.py").read_bytes())]
        report = self.run(files, [InputFile("result.json", b"{}")], _PROBE_LIMITS)
        self._spent = report.spent
        zygote = self._get_zygote(files)
        return {
            "kernel": os.uname().release,
            "process": os.getpid(),
            "alone": self._processes.is_alone,
            "closed": self._is_closed,
            "zygote": zygote.protections,
            "zygote_waits": zygote.waits,
            "run": _describe_run(report),
        }

    def _get_zygote(self, files: list[InputFile]) -> Zygote:
        if self._zygote is not None and self._zygote.files != files:
            self._end_zygote()
        if self._zygote is None:
            self._zygote = Zygote(files, self._paths, warm_cpu_seconds=self._warm_cpu_seconds)
            self._report_missing(self._zygote)
        return self._zygote

    def _end_zygote(self) -> None:
        if self._zygote is not None:
            self._zygote.close()
            self._zygote = None

    def _report_missing(self, zygote: Zygote) -> None:
        """Log, once, which protections are refused here."""
        protections = {"supervisor closed": self._is_closed} | zygote.protections
        missing = [name for name, is_set in protections.items() if not is_set]
        if missing and not self._is_reported:
            sys.stderr.write(json.dumps({"message": "protections of runs are refused here", "missing": missing}) + "\n")
        self._is_reported = True


def _read_own_limits() -> list[tuple[int, int]]:
    names = sorted(name for name in dir(resource) if name.startswith("RLIMIT_"))
    return [resource.getrlimit(getattr(resource, name)) for name in names]


def serve(inputs: str, scratch: str, packages: tuple[str, ...]) -> None:
    """Answer each line on stdin, an event, with one line on stdout."""
    # Process 1 of a namespace ignores every signal from inside for which it has no handler. Python installs one for
    # SIGINT, with which a script could interrupt the supervisor.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    supervisor = Supervisor(SandboxPaths(inputs, scratch, packages))
    sys.stdout.write('{"ready": true}\n')
    sys.stdout.flush()
    for line in sys.stdin:
        sys.stdout.write(json.dumps(supervisor.answer(json.loads(line))) + "\n")
        sys.stdout.flush()


def _describe_run(report: RunReport) -> dict[str, Any]:
    """Return how the probe's run ended, and what it found."""
    ended = {"ended": report.ended.value, "code": report.code, "spent": report.spent}
    try:
        return ended | {"protections": json.loads(report.stdout)}
    except ValueError:
        return ended | {"stderr": report.stderr.decode(errors="replace")}
