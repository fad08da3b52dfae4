"""A solution file, as Kaggle has it: rows with an id and the right answer, which the scorer `table` compares."""

import csv
import io
import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import yaml

from scoring_core.benchmarks.bundle import pack
from scoring_core.benchmarks.loading import load_bundle
from scoring_core.errors import BenchmarkError, EvaluatorError
from scoring_core.io.limits import MAX_RESULT_BYTES
from scoring_core.scorers.table import METRICS, MetricFacts, Reads, split_metric

_NOW: Final = ("public", "publictest")
_FINAL: Final = ("private", "privatetest")
_SCORED: Final = frozenset({*_NOW, *_FINAL})
"""The values of the rows that count, in a column that divides them; nothing predicts that column."""
_USAGES: Final = _SCORED | {"ignored", "ignore", ""}
_IS_INDEX: Final = re.compile(r"Unnamed: [0-9]+")
_IS_ID: Final = re.compile(r"(?:.*[^A-Za-z])?id|id[^A-Za-z].*|.*[a-z0-9]I[dD]|ID|Id", re.DOTALL)
"""`Id`, `row_id`, `PassengerId`, `id_code`; not `covid` or `paid`."""
_MAX_COLUMNS: Final = 1000
_MAX_CLASSES: Final = 20
"""As many are written into `labels`, if at least two rows have each on average."""
_IS_DECIMAL: Final = re.compile(r"\s*[+-]?[0-9]+,[0-9]+(?:[eE][+-]?[0-9]+)?\s*")
_DELIMITERS: Final = {"csv": ",", "tsv": "\t"}
_LABELS: Final = {Reads.LABELS, Reads.TEXTS}


class MovedBenchmark(NamedTuple):
    """The files of a benchmark's folder, and what a person should read about them."""

    files: dict[str, bytes]
    notes: tuple[str, ...]

    def check(self) -> "MovedBenchmark":
        """Return it. Raises BenchmarkError if `laurel check` would refuse it."""
        try:
            load_bundle(pack(self.files)).prepare_scorer()
        except EvaluatorError as error:
            raise BenchmarkError(f"this cannot be a benchmark here: {error}") from error
        return self


class _Solution(NamedTuple):
    """A table with a header, and what its columns are taken for."""

    rows: Sequence[Sequence[str]]
    columns: Sequence[str]
    id: str
    target: str
    split: str | None

    @property
    def scored(self) -> Sequence[bool]:
        """Return whether each row is public or private, or no column says so."""
        cells = self.cells(self.split) if self.split else []
        return [cell.strip().lower() in _SCORED for cell in cells] or [True] * len(self.rows)

    @property
    def row_sets(self) -> dict[str, str]:
        """Return the parameter `rows`; empty without rows to hide, or to leave out."""
        values = sorted({cell.strip() for cell in self.cells(self.split)}) if self.split else []
        sets = [next((each for each in values if each.lower() in names), None) for names in (_NOW, _FINAL)]
        named = [*filter(None, sets)]
        if self.split is None or (len(named) == 1 and all(self.scored)):
            return {}
        return {"column": self.split, **dict(zip(("now", "final"), named, strict=False))}

    def answers(self, sets: Collection[str]) -> list[str]:
        """Return the answers of the rows in these sets; the others have one of those."""
        cells = self.cells(self.target)
        counts = (
            [cell.strip().lower() in sets for cell in self.cells(self.split)] if self.split else [True] * len(cells)
        )
        stand_in = cells[counts.index(True)]
        return [cell if counted else stand_in for cell, counted in zip(cells, counts, strict=True)]

    def cells(self, column: str) -> list[str]:
        at = self.columns.index(column)
        return [row[at] for row in self.rows]


