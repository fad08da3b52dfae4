"""A result of `table`: its rows, joined with those of the truth by their id."""

import math
import unicodedata
from bisect import bisect
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import groupby
from typing import Any

from scoring_core.errors import InvalidResult, TableError
from scoring_core.io.tables import Faults, TableFile, read_table, show_cell
from scoring_core.io.text import list_some, text_key
from scoring_core.scorers.table import Reads, TableMetric, TableParameters
from scoring_core.scorers.table.cells import read_lists, read_number, read_numbers
from scoring_core.scorers.table.ground_truth import Classes, Target, Truth

MAX_OFF_ONE = 0.01
"""How far the probabilities of a row may be from 1 together: they are rounded, and divided by their sum."""
_COMPARED_LENGTH = 200
_QUOTES = "'\"`‘’“”"


class ResultTable:
    """A result, which is read once for all truths that it is scored by.

    Args:
        result: The bytes as the player sent them.
        parameters: Those of the benchmark.

    Raises:
        InvalidResult: It is no table, or lacks a column.
    """

    def __init__(self, result: bytes, parameters: TableParameters) -> None:
        names = (name for metric in parameters.single_metrics for name in parameters.predictions_of(metric))
        try:
            self._table = read_table(result, need=tuple(dict.fromkeys([parameters.id, *names])))
        except TableError as error:
            raise InvalidResult(error.message) from error
        self._parameters = parameters
        self._faults = Faults()
        self._columns: dict[tuple[object, ...], Sequence[Any]] = {}

    def read_predictions(self, truth: Truth, *, part: str | None = None) -> list[Sequence[Any]]:
        """Return what each metric reads of it, in the order of the truth's rows.

        Args:
            truth: The prepared truth.
            part: The only part whose rows it has; None if it has all. The other rows are then None.

        Returns:
            For each metric one value a row: a text; a code, beyond the known ones for a class that the truth lacks; a
            number, of chances that of the positive class; the probabilities of all classes, in their order; or a list.

        Raises:
            InvalidResult: It lacks a row, or has a cell that cannot be read.
        """
        try:
            places = _join(self._table, truth, self._parameters, part, self._faults)
            predictions = [*map(self._read, self._parameters.single_metrics, truth.targets)]
            self._faults.check()
        except TableError as error:
            raise InvalidResult(error.message) from error
        if places is None:
            return predictions
        arranged: dict[int, Sequence[Any]] = {}
        for values in predictions:  # metrics may share a column
            if id(values) not in arranged:
                arranged[id(values)] = _arrange(values, places, len(truth.rows))
        return [arranged[id(values)] for values in predictions]

    def _read(self, metric: TableMetric, target: Target) -> Sequence[Any]:
        """Return what a metric reads; those that read a column the same way share it."""
        names, reads = self._parameters.predictions_of(metric), metric.facts.reads
        is_number = reads in {Reads.NUMBERS, Reads.CHANCES, Reads.SCORES}
        spelt = id(target.classes) if reads is Reads.LABELS else target.fold
        key = (*names, "numbers") if is_number else (*names, reads, spelt)
        if key not in self._columns:
            self._columns[key] = self._read_new(metric, names, target)
        return self._columns[key]

    def _read_new(self, metric: TableMetric, names: Sequence[str], target: Target) -> Sequence[Any]:
        cells = self._table.columns[names[0]]
        match metric.facts.reads, target.classes:
            case Reads.TEXTS, _:
                return [*map(target.fold, cells)]
            case Reads.LISTS, _:
                return read_lists(cells, names[0], self._table.first_row, self._faults)
            case Reads.LABELS, Classes() as classes:
                return self._read_codes(cells, names[0], classes)
            case _ if metric.classes is not None:
                return self._read_distributions(names, add_up=metric.facts.reads is Reads.CHANCES)
            case _:
                return self._read_numbers(names[0])

    def _read_numbers(self, name: str) -> list[float]:
        """Return the numbers of a column, which fit every metric that reads it."""
        metrics = self._parameters.single_metrics
        readers = [metric for metric in metrics if name in self._parameters.predictions_of(metric)]
        cells, row = self._table.columns[name], self._table.first_row
        if any(metric.facts.reads is Reads.CHANCES for metric in readers):
            expected = "a probability from 0 to 1"
            return read_numbers(cells, name, row, self._faults, least=0.0, most=1.0, expected=expected)
        above = -1.0 if any(metric.key == "rmsle" for metric in readers) else -math.inf
        return read_numbers(cells, name, row, self._faults, above=above)

    def _read_distributions(self, names: Sequence[str], *, add_up: bool) -> list[tuple[float, ...]]:
        rows = [*zip(*(self._read_numbers(name) for name in names), strict=True)]
        for row, chances in enumerate(rows, self._table.first_row):
            if add_up and abs(sum(chances) - 1) > MAX_OFF_ONE:
                self._faults.add("row {}: expected probabilities that add up to 1, found {:.6g}", row, sum(chances))
        return rows

    def _read_codes(self, cells: Sequence[str], name: str, classes: Classes) -> list[float]:
        folded = {cell: classes.fold(cell) for cell in {*cells}}
        codes: dict[str, float] = dict(classes.codes)
        unknown = {*folded.values()} - codes.keys()
        numbers = classes.numbers
        if numbers is None:
            others: dict[str, Any] = {cell: cell for cell in unknown if cell}
        else:
            others = {cell: number for cell in unknown if (number := read_number(cell)) is not None}
            codes |= {cell: numbers[number] for cell, number in others.items() if number in numbers}
        of_truth = {*codes}
        if not classes.closed:
            codes |= _place_between(others, classes)
        wrong = unknown - codes.keys()
        # Of a truth with one class a wrong label may well be no other spelling.
        if not wrong and len(classes.names) > 1 and cells and of_truth.isdisjoint(folded.values()):
            self._name_strangers({*folded.values()}, name, classes)
        if wrong:
            shown = list_some(map(show_cell, classes.names))
            expected = f"one of {shown}" if classes.closed else "a label" if numbers is None else "a number as label"
            for row, cell in enumerate(cells, self._table.first_row):
                if folded[cell] in wrong:
                    self._faults.add("row {}, column {!r}: expected {}, found {}", row, name, expected, show_cell(cell))
        code_of = {cell: codes.get(label, -1) for cell, label in folded.items()}
        return [*map(code_of.__getitem__, cells)]

    def _name_strangers(self, labels: Collection[str], name: str, classes: Classes) -> None:
        """Add that no label is one of the truth.

        The truth's own labels may be its answers, so only those are named that the result comes near.
        """
        suggest = _make_suggestions(classes.names)
        shown = sorted(labels)
        hint = next(filter(None, map(suggest, shown)), "")
        if not hint and classes.fold is not text_key:
            hint = f"; expected {' or '.join(map(show_cell, classes.names))}"
        listed = list_some(map(show_cell, shown))
        expected = "labels of the benchmark"
        self._faults.add("column {!r}: expected {}, found none of them but {}{}", name, expected, listed, hint)


