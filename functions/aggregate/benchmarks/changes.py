"""What differs between two versions of a benchmark, and between two states of its board."""

from collections.abc import Iterator, Mapping
from typing import Any

from scoring_core.benchmarks.boards import read_row_id
from scoring_core.benchmarks.bundle import SCRIPT_FOLDER
from scoring_core.benchmarks.definition import SCRIPT_FILE
from scoring_core.benchmarks.loading import Benchmark
from storage.benchmarks.corrections import ChangedRow
from storage.boards.models import Rows
from storage.players.names import label_player


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


def compare_boards(before: Rows, after: Rows, *, column: str) -> list[ChangedRow]:
    """Compare two states of a board.

    Args:
        before: All rows of the old state.
        after: All rows of the new state.
        column: The metric whose values are compared; a board without it has no values.

    Returns:
        Every row of either state, ordered by the new rank; then those that left, by the old rank.
    """
    old, new = _ranks(before, column), _ranks(after, column)
    names = _labels(before) | _labels(after)
    changes = []
    for row in [*new, *(row for row in old if row not in new)]:
        rank_before, value_before = old.get(row, (None, None))
        rank_after, value_after = new.get(row, (None, None))
        player, label = read_row_id(row)
        changes.append(
            ChangedRow(
                player=player,
                name=names[row],
                label=label,
                rank_before=rank_before,
                rank_after=rank_after,
                value_before=value_before,
                value_after=value_after,
            )
        )
    return changes


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


def _labels(rows: Rows) -> dict[str, str]:
    named = zip(rows.row_ids, rows.name, rows.verified, rows.label or rows.player, strict=True)
    return {
        row: label_player(name, verified=verified) + (f" · {label}" if rows.label and label else "")
        for row, name, verified, label in named
    }


def _ranks(rows: Rows, column: str) -> dict[str, tuple[int, float | None]]:
    values = rows.scores.get(column) or (None,) * len(rows.player)
    return {row: (rank, value) for row, rank, value in zip(rows.row_ids, rows.rank, values, strict=True)}
