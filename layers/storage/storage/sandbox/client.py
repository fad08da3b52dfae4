"""Runs evaluation scripts in the sandbox function, in a few microVMs for each benchmark version."""

import random
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import uuid4

from scoring_core.errors import EvaluatorError, SandboxFailure, StrictJsonError
from scoring_core.io import strict_json
from scoring_core.runtimes import DEFAULT_RUNTIME
from scoring_core.scorers.base import describe
from scoring_core.scorers.script.run import (
    MAX_PAYLOAD_BYTES,
    ScriptEnd,
    ScriptEnded,
    ScriptRun,
    ScriptSandbox,
    read_answer,
)
from storage.gateway.errors import NotStarted, StoreError
from storage.gateway.functions import Functions, Invoked
from storage.gateway.table import RisingNumbers

MAX_DEATHS = 2
"""If a second runner dies on the same run, the script is to blame."""

MAX_ENVIRONMENTS = 5

BACKOFF_SECONDS = (0.5, 1.0, 2.0, 4.0, 8.0)
"""The longest waits before a call is made again; each is shortened at random by up to a half."""

# With these Lambda answers before it starts the function: too many calls or environments, or a network that is not
# ready, as after two weeks without a call.
_NOT_RUN = frozenset(
    {
        "EC2ThrottledException",
        "ENILimitReachedException",
        "ENINotReadyException",
        "ResourceConflictException",
        "ResourceNotReadyException",
        "SubnetIPAddressLimitReachedException",
        "ThrottlingException",
        "TooManyRequestsException",
    }
)
_RETRIED = _NOT_RUN | {"ServiceException"}
# Errors of a process that ended; every other error is of the function itself, and so an internal error.
_DEATHS = frozenset({"Runtime.ExitError", "Runtime.OutOfMemory", "Sandbox.Timedout"})
_DIED: Final[dict[str, Any]] = {"refused": "died"}
"""In place of an answer of a function that ended without one, most likely because of the script."""


@dataclass(slots=True)
class LambdaSandbox(ScriptSandbox):
    """The sandbox functions, one for each runtime.

    A tenant is a benchmark version, a slot and a generation. Of a slot one run takes place at a time, so it needs one
    environment. Each environment of a tenant is charged, and Lambda allows 5 for 2 concurrent executions, idle ones
    included. If a runner reports that it is tainted (`spent`), a conditional write raises the generation of its slot:
    the environment is never used again, and the next run starts in a new one. Under strict isolation each call is a
    tenant of its own, whose name is never used again.

    Args:
        function: The name of that of the default runtime; those of others have their runtime at the end.
        runtimes: The other runtimes that are deployed, name → hash of its lock.
        sleep: Waits before a call is made again.
        slot: The slot in which the next runs take place: that of the message that is handled, or one for examples.
    """

    client: Functions
    function: str
    numbers: RisingNumbers
    runtimes: Mapping[str, str] = field(default_factory=dict)
    sleep: Callable[[float], None] = time.sleep
    slot: int | str = 0

    def run(self, run: ScriptRun, *, version: str) -> ScriptEnd:
        """Run a script once, in a microVM of its version.

        Raises EvaluatorError if its files are too large, or its runtime is deployed no longer or with other packages:
        scores would differ.
        """
        runtime = run.runtime
        if runtime.name != DEFAULT_RUNTIME and self.runtimes.get(runtime.name, "") != runtime.lock:
            raise EvaluatorError(
                f"runtime {runtime.name}: its packages are others since this version was published, and scores might "
                "be, too: publish the benchmark again, which makes a new version"
            )
        payload = run.to_payload()
        if len(payload) > MAX_PAYLOAD_BYTES:
            raise EvaluatorError(
                f"script, ground truth and result are {len(payload)} bytes packed together, at most "
                f"{MAX_PAYLOAD_BYTES} reach the sandbox"
            )
        function = self.function if runtime.name == DEFAULT_RUNTIME else f"{self.function}-{runtime.name}"
        slot, waits, deaths = f"{version}-{self.slot}", iter(BACKOFF_SECONDS), 0
        for _ in range(MAX_ENVIRONMENTS):
            number = 0 if run.fresh else self.numbers.read(generation(slot))
            tenant = None if run.fresh else f"{slot}-{number}"
            answer = self._invoke(function, tenant, payload, waits)
            deaths += answer is _DIED
            if tenant is not None and (answer.get("spent") or "refused" in answer):
                self.numbers.raise_to(generation(slot), number + 1)
            if deaths == MAX_DEATHS:
                return ScriptEnd(ended=ScriptEnded.RUNNER_DIED, spent=True)
            if "refused" not in answer:
                return read_answer(answer)
        raise SandboxFailure(f"{MAX_ENVIRONMENTS} environments in a row were tainted already")

    def _invoke(self, function: str, tenant: str | None, payload: bytes, waits: Iterator[float]) -> dict[str, Any]:
        invoked = self._call(function, tenant, payload, waits)
        answer = _read_object(invoked.body)
        if invoked.error:
            # An error without a type is a timeout: "Task timed out after 165.00 seconds".
            kind, message = str(answer.get("errorType", "Sandbox.Timedout")), str(answer.get("errorMessage", ""))
            if kind in _DEATHS:
                return _DIED
            raise SandboxFailure(f"the sandbox function failed: {kind}: {message}")
        return answer

    def _call(self, function: str, tenant: str | None, payload: bytes, waits: Iterator[float]) -> Invoked:
        """Call a function, and again after each wait as long as it is not started.

        Without a tenant each call is of a new one.
        """
        while True:
            try:
                return self.client.ask(function, payload, tenant=tenant or uuid4().hex)
            except StoreError as error:
                wait = next(waits, None) if error.code in _RETRIED else None
                if wait is None and error.code in _NOT_RUN:
                    raise NotStarted(str(error)) from error
                if wait is None:
                    raise
                self.sleep(wait * random.uniform(0.5, 1))  # noqa: S311  # spreads the calls of many, is no secret


def _read_object(body: bytes) -> dict[str, Any]:
    """Parse the answer, which the script may have written. Raises SandboxFailure."""
    try:
        answer = strict_json.loads(body)
    except StrictJsonError as error:
        raise SandboxFailure(f"the sandbox function's answer is no JSON: {error}") from error
    if not isinstance(answer, dict):
        raise SandboxFailure(f"the sandbox function's answer is {describe(answer)}: expected an object")
    return answer


def generation(slot: str) -> str:
    """Return the key of the generation of the tenants of a version's slot."""
    return f"sandbox#{slot}"
