"""Finds the benchmarks that requests name."""

from handlers.http.problems import not_found
from scoring_core.benchmarks.terms import is_benchmark_id
from storage.benchmarks.store import BenchmarkStore, PublishedBenchmark
from storage.gateway.clients import run_at_once


def find_benchmark(benchmarks: BenchmarkStore, benchmark: str) -> PublishedBenchmark:
    """Return a benchmark as it is published now. Raises Problem 404.

    A caller who was told that a version is current reads nothing older, in every process.
    """
    # Only here does a missing object mean 404: the same error from another store is our fault.
    published = benchmarks.find(benchmark, fresh=True) if is_benchmark_id(benchmark) else None
    if published is None:
        raise not_found("there is no such benchmark")
    return published


def list_published(
    benchmarks: BenchmarkStore, *, archived: bool = False, unlisted: bool = False
) -> list[PublishedBenchmark]:
    """Return the benchmarks that are published now, ordered by id.

    Those that are archived, or not listed, are left out, unless `archived` or `unlisted` asks for them. What shows
    those that are not listed must check that the caller may know of them.
    """
    published = filter(None, run_at_once(lambda each: benchmarks.find(each, fresh=True), benchmarks.list_ids()))
    return [each for each in published if (archived or each.archived is None) and (unlisted or each.definition.listed)]
