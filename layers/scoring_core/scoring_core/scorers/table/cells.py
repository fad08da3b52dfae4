"""Cells of a table → numbers and lists, with each that is none named by its row and its column."""

import math
import re
import unicodedata
from collections.abc import Sequence

from scoring_core.io.tables import Faults, show_cell
from scoring_core.io.text import text_key

_NUMBER = re.compile(r"[-+]?(?:[0-9]++(?:\.[0-9]*+)?|\.[0-9]++)(?:[eE][-+]?[0-9]++)?")
_DECIMAL_COMMA = re.compile(r"[-+]?[0-9]++,[0-9]{1,2}|[-+]?[0-9]++,[0-9]{4,}+")
_THOUSANDS = re.compile(r"[-+]?[0-9]{1,3}(?:([,.'’ \u00a0\u202f])[0-9]{3})(?:\1[0-9]{3})*+(?:[.,][0-9]*+)?")
_PLAIN = b"0123456789+-.eE"
_MAX_LENGTH = 1000
_ANY = "a number"


def read_number(cell: str) -> float | None:
    """Return the number of a cell; None if it is none, or too large for a double.

    >>> read_number("-1.5e3"), read_number("1,5"), read_number("nan"), read_number("1_000")
    (-1500.0, None, None, None)
    """
    if len(cell) > _MAX_LENGTH or not _NUMBER.fullmatch(cell):
        return None
    number = float(cell)
    return number if math.isfinite(number) else None


def read_numbers(
    cells: Sequence[str],
    column: str,
    first_row: int,
    faults: Faults,
    *,
    least: float = -math.inf,
    most: float = math.inf,
    above: float = -math.inf,
    expected: str = _ANY,
) -> list[float]:
    """Return the numbers of a column; a cell without one is a mistake.

    Args:
        cells: Of the column, in the order of its rows.
        column: Its name, for mistakes.
        first_row: The number of its first row.
        faults: Takes the mistakes.
        least: The least number, inclusive.
        most: The greatest number, inclusive.
        above: What every number is greater than.
        expected: What a mistake says is expected.
    """
    numbers = _read_plain(cells)
    if numbers is not None and (not numbers or (least <= min(numbers) > above and max(numbers) <= most)):
        return numbers
    numbers = []
    for row, cell in enumerate(cells, first_row):
        number = read_number(cell)
        if number is None:
            faults.add(
                "row {}, column {!r}: {}", row, column, "" if faults.is_full else _describe_fault(cell, expected)
            )
        elif not least <= number <= most:
            faults.add("row {}, column {!r}: expected {}, found {}", row, column, expected, show_cell(cell))
        elif number <= above:
            faults.add(
                "row {}, column {!r}: expected a number above {:g}, found {}", row, column, above, show_cell(cell)
            )
        numbers.append(number or 0.0)
    return numbers


def read_lists(cells: Sequence[str], column: str, first_row: int, faults: Faults) -> list[tuple[str, ...]]:
    """Return the items of each cell, as `text_key` has them.

    An item twice in a cell is a mistake.
    """
    lists = [tuple(text_key(cell).split()) for cell in cells]
    for row, items in enumerate(lists, first_row):
        if len({*items}) < len(items):
            seen: set[str] = set()
            twice = next(item for item in items if item in seen or seen.add(item))  # type: ignore[func-returns-value]
            faults.add("row {}, column {!r}: expected each item once, found {} twice", row, column, show_cell(twice))
    return lists


def _read_plain(cells: Sequence[str]) -> list[float] | None:
    """Return the numbers if every cell is one beyond doubt; most files end here."""
    if "".join(cells).encode().translate(None, _PLAIN) or max(map(len, cells), default=0) > _MAX_LENGTH:
        return None
    try:
        numbers = list(map(float, cells))
    except ValueError:
        return None
    return numbers if all(map(math.isfinite, numbers)) else None


def _to_ascii(character: str) -> str:
    """Return a digit or sign of any script as that of ASCII."""
    digit = unicodedata.decimal(character, None)
    return unicodedata.normalize("NFKC", character).replace("−", "-") if digit is None else str(digit)


def _describe_fault(cell: str, expected: str) -> str:
    if _NUMBER.fullmatch(cell) and expected == _ANY:
        return f"expected {expected} of at most 1.8e308, found {show_cell(cell)}"
    hint = ""
    if cell != cell.strip() and _NUMBER.fullmatch(cell.strip()):
        hint = ": there is a space around it"
    elif _DECIMAL_COMMA.fullmatch(cell):
        hint = ": a decimal comma is written as a point"
    elif _THOUSANDS.fullmatch(cell):
        hint = ": write it without separators of thousands, and a decimal comma as a point"
    elif not cell.isascii() and _NUMBER.fullmatch("".join(map(_to_ascii, cell[:_MAX_LENGTH]))):
        hint = ": write it with the digits 0 to 9, '-' and '.'"
    return f"expected {expected}, found {show_cell(cell)}{hint}"
