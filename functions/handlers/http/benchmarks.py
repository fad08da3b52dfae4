"""Finds the benchmarks that requests name."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from handlers.http.problems import not_found
from scoring_core.benchmarks.terms import SubmissionTerms, is_benchmark_id
from storage.aws.errors import NotFound
from storage.benchmarks.terms import TermsStore

if TYPE_CHECKING:
    from storage.benchmarks.store import BenchmarkStore, PublishedBenchmark


def find_benchmark(benchmarks: "BenchmarkStore", benchmark: str) -> "PublishedBenchmark":
    """Return a benchmark as it is published now. Raises Problem 404.

    A caller who was told that a version is current reads nothing older, in every process.
    """
    return _find(benchmark, partial(benchmarks.current, fresh=True))


def find_terms(terms: TermsStore, benchmark: str) -> SubmissionTerms:
    """Return a benchmark's terms, at most 30 seconds old. Raises Problem 404."""
    return _find(benchmark, terms.current)


def list_published(
    benchmarks: "BenchmarkStore", *, archived: bool = False, unlisted: bool = False
) -> "list[PublishedBenchmark]":
    """Return the benchmarks that are published now, ordered by id.

    Those that are archived, or not listed, are left out, unless `archived` or `unlisted` asks for them. What shows
    those that are not listed must check that the caller may know of them.
    """
    from storage.aws.threads import run_at_once  # noqa: PLC0415  # a POST needs no threads

    def read(benchmark: str) -> "PublishedBenchmark | None":
        try:
            return benchmarks.current(benchmark, fresh=True)
        except NotFound:
            return None

    published = filter(None, run_at_once(read, benchmarks.list_ids()))
    return [each for each in published if (archived or each.archived is None) and (unlisted or each.definition.listed)]


def _find[Found](benchmark: str, read: Callable[[str], Found]) -> Found:
    # Only here does a missing object mean 404: the same error from another store is our fault.
    try:
        if is_benchmark_id(benchmark):
            return read(benchmark)
    except NotFound:
        pass
    raise not_found("there is no such benchmark")
