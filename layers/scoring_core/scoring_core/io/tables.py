"""Bytes → a table: CSV, TSV, JSON or JSON lines, with each mistake named by its row and its column.

Rows are counted as a spreadsheet and an editor show them: the header of CSV and TSV is row 1, and a cell of two lines
is in one row; the first object of JSON and JSON lines is row 1. What a table of 20 MB takes grows with its length only.
"""

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from scoring_core.errors import StrictJsonError, TableError
from scoring_core.io import strict_json
from scoring_core.io.formats import find_foreign
from scoring_core.io.text import list_some, shorten, text_key
from scoring_core.scorers.base import Json, describe

MAX_COLUMNS = 1000
MAX_CELL_LENGTH = 100_000
MAX_FAULTS = 20
"""How many mistakes of a file are named; the others are counted."""

_MAX_TEXT = 3000
"""After so many characters no other mistake is named: a record holds a message of 4,000."""
_SHOWN_LENGTH = 40
_MARK = "\ufeff"
_SEPARATORS = {",": "commas", "\t": "tabs", ";": "semicolons", "|": "vertical bars", " ": "spaces"}
_HTML = re.compile(rb"\s*+<(?:!doctype|html|\?xml)", re.IGNORECASE)
_JSON_TABLE = 'an array of rows, [{…}, …], or an object of columns, {"id": […], …}'
_SAVE = "save the file as UTF-8 (in Excel, as CSV UTF-8)"
# Each cell with its end. A quote that never ends, or stands elsewhere, stops the match at the cell's beginning.
_CSV_CELLS = re.compile(r'(?:(?:"(?:[^"]++|"")*+"|[^",\n]*+)[,\n])*+')
_TSV_CELLS = re.compile(r'(?:(?:"(?:[^"]++|"")*+"|[^"\t\n]*+)[\t\n])*+')
_QUOTED = re.compile(r'"(?:[^"]++|"")*+"')
_WHITE = re.compile(r"\s")
_SEPARATOR_LINE = re.compile(r'"?sep=.?"?[,;\t]*+', re.IGNORECASE)


_SAMPLE_MEMBERS = frozenset({"schema_version", "sample_id", "answer_attribution", "evaluation"})
"""Of a sample of Every Eval Ever, so that no other row is taken for one."""


@dataclass(frozen=True, slots=True)
class TableFile:
    """A table as columns of text.

    Args:
        columns: Name → one cell a row, in the order of the file. Of JSON, numbers are as Python writes them, true and
            false are words, null is an empty cell, and a list is its items with a space between them.
        first_row: The number of the first row below the header: 2 of CSV and TSV, 1 of JSON.
    """

    columns: Mapping[str, Sequence[str]]
    first_row: int

    @property
    def rows(self) -> int:
        """How many rows it has."""
        return len(next(iter(self.columns.values())))


class Faults:
    """The mistakes of one file: the first as sentences, the others counted."""

    def __init__(self) -> None:
        self._sentences: list[str] = []
        self._count = 0
        self._room = _MAX_TEXT

    @property
    def is_full(self) -> bool:
        """True if another mistake would only be counted."""
        return len(self._sentences) >= MAX_FAULTS or self._room <= 0

    def add(self, template: str, *values: object) -> None:
        """Add a mistake. The template is formatted only if it is among the first."""
        self._count += 1
        if not self.is_full:
            self._sentences.append(template.format(*values))
            self._room -= len(self._sentences[-1])

    def check(self) -> None:
        """Raise TableError if there is a mistake."""
        if self._count:
            raise TableError(self._sentences, more=self._count - len(self._sentences))


