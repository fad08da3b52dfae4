"""A solution file, as Kaggle has it: rows with an id and the right answer, which the scorer `table` compares."""

import csv
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import yaml

from cli.exit_codes import UsageError
from cli.moving.shared import MovedBenchmark, write_definition
from scoring_core.scorers.table import METRICS, MetricFacts, Reads, split_metric

_USAGES: Final = frozenset({"public", "private", "ignored"})
"""The values of a column that says which rows are public; nothing predicts it."""
_DELIMITERS: Final = {".csv": ",", ".tsv": "\t"}
_LABELS: Final = {Reads.LABELS, Reads.TEXTS}


class _Solution(NamedTuple):
    """A table with a header, and what its columns are taken for."""

    rows: Sequence[Sequence[str]]
    columns: Sequence[str]
    id: str
    target: str

    def cells(self, column: str) -> list[str]:
        at = self.columns.index(column)
        return [row[at] for row in self.rows]


def move_solution(path: Path, name: str, metric: str, *, id_: str | None, target: str | None) -> MovedBenchmark:
    """Return the benchmark that compares results with a solution file.

    Args:
        path: A CSV or TSV file with a header.
        name: The id of the benchmark.
        metric: A metric of the scorer `table`, such as `rmse`.
        id_: The column that names a row; None: guessed.
        target: The column with the right answer; None: guessed.

    Raises:
        UsageError: There is no such metric or column, or the answers are not what the metric reads.
    """
    try:
        key, _ = split_metric(metric)
    except ValueError as error:
        raise UsageError(f"--metric: {error}") from error
    facts, form = METRICS[key], path.suffix.lower().lstrip(".")
    solution = _read_solution(path, id_, target)
    answers = solution.cells(solution.target)
    is_numeric = all(map(_is_number, answers))
    if facts.reads is Reads.NUMBERS and not is_numeric:
        wrong = next(cell for cell in answers if not _is_number(cell))
        raise UsageError(
            f"--metric: {metric} compares numbers, and {solution.target} has {wrong[:40]!r}; name --target"
        )
    header: dict[str, Any] = {"name": metric, "type": "float", "direction": "lower" if facts.lower else "higher"}
    header |= {bound: value for bound, value in (("min", facts.least), ("max", facts.most)) if value is not None}
    definition = {
        "id": name,
        "title": name.replace("-", " ").capitalize(),
        "summary": f"Predict {solution.target} of each row.",
        "scorer": "table",
        "parameters": {"id": solution.id, "target": solution.target, "metrics": [metric]},
        "ground_truth": path.name,
        "score_type": {"headers": [{**header, "decimals": 4}]},
        "ranking": {"keep": "best", "by": [metric]},
        "submissions": {"takes": [form], "max_bytes": max(1_048_576, 4 * path.stat().st_size)},
        "contacts": {"owner": "you@example.com"},
    }
    notes = _list_notes(solution, facts, is_numeric=is_numeric)
    right = {} if facts.reads not in {*_LABELS, Reads.NUMBERS} else {f"right.{form}": _write(solution, answers, form)}
    sample = _write(solution, _guess(solution, facts), form)
    best = facts.least if facts.lower else facts.most
    expected = {"right": {"outcome": "scored", "scores": {metric: float(best or 0)}}} if right else {}
    files = {
        "benchmark.yaml": write_definition(definition, about=[*notes, "Guessed from the file: change what is wrong."]),
        path.name: path.read_bytes(),
        "description.md": _describe(solution, form, metric).encode(),
        f"examples/sample.{form}": sample,
        **{f"examples/{file}": content for file, content in right.items()},
        "examples/expected.yaml": yaml.safe_dump(expected).encode(),
    }
    return MovedBenchmark(files, tuple(notes))


def _read_solution(path: Path, id_: str | None, target: str | None) -> _Solution:
    delimiter = _DELIMITERS.get(path.suffix.lower())
    if delimiter is None:
        raise UsageError(f"{path}: expected a .csv or .tsv file")
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: expected a readable file in UTF-8: {error}") from error
    columns, *rows = [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter) if row] or [[]]
    wrong = next((number for number, row in enumerate(rows, 2) if len(row) != len(columns)), None)
    if wrong is not None or not rows or len(columns) < 2:  # noqa: PLR2004  # an id and an answer
        place = f"in row {wrong} another number of cells" if wrong else "fewer columns or rows"
        raise UsageError(f"{path}: expected a header of two columns or more, and rows of as many cells; found {place}")
    for column in filter(None, (id_, target)):
        if column not in columns:
            raise UsageError(f"{path}: expected a column {column!r}, found {', '.join(columns)}")
    id_ = id_ or _find_id(rows, [column for column in columns if column != target], columns)
    rest = [column for number, column in enumerate(columns) if column != id_ and not _is_usage(rows, number)]
    if not rest:
        raise UsageError(f"{path}: expected a column with answers beside {id_}, found none")
    return _Solution(rows, columns, id_, target or rest[0])


def _is_usage(rows: Sequence[Sequence[str]], column: int) -> bool:
    return {row[column].lower() for row in rows} <= _USAGES


def _find_id(rows: Sequence[Sequence[str]], candidates: Sequence[str], columns: Sequence[str]) -> str:
    """Return the column with another cell in each row, one called an id before others."""
    unique = [column for column in candidates if len({row[columns.index(column)] for row in rows}) == len(rows)]
    named = [column for column in unique if column.lower().endswith("id")]
    if not unique:
        raise UsageError("expected a column with another value in each row, the id; found none: name --id")
    return (named or unique)[0]


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _guess(solution: _Solution, facts: MetricFacts) -> list[str]:
    """Return predictions of the right shape that differ and know no answer."""
    count = len(solution.rows)
    if facts.reads in _LABELS:
        classes = sorted(set(solution.cells(solution.target)))
        return [classes[number % len(classes)] for number in range(count)]
    if facts.reads is Reads.LISTS:
        return ["none"] * count
    if facts.reads is Reads.NUMBERS:
        return [str(number) for number in range(1, count + 1)]
    return [f"{number / (count + 1):.6f}" for number in range(1, count + 1)]


def _write(solution: _Solution, predictions: Sequence[str], form: str) -> bytes:
    file = io.StringIO()
    writer = csv.writer(file, delimiter=_DELIMITERS[f".{form}"], lineterminator="\n")
    writer.writerow([solution.id, solution.target])
    writer.writerows(zip(solution.cells(solution.id), predictions, strict=True))
    return file.getvalue().encode()


def _describe(solution: _Solution, form: str, metric: str) -> str:
    return (
        f"Predict `{solution.target}` for each `{solution.id}`. A result is one {form.upper()} file with these two "
        f"columns and {len(solution.rows)} rows, in any order; it is scored by {metric}.\n"
    )


def _list_notes(solution: _Solution, facts: MetricFacts, *, is_numeric: bool) -> list[str]:
    kind = "numbers" if is_numeric else "texts"
    notes = [
        f"id: {solution.id}, {len(solution.rows)} rows, each with a value of its own",
        f"target: {solution.target}, {kind}, which the metric reads as {facts.reads}",
        f"direction: {'lower' if facts.lower else 'higher'} is better",
    ]
    others = [column for column in solution.columns if column not in {solution.id, solution.target}]
    return [*notes, f"left alone: {', '.join(others)}"] if others else notes
