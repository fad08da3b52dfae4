"""Published benchmarks: the pointer by compare-and-swap, cached for 30 seconds; bundles cached by revision."""

import copy
import functools
import itertools
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from scoring_core.benchmarks.loading import Benchmark
from scoring_core.errors import BenchmarkError
from storage.benchmarks import store as stored
from storage.benchmarks.store import BenchmarkStore
from storage.benchmarks.terms import POINTER_SECONDS, TermsStore
from storage.gateway.errors import Conflict, NotFound
from tests.contract.conftest import intercept

type MakeBenchmark = Callable[..., Benchmark]


def reads_of(store: BenchmarkStore, key: str) -> tuple[BenchmarkStore, list[str]]:
    """Return another instance of a store (a warm function of its own), and the reads it makes of keys that end so."""
    reads: list[str] = []

    def get(bucket: str, asked: str, **options: Any) -> Any:
        if asked.endswith(key):
            reads.append(asked)
        return store.bucket.client.get(bucket, asked, **options)

    return BenchmarkStore(
        intercept(store.bucket, get=get),
        clock=store.clock,
    ), reads


@pytest.mark.parametrize(
    ("changes", "versions"), [({"title": "Coin Sprint"}, 1), ({"sample": b"[2]"}, 1), ({"script": b"print(2)\n"}, 2)]
)
def test_publish_number_rises(
    benchmarks: BenchmarkStore, make_benchmark: MakeBenchmark, changes: dict[str, Any], versions: int
) -> None:
    """Any change is a new revision; only what decides scores is a new version. The old one can still be loaded."""
    first = benchmarks.publish(make_benchmark())

    second = benchmarks.publish(make_benchmark(**changes))

    assert second.publish_number == 2
    assert len({first.version, second.version}) == versions
    assert benchmarks.load(second) == make_benchmark(**changes)
    assert benchmarks.load(first).version == first.version


def test_pointer_is_cached_for_30_seconds(
    benchmarks: BenchmarkStore, make_benchmark: MakeBenchmark, clock: Any
) -> None:
    """A reader asks S3 again after 30 seconds, not before, and never believes what is older."""
    benchmarks.publish(make_benchmark())
    reader, reads = reads_of(benchmarks, "current.json")
    reader.current("coin-run")
    benchmarks.publish(make_benchmark(title="New"))

    clock.advance(seconds=29.999)
    assert reader.current("coin-run").definition.title == "Coin Run"
    clock.advance(seconds=0.001)
    assert reader.current("coin-run").definition.title == "New"
    clock.advance(seconds=29.999)
    assert reader.current("coin-run").definition.title == "New"
    assert len(reads) == 2


def test_a_loser_leaves_what_the_winner_published(
    benchmarks: BenchmarkStore, make_benchmark: MakeBenchmark, clock: Any
) -> None:
    """Two publish one version with different texts: at each moment the pointer's texts are those of its bundle."""
    benchmarks.publish(make_benchmark())
    rival = copy.replace(benchmarks)
    titles = set()

    def look() -> None:
        reader = BenchmarkStore(benchmarks.bucket, clock=clock)
        published = reader.current("coin-run")
        assert reader.load(published) == make_benchmark(title=published.definition.title)
        titles.add(published.definition.title)

    def write(at: int, *asked: Any) -> Any:
        if next(writes) == at:
            rival.publish(make_benchmark(title=f"Winner {at}"))
            look()
        answer = benchmarks.bucket.client.put(*asked)
        look()
        return answer

    look()
    for at in range(2):
        writes = itertools.count()
        bucket = intercept(benchmarks.bucket, put=functools.partial(write, at))
        with pytest.raises(Conflict):
            copy.replace(benchmarks, bucket=bucket).publish(make_benchmark(title="Loser"))
        look()

    assert titles == {"Coin Run", "Winner 0", "Winner 1"}


def test_a_loser_with_the_same_files_gets_what_the_winner_published(
    benchmarks: BenchmarkStore, make_benchmark: MakeBenchmark
) -> None:
    """Of two deliveries of one request at once both succeed, and there is one publish number."""
    benchmarks.publish(make_benchmark())
    rival, winners = copy.replace(benchmarks), []

    def put(*asked: Any) -> Any:
        if not winners:
            winners.append(rival.publish(make_benchmark(title="New")))
        return benchmarks.bucket.client.put(*asked)

    bucket = intercept(benchmarks.bucket, put=put)
    loser = copy.replace(benchmarks, bucket=bucket).publish(make_benchmark(title="New"))

    assert [loser] == winners


def test_lost_bundle_is_reported(benchmarks: BenchmarkStore, make_benchmark: MakeBenchmark) -> None:
    """A bundle that was lost or damaged is an error; publishing again repairs it."""
    published = benchmarks.publish(make_benchmark())
    benchmarks.bucket.overwrite(published.bundle_key, b"PK damaged")
    with pytest.raises(BenchmarkError):
        benchmarks.load(published)
    benchmarks.bucket.delete(published.bundle_key)
    with pytest.raises(NotFound):
        benchmarks.load(published)

    mended = benchmarks.publish(make_benchmark())

    assert benchmarks.load(mended) == make_benchmark()