def read_table(content: bytes, *, need: Sequence[str] = ()) -> TableFile:
    r"""Read a table.

    Args:
        content: UTF-8. A byte order mark is accepted before CSV and TSV, as Excel writes it; their header and cells are
            as RFC 4180 has them, with a line break of any system. JSON is an array of rows or an object of columns. Its
            beginning says how it is written: `[` or `{`, or a tab in the header.
        need: The columns that it must have, which alone are returned then; without any all are.

    Returns:
        At least one column, each of as many cells; there may be no row.

    Raises:
        TableError: Each mistake, at most 20 of them, and how many more.

    >>> read_table(b'id,price\na1,"1,200"\n').columns
    {'id': ['a1'], 'price': ['1,200']}
    """
    _check_kind(content)
    start = content[:1000].removeprefix(_MARK.encode()).lstrip()[:1]
    if start == b"{" and _has_lines(content):
        return TableFile(_read_rows(_read_samples(_read_lines(content)), need), 1)
    if start in {b"[", b"{"}:
        return TableFile(_read_json(content, need), 1)
    text = decode_text(content)
    if not text:
        wanted = f" with the {_name_columns(need)}" if need else ""
        raise TableError([f"the file is empty: expected a header{wanted}"])
    return TableFile(_read_cells(text, "\t" if "\t" in text.partition("\n")[0] else ",", need), 2)


def decode_text(content: bytes) -> str:
    """Return the text, with line breaks of one kind and none at the end.

    Raises TableError if it is not UTF-8.
    """
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        row = _count_rows(content[: error.start].decode(errors="replace"))
        fault = f"row {row}: expected UTF-8, found the byte 0x{content[error.start]:02X}: {_SAVE}"
        raise TableError([fault]) from error
    text = text.removeprefix(_MARK)
    for character, name in (
        ("\0", "a NUL character: expected text"),
        (
            _MARK,
            "a byte order mark: expected none but at the beginning of the file",
        ),
    ):
        if character in text:
            raise TableError([f"row {_count_rows(text[: text.index(character)])}: {name}"])
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text.rstrip("\n")


def show_cell(cell: str) -> str:
    """Return a cell as a sentence names it.

    >>> show_cell("cheap"), show_cell("")
    ("'cheap'", 'an empty cell')
    """
    return repr(shorten(cell, _SHOWN_LENGTH)) if cell else "an empty cell"


def _check_kind(content: bytes) -> None:
    kind = "HTML: save it as CSV" if _HTML.match(content[:1000]) else find_foreign(content, "CSV")
    if kind is not None:
        raise TableError([f"expected a table as text in UTF-8, found {kind}"])


def _has_lines(content: bytes) -> bool:
    """Return whether the first of several lines ends as an object does."""
    first, _, others = content.strip().partition(b"\n")
    return bool(others) and first.rstrip().endswith(b"}")


def _count_rows(before: str) -> int:
    """Return the number of the row in which a file goes on after this beginning."""
    return before.replace("\r\n", "\n").count("\n") + 1


def _read_cells(text: str, separator: str, need: Sequence[str]) -> dict[str, list[str]]:
    names = _read_header(text, separator, need)
    _check_end(text, separator * (len(names) - 1))
    if '"' in text:
        cells = _split_quoted(text, separator, names)
    else:
        _check_widths(text, separator, len(names))
        cells = text.replace("\n", separator).split(separator)
    columns = {
        name: cells[len(names) + index :: len(names)] for index, name in enumerate(names) if not need or name in need
    }
    del cells
    _check_columns(columns)
    return columns


def _read_header(text: str, separator: str, need: Sequence[str]) -> list[str]:
    line = text.partition("\n")[0]
    if _SEPARATOR_LINE.fullmatch(line):
        raise TableError([f"row 1: leave out the line {show_cell(line)}, which only Excel reads"])
    if line.count(separator) >= MAX_COLUMNS:
        raise TableError([f"row 1: expected at most {MAX_COLUMNS} columns, found {line.count(separator) + 1}"])
    if '"' in line:
        _check_quotes(text, separator)
        names = next(_iter_rows(text, separator))
    else:
        names = line.split(separator)
    if len(names) == 1 and len(need) != 1:
        _check_separator(names[0], need)
    if names == [""]:
        raise TableError(["row 1: expected the names of the columns, found an empty line"])
    others: set[str] = set()
    for index, name in enumerate(names):
        if not name:
            reason = "pandas writes its index like this, unless it gets index=False; R wants row.names=FALSE"
            if index:
                reason = "there is a separator at the end of the row"
            raise TableError([f"row 1: column {index + 1} has no name ({reason})"])
        if name in others:
            raise TableError([f"row 1: the column {show_cell(name)} is there twice"])
        others.add(name)
    _check_names(names, need, "row 1: ")
    return names


