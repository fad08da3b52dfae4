"""What a deployment asks of the sandbox function: a script must run, and what is missing is printed."""

import io
import json
import shutil
from dataclasses import dataclass
from typing import Any

import pytest

from sandbox.bubblewrap import Sandbox
from scripts.deployment.smoke_test import SmokeTestFailed, check_sandbox
from tests.harness.lambda_wall.wall import lambda_sandbox

FUNCTION = "laurel-dev-sandbox"


@dataclass(frozen=True)
class Lambda:
    """Lambda's Invoke; the answer is a prepared one, or that of a sandbox."""

    answer: Any = None
    sandbox: Sandbox | None = None
    error: str | None = None

    def invoke(self, *, FunctionName: str, TenantId: str, Payload: str) -> dict[str, Any]:  # noqa: N803 — boto3's
        """Answer as Lambda does."""
        assert FunctionName == FUNCTION
        answer = self.sandbox.invoke(TenantId, json.loads(Payload)) if self.sandbox else self.answer
        return {"Payload": io.BytesIO(json.dumps(answer).encode())} | (
            {"FunctionError": self.error} if self.error else {}
        )


@pytest.mark.skipif(
    shutil.which("bwrap") is None, reason="NOTHING OF THE SANDBOX IS TESTED: apt-get install bubblewrap"
)
def test_what_is_missing_is_printed() -> None:
    """Behind a wall like Lambda's a script runs; missing protections are named."""
    with lambda_sandbox() as sandbox:
        works, missing = check_sandbox(Lambda(sandbox=sandbox), FUNCTION)

    assert works.startswith("a script runs on Linux ")
    own = "zygote closed, zygote landlock, zygote filter"
    assert missing == f"missing protections: {own}, supervisor_not_signalled, no_runtime_interface"


@pytest.mark.parametrize(
    "answer",
    [
        {"failure": "RunnerFault: no", "spent": True},
        {"refused": "spent"},
        {"self_test": {"run": {"ended": "timed_out", "code": None, "stderr": ""}}},
        None,
        "no",
    ],
)
def test_sandbox_that_runs_no_script_fails_the_deployment(answer: object) -> None:
    """The answer is shown, whatever it is."""
    with pytest.raises(SmokeTestFailed, match="expected a script to run"):
        check_sandbox(Lambda(answer), FUNCTION)


def test_function_that_fails_fails_the_deployment() -> None:
    """So does one that ends without an answer."""
    died = {"errorType": "Runtime.ExitError", "errorMessage": "exit status 1"}

    with pytest.raises(SmokeTestFailed, match=r"Runtime\.ExitError"):
        check_sandbox(Lambda(died, error="Unhandled"), FUNCTION)
