"""The truth of `table`: a CSV, TSV or JSON with an id, and one column or more that metrics compare."""

import csv
import io
import math
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import repeat
from typing import Any, NamedTuple, cast

from scoring_core.errors import EvaluatorError, TableError
from scoring_core.io.tables import Faults, TableFile, read_table, show_cell
from scoring_core.io.text import fold_labels, list_some, text_key
from scoring_core.metrics.numbers import rank
from scoring_core.scorers.base import ScorerInputs
from scoring_core.scorers.table import Reads, RowSets, TableMetric, TableParameters
from scoring_core.scorers.table.cells import read_lists, read_number, read_numbers

MAX_ROWS = 2_000_000
"""Of a truth: a row takes 200 bytes of memory, and a result of 20 MB has no more."""
_PART = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_MAX_EXACT = 2**53
_MAX_WEIGHT = 1e15


@dataclass(frozen=True, slots=True)
class Classes:
    """The classes of a column, and how its cells name them.

    Args:
        names: As the truth or the parameters write them, in order: as declared, or else by number or by text. The code
            of a class is its place.
        fold: What gives each spelling of a label one text.
        codes: Folded label → code.
        numbers: Number → code, if all names are numbers: `1.0` is then the class `1`. None otherwise.
        positive: The code of the positive class, where a metric has one.
        closed: Whether a result may name no other class.
    """

    names: tuple[str, ...]
    fold: Callable[[str], str]
    codes: Mapping[str, int]
    numbers: Mapping[float, int] | None
    positive: int
    closed: bool


class Target(NamedTuple):
    """What a metric reads of the truth.

    Args:
        values: One for each row: a text, the code of a class, a number, or a list as item → gain.
        classes: Of labels, chances and scores.
        ranks: Of numbers of `spearman`, over all rows.
        fold: Of texts: what gives each spelling of one the same text.
    """

    values: Sequence[Any]
    classes: Classes | None = None
    ranks: Sequence[int] | None = None
    fold: Callable[[str], str] = text_key


@dataclass(frozen=True, slots=True)
class Truth:
    """A prepared truth.

    Args:
        rows: Id, as `text_key` gives it, → place, in the order of the file.
        targets: One for each metric, in their order.
        weights: One for each row, if there are any; finite, at least 0, with a sum above 0 in each part.
        groups: Part → the places of its rows; empty without `by`.
        scored: Part → the places of those that are scored, at least one; None → of all rows, without `by`. None if all.
    """

    rows: Mapping[str, int]
    targets: Sequence[Target]
    weights: Sequence[float] | None
    groups: Mapping[str, Sequence[int]]
    scored: Mapping[str | None, Sequence[int] | None]


def read_truth(content: bytes, parameters: TableParameters, *, is_hidden: bool = False) -> Truth:
    """Read the truth.

    Args:
        content: A table.
        parameters: Those of the benchmark.
        is_hidden: Whether its hidden rows are scored, instead of the public ones.

    Raises:
        EvaluatorError: It is wrong; the message may quote it.
    """
    metrics, rows_of = parameters.single_metrics, parameters.rows
    try:
        table = read_table(content, need=_list_columns(parameters))
        faults = Faults()
        places: Sequence[int] | None = None
        if rows_of is not None:
            places = _find_rows(table, rows_of, rows_of.final if is_hidden and rows_of.final else rows_of.now)
            table = _empty(table, parameters, places, with_value_of=places[0])
        if parameters.one_hot is not None:
            table = _name_classes(table, parameters.target, parameters.one_hot, faults)
        texts = [parameters.target_of(metric) for metric in metrics if metric.facts.compares_texts]
        for name in dict.fromkeys([parameters.id, *texts]):
            _check_ends(table.columns[name], name, table.first_row, faults)
        rows = _read_ids(table, parameters.id, faults)
        groups = _read_groups(table, parameters.by, faults)
        weights = _read_weights(table, parameters.weight, faults)
        targets = _read_targets(table, parameters, faults)
        faults.check()
    except TableError as error:
        raise EvaluatorError(f"ground truth: {error.message}") from error
    scored: dict[str | None, Sequence[int] | None] = {None: places}
    chosen = {*places} if places is not None else None
    for part, group in groups.items():
        scored[part] = group if chosen is None else [place for place in group if place in chosen]
    for counted_part, counted in scored.items():
        of = f" of the part {counted_part!r}" if counted_part is not None else ""
        if counted is not None and not counted:
            raise EvaluatorError(f"ground truth: no row{of} is scored {'at the final' if is_hidden else 'before it'}")
        if weights is not None and not any(weights if counted is None else map(weights.__getitem__, counted)):
            raise EvaluatorError(f"ground truth: the weights{of} are all 0")
    return Truth(rows, targets, weights, groups, scored)