def put_any_result(benchmarks: BenchmarkStore) -> None:
    """Put something where a raw result would be."""
    benchmarks.bucket.overwrite("results/coin-run/2026-01-01/x", b"")


def test_another_version_is_next(benchmarks: BenchmarkStore, make_benchmark: MakeBenchmark, clock: Any) -> None:
    """Another version of a benchmark that has results is next, and every reader of the pointer sees both."""
    first = benchmarks.publish(make_benchmark())
    put_any_result(benchmarks)

    second = benchmarks.publish(make_benchmark(script=b"print(2)\n"))

    other = BenchmarkStore(benchmarks.bucket, clock=clock)
    assert other.current("coin-run") == second
    assert (second.version, second.publish_number) == (first.version, 2)
    assert [other.load(one).version for one in second.active_versions] == [
        one.version for one in second.active_versions
    ]
    assert second.next_version is not None
    assert second.get_version(second.next_version.version) == second.next_version
    assert second.get_version("another") is None


@pytest.mark.parametrize("title", ["Coin Run", "New"])
def test_publishing_what_is_current_takes_next_back(
    benchmarks: BenchmarkStore, make_benchmark: MakeBenchmark, title: str
) -> None:
    """The folder is what counts: published as it was, nothing is next any more."""
    first = benchmarks.publish(make_benchmark())
    put_any_result(benchmarks)
    benchmarks.publish(make_benchmark(script=b"print(2)\n"))

    third = benchmarks.publish(make_benchmark(title=title))

    assert (third.version, third.next, third.publish_number) == (first.version, None, 3)
    assert third.definition.title == title


def test_publishing_what_is_next_again(benchmarks: BenchmarkStore, make_benchmark: MakeBenchmark) -> None:
    """What is next already changes nothing; with another title it is next with that title."""
    benchmarks.publish(make_benchmark())
    put_any_result(benchmarks)
    second = benchmarks.publish(make_benchmark(script=b"print(2)\n"))

    again = benchmarks.publish(make_benchmark(script=b"print(2)\n"))
    titled = benchmarks.publish(make_benchmark(script=b"print(2)\n", title="New"))

    assert again == second
    assert titled.next is not None
    assert (titled.definition.title, titled.next.definition.title) == ("Coin Run", "New")


def test_promotion_makes_next_current(benchmarks: BenchmarkStore, make_benchmark: MakeBenchmark) -> None:
    """One write makes the next version current; a second one reports that there is nothing to promote."""
    benchmarks.publish(make_benchmark())
    put_any_result(benchmarks)
    before = benchmarks.publish(make_benchmark(script=b"print(2)\n"))

    moved = benchmarks.promote(before)

    assert before.next is not None
    assert (moved.version, moved.next, moved.publish_number) == (before.next.version, None, 3)
    assert benchmarks.current("coin-run", fresh=True) == moved
    with pytest.raises(Conflict):
        benchmarks.promote(before)


def test_pointer_remembers_until_when_a_version_was_current(
    benchmarks: BenchmarkStore, make_benchmark: MakeBenchmark, clock: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A version is current for what was recorded before it was replaced, however often it is published again."""
    scripts = [f"print({number})\n".encode() for number in range(3)]
    first = benchmarks.publish(make_benchmark(script=scripts[0]))
    put_any_result(benchmarks)
    promoted = []
    for script in scripts[1:]:
        clock.advance(hours=1)
        promoted.append(benchmarks.promote(benchmarks.publish(make_benchmark(script=script))))
    second, third = promoted
    replaced_at, moment = clock() - timedelta(hours=1), timedelta(seconds=1)

    again = benchmarks.publish(make_benchmark(script=scripts[0]))
    marked = benchmarks.put_bans("coin-run", {"ben": "spam"})

    assert again.next is not None
    assert again.next.version == first.version
    for published in (again, marked):
        assert published.was_current(first.version, replaced_at - moment)
        assert not published.was_current(first.version, replaced_at)
        assert published.was_current(second.version, replaced_at)
        assert published.was_current(third.version, clock() + moment)
        assert not published.was_current("0123456789abcdef", replaced_at - moment)

    clock.advance(hours=1)
    monkeypatch.setattr(stored, "MAX_REPLACED", 2)
    returned = benchmarks.promote(marked)

    assert returned.was_current(first.version, clock() + moment)
    assert list(returned.replaced) == [second.version, third.version]
    assert benchmarks.promote(benchmarks.publish(make_benchmark(script=scripts[1]))).replaced == {
        third.version: clock(),
        first.version: clock(),
    }


def test_terms_are_cached_for_a_while(benchmarks: BenchmarkStore, make_benchmark: MakeBenchmark, clock: Any) -> None:
    """The terms of a benchmark are read again after 30 seconds, not before; those of an unknown one are not found."""
    first = benchmarks.publish(make_benchmark())
    store = TermsStore(benchmarks.bucket, clock=clock)
    assert store.current("coin-run") == benchmarks.current("coin-run").terms
    second = benchmarks.publish(make_benchmark(script=b"print(2)\n"))

    clock.advance(seconds=POINTER_SECONDS - 1)
    early = store.current("coin-run")
    clock.advance(seconds=1)
    late = store.current("coin-run")

    assert (early.version, late.version) == (first.version, second.version)
    assert first.version != second.version
    with pytest.raises(NotFound):
        store.current("coin-walk")
