"""Runs an owner's evaluation script on one result after another, with nothing but the standard library.

There are three kinds of process, and each knows less than the one before:

    supervisor   speaks the protocol (Lambda's handler, or JSON lines on stdin and stdout), reads output, enforces
                 limits, kills and wipes
    zygote       a new interpreter with an empty environment: imports what the script names and compiles it, but never
                 runs it and never sees a result; forks the runs. If that fails or takes too long, a cold zygote only
                 forks, and each run imports and compiles for itself
    run          one child for one result, with its own session, folder and limits, and two pipes; its parent is the
                 supervisor

In a Lambda the microVM is the wall around all three. On one machine it is bubblewrap, where the supervisor is process 1
of its own namespace, so that no run can kill, stop or trace it.
"""

import os
import sys
import tempfile
from typing import Any

from runner.closing import close_to_runs, forget_credentials
from runner.protocol import SandboxPaths
from runner.supervisor import Supervisor

_supervisor: Supervisor | None = None

# Lambda's runtime imports this once, before it asks for an event.
if "AWS_LAMBDA_RUNTIME_API" in os.environ:
    close_to_runs()


def lambda_handler(event: dict[str, Any], _context: object) -> dict[str, Any]:
    """Run one event in a Lambda, whose microVM serves one benchmark version."""
    global _supervisor  # noqa: PLW0603  # what a warm function keeps
    if _supervisor is None:
        forget_credentials()
        scratch = tempfile.gettempdir()
        packages = tuple(path for path in sys.path if path.startswith("/opt/"))
        _supervisor = Supervisor(SandboxPaths(inputs=scratch, scratch=scratch, packages=packages))
    return _supervisor.answer(event)
