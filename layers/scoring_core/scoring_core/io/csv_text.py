"""Lines of CSV (RFC 4180) that no spreadsheet runs, as boards/rows/csv.ts of the site writes them."""

import re
from collections.abc import Iterable
from typing import Final

BYTE_ORDER_MARK: Final = "\ufeff"
# Spreadsheets take these for the start of a formula, in their full-width forms too.
_FORMULA = re.compile(r"[=+\-@\t\r\n＝＋－＠]")  # the full-width forms are meant
_SPECIAL = re.compile(r'["\r\n]')


def write_table(lines: Iterable[Iterable[object]], *, decimal_comma: bool = False) -> str:
    """Return lines of cells as a whole file.

    `decimal_comma`: as spreadsheets in German or French expect it, with `;` between cells and commas in numbers.
    """
    return BYTE_ORDER_MARK + "".join(write_line(cells, mark=";" if decimal_comma else ",") for cells in lines)


def write_line(cells: Iterable[object], *, mark: str = ",") -> str:
    """Return cells as a line, numbers at full precision; `mark` is between them."""
    return mark.join(_write_cell(cell, mark) for cell in cells) + "\r\n"


def _write_cell(value: object, mark: str = ",") -> str:
    r"""Return a cell.

    >>> _write_cell('=1+1'), _write_cell(' @a'), _write_cell('a "b", c'), _write_cell(True), _write_cell(-1.5)
    ("'=1+1", "' @a", '"a ""b"", c"', 'true', '-1.5')
    """
    if isinstance(value, bool):
        return str(value).lower()
    if not isinstance(value, str):
        return "" if value is None else repr(value).replace(".", "," if mark == ";" else ".")
    text = f"'{value}" if _FORMULA.match(value) or _FORMULA.match(value.strip()) else value
    return '"' + text.replace('"', '""') + '"' if mark in text or _SPECIAL.search(text) else text
