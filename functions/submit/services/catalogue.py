"""Finds the benchmarks that requests name."""

from dataclasses import dataclass

from scoring_core.benchmarks.definition import is_benchmark_id
from storage.aws.errors import NotFound
from storage.benchmarks.store import BenchmarkStore, PublishedBenchmark
from submit.problems import not_found


@dataclass(frozen=True, slots=True)
class Catalogue:
    """The published benchmarks."""

    benchmarks: BenchmarkStore

    def find(self, benchmark: str, *, fresh: bool = False) -> PublishedBenchmark:
        """Give a published benchmark, at most 30 seconds old, or `fresh`. Raises Problem 404."""
        published = self._find(benchmark, fresh=fresh) if is_benchmark_id(benchmark) else None
        if published is None:
            raise not_found("there is no such benchmark")
        return published

    def list_all(self) -> list[PublishedBenchmark]:
        """Give every published benchmark, in order of id; one whose publishing has not come to its end is left out."""
        return [one for one in map(self._find, self.benchmarks.list_ids()) if one is not None]

    def _find(self, benchmark: str, *, fresh: bool = False) -> PublishedBenchmark | None:
        try:
            return self.benchmarks.current(benchmark, fresh=fresh)
        except NotFound:
            return None