def _arrange(values: Sequence[Any], places: Sequence[int], rows: int) -> list[Any]:
    arranged: list[Any] = [None] * rows
    for place, value in zip(places, values, strict=True):
        arranged[place] = value
    return arranged


def _join(
    table: TableFile, truth: Truth, parameters: TableParameters, part: str | None, faults: Faults
) -> Sequence[int] | None:
    """Return the place of each row in the truth; None if they are in its order."""
    ids = table.columns[parameters.id]
    if part is None and ids == [*truth.rows]:
        return None
    places = [truth.rows.get(identifier, -1) for identifier in ids]
    if -1 in places:  # the ids of most results are spelt as those of the truth
        ids = [*map(text_key, ids)]
        places = [truth.rows.get(identifier, -1) for identifier in ids]
    wanted = range(len(truth.rows)) if part is None else truth.groups[part]
    if len(places) == len(wanted) and min(places) >= 0:
        seen = bytearray(len(truth.rows))
        for place in places:
            seen[place] = 1
        if all(map(seen.__getitem__, wanted)):
            return places
    _name_faults(ids, table.first_row, parameters.id, truth.rows, wanted=wanted, faults=faults)
    return places


def _name_faults(
    ids: Sequence[str],
    first_row: int,
    name: str,
    rows: Mapping[str, int],
    *,
    wanted: Sequence[int],
    faults: Faults,
) -> None:
    """Add what is wrong with the ids of a table: unknown, there twice, missing."""
    allowed = {*wanted}
    suggest = _make_suggestions([*rows])
    first: dict[int, int] = {}
    for row, identifier in enumerate(ids, first_row):
        place = rows.get(identifier, -1)
        if place in allowed and first.setdefault(place, row) == row:
            continue
        shown, hint = ("", "") if faults.is_full else (show_cell(identifier), suggest(identifier))
        if place in allowed:
            faults.add("row {}, column {!r}: {} is there twice, first in row {}", row, name, shown, first[place])
        else:
            faults.add("row {}, column {!r}: expected an id of the benchmark, found {}{}", row, name, shown, hint)
    lacking = allowed.difference(first)
    missing = len(lacking)
    if missing:
        shown = list_some(show_cell(identifier) for identifier, place in rows.items() if place in lacking)
        are, of = ("a row is", "the id") if missing == 1 else (f"{missing} rows are", "the ids")
        faults.add("{} missing, of {} {}", are, of, shown)


def _make_suggestions(ids: Sequence[str]) -> Callable[[str], str]:
    """Return what finds the id that was probably meant: another spelling of it."""
    simple: dict[str, str] = {}

    def suggest(identifier: str) -> str:
        if not simple:
            simple.update((_simplify(each), each) for each in ids)
        meant = simple.get(_simplify(identifier))
        return f"; did you mean {show_cell(meant)}?" if meant and meant != identifier else ""

    return suggest


def _simplify(identifier: str) -> str:
    visible = "".join(letter for letter in identifier[:_COMPARED_LENGTH] if unicodedata.category(letter) != "Cf")
    plain = unicodedata.normalize("NFKC", visible).strip().strip(_QUOTES)
    number = read_number(plain)
    return plain.casefold() if number is None else repr(number)


def _place_between(others: Mapping[str, Any], classes: Classes) -> dict[str, float]:
    """Return codes of classes that the truth lacks, between those of the others."""
    own: list[Any] = sorted(classes.names if classes.numbers is None else classes.numbers)
    keys = sorted({*others.values()}.difference(own))
    codes: dict[Any, float] = {}
    for gap, inside in groupby(keys, key=lambda key: bisect(own, key)):
        between = [*inside]
        codes |= {key: gap - 1 + (place + 1) / (len(between) + 1) for place, key in enumerate(between)}
    return {cell: codes[key] for cell, key in others.items() if key in codes}