def move_solution(
    text: str, name: str, metric: str, *, form: str, id_: str | None, target: str | None
) -> MovedBenchmark:
    """Return the benchmark that compares results with a solution.

    Args:
        text: A table with a header.
        name: The id of the benchmark.
        metric: A metric of the scorer `table`, such as `rmse`.
        form: `csv` or `tsv`, the format of the table and of results.
        id_: The column that names a row; None: guessed.
        target: The column with the right answer; None: guessed.

    Raises:
        BenchmarkError: There is no such metric or column, or the answers are not what the metric reads.
    """
    try:
        key, _ = split_metric(metric)
    except ValueError as error:
        raise BenchmarkError(f"metric: {error}") from error
    facts, solution = METRICS[key], _read_solution(text, form, id_, target)
    answers = solution.answers(_SCORED)
    classes = _find_classes(solution, facts)
    labels = sorted(set(answers), key=lambda cell: (_read_number(cell), cell)) if facts.reads is Reads.LABELS else []
    if not 1 < len(labels) <= min(_MAX_CLASSES, len(answers) // 2):
        labels = []
    positive = _choose_positive(answers) if facts.two else None
    labels = sorted({*answers}) if positive else labels  # each half has both, whatever its rows are
    is_numeric = all(map(math.isfinite, map(_read_number, answers)))
    if facts.reads is Reads.NUMBERS and not is_numeric:
        row, wrong = next((row, cell) for row, cell in enumerate(answers, 2) if not math.isfinite(_read_number(cell)))
        place = f"row {row}, column {solution.target}"
        raise BenchmarkError(f"metric: {metric} compares numbers, and {place} has {wrong[:40]!r}; name another target")
    truth, rows = f"solution.{form}", solution.row_sets
    header: dict[str, Any] = {"name": metric, "type": "float", "direction": "lower" if facts.lower else "higher"}
    header |= {bound: value for bound, value in (("min", facts.least), ("max", facts.most)) if value is not None}
    definition = {
        "id": name,
        "title": name.replace("-", " ").capitalize(),
        "summary": f"Predict {'the class' if classes else solution.target} of each row.",
        "scorer": "table",
        "parameters": {
            "id": solution.id,
            **({"one_hot": classes} if classes else {"target": solution.target}),
            "metrics": [metric],
            **({"labels": labels} if labels else {}),
            **({"positive": positive} if positive else {}),
            **({"rows": rows} if rows else {}),
        },
        "ground_truth": truth,
        "score_type": {"headers": [{**header, "decimals": 4}]},
        "ranking": {"keep": "best", "by": [metric]},
        **({"final": {"counts": "best"}} if "final" in rows else {}),
        "submissions": {"takes": [form], "max_bytes": min(max(1_048_576, 4 * len(text.encode())), MAX_RESULT_BYTES)},
        "contacts": {"owner": "you@example.com"},
    }
    notes = _list_notes(solution, facts, labels, classes, is_numeric=is_numeric)
    notes += [f"positive: {positive} is the class that counts as 1"] if positive else []
    # No file but the truth has an answer that is hidden.
    shown = _write(solution, solution.answers(_NOW if "final" in rows else _SCORED), form)
    right = {f"right.{form}": shown} if facts.reads in {*_LABELS, Reads.NUMBERS} else {}
    sample = _write_even(solution, classes, form) if classes else _write(solution, _guess(answers, facts), form)
    best = facts.least if facts.lower else facts.most
    expected = {"right": {"outcome": "scored", "scores": {metric: float(best or 0)}}} if right else {}
    named = [[name, *solution.cells(name)] for name in solution.columns if name.strip()]  # not pandas' index
    files = {
        "benchmark.yaml": write_definition(definition, about=[*notes, "Guessed from the file: change what is wrong."]),
        truth: _write_rows(zip(*named, strict=True), form),
        "description.md": _describe(solution, classes or [solution.target], form, metric).encode(),
        f"examples/sample.{form}": sample,
        **{f"examples/{file}": content for file, content in right.items()},
        "examples/expected.yaml": yaml.safe_dump(expected).encode(),
    }
    return MovedBenchmark(files, tuple(notes)).check()


def write_definition(definition: Mapping[str, Any], *, about: Sequence[str]) -> bytes:
    """Return `benchmark.yaml` with lines of comment before it."""
    comment = "".join(f"# {line}\n" for line in about)
    return (comment + yaml.safe_dump(dict(definition), sort_keys=False, allow_unicode=True, width=110)).encode()


def _read_table(text: str, form: str) -> tuple[list[str], list[list[str]]]:
    """Return the header and the rows. Raises BenchmarkError."""
    delimiter = _DELIMITERS[form]
    text = text.partition("\n")[2] if text.startswith("sep=") else text
    mark = next((mark for mark in (delimiter, *";\t,") if mark in text.partition("\n")[0]), delimiter)
    try:
        table = [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=mark) if row]
    except csv.Error as error:
        raise BenchmarkError(f"solution: {error}") from error
    decimals = {cell for row in table for cell in row if _IS_DECIMAL.fullmatch(cell)} if mark != "," else set[str]()
    # A spreadsheet that has `,` in its decimals. Between tabs they may be thousands, all with three digits behind them.
    if mark == ";" or any(len(cell.strip().partition(",")[2]) != 3 for cell in decimals):  # noqa: PLR2004
        table = [[cell.replace(",", ".") if cell in decimals else cell for cell in row] for row in table]
    columns, *rows = table or [[]]
    if len(columns) > _MAX_COLUMNS:
        raise BenchmarkError(f"solution: expected at most {_MAX_COLUMNS} columns, found {len(columns)}")
    wrong = next((number for number, row in enumerate(rows, 2) if len(row) != len(columns)), None)
    count = sum(bool(column.strip()) for column in columns)
    if wrong is not None or not rows or count < 2:  # noqa: PLR2004  # an id and an answer
        place = f"in row {wrong} another number of cells" if wrong else "fewer columns or rows"
        place = "a column without a name" if count < len(columns) else place
        expected = "expected a header of two columns or more, and rows of as many cells"
        raise BenchmarkError(f"solution: {expected}; found {place}")
    return columns, rows


