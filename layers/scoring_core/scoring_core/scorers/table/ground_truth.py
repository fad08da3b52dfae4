"""The truth of `table`: a CSV, TSV or JSON with an id, and one column or more that metrics compare."""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from scoring_core.errors import EvaluatorError, TableError
from scoring_core.io.tables import Faults, TableFile, read_table, show_cell
from scoring_core.io.text import fold_labels, text_key
from scoring_core.metrics.numbers import rank
from scoring_core.scorers.table import Reads, TableMetric, TableParameters
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
    """

    rows: Mapping[str, int]
    targets: Sequence[Target]
    weights: Sequence[float] | None
    groups: Mapping[str, Sequence[int]]


def read_truth(content: bytes, parameters: TableParameters) -> Truth:
    """Read the truth. Raises EvaluatorError, which may quote it."""
    metrics = parameters.metrics
    columns = [parameters.id, *(parameters.target_of(metric) for metric in metrics)]
    columns += [name for name in (parameters.weight, parameters.by, *(metric.gains for metric in metrics)) if name]
    try:
        table = read_table(content, need=tuple(dict.fromkeys(columns)))
        faults = Faults()
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
    for part, places in groups.items():
        if weights is not None and not any(weights[place] for place in places):
            raise EvaluatorError(f"ground truth: the weights of the part {part!r} are all 0")
    if weights is not None and not any(weights):
        raise EvaluatorError("ground truth: the weights are all 0")
    return Truth(rows, targets, weights, groups)


def list_groups(content: bytes, by: str | None) -> tuple[str, ...]:
    """Return the parts, in the order of the file. Raises EvaluatorError."""
    if by is None:
        return ()
    try:
        table = read_table(content, need=(by,))
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
    for metric in parameters.metrics:
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
            above = -1.0 if metric.key == "rmsle" else None
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