def _check_separator(header: str, need: Sequence[str]) -> None:
    for separator, kind in _SEPARATORS.items():
        if separator in header and (separator != " " or (need and {*need} <= {*header.split()})):
            raise TableError([f"row 1: expected commas (or tabs) between the columns, found {kind}"])


def _check_names(names: Sequence[str], need: Sequence[str], place: str) -> None:
    if {*need} <= {*names}:
        return
    hint = ""
    if {name.strip() for name in need} <= {name.strip() for name in names}:
        hint = ": there is a space around a name"
    elif {*map(text_key, need)} <= {*map(text_key, names)}:
        hint = ": the accents of a name are in another form; type it again"
    elif {name.casefold() for name in need} <= {name.casefold() for name in names}:
        hint = ": upper and lower case differ"
    raise TableError([f"{place}expected the {_name_columns(need)}, found {_list_names(names)}{hint}"])


def _name_columns(names: Sequence[str]) -> str:
    return f"column{'s' if len(names) > 1 else ''} {_list_names(names)}"


def _list_names(names: Sequence[str]) -> str:
    shown = [show_cell(name) for name in names]
    if len(shown) < 2 or len(shown) > 10:  # noqa: PLR2004
        return list_some(shown) or "none"
    return f"{', '.join(shown[:-1])} and {shown[-1]}"


def _check_end(text: str, blank: str) -> None:
    """Check that the last rows have a value: a sheet keeps rows that were filled once."""
    lines = text.split("\n") if blank and text.endswith(f"\n{blank}") else []
    count = next((index for index, line in enumerate(reversed(lines)) if line != blank), 0)
    if count:
        rows = "row has" if count == 1 else f"{count} rows have"
        raise TableError([f"the last {rows} no value: delete what is empty in the sheet"])


