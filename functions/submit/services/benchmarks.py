"""Finds the benchmarks that requests name."""

from scoring_core.benchmarks.definition import is_benchmark_id
from storage.aws.errors import NotFound
from storage.benchmarks.store import BenchmarkStore, PublishedBenchmark
from submit.problems import not_found


def find_benchmark(benchmarks: BenchmarkStore, benchmark: str, *, fresh: bool = False) -> PublishedBenchmark:
    """Return a benchmark, at most 30 seconds old, or `fresh`. Raises Problem 404."""
    # Only here does a missing object mean 404: the same error from another store is our fault.
    try:
        if is_benchmark_id(benchmark):
            return benchmarks.current(benchmark, fresh=fresh)
    except NotFound:
        pass
    raise not_found("there is no such benchmark")


def list_published(benchmarks: BenchmarkStore) -> list[PublishedBenchmark]:
    """Return every benchmark whose first publishing is complete, ordered by id."""
    published = []
    for benchmark in benchmarks.list_ids():
        try:
            published.append(benchmarks.current(benchmark))
        except NotFound:
            continue
    return published