def _read_solution(text: str, form: str, id_: str | None, target: str | None) -> _Solution:
    columns, rows = _read_table(text, form)
    named = [column for column in columns if column.strip()]  # pandas' index has no name
    if len({*named}) < len(named):
        raise BenchmarkError(
            f"solution: expected each column once, found {Counter(named).most_common(1)[0][0]!r} twice"
        )
    for column in filter(None, (id_, target)):
        if column not in named:
            raise BenchmarkError(f"solution: expected a column {column!r}, found {', '.join(named)}")
    named = [column for column in named if column in {id_, target} or not _is_index(column)]
    cells = {column: {*values} for column, values in zip(columns, zip(*rows, strict=True), strict=True)}
    splits = [column for column in named if _is_split(column, cells[column])]
    unique = [column for column in named if column not in {target, *splits} and len(cells[column]) == len(rows)]
    id_ = id_ or _find_id(unique)
    rest = [column for column in named if column != id_ and column not in splits]
    if not rest:
        raise BenchmarkError(f"solution: expected a column with answers beside {id_}, found none")
    return _Solution(rows, columns, id_, target or rest[0], next(iter(splits), None))


def _is_index(column: str) -> bool:
    return not column.strip() or _IS_INDEX.fullmatch(column) is not None


def _is_split(column: str, cells: set[str]) -> bool:
    """Return whether a column says which rows are public, as Kaggle's `Usage`."""
    values = {cell.strip().lower() for cell in cells}
    return bool(values & _SCORED) and (values <= _USAGES or column.strip().lower() == "usage")


def _choose_positive(answers: Sequence[str]) -> str | None:
    """Return the later one of two classes; None if the scorer knows which counts."""
    classes = sorted({*answers})
    is_plain = {_read_number(cell) for cell in classes} in ({0.0, 1.0}, {-1.0, 1.0})
    return None if len(classes) != 2 or is_plain else classes[1]  # noqa: PLR2004  # a metric of two


