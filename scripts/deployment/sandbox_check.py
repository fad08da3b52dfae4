"""Asks the sandbox function to test itself, because only a deployment shows what Lambda refuses."""  # noqa: INP001 — scripts are no package

import json
from typing import Any, Final
from uuid import uuid4

from scripts.deployment.smoke_test import SmokeTestFailed

TENANT: Final = "self-test"
"""The beginning of the tenant's name. Each test has a microVM of its own: one that is spent answers no second test."""


def check_sandbox(lambda_: Any, function: str) -> list[str]:
    """Invoke the self-test of the sandbox function.

    Args:
        lambda_: A client of Lambda.
        function: The function's name.

    Returns:
        Which calls are refused and which protections are missing, in sentences. `docs/sandbox.md` says what follows.

    Raises:
        SmokeTestFailed: No evaluation script can run.
    """
    response = lambda_.invoke(
        FunctionName=function, TenantId=f"{TENANT}-{uuid4().hex[:8]}", Payload=json.dumps({"self_test": True})
    )
    answer = json.loads(response["Payload"].read())
    test = answer.get("self_test") if isinstance(answer, dict) else None
    if "FunctionError" in response or not test or "protections" not in test["run"]:
        raise SmokeTestFailed(f"{function}: expected a script to run, found {json.dumps(answer)[:1000]}")
    refused = [f"{name} ({outcome})" for name, outcome in test["calls"].items() if outcome != "works"]
    own = {"closed": test["closed"], **{f"zygote {name}": is_set for name, is_set in test["zygote"].items()}}
    missing = [name for name, holds in {**own, **test["run"]["protections"]}.items() if not holds]
    return [
        f"a script runs on Linux {test['kernel']}, below process {test['process']}",
        f"refused calls: {', '.join(refused) or 'none'}",
        f"missing protections: {', '.join(missing) or 'none'}",
    ]
