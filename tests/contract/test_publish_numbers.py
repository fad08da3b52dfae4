"""The publish numbers: never behind a pointer, and what a warm evaluator reads instead of one."""

import copy
from collections.abc import Callable
from typing import Any

import pytest

from scoring_core.benchmarks.loading import Benchmark
from storage.benchmarks.store import BenchmarkStore, publish_number
from storage.gateway import schema
from storage.gateway.schema import Schema
from storage.gateway.table import RisingNumbers
from storage.sandbox.client import generation
from tests.contract.conftest import intercept

type MakeBenchmark = Callable[..., Benchmark]


@pytest.fixture
def numbers(benchmarks: BenchmarkStore) -> RisingNumbers:
    """The publish numbers of the store."""
    assert benchmarks.numbers is not None
    return benchmarks.numbers


@pytest.fixture
def reads(benchmarks: BenchmarkStore) -> list[str]:
    """The keys that `reader` reads."""
    return []


@pytest.fixture
def reader(benchmarks: BenchmarkStore, make_benchmark: MakeBenchmark, reads: list[str]) -> BenchmarkStore:
    """A warm function that has the pointer of a published benchmark in memory."""
    benchmarks.publish(make_benchmark())

    def get(bucket: str, key: str, **options: Any) -> Any:
        reads.append(key)
        return benchmarks.bucket.client.get(bucket, key, **options)

    reader = copy.replace(benchmarks, bucket=intercept(benchmarks.bucket, get=get))
    reader.latest("coin-run")
    reads.clear()
    return reader


def test_number_never_falls(numbers: RisingNumbers) -> None:
    """A write that arrives late changes nothing."""
    for number in (1, 3, 3, 2):
        numbers.raise_to(publish_number("coin-run"), number)

    assert numbers.read(publish_number("coin-run")) == 3
    assert numbers.read(generation("coin-run")) == 0


def test_pointer_in_memory_is_used_while_nobody_publishes(reader: BenchmarkStore, reads: list[str]) -> None:
    """The number of a pointer in memory shows that it is the latest."""
    assert reader.latest("coin-run").publish_number == 1
    assert reads == []


def test_pointer_is_read_if_it_was_deleted_and_published_again(
    benchmarks: BenchmarkStore, reader: BenchmarkStore, make_benchmark: MakeBenchmark
) -> None:
    """The numbers of a deleted pointer are not used a second time."""
    benchmarks.bucket.delete("benchmarks/coin-run/current.json")

    published = benchmarks.publish(make_benchmark(title="New"))

    assert published.publish_number == 2
    assert reader.latest("coin-run") == published


@pytest.mark.parametrize("change", ["publish", "promote"])
def test_pointer_is_read_if_an_older_one_was_restored_and_changed_again(
    benchmarks: BenchmarkStore, reader: BenchmarkStore, make_benchmark: MakeBenchmark, change: str
) -> None:
    """A restored pointer has a lower number than the one in memory; the next must not reach that number."""
    pointer = "benchmarks/coin-run/current.json"
    benchmarks.bucket.put("results/coin-run/2026-01-15/one", b"{}", replacing=None)
    benchmarks.publish(make_benchmark(script=b"print(2)\n"))
    with_next = benchmarks.bucket.get(pointer)
    benchmarks.publish(make_benchmark(script=b"print(3)\n"))
    assert reader.latest("coin-run").publish_number == 3
    benchmarks.bucket.put(pointer, with_next.body, replacing=benchmarks.bucket.get(pointer).info.etag)

    if change == "promote":
        changed = benchmarks.promote(benchmarks.current("coin-run", fresh=True))
    else:
        changed = benchmarks.publish(make_benchmark(title="Newest"))

    assert changed.publish_number == 4
    assert reader.latest("coin-run") == changed


def test_pointer_is_read_while_the_number_is_ahead(
    reader: BenchmarkStore, reads: list[str], numbers: RisingNumbers
) -> None:
    """A publisher that died before the pointer makes every look a read, until somebody publishes."""
    numbers.raise_to(publish_number("coin-run"), 2)

    looks = [reader.latest("coin-run").publish_number for _ in range(2)]

    assert looks == [1, 1]
    assert reads == ["benchmarks/coin-run/current.json"] * 2


def test_pointer_is_read_where_there_is_no_number(
    reader: BenchmarkStore, reads: list[str], numbers: RisingNumbers
) -> None:
    """Without a number beside it the pointer itself says what is published."""
    numbers.table.delete(key="publish#coin-run")

    assert reader.latest("coin-run").publish_number == 1
    assert reads == ["benchmarks/coin-run/current.json"]


def test_pointer_is_read_where_newer_code_wrote_the_number(
    reader: BenchmarkStore, reads: list[str], numbers: RisingNumbers, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A number that this code cannot read is as good as none."""
    with monkeypatch.context() as patch:
        patch.setattr(schema, "SCHEMA_NUMBERS", {**schema.SCHEMA_NUMBERS, Schema.NUMBER: 2})
        numbers.raise_to(publish_number("coin-run"), 2)

    assert reader.latest("coin-run").publish_number == 1
    assert reads == ["benchmarks/coin-run/current.json"]


def test_number_is_raised_before_the_pointer_is_written(
    benchmarks: BenchmarkStore, make_benchmark: MakeBenchmark, numbers: RisingNumbers
) -> None:
    """When the pointer is written, also by a promotion, its number is there."""
    written = []

    def put(bucket: str, key: str, new: Any) -> Any:
        if key.endswith("current.json"):
            written.append(numbers.read(publish_number("coin-run")))
        return benchmarks.bucket.client.put(bucket, key, new)

    store = copy.replace(benchmarks, bucket=intercept(benchmarks.bucket, put=put))
    store.publish(make_benchmark())
    benchmarks.bucket.put("results/coin-run/2026-01-15/one", b"{}", replacing=None)
    store.promote(store.publish(make_benchmark(script=b"print(2)\n")))

    assert written == [1, 2, 3]