def _find_classes(solution: _Solution, facts: MetricFacts) -> list[str]:
    """Return the columns of classes; none if one column has labels.

    Raises BenchmarkError if a row is not 1 in one of them and 0 in the others.
    """
    names = [name for name in solution.columns if not _is_index(name) and name not in {solution.id, solution.split}]
    columns = [[_read_number(cell) for cell in solution.cells(name)] for name in names]
    rows = [row for row, counts in zip(zip(*columns, strict=True), solution.scored, strict=True) if counts]
    is_divided = all(math.isclose(math.fsum(row), 1) for row in rows)
    if not (facts.many or facts.reads is Reads.CHANCES) or len(names) < 2 or not is_divided:  # noqa: PLR2004
        return []
    if any({*row} != {0.0, 1.0} for row in rows):
        raise BenchmarkError(
            f"solution: expected 1 in the column of each row's class and 0 in the others: {', '.join(names)}"
        )
    return names


def _find_id(unique: Sequence[str]) -> str:
    """Return the column of ids: one that is called so before others."""
    named = [column for column in unique if _IS_ID.fullmatch(column)]
    if not unique:
        raise BenchmarkError("solution: expected a column with another value in each row, the id; found none: name one")
    return (named or unique)[0]


def _read_number(text: str) -> float:
    """Return a number; infinity for any other text."""
    try:
        return float(text)
    except ValueError:
        return math.inf


def _guess(answers: Sequence[str], facts: MetricFacts) -> list[str]:
    """Return predictions of the right shape that differ and know no answer."""
    count = len(answers)
    if facts.reads in _LABELS:
        classes = sorted({*answers})
        return [classes[number % len(classes)] for number in range(count)]
    if facts.reads is Reads.LISTS:
        return ["none"] * count
    if facts.reads is Reads.NUMBERS:
        return [str(number) for number in range(1, count + 1)]
    return [f"{number / (count + 1):.6f}" for number in range(1, count + 1)]


def _write(solution: _Solution, answers: Sequence[str], form: str) -> bytes:
    """Return a table of ids and answers."""
    rows = zip(solution.cells(solution.id), answers, strict=True)
    return _write_rows([(solution.id, solution.target), *rows], form)


def _write_even(solution: _Solution, classes: Sequence[str], form: str) -> bytes:
    """Return a table in which all classes are as likely."""
    even = [f"{1 / len(classes):.6f}"] * len(classes)
    return _write_rows([(solution.id, *classes), *((cell, *even) for cell in solution.cells(solution.id))], form)


def _write_rows(rows: Iterable[Iterable[str]], form: str) -> bytes:
    file = io.StringIO()
    csv.writer(file, delimiter=_DELIMITERS[form], lineterminator="\n").writerows(rows)
    return file.getvalue().encode()


def _describe(solution: _Solution, columns: Sequence[str], form: str, metric: str) -> str:
    return (
        f"Predict `{'`, `'.join(columns)}` for each `{solution.id}`. A result is one {form.upper()} file with these "
        f"columns and {len(solution.rows)} rows, in any order; it is scored by {metric}.\n"
    )


def _list_notes(
    solution: _Solution, facts: MetricFacts, labels: Sequence[str], classes: Sequence[str], *, is_numeric: bool
) -> list[str]:
    kind, ignored = "numbers" if is_numeric else "texts", solution.scored.count(False)
    notes = [
        f"id: {solution.id}, {len(solution.rows)} rows, each with a value of its own",
        f"one_hot: {', '.join(classes)}, 1 in rows of the class"
        if classes
        else f"target: {solution.target}, {kind}, which the metric reads as {facts.reads}",
        f"direction: {'lower' if facts.lower else 'higher'} is better",
    ]
    if labels:
        notes.append(f"labels: {', '.join(labels)}; a result may name no other: add what occurs in no row")
    if solution.row_sets:
        shown = ", ".join(f"{key} {value}" for key, value in solution.row_sets.items())
        notes.append(f"rows: {shown}; {ignored} rows are neither and never scored")
    if "final" in solution.row_sets:
        notes.append("final: by hand; add `at`, and `closes` before it, for a final at its time")
    for column in solution.columns:
        if column not in {solution.id, solution.target, solution.row_sets.get("column"), *classes}:
            why = "numbers of rows" if _is_index(column) else f"{solution.target} is the target; name another"
            why = "all its rows are scored" if column == solution.split else why
            notes.append(f"left alone: {column or 'a column without a name'}, {why}")
    return notes
