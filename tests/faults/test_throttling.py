"""A sandbox without room for an hour: results wait, and none is given up."""

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

HOUR = timedelta(hours=1)
RESULTS = 12


@pytest.mark.parametrize("code", ["TooManyRequestsException", "EC2ThrottledException", "ResourceConflictException"])
def test_throttled_hour_leaves_no_internal_error(
    simulations: SimulationFactory, monkeypatch: pytest.MonkeyPatch, code: str
) -> None:
    """Every result is scored when there is room again, whatever its script then prints, and was never a dead letter."""
    monkeypatch.setattr(client, "BACKOFF_SECONDS", ())
    refused = []

    def answer(request: Mapping[str, Any]) -> dict[str, Any]:
        if simulation.clock() - START < HOUR:
            refused.append(simulation.clock())
            error: Any = {"Error": {"Code": code, "Message": "Rate exceeded"}}
            raise ClientError(error, "Invoke")
        return answer_invocation(request)

    with simulations.simulation(FaultInjector(answers={"Invoke": answer})) as simulation:
        Publish(make_benchmark(COINS)).act(simulation)
        for number in range(RESULTS):
            Post("coins", {"prints": {"Coins": number, "Time": 1.5}}, f"key-{number}", guest="Bea").act(simulation)

        simulation.settle()

        outcomes = [item["outcome"]["S"] for item in simulation.items("SubmissionsTable")]
        functions = {call.function for call in simulation.injector.calls if call.operation != "ReceiveMessage"}
    assert len(refused) > RESULTS
    assert outcomes == [Outcome.SCORED] * RESULTS
    assert "DeadLetterFunction" not in functions
