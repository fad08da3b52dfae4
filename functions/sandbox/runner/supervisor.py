"""The supervisor: runs results of one benchmark version until a run leaves it spent."""

import json
import os
import signal
import sys
import tempfile
from pathlib import Path
from typing import Any

from runner.cleanup import CleanFolder
from runner.kernel import KernelUsage, adopt_orphans, count_ipc, kill_descendants, read_settings, set_readable
from runner.monitor import RunMonitor
from runner.protocol import InputFile, RunLimits, RunnerFault, RunReport, RunStatus, SandboxPaths, read_event
from runner.zygote import Zygote

_WARM_CPU_SECONDS = 25


class Supervisor:
    """Runs results of one benchmark version, until a run leaves it spent."""

    def __init__(self, paths: SandboxPaths, *, warm_cpu_seconds: int = _WARM_CPU_SECONDS) -> None:
        self._paths = paths
        self._warm_cpu_seconds = warm_cpu_seconds
        self._folders = [CleanFolder(Path(folder)) for folder in sorted({paths.scratch, paths.inputs})]
        self._settings = read_settings(os.getpid())
        self._ipc = count_ipc()
        self._zygote: Zygote | None = None
        self._spent = False
        set_readable(readable=False)
        adopt_orphans()

    def answer(self, event: dict[str, Any]) -> dict[str, Any]:
        """Run one event.

        Args:
            event: `script`, base64 of gzip; `result` and, optionally, `ground_truth`: {`name`, `content`}; `limits`
                as in `RunLimits`, each optional.

        Returns:
            A `RunReport` as JSON, or `{"refused": reason}` if this runner is spent, or `{"failure": reason}`.
        """
        if self._spent:
            return {"refused": "spent"}
        try:
            report = self.run(*read_event(event))
        except (RunnerFault, OSError) as error:
            self._spent = True
            return {"failure": f"{type(error).__name__}: {error}", "spent": True}
        self._spent = report.spent
        return report.to_json()

    def run(self, files: list[InputFile], result: InputFile, limits: RunLimits) -> RunReport:
        """Run the script on one result, then remove all its processes and files.

        Raises:
            RunnerFault, OSError: The run could not be started or cleaned up.
        """
        zygote = self._get_zygote(files)
        path = result.write(tempfile.mkdtemp(prefix="result-", dir=self._paths.inputs))
        before = KernelUsage.read(self._paths.scratch)
        work = tempfile.mkdtemp(prefix="run-", dir=self._paths.scratch)
        (stdout, stdout_writer), (stderr, stderr_writer) = os.pipe(), os.pipe()
        try:
            try:
                pid = zygote.start_run(str(path), work, limits, (stdout_writer, stderr_writer))
            finally:
                os.close(stdout_writer)
                os.close(stderr_writer)
            monitor = RunMonitor(pid, zygote.pid, stdout, stderr, limits, self._paths.scratch, before)
            report = monitor.follow()
        finally:
            survived = kill_descendants(besides=zygote.pid)
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

    def _get_zygote(self, files: list[InputFile]) -> Zygote:
        if self._zygote is not None and self._zygote.files != files:
            self._zygote.close()
            self._zygote = None
        if self._zygote is None:
            self._zygote = Zygote(files, self._paths, warm_cpu_seconds=self._warm_cpu_seconds)
        return self._zygote


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
