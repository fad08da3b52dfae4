"""Evaluation scripts without bubblewrap: run as this user, or in what an owner's command starts, as a container."""

import contextlib
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from sandbox.bubblewrap import BUBBLEWRAP, Sandbox, SandboxRunner
from scoring_core.errors import SandboxFailure

_PROGRAM: Final = Path(__file__).with_name("plain_runner.py")
_SECRETS: Final = ("LAUREL_", "AWS_")
_END_SECONDS: Final = 10.0


class PlainRunner(SandboxRunner):
    """One runner without bubblewrap; behind the words of `prefix`, which hand on its stdin and stdout."""

    def __init__(self, prefix: Sequence[str]) -> None:
        self._command = [*prefix, "python3" if prefix else sys.executable, "-I", "-c", _PROGRAM.read_text()]
        super().__init__("", lambda **_: None, BUBBLEWRAP, (), {})

    def is_alive(self) -> bool:
        """Return whether it can still be asked."""
        return self._process.poll() is None

    def _start(self, *_: object) -> None:
        environment = {name: value for name, value in os.environ.items() if not name.startswith(_SECRETS)}
        try:
            self._launch(self._command, environment=environment)
        except OSError as error:
            raise SandboxFailure(f"{self._command[0]} does not start: {error.strerror}") from error
        self._await_ready()

    def _end(self) -> None:
        # Of a container only the client would be killed: the runner itself ends what it has started.
        with contextlib.suppress(OSError, subprocess.TimeoutExpired):
            self._input.close()
            self._process.wait(_END_SECONDS)
        super()._end()


@dataclass
class PlainSandbox(Sandbox):
    """Runs scripts in plain runners, each script in a new interpreter, which imports what is installed there."""

    prefix: Sequence[str] = ()

    def _show(self, result: bytes | Path) -> bytes | Path:
        return result

    def _start(self, event: Mapping[str, Any]) -> PlainRunner:  # noqa: ARG002  # no limit of memory is held
        return PlainRunner(self.prefix)
