"""What publishes benchmarks into a stack that runs."""

from datetime import UTC, datetime

from aggregate.aggregator import Aggregator
from aggregate.benchmarks.publishing import publish_benchmark
from aggregate.dependencies import make_aggregator
from local.stack import Stack
from scoring_core.benchmarks.loading import Benchmark


def open_aggregator(stack: Stack) -> Aggregator:
    """Return the stores and the renderer of a stack's boards."""
    return make_aggregator(
        stack.settings, s3=stack.cloud.objects, dynamodb=stack.cloud.tables, clock=lambda: datetime.now(UTC)
    )


def publish(stack: Stack, benchmark: Benchmark) -> None:
    """Publish a benchmark and its board."""
    publish_benchmark(benchmark, open_aggregator(stack))
