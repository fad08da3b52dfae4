"""What the runner is asked and what it answers: JSON, in which bytes are base64 of gzip."""

import base64
import enum
import errno
import gzip
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, Self

SCRIPT_NAME = "evaluate.py"
RUN_NAME = "run.json"
_UNWRITABLE = frozenset(
    {errno.EEXIST, errno.EILSEQ, errno.EINVAL, errno.EISDIR, errno.ENAMETOOLONG, errno.ENOENT, errno.ENOTDIR}
)
"""Errors of the system that are about names."""


class RunnerFault(Exception):
    """The runner itself cannot do its work; neither the script nor the result is to blame."""


class UnwritableFile(Exception):
    """A file cannot be beside the others under its name; who named it is to blame."""


class RunStatus(enum.StrEnum):
    """Why a run ended."""

    EXITED = "exited"
    SIGNALLED = "signalled"
    TIMED_OUT = "timed_out"
    STDOUT_FULL = "stdout_full"
    MEMORY_FULL = "memory_full"
    FILES_FULL = "files_full"


class SandboxPaths(NamedTuple):
    """The folders for what scripts read, write and import; in a Lambda the first two are one."""

    inputs: str
    scratch: str
    packages: tuple[str, ...] = ()


class RunLimits(NamedTuple):
    """What all processes of one run together may use; memory is counted beyond that of the zygote."""

    timeout_seconds: float = 30
    memory_mib: int = 512
    processes: int = 32
    files_mib: int = 64


class InputFile(NamedTuple):
    """A file that a run may read: the script, its ground truth and modules, or the result; or a link to one."""

    name: str
    content: bytes
    target: str | None = None

    @classmethod
    def read(cls, value: dict[str, str], *, is_module: bool = False) -> Self:
        """Read `{name, content}` of an event; a module may have a path downwards.

        Raises RunnerFault if it is another.
        """
        parts = value["name"].split("/") if is_module else [value["name"]]
        if any(part in {"", ".", ".."} or "/" in part or "\0" in part for part in parts):
            raise RunnerFault(f"a {'module' if is_module else 'file'} needs a plain {'path' if is_module else 'name'}")
        if "path" in value:  # on one machine, which shows the folder of large results
            return cls(value["name"], b"", value["path"])
        return cls(value["name"], unpack(value["content"]))

    def write(self, folder: str | Path) -> Path:
        """Write it, read-only, and return its path."""
        path = Path(folder, self.name)
        path.parent.mkdir(parents=True, exist_ok=True)
        if self.target is not None:
            path.symlink_to(self.target)
            return path
        path.write_bytes(self.content)
        path.chmod(0o444)
        return path


def write_files(files: Sequence[InputFile], folder: Path) -> list[Path]:
    """Write what an owner or player named, and return the paths.

    Raises UnwritableFile if the names are what is wrong; other errors of the system are the runner's own.
    """
    written = []
    for file in files:
        try:
            written.append(file.write(folder))
        except OSError as error:
            if error.errno not in _UNWRITABLE:
                raise
            text = f"{file.name[:100]!r} cannot be written beside the other files: {error.strerror}"
            raise UnwritableFile(text) from error
    return written


@dataclass
class RunReport:
    """How one run ended and what it printed."""

    ended: RunStatus = RunStatus.EXITED
    code: int | None = None
    signal: int | None = None
    stdout: bytearray = field(default_factory=bytearray)
    stderr: bytearray = field(default_factory=bytearray)
    stderr_dropped_bytes: int = 0
    seconds: float = 0.0
    peak_memory_bytes: int = 0
    spent: bool = False

    def to_json(self) -> dict[str, Any]:
        """Return the runner's answer."""
        return vars(self) | {"ended": self.ended.value, "stdout": pack(self.stdout), "stderr": pack(self.stderr)}


class RunRequest(NamedTuple):
    """One run, as the supervisor asks the zygote for it, in JSON."""

    supervisor: int
    result: str
    work: str
    limits: RunLimits


def read_event(event: dict[str, Any]) -> tuple[list[InputFile], list[InputFile], RunLimits]:
    """Return the script's files, script first, the run's, result first, and limits.

    Raises RunnerFault.
    """
    try:
        truth = event.get("ground_truth")
        files = [InputFile(SCRIPT_NAME, unpack(event["script"]))]
        if truth is not None:
            files.append(InputFile.read(truth))
            if truth["name"] == SCRIPT_NAME:
                raise RunnerFault(f"the ground truth needs a file name other than {SCRIPT_NAME}")
        files += (InputFile.read(module, is_module=True) for module in event.get("modules", ()))
        if len({file.name for file in files}) < len(files):
            raise RunnerFault("two files beside the script have one name")
        inputs = [InputFile.read(event["result"])]
        if "run" in event:
            inputs.append(InputFile(RUN_NAME, unpack(event["run"])))
            if inputs[0].name == RUN_NAME:
                raise RunnerFault(f"the result needs a file name other than {RUN_NAME}")
        return files, inputs, RunLimits(**event.get("limits", {}))
    except (KeyError, TypeError, ValueError, EOFError, OSError) as error:
        raise RunnerFault(f"malformed event: {error!r}") from error


def pack(data: bytes | bytearray) -> str:
    """Return bytes as base64 of gzip."""
    return base64.b64encode(gzip.compress(data, compresslevel=1, mtime=0)).decode()


def unpack(text: str) -> bytes:
    """Return the bytes of base64 of gzip."""
    return gzip.decompress(base64.b64decode(text, validate=True))
