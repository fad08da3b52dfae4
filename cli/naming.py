"""Benchmarks by their ids: where there is none of that name, the one that was probably meant."""

from collections.abc import Iterable

from scoring_core.benchmarks.definition import is_benchmark_id
from scoring_core.benchmarks.validation import suggest_nearest
from scoring_core.errors import LaurelError
from storage.aws.errors import NotFound
from storage.benchmarks.store import BenchmarkStore


class UnknownBenchmark(LaurelError):
    """There is no benchmark of this id.

    Args:
        benchmark: The id, as it was typed.
        known: The ids that there are.
    """

    def __init__(self, benchmark: str, known: Iterable[str]) -> None:
        names = sorted(known)
        hint = suggest_nearest(benchmark, names) if names else "none is published"
        super().__init__(f"there is no benchmark {benchmark!r}; {hint}")


def check_published(benchmarks: BenchmarkStore, benchmark: str) -> None:
    """Check that a benchmark is published, before anything is done to it. Raises UnknownBenchmark."""
    try:
        if is_benchmark_id(benchmark):
            benchmarks.current(benchmark, fresh=True)
            return
    except NotFound:
        pass
    raise UnknownBenchmark(benchmark, benchmarks.list_ids())
