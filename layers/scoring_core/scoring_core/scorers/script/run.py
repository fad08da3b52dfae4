"""One run of an evaluation script on one result: what the sandbox is asked, and what it answers.

Both are JSON, in which bytes are base64 of gzip.
"""

import base64
import codecs
import gzip
import json
import signal
import zlib
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Protocol

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from scoring_core.errors import SandboxFailure
from scoring_core.io.strict_models import StrictModel
from scoring_core.output import Output
from scoring_core.runtimes import DEFAULT_RUNTIME, SCIENCE, Runtime

OUTPUT_BYTES = 65_536
"""Of stdout and of stderr, in a message."""
MAX_PAYLOAD_BYTES = 6_000_000
"""The limit of a synchronous invocation of Lambda."""
MAX_STDOUT_BYTES = 1 << 20
MAX_STDERR_BYTES = 64 << 10
"""Of the two streams, in the answer of a runner."""

_REASON_LENGTH = 1000
_GZIP = 16 + zlib.MAX_WBITS
_DECODER = codecs.getincrementaldecoder("utf-8")


type Result = bytes | Path
"""A result, or a file of one."""


class ScriptEnded(StrEnum):
    """Why a run ended; all but the last come from the runner."""

    EXITED = "exited"
    SIGNALLED = "signalled"
    TIMED_OUT = "timed_out"
    STDOUT_FULL = "stdout_full"
    MEMORY_FULL = "memory_full"
    FILES_FULL = "files_full"
    RUNNER_DIED = "runner_died"


_SUMMARIES = {
    ScriptEnded.TIMED_OUT: "ran out of time",
    ScriptEnded.STDOUT_FULL: "printed more than 1 MiB to stdout",
    ScriptEnded.MEMORY_FULL: "used more memory than it may",
    ScriptEnded.FILES_FULL: "wrote more to files than it may",
    ScriptEnded.RUNNER_DIED: "took its sandbox down with it, twice",
}


class Isolation(StrEnum):
    """Whether the runs of one version share a warm interpreter, or each gets its own."""

    SHARED = "shared"
    STRICT = "strict"


class ScriptParameters(StrictModel):
    """The `parameters:` of a benchmark with this scorer: what one run may use.

    Args:
        timeout_seconds: Wall time, of which `MOST` has the maximum, as of the memory.
        memory_mib: Memory of all its processes together, beyond the interpreter and the packages it imports.
        processes: Processes and threads at one time.
        files_mib: What it writes in its own folder and in `/tmp`.
        isolation: Whether runs share an interpreter.
    """

    timeout_seconds: float = Field(default=30, gt=0, allow_inf_nan=False)
    memory_mib: int = Field(default=512, ge=16)
    processes: int = Field(default=32, ge=1, le=128)
    files_mib: int = Field(default=64, ge=1, le=256)
    isolation: Isolation = Isolation.SHARED


@dataclass(frozen=True, slots=True)
class ScriptRun:
    """The request for one run.

    Args:
        script: The bytes of `evaluate.py`.
        result: The bytes of the result, or the path of a file that the runner can read.
        limits: Of this run.
        ground_truth: The bytes of the file beside the script, if there is one.
        ground_truth_name: The name of that file, without a folder.
        result_name: The name of the result's file, without a folder: `result.json`, or of the part and format.
        fresh: The run needs an interpreter that was started for it.
        run: The bytes of `run.json` beside the result: what its run ticket says, if it had one.
        modules: Further files beside the script, path from there → bytes.
        runtime: What it may import.
    """

    script: bytes
    result: Result
    limits: ScriptParameters
    ground_truth: bytes | None = None
    ground_truth_name: str = "ground_truth"
    result_name: str = "result.json"
    fresh: bool = False
    run: bytes | None = None
    modules: Mapping[str, bytes] = field(default_factory=dict)
    runtime: Runtime = SCIENCE

    def to_event(self) -> dict[str, Any]:
        """Return the event that the runner reads, and the runtime that is chosen by it."""
        truth, result = self.ground_truth, self.result
        content = {"path": str(result)} if isinstance(result, Path) else {"content": _pack(result)}
        modules = [{"name": name, "content": _pack(content)} for name, content in self.modules.items()]
        return {
            "script": _pack(self.script),
            "ground_truth": None if truth is None else {"name": self.ground_truth_name, "content": _pack(truth)},
            "result": {"name": self.result_name, **content},
            "limits": self.limits.model_dump(exclude={"isolation"}),
            **({"fresh": True} if self.fresh else {}),
            **({} if self.run is None else {"run": _pack(self.run)}),
            **({"modules": modules} if modules else {}),
            **({} if self.runtime.name == DEFAULT_RUNTIME else {"runtime": self.runtime.name}),
        }

    def to_payload(self) -> bytes:
        """Return the event as it is sent."""
        return json.dumps(self.to_event()).encode()


@dataclass(frozen=True, slots=True)
class ScriptEnd:
    """How one run ended.

    Args:
        ended: Why.
        exit_code: 0 to 255 if it exited.
        signal_number: The signal that ended it, if one did.
        stdout: At most 1 MiB.
        stderr: At most 64 KiB, its beginning.
        stderr_dropped_bytes: How much more there was.
        seconds: Wall time, ≥ 0.
        peak_memory_bytes: The highest measured memory of its processes together.
        spent: Its runner asks to be replaced.
    """

    ended: ScriptEnded
    exit_code: int | None = None
    signal_number: int | None = None
    stdout: bytes = b""
    stderr: bytes = b""
    stderr_dropped_bytes: int = 0
    seconds: float = 0.0
    peak_memory_bytes: int = 0
    spent: bool = False

    @property
    def summary(self) -> str:
        """How it ended, in a few words."""
        if self.ended is ScriptEnded.EXITED:
            return f"exited with code {self.exit_code}"
        if self.ended is ScriptEnded.SIGNALLED:
            return f"was killed by {_signal_name(self.signal_number)}"
        return _SUMMARIES[self.ended]

    @property
    def output(self) -> Output:
        """Its output as text, each stream cut between characters and marked."""
        return Output(
            stdout=cut_text(self.stdout),
            stderr=cut_text(self.stderr, dropped_bytes=self.stderr_dropped_bytes),
            ended=self.summary,
        )