def conceal(inputs: ScorerInputs) -> bytes:
    """Return the truth as CSV, with no answers in rows that are not scored yet.

    Their ids, their parts and the column of `rows` remain. Without `rows` it is returned as it is.

    Raises EvaluatorError if it is no table, or lacks a column.
    """
    parameters, content = cast("TableParameters", inputs.parameters), inputs.ground_truth or b""
    if parameters.rows is None:
        return content
    try:
        table = read_table(content, need=_list_columns(parameters))
        table = _empty(table, parameters, _find_rows(table, parameters.rows, parameters.rows.now))
    except TableError as error:
        raise EvaluatorError(f"ground truth: {error.message}") from error
    file = io.StringIO()
    csv.writer(file, lineterminator="\n").writerows([[*table.columns], *zip(*table.columns.values(), strict=True)])
    return file.getvalue().encode()


def _list_columns(parameters: TableParameters) -> tuple[str, ...]:
    rows = parameters.rows.column if parameters.rows else None
    metrics, names = parameters.single_metrics, [parameters.id, parameters.weight, parameters.by, rows]
    targets = dict.fromkeys(map(parameters.target_of, metrics))
    if parameters.one_hot is not None:
        targets.pop(parameters.target, None)
    columns = (*names, *targets, *(parameters.one_hot or ()), *(metric.gains for metric in metrics))
    return tuple(dict.fromkeys(filter(None, columns)))


def _name_classes(table: TableFile, target: str, names: Sequence[str], faults: Faults) -> TableFile:
    """Return the table with a target of labels in place of a column for each class."""
    labels, expected = [], [*repeat(0.0, len(names) - 1), 1.0]
    numbers = [read_numbers(table.columns[name], name, table.first_row, faults) for name in names]
    for row, values in enumerate(zip(*numbers, strict=True), table.first_row):
        if sorted(values) != expected:
            faults.add("row {}: expected 1 in the column of one class and 0 in those of the others", row)
        labels.append(names[values.index(max(values))])
    return replace(table, columns={**table.columns, target: labels})


def _find_rows(table: TableFile, rows: RowSets, value: str) -> Sequence[int]:
    """Return the places of the rows with this value, at least one. Raises TableError."""
    cells = table.columns[rows.column]
    meant = {cell for cell in {*cells} if text_key(cell).casefold() == text_key(value).casefold()}
    places = [place for place, cell in enumerate(cells) if cell in meant]
    if not places:
        values = list_some(map(show_cell, sorted({*cells})))
        raise TableError([f"column {rows.column!r}: expected {value!r} in some row, found {values}"])
    return places


def _empty(
    table: TableFile, parameters: TableParameters, places: Sequence[int], *, with_value_of: int | None = None
) -> TableFile:
    """Return the table without the answers of the rows in all other places.

    They have empty cells, or those of one of these rows: then they are no class and no mistake of their own.
    """
    kept, scored = {parameters.id, parameters.by, parameters.rows and parameters.rows.column}, {*places}
    columns = {
        name: cells
        if name in kept
        else [
            cell if place in scored else "" if with_value_of is None else cells[with_value_of]
            for place, cell in enumerate(cells)
        ]
        for name, cells in table.columns.items()
    }
    return replace(table, columns=columns)


def list_parts(inputs: ScorerInputs) -> tuple[str, ...]:
    """Return the values of the column `by`, in order. Raises EvaluatorError."""
    by = cast("TableParameters", inputs.parameters).by
    if by is None:
        return ()
    try:
        table = read_table(inputs.ground_truth or b"", need=(by,))
        faults = Faults()
        groups = _read_groups(table, by, faults)
        faults.check()
    except TableError as error:
        raise EvaluatorError(f"ground truth: {error.message}") from error
    return tuple(groups)


