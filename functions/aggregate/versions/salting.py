"""The salt of a benchmark whose files have none: the one that is published, or a new one.

The pointer decides: it is replaced by compare-and-swap, and names the bundle that holds the salt. So two publications
of one folder without a salt end with the salt of the first one.
"""

from typing import NamedTuple

from scoring_core.benchmarks.loading import Benchmark
from scoring_core.benchmarks.salts import make_salt
from scoring_core.errors import BenchmarkError
from storage.benchmarks.store import BenchmarkStore, PublishedBenchmark
from storage.gateway.errors import NotFound


class SaltedBenchmark(NamedTuple):
    """A benchmark as it may be published.

    Args:
        benchmark: With its salt.
        is_new: Whether the salt was made for it.
        replaces: The publish number of what was published when it got its salt, 0 for nothing; None if it had one.
    """

    benchmark: Benchmark
    is_new: bool = False
    replaces: int | None = None


def add_salt(benchmark: Benchmark, benchmarks: BenchmarkStore) -> SaltedBenchmark:
    """Return a benchmark with its salt; as it is if it has one, or needs none."""
    if not benchmark.needs_salt:
        return SaltedBenchmark(benchmark)
    try:
        published = benchmarks.current(benchmark.definition.id, fresh=True)
    except NotFound:
        return SaltedBenchmark(benchmark.add_salt(make_salt()), is_new=True, replaces=0)
    salt = _find_salt(published, benchmarks)
    salted = benchmark.add_salt(salt or make_salt())
    return SaltedBenchmark(salted, is_new=salt is None, replaces=published.publish_number)


def _find_salt(published: PublishedBenchmark, benchmarks: BenchmarkStore) -> str | None:
    """Return the salt of what was published last; a damaged bundle has none."""
    try:
        return benchmarks.load(published.active_versions[-1]).salt
    except (NotFound, BenchmarkError):
        return None