class RunScript(Protocol):
    """Runs one benchmark's script on one result after another, each time as if it were the first."""

    def __call__(self, result: Result, /, *, result_name: str = "result.json", run: bytes | None = None) -> ScriptEnd:
        """Run the script on a result, which it reads from a file of this name.

        Without `run` there is no `run.json` beside it. Raises SandboxFailure if the sandbox failed; neither the script
        nor the result is to blame.
        """
        ...


class ScriptSandbox(ABC):
    """Runs evaluation scripts: the sandbox functions of the cloud, or bubblewrap on one machine."""

    def for_benchmark(
        self,
        version: str,
        *,
        script: bytes,
        ground_truth: tuple[str, bytes] | None,
        parameters: ScriptParameters,
        modules: Mapping[str, bytes] | None = None,
        runtime: Runtime = SCIENCE,
    ) -> RunScript:
        """Return the runner of one benchmark's script.

        Args:
            version: The benchmark's version; environments are shared within it and never beyond it.
            script: The bytes of `evaluate.py`.
            ground_truth: Name and bytes of the file beside it, if there is one.
            parameters: The limits of a run.
            modules: The other files of `evaluate/`, path inside it → bytes.
            runtime: What the script may import.
        """
        name, truth = ground_truth or ("ground_truth", None)
        is_fresh = parameters.isolation is Isolation.STRICT
        bare = ScriptRun(script, b"", parameters, truth, name, fresh=is_fresh, modules=modules or {}, runtime=runtime)

        def run_script(result: Result, /, *, result_name: str = "result.json", run: bytes | None = None) -> ScriptEnd:
            return self.run(replace(bare, result=result, result_name=result_name, run=run), version=version)

        return run_script

    @abstractmethod
    def run(self, run: ScriptRun, *, version: str) -> ScriptEnd:
        """Run a script once, in an environment of this version alone.

        Raises SandboxFailure if the sandbox failed, and EvaluatorError if the script cannot be run in it.
        """


class _Answer(BaseModel):
    """The runner's answer. In a Lambda a script can answer in its place, so all of it is checked."""

    model_config = ConfigDict(strict=True, defer_build=True)

    ended: Annotated[ScriptEnded, Field(strict=False)]
    exit_code: Annotated[int, Field(ge=0, le=255)] | None = Field(alias="code")
    signal_number: Annotated[int, Field(ge=0, le=255)] | None = Field(alias="signal")
    stdout: str
    stderr: str
    stderr_dropped_bytes: Annotated[int, Field(ge=0, le=2**63)]
    seconds: Annotated[float, Field(ge=0, allow_inf_nan=False)]
    peak_memory_bytes: Annotated[int, Field(ge=0, le=2**63)]
    spent: bool


def read_answer(answer: object) -> ScriptEnd:
    """Read the runner's answer.

    Raises SandboxFailure if it reports a failure of the runner, or that the runner is spent, or is no answer.
    """
    if isinstance(answer, dict) and (reason := answer.get("failure") or answer.get("refused")):
        raise SandboxFailure(f"the runner could not run the script: {str(reason)[:_REASON_LENGTH]}")
    try:
        read = _Answer.model_validate(answer)
        stdout, stderr = _unpack(read.stdout, MAX_STDOUT_BYTES), _unpack(read.stderr, MAX_STDERR_BYTES)
        return ScriptEnd(**dict(read) | {"stdout": stdout, "stderr": stderr})
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        path = "/".join(map(str, first["loc"]))
        raise SandboxFailure(f"the runner's answer is none: {path}: {first['msg']}") from error
    except (ValueError, zlib.error) as error:
        raise SandboxFailure(f"the runner's answer is none: {error}") from error


def bound_packed_bytes(size: int) -> int:
    """Return the largest size in a payload: incompressible, as base64."""
    return 4 * -(-(size + size // 1000 + 64) // 3)


def cut_text(data: bytes, *, dropped_bytes: int = 0, limit: int = OUTPUT_BYTES) -> str:
    r"""Return text of at most `limit` bytes, cut between characters and marked.

    >>> cut_text("né".encode(), limit=2, dropped_bytes=2)
    'n\n[cut: at least 2 more bytes]'
    """
    is_cut = dropped_bytes > 0 or len(data) > limit
    # Not final: the decoder withholds a character that the cut has split.
    text = _DECODER("replace").decode(data[:limit], final=not is_cut)
    return f"{text}\n[cut: at least {dropped_bytes or len(data) - limit} more bytes]" if is_cut else text


def _signal_name(number: int | None) -> str:
    try:
        return signal.Signals(number or 0).name
    except ValueError:
        return f"signal {number}"


def _pack(data: bytes) -> str:
    return base64.b64encode(gzip.compress(data, compresslevel=1, mtime=0)).decode()


def _unpack(text: str, max_bytes: int) -> bytes:
    reader = zlib.decompressobj(wbits=_GZIP)
    # One byte more than allowed: gzip.decompress would unpack a thousand times the input before it is counted.
    data = reader.decompress(base64.b64decode(text, validate=True), max_bytes + 1)
    if len(data) > max_bytes or not reader.eof:
        raise ValueError(f"expected gzip of at most {max_bytes} bytes")
    return data
