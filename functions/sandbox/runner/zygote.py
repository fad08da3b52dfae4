"""The zygote, as the supervisor sees it."""

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

from runner.cleanup import fingerprint
from runner.kernel import read_settings
from runner.processes import Run, SiblingRun, WaitedRun, read_stat
from runner.protocol import SCRIPT_NAME, InputFile, RunLimits, RunnerFault, RunRequest, SandboxPaths, write_files

# Lambda's Python finds libpython only through LD_LIBRARY_PATH.
ENVIRONMENT = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8"} | {
    name: os.environ[name] for name in ("LD_LIBRARY_PATH",) if name in os.environ
}
_START_SECONDS = 60.0
_FAR_FUTURE_NS = 4 * 10**18


class Zygote:
    """The interpreter that forks the runs of one benchmark version.

    Importing and compiling for a script can end the interpreter or exceed its processor time. That is the script's
    fault: a cold zygote takes over, and each run imports and compiles under its own limits. An interpreter that lives
    but is not ready in time means a slow machine, which is a fault of the runner.
    """

    protections: dict[str, bool]
    """What it could set for itself and its runs."""
    waits: bool = False
    """Whether its last run was its own child, for which it waited, because `clone` refuses CLONE_PARENT here."""

    def __init__(self, files: list[InputFile], paths: SandboxPaths, *, warm_cpu_seconds: int) -> None:
        self.files = files
        self.folder = Path(tempfile.mkdtemp(prefix="benchmark-", dir=paths.inputs))
        written = write_files(files, self.folder)
        self._folders = [self.folder, *(path for path in self.folder.rglob("*") if path.is_dir())]
        self._written = [*self._folders, *written]
        for folder in self._folders:
            folder.chmod(0o555)
        for path in self._written:
            # Reading updates an access time that is older than the last change, and a later run would see that.
            os.utime(path, ns=(_FAR_FUTURE_NS, 0))
        self._fingerprints = [fingerprint(path) for path in self._written]
        if not self._launch(warm_cpu_seconds, paths):
            self._kill()
            if not self._launch(0, paths):
                raise RunnerFault("the interpreter for scripts does not start")
        self.pid = self._process.pid
        self._settings = read_settings(self.pid)

    def _launch(self, warm_cpu_seconds: int, paths: SandboxPaths) -> bool:
        """Start the interpreter, cold if it has no time, and return whether it lives."""
        self._control, remote = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        script = str(self.folder / SCRIPT_NAME)
        arguments = [str(warm_cpu_seconds), str(remote.fileno()), script, paths.scratch, *paths.packages]
        with remote:
            self._process = subprocess.Popen(  # noqa: S603  # our own interpreter and files
                [sys.executable, "-I", str(Path(__file__).resolve().parent), "zygote", *arguments],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=[remote.fileno()],
                cwd="/",
                env=ENVIRONMENT,
            )
        self._control.settimeout(_START_SECONDS)
        try:
            ready = self._control.recv(4096)
        except TimeoutError as error:
            raise RunnerFault(f"the interpreter for scripts is not ready within {_START_SECONDS:g} s") from error
        if ready:
            self.protections = json.loads(ready)
        return bool(ready)

    def start_run(self, result: str, work: str, limits: RunLimits, outputs: tuple[int, int]) -> Run:
        """Start one run; raises RunnerFault."""
        request = RunRequest(os.getpid(), result, work, limits)
        try:
            socket.send_fds(self._control, [json.dumps(request).encode()], list(outputs))
            answer = self._control.recv(4096).decode()
        except OSError as error:
            raise RunnerFault(f"the interpreter for scripts does not answer: {error}") from error
        try:
            pid, parent = json.loads(answer)
        except ValueError:
            raise RunnerFault(answer or "the interpreter for scripts died") from None
        self.waits = parent == self.pid
        return WaitedRun(pid, self._control) if self.waits else SiblingRun(pid)

    def is_sound(self) -> bool:
        """Return whether it runs, and nobody changed its settings and files."""
        try:
            return (
                read_stat(self.pid)[0] in "SRD"
                and read_settings(self.pid) == self._settings
                and [fingerprint(path) for path in self._written] == self._fingerprints
            )
        except OSError:
            return False

    def close(self) -> None:
        """Kill it and remove its files."""
        self._kill()
        for folder in self._folders:
            folder.chmod(0o755)
        shutil.rmtree(self.folder)

    def _kill(self) -> None:
        self._process.kill()
        self._process.wait()
        self._control.close()
