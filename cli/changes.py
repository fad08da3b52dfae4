"""What differs between two versions of a benchmark: names, and never a word of its ground truth or script."""

from collections.abc import Iterator, Mapping
from typing import Any

from scoring_core.benchmarks.definition import SCRIPT_FILE
from scoring_core.benchmarks.loading import Benchmark


def find_changes(before: Benchmark, after: Benchmark) -> list[str]:
    """Name all that differs, sorted: keys of benchmark.yaml with dots, files by their names.

    A scorer's parameters are compared with their defaults, headers by their names.
    """
    one, other = dict(_flatten(_describe(before))), dict(_flatten(_describe(after)))
    keys = sorted(key for key in one.keys() | other.keys() if one.get(key) != other.get(key))
    files = sorted(
        path for path in before.files.keys() | after.files.keys() if before.files.get(path) != after.files.get(path)
    )
    return [*keys, *(f"{_role_of(path, after)}{path}" for path in files if path != "benchmark.yaml")]


def _role_of(path: str, benchmark: Benchmark) -> str:
    if path == benchmark.definition.ground_truth:
        return "ground truth "
    return "script " if path == SCRIPT_FILE else ""


def _describe(benchmark: Benchmark) -> dict[str, Any]:
    plain = benchmark.definition.model_dump(mode="json")
    plain["parameters"] = benchmark.parameters.model_dump(mode="json")
    plain["score_type"]["headers"] = {one["name"]: one for one in plain["score_type"]["headers"]}
    return plain


def _flatten(value: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, Any]]:
    for key, inner in value.items():
        if isinstance(inner, Mapping) and inner:
            yield from _flatten(inner, f"{path}{key}.")
        else:
            yield f"{path}{key}", inner
