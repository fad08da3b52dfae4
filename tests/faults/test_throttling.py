"""A sandbox without room for hours: results wait, and none is given up."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import pytest
from botocore.exceptions import ClientError

from scoring_core.outcome import Outcome
from storage.sandbox import client
from tests.faults.faults import FaultInjector
from tests.faults.sandbox import answer_invocation
from tests.faults.simulation import SimulationFactory
from tests.faults.steps import Post, Publish
from tests.harness.clock import START
from tests.harness.stack import COINS, make_benchmark

RESULTS = 12
TOO_MANY = "TooManyRequestsException"


@pytest.mark.parametrize(
    ("code", "hours", "results"),
    [
        (TOO_MANY, 1, RESULTS),
        ("EC2ThrottledException", 1, RESULTS),
        ("ResourceConflictException", 1, RESULTS),
        (TOO_MANY, 4, 4),
        (TOO_MANY, 8, 4),
    ],
)
def test_throttled_hours_leave_no_internal_error(
    simulations: SimulationFactory, monkeypatch: pytest.MonkeyPatch, code: str, hours: int, results: int
) -> None:
    """Every result is scored when there is room again, whatever its script then prints, and was never a dead letter.

    Lambda's recursion detection would stop a result that goes round for three hours.
    """
    monkeypatch.setattr(client, "BACKOFF_SECONDS", ())
    refused = []

    def answer(request: Mapping[str, Any]) -> dict[str, Any]:
        if simulation.clock() - START < timedelta(hours=hours):
            refused.append(simulation.clock())
            error: Any = {"Error": {"Code": code, "Message": "Rate exceeded"}}
            raise ClientError(error, "Invoke")
        return answer_invocation(request)

    with simulations.simulation(FaultInjector(answers={"Invoke": answer})) as simulation:
        Publish(make_benchmark(COINS)).act(simulation)
        for number in range(results):
            Post("coins", {"prints": {"Coins": number, "Time": 1.5}}, f"key-{number}", guest="Bea").act(simulation)

        simulation.settle()

        outcomes = [item["outcome"]["S"] for item in simulation.items("SubmissionsTable")]
        functions = {call.function for call in simulation.injector.calls if call.operation != "ReceiveMessage"}
    assert len(refused) > results
    assert outcomes == [Outcome.SCORED] * results
    assert "DeadLetterFunction" not in functions
