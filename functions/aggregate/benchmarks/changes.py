"""What differs between two versions of a benchmark."""

from collections.abc import Iterator, Mapping
from typing import Any

from scoring_core.benchmarks.bundle import SCRIPT_FOLDER
from scoring_core.benchmarks.definition import SCRIPT_FILE
from scoring_core.benchmarks.loading import Benchmark


def find_changes(before: Benchmark, after: Benchmark) -> list[str]:
    """Return the names of all that differs, but no word of truth or script.

    Keys of benchmark.yaml come first, with dots, then files. Both are sorted. Parameters of a scorer are compared
    with their defaults, metrics by their names.
    """
    old, new = dict(_flatten(_describe(before))), dict(_flatten(_describe(after)))
    keys = sorted(key for key in old.keys() | new.keys() if old.get(key) != new.get(key))
    files = sorted(
        path for path in before.files.keys() | after.files.keys() if before.files.get(path) != after.files.get(path)
    )
    return [*keys, *(f"{_role_of(path, after)}{path}" for path in files if path != "benchmark.yaml")]


def _role_of(path: str, benchmark: Benchmark) -> str:
    if path == benchmark.definition.ground_truth:
        return "ground truth "
    return "script " if path == SCRIPT_FILE or path.startswith(SCRIPT_FOLDER) else ""


def _describe(benchmark: Benchmark) -> dict[str, Any]:
    described = benchmark.definition.model_dump(mode="json")
    described["parameters"] = benchmark.parameters.model_dump(mode="json")
    described["score_type"]["headers"] = {metric["name"]: metric for metric in described["score_type"]["headers"]}
    return described


def _flatten(value: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, Any]]:
    for key, inner in value.items():
        if isinstance(inner, Mapping) and inner:
            yield from _flatten(inner, f"{path}{key}.")
        else:
            yield f"{path}{key}", inner