def _read_ids(table: TableFile, name: str, faults: Faults) -> dict[str, int]:
    ids = table.columns[name]
    rows = {text_key(identifier): place for place, identifier in enumerate(ids)}
    if not 0 < len(ids) <= MAX_ROWS:
        raise TableError([f"expected 1 to {MAX_ROWS} rows, found {len(ids)}"])
    if len(rows) < len(ids) or "" in rows:
        places: dict[str, int] = {}
        for row, identifier in enumerate(ids, table.first_row):
            if not identifier:
                faults.add("row {}, column {!r}: expected an id, found an empty cell", row, name)
            elif places.setdefault(key := text_key(identifier), row) != row:
                shown, first = show_cell(identifier), places[key]
                faults.add("row {}, column {!r}: {} is there twice, first in row {}", row, name, shown, first)
    return rows


def _check_ends(cells: Sequence[str], name: str, first_row: int, faults: Faults) -> None:
    """Check that no id or label has white space at its ends, where nobody sees it."""
    for row, cell in enumerate(cells, first_row):
        if cell != cell.strip():
            faults.add("row {}, column {!r}: expected no white space around a text, found {}", row, name, repr(cell))


def _read_groups(table: TableFile, name: str | None, faults: Faults) -> dict[str, list[int]]:
    groups: dict[str, list[int]] = {}
    if name is None:
        return groups
    for place, part in enumerate(table.columns[name]):
        groups.setdefault(part, []).append(place)
    for part, places in groups.items():
        if not _PART.fullmatch(part):  # it is used in keys and addresses
            row, expected = places[0] + table.first_row, "1 to 64 letters, digits, '.', '_' or '-'"
            faults.add("row {}, column {!r}: expected {}, found {}", row, name, expected, show_cell(part))
    return groups


def _read_weights(table: TableFile, name: str | None, faults: Faults) -> list[float] | None:
    if name is None:
        return None
    expected = f"a weight from 0 to {_MAX_WEIGHT:g}"
    return read_numbers(
        table.columns[name], name, table.first_row, faults, least=0.0, most=_MAX_WEIGHT, expected=expected
    )


def _read_targets(table: TableFile, parameters: TableParameters, faults: Faults) -> list[Target]:
    """Return what each metric reads; metrics that read the same share it."""
    targets: dict[tuple[object, ...], Target] = {}
    listed: list[Target] = []
    for metric in parameters.single_metrics:
        column, facts = parameters.target_of(metric), metric.facts
        reads = facts.reads
        two = facts.two and metric.classes is None
        if reads in {Reads.CHANCES, Reads.SCORES}:
            reads = Reads.LABELS
        above = -1.0 if metric.key == "rmsle" else None
        key = (column, reads, two, metric.gains, above, metric.key == "spearman", *(metric.classes or ()))
        if key not in targets:
            targets[key] = _read_target(table, parameters, metric, faults)
        listed.append(targets[key])
    return listed


def _read_target(table: TableFile, parameters: TableParameters, metric: TableMetric, faults: Faults) -> Target:
    column = parameters.target_of(metric)
    cells = table.columns[column]
    match metric.facts.reads:
        case Reads.TEXTS:
            fold = fold_labels({*cells})
            return Target([*map(fold, cells)], fold=fold)
        case Reads.NUMBERS:
            above = -1.0 if metric.key == "rmsle" else -math.inf
            numbers = read_numbers(cells, column, table.first_row, faults, above=above)
            return Target(numbers, ranks=rank(numbers) if metric.key == "spearman" and numbers else None)
        case Reads.LISTS:
            return Target(_read_gains(table, column, metric.gains, faults))
        case _:
            classes = _find_classes(table, column, parameters, metric)
            code_of = {cell: classes.codes.get(classes.fold(cell), -1) for cell in {*cells}}
            codes = [code_of[cell] for cell in cells]
            if -1 in codes:
                expected = ", ".join(map(show_cell, classes.names[:10]))
                for row, (code, cell) in enumerate(zip(codes, cells, strict=True), table.first_row):
                    if code < 0:
                        values = (row, column, expected, show_cell(cell))
                        faults.add("row {}, column {!r}: expected one of {}, found {}", *values)
            return Target(codes, classes)