def _check_widths(text: str, separator: str, width: int) -> None:
    """Check that each row has as many cells as the header, where no cell has quotes."""
    others = bytes({*range(256)} - {ord(separator), ord("\n")})
    ends = (text + "\n").encode().translate(None, others)
    row = separator.encode() * (width - 1) + b"\n"
    if ends == row * (len(ends) // len(row)):
        return
    faults = Faults()
    for number, line in enumerate(text.split("\n"), 1):
        _check_width(faults, number, line.count(separator) + 1 if line else 0, width, separator)
    faults.check()


def _check_width(faults: Faults, row: int, cells: int, width: int, separator: str) -> None:
    if cells == 0 and width > 1:
        faults.add("row {}: expected {} cells, found an empty row", row, width)
    elif cells > width:
        hint = ": a decimal comma is written as a point, and a cell with a comma in quotes" if separator == "," else ""
        if separator == "\t" and cells == width + 1:
            hint = ": leave out names of rows (in R, row.names=FALSE)"
        faults.add("row {}: expected {} cells, found {}{}", row, width, cells, hint)
    elif cells < width:
        faults.add("row {}: expected {} cells, found {}", row, width, cells)


def _split_quoted(text: str, separator: str, names: Sequence[str]) -> list[str]:
    """Return all cells, row by row, of a text in which some are in quotes."""
    _check_quotes(text, separator, names)
    cells: list[str] = []
    faults = Faults()
    width = len(names)
    for number, row in enumerate(_iter_rows(text, separator), 1):
        if len(row) == width:
            cells += row
        elif width == 1 and not row:
            cells.append("")
        else:
            _check_width(faults, number, len(row), width, separator)
    faults.check()
    return cells


def _iter_rows(text: str, separator: str) -> Iterator[list[str]]:
    """Yield rows of cells whose quotes are right."""
    number = 0
    try:
        for row in csv.reader(io.StringIO(text, newline=""), delimiter=separator):
            yield row
            number += 1
    except csv.Error:  # the only one that is left: a cell is longer than the module reads
        _reject_long_cell(number + 1)


def _check_quotes(text: str, separator: str, names: Sequence[str] = ()) -> None:
    """Check that quotes are at both ends of their cell; the header has no `names`."""
    text += "\n"
    match = _TSV_CELLS.match(text) if separator == "\t" else _CSV_CELLS.match(text)
    end = match.end() if match else 0
    if end == len(text):
        return
    before = list(_iter_rows(text[:end], separator))
    starts_row = text[:end].endswith("\n") or not before
    row, cell = (len(before) + 1, 1) if starts_row else (len(before), len(before[-1]))
    place = f"column {show_cell(names[cell - 1])}" if row > 1 and cell <= len(names) else f"cell {cell}"
    quoted = _QUOTED.match(text, end)
    if text[end] != '"':
        fault = "a quote inside a cell: put the cell in quotes, and write each quote in it twice"
    elif quoted is None:
        fault = "a quote begins here and never ends"
    else:
        behind = text[quoted.end() : quoted.end() + _SHOWN_LENGTH].replace(separator, "\n").partition("\n")[0]
        lines = " (a quote that begins here ends in a later row)" if "\n" in quoted[0] else ""
        fault = f"expected the end of the cell behind its last quote, found {show_cell(behind)}{lines}"
        if behind.startswith(" "):
            fault += ": put commas between the cells (in R, write.csv with row.names=FALSE)"
    raise TableError([f"row {row}, {place}: {fault}"])


def _check_columns(columns: Mapping[str, Sequence[str]]) -> None:
    """Check that no cell is too long, and that no row is the header again."""
    for cells in columns.values():
        if max(map(len, cells), default=0) > MAX_CELL_LENGTH:
            _reject_long_cell(next(row for row, cell in enumerate(cells, 2) if len(cell) > MAX_CELL_LENGTH))
    name, first = next(iter(columns.items()))
    if len(columns) > 1 and name in first:
        index = first.index(name)
        if all(cells[index] == own for own, cells in columns.items()):
            raise TableError([f"row {index + 2}: the header again"])


def _reject_long_cell(row: int) -> NoReturn:
    raise TableError([f"row {row}: expected at most {MAX_CELL_LENGTH} characters in a cell"])


def _read_json(content: bytes, need: Sequence[str]) -> dict[str, list[str]]:
    try:
        value = strict_json.loads(content)
    except StrictJsonError as error:
        raise TableError([f"expected JSON: {error}"]) from error
    if isinstance(value, list):
        return _read_rows(value, need)
    if not isinstance(value, dict) or not value:
        raise TableError([f"expected {_JSON_TABLE}; found {'an empty object' if value == {} else describe(value)}"])
    columns: dict[str, list[Json]] = {}
    for name, cells in value.items():
        if not isinstance(cells, list):
            member = f"a member {show_cell(name)} that is {describe(cells)}"
            raise TableError([f"expected {_JSON_TABLE}; found {member}"])
        if not need or name in need:
            columns[name] = cells
    _check_names([*value], need, "")
    if len(columns) > MAX_COLUMNS:
        raise TableError([f"expected at most {MAX_COLUMNS} columns, found {len(columns)}"])
    first, faults = next(iter(columns)), Faults()
    for name, cells in columns.items():
        if len(cells) != len(columns[first]):
            values = (show_cell(name), len(columns[first]), show_cell(first), len(cells))
            faults.add("column {}: expected {} values, as in {}, found {}", *values)
    faults.check()
    return _write_cells(columns)


def _read_lines(content: bytes) -> list[Json]:
    """Return one value a line; only a mistake has lines read one by one."""
    lines = content.removeprefix(_MARK.encode()).rstrip().split(b"\n")
    try:
        value = strict_json.loads(b"[" + b",\n".join(lines) + b"]")
    except StrictJsonError:
        value = None
    if isinstance(value, list) and len(value) == len(lines):
        return value
    faults = Faults()
    for row, line in enumerate(lines, 1):
        if not line.strip():
            faults.add("row {}: expected a JSON object, found an empty line", row)
            continue
        try:
            strict_json.loads(line)
        except StrictJsonError as error:
            place = error.position.removeprefix("line 1, ")
            faults.add("row {}: expected JSON: {}{}", row, error.message, f" at {place}" if place else "")
    faults.check()
    raise TableError(["expected one JSON object a line"])


def _read_samples(rows: Sequence[Json]) -> Sequence[Json]:
    """Return rows; if the first one is a sample, the columns of each sample.

    Source: docs/sources.md, "Every Eval Ever".
    A sample without an answer, or with another shape, has empty cells: what compares them names the row.

    >>> attribution = {"extracted_value": "B", "is_terminal": True}
    >>> sample = {"schema_version": "0.2.1", "sample_id": "q1", "answer_attribution": [attribution], "evaluation": {}}
    >>> _read_samples([sample])[0]["answer"], _read_samples([{"id": 1}])
    ('B', [{'id': 1}])
    """
    if not rows or not (isinstance(rows[0], dict) and rows[0].keys() >= _SAMPLE_MEMBERS):
        return rows
    return [_read_sample(row) if isinstance(row, dict) else row for row in rows]


def _read_sample(sample: dict[str, Any]) -> dict[str, Any]:
    judged = sample.get("evaluation")
    evaluation = judged if isinstance(judged, dict) else {}
    return {
        "sample_id": sample.get("sample_id"),
        "answer": _find_answer(sample.get("answer_attribution")),
        "score": evaluation.get("score"),
        "is_correct": evaluation.get("is_correct"),
        "model_id": sample.get("model_id"),
        "evaluation_name": sample.get("evaluation_name"),
    }


def _find_answer(attribution: Any) -> Any:
    """Return the last value that was extracted as the final one."""
    steps = [step for step in attribution if isinstance(step, dict)] if isinstance(attribution, list) else []
    return next((step.get("extracted_value") for step in reversed(steps) if step.get("is_terminal")), None)


def _read_rows(rows: Sequence[Json], need: Sequence[str]) -> dict[str, list[str]]:
    """Return the columns of rows that are objects."""
    if not rows:
        raise TableError(["the file is empty: expected at least one row"])
    faults = Faults()
    objects = [row for row in rows if isinstance(row, dict)]
    if len(objects) < len(rows):
        for number, row in enumerate(rows, 1):
            if not isinstance(row, dict):
                faults.add("row {}: expected an object, found {}", number, describe(row))
        faults.check()
    names = [*need] or [*objects[0]]
    if not 0 < len(names) <= MAX_COLUMNS:
        raise TableError([f"row 1: expected 1 to {MAX_COLUMNS} columns, found {len(names)}"])
    wanted = {*names}
    for number, row in enumerate(objects, 1):
        if not (wanted <= row.keys() if need else wanted == row.keys()):
            faults.add("row {}: expected the {}, found {}", number, _name_columns(names), _list_names([*row]))
    faults.check()
    return _write_cells({name: [row[name] for row in objects] for name in names})


def _write_cells(columns: Mapping[str, Sequence[Json]]) -> dict[str, list[str]]:
    """Return the text of each cell."""
    faults = Faults()
    texts = {name: list(_write_column(cells, name, faults)) for name, cells in columns.items()}
    faults.check()
    return texts


def _write_column(cells: Sequence[Json], name: str, faults: Faults) -> Iterator[str]:
    for row, cell in enumerate(cells, 1):
        if type(cell) is str:
            text = cell
        elif isinstance(cell, list):
            items = [_write_scalar(item) for item in cell if not isinstance(item, list | dict)]
            if len(items) < len(cell) or any(not item or _WHITE.search(item) for item in items):
                faults.add("row {}, column {}: expected a list of items without spaces", row, show_cell(name))
            text = " ".join(items)
        elif isinstance(cell, dict):
            expected = "a text, a number or a list of these"
            faults.add("row {}, column {}: expected {}, found {}", row, show_cell(name), expected, describe(cell))
            continue
        else:
            text = _write_scalar(cell)
        if len(text) > MAX_CELL_LENGTH:
            faults.add("row {}: expected at most {} characters in a cell", row, MAX_CELL_LENGTH)
        yield text


def _write_scalar(cell: Json) -> str:
    if isinstance(cell, bool):
        return "true" if cell else "false"
    return "" if cell is None else str(cell)  # a number as JSON writes it
