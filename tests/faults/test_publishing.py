"""A publisher dies at any of its calls: a warm evaluator always scores under what the pointer says."""

import json

import pytest

from aggregate.benchmarks.publishing import publish_benchmark
from aggregate.dependencies import make_aggregator
from scoring_core.benchmarks.loading import Benchmark
from storage.gateway import clients
from storage.settings import AggregateSettings
from tests.faults.faults import CRASHES, Crash, Fault, FaultInjector
from tests.faults.simulation import Simulation, SimulationFactory
from tests.faults.steps import Post, Publish
from tests.harness.stack import GOOD, make_benchmark

BEFORE, AFTER = make_benchmark(), make_benchmark(parameters={"max_score": 50.0})
POINTER = "benchmarks/tiny/current.json"
MAX_CALLS = 40


@pytest.mark.parametrize("fault", CRASHES)
def test_result_is_scored_under_what_is_published(simulations: SimulationFactory, fault: Fault) -> None:
    """Wherever a publisher stops, the next result is scored under the versions of the pointer, and no other."""
    wrong, published = [], []
    for number in range(MAX_CALLS):
        with simulations.simulation(FaultInjector()) as simulation:
            _warm_up(simulation)
            died = _publish(simulation, AFTER, at=number, fault=fault)

            active = _read_active(simulation)
            scored = _score_another(simulation, "second")
            _publish(simulation, AFTER)
            scored_later = _score_another(simulation, "third")

            published.append(active)
            if scored != active or scored_later != {BEFORE.version, AFTER.version}:
                wrong.append((number, scored, scored_later))
        if not died:
            break

    assert not died
    assert wrong == []
    assert {BEFORE.version} in published
    assert {BEFORE.version, AFTER.version} in published


def _warm_up(simulation: Simulation) -> None:
    """Publish the benchmark and score a result, so that the evaluator has the pointer in memory."""
    Publish(BEFORE).act(simulation)
    assert _score_another(simulation, "first") == {BEFORE.version}


def _publish(
    simulation: Simulation, benchmark: Benchmark, *, at: int | None = None, fault: Fault | None = None
) -> bool:
    """Publish once and return whether the publisher died; the functions are warm as before."""
    variables = simulation.template.resources_of("AWS::Lambda::Function")["AggregateFunction"]["Environment"]
    settings = AggregateSettings.read(variables["Variables"])
    aggregator = make_aggregator(
        settings, s3=clients.gateway().objects, dynamodb=clients.gateway().tables, clock=simulation.clock
    )
    injector = simulation.injector
    injector.function = "publish"
    injector.plan = {len(injector.calls) + at: fault} if at is not None and fault else {}
    try:
        publish_benchmark(benchmark, aggregator)
    except Crash:
        injector.revive()
        return True
    finally:
        injector.plan = {}
    return False


def _score_another(simulation: Simulation, key: str) -> set[str]:
    """Submit a result, deliver everything, and return under which versions the result is recorded."""
    simulation.clock.advance(seconds=1)
    Post("tiny", GOOD, key, guest="Bea").act(simulation)
    simulation.drain()
    submission = simulation.acknowledged[key].submission
    items = simulation.items("SubmissionsTable")
    return {item["version"]["S"] for item in items if item["submission"]["S"] == submission}


def _read_active(simulation: Simulation) -> set[str]:
    pointer = json.loads(simulation.read("ResultsBucket", POINTER))
    return {version["version"] for version in (pointer, pointer["next"]) if version}