def _read_gains(table: TableFile, column: str, gains: str | None, faults: Faults) -> list[dict[str, float]]:
    lists = read_lists(table.columns[column], column, table.first_row, faults)
    for row, items in enumerate(lists, table.first_row):
        if not items:
            faults.add("row {}, column {!r}: expected at least one item, found an empty cell", row, column)
    if gains is None:
        return [dict.fromkeys(items, 1.0) for items in lists]
    gained: list[dict[str, float]] = []
    for row, (items, cell) in enumerate(zip(lists, table.columns[gains], strict=True), table.first_row):
        numbers = [read_number(text) for text in cell.split()]
        if len(numbers) != len(items) or any(number is None or number < 0 for number in numbers):
            expected = f"{len(items)} numbers of at least 0, one for each item of {column!r}"
            faults.add("row {}, column {!r}: expected {}, found {}", row, gains, expected, show_cell(cell))
        gained.append(dict(zip(items, (number or 0.0 for number in numbers), strict=False)))
    return gained


def _find_classes(table: TableFile, column: str, parameters: TableParameters, metric: TableMetric) -> Classes:
    cells = table.columns[column]
    declared = tuple(metric.classes) if metric.classes is not None else parameters.labels
    occurring = {*cells}
    if "" in occurring:
        row = cells.index("") + table.first_row
        raise TableError([f"row {row}, column {column!r}: expected a label, found an empty cell"])
    fold = fold_labels(declared or occurring)
    occurring = {*map(fold, occurring)}
    declared = declared and tuple(map(fold, declared))
    numbers, own = _number_all(occurring), _number_all(declared or ())
    two = metric.facts.two and metric.classes is None
    names = declared or tuple(sorted(occurring, key=numbers.__getitem__ if numbers else None))
    values = {*numbers.values()} if numbers else set()
    if two and not declared and values and (values < {0.0, 1.0} or values < {-1.0, 1.0}):
        names = ("-1", "1") if -1.0 in values else ("0", "1")
        own = {name: float(name) for name in names}
        fold = fold_labels(names)
    codes = {name: code for code, name in enumerate(names)}
    by_number = None
    if numbers is not None and own is not None:
        by_number = {(own or numbers)[name]: code for code, name in enumerate(names)}
        codes |= {cell: by_number[number] for cell, number in numbers.items() if number in by_number}
    wanted = parameters.positive and fold(parameters.positive)
    positive = _find_positive(names, by_number, column, wanted, metric) if two else -1
    return Classes(names, fold, codes, by_number, positive, closed=declared is not None or two)


def _find_positive(
    names: Sequence[str],
    numbers: Mapping[float, int] | None,
    column: str,
    wanted: str | None,
    metric: TableMetric,
) -> int:
    if len(names) != 2:  # noqa: PLR2004
        hint = "name both in `labels`" if len(names) < 2 else "name the columns of all in `classes`"  # noqa: PLR2004
        if metric.facts.reads is Reads.LABELS and len(names) > 2:  # noqa: PLR2004
            hint = f"use {metric.metric}_macro, _micro or _weighted"
        raise EvaluatorError(
            f"ground truth: {metric.metric} is of two classes, found {len(names)} in column {column!r}; {hint}"
        )
    if wanted is None and numbers is not None and numbers.keys() in ({0.0, 1.0}, {-1.0, 1.0}):
        return numbers[1.0]
    if wanted in names:
        return names.index(wanted)
    shown = " or ".join(map(show_cell, names))
    raise EvaluatorError(
        f"parameters: positive: {metric.metric} needs it: expected {shown}, the class that counts as 1"
    )


def _number_all(names: Collection[str]) -> dict[str, float] | None:
    """Return the number of each name; None if one is none, or two are the same."""
    numbers: dict[str, float] = {}
    for name in names:
        number = read_number(name)
        if number is None or abs(number) > _MAX_EXACT:
            return None
        numbers[name] = number
    return numbers if len({*numbers.values()}) == len(numbers) else None
