"""Lines of CSV (RFC 4180) that no spreadsheet runs, as boards/rows/csv.ts of the site writes them."""

import re
from collections.abc import Iterable
from typing import Final

BYTE_ORDER_MARK: Final = "\ufeff"
# Spreadsheets take these for the start of a formula, in their full-width forms too.
_FORMULA = re.compile(r"[=+\-@\t\r\n＝＋－＠]")  # the full-width forms are meant
_SPECIAL = re.compile(r'[",\r\n]')


def write_table(lines: Iterable[Iterable[object]]) -> str:
    """Return lines of cells as a whole file."""
    return BYTE_ORDER_MARK + "".join(map(write_line, lines))


def write_line(cells: Iterable[object]) -> str:
    """Return cells as a line, numbers at full precision."""
    return ",".join(map(_write_cell, cells)) + "\r\n"


def _write_cell(value: object) -> str:
    r"""Return a cell.

    >>> _write_cell('=1+1'), _write_cell(' @a'), _write_cell('a "b", c'), _write_cell(True), _write_cell(-1.5)
    ("'=1+1", "' @a", '"a ""b"", c"', 'true', '-1.5')
    """
    if isinstance(value, bool):
        return str(value).lower()
    if not isinstance(value, str):
        return repr(value)
    text = f"'{value}" if _FORMULA.match(value) or _FORMULA.match(value.strip()) else value
    return '"' + text.replace('"', '""') + '"' if _SPECIAL.search(text) else text
