"""Reads the table of an earlier board: CSV, TSV or JSON, or a table of a Markdown or HTML page, as READMEs have it.

What may mean two things is never guessed: it is named, and nothing is read.
"""

import io
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from html.parser import HTMLParser
from typing import Final, NamedTuple

from scoring_core.benchmarks.definition import is_web_address
from scoring_core.errors import LaurelError, TableError
from scoring_core.io.tables import Faults, decode_text, read_table, show_cell
from scoring_core.io.text import list_some
from scoring_core.metrics.score_type import MetricType
from scoring_core.outcome import LINK_LENGTH, NOTE_LENGTH

_TITLES: Final = {
    "name": "name player team teamname model modelname method system participant participantteam",
    "date": "date year last lastsubmissiondate submittedat",
    "link": "link url paper",
    "note": "note notes comment",
}
"""What a row has beside its scores → how columns of it are called, in letters and digits alone."""
_ABSENT: Final = frozenset({"", "-", "–", "—", "n/a", "nan", "none", "null"})
_DATES: Final = ("%Y/%m/%d", "%d.%m.%Y", "%Y-%m", "%Y", "%B %Y", "%b %Y", "%B %d, %Y", "%b %d, %Y", "%d %B %Y")
_NUMBER: Final = re.compile(r"[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d{1,3})?")
_PAGE_TABLE: Final = re.compile(r"\A# |<table\b|^[ :|]*+-[ :-]*+\|[ :|-]*+\r?$", re.IGNORECASE | re.MULTILINE)
_APART: Final = frozenset({"br", "del", "div", "li", "p", "s", "strike", "sub", "sup"})
"""Tags whose text is not one with what is before and behind it: a footnote, an older value."""


class Cell(NamedTuple):
    """The text of a cell, and where it leads to; of a page also whether it spans others."""

    text: str
    link: str | None = None
    spans: bool = False


class OldRow(NamedTuple):
    """A row: its player, its day (UTC), its scores by the metrics' names, and what else is shown of it."""

    name: str
    date: str
    scores: dict[str, int | float]
    link: str | None
    note: str | None


type Lines = list[list[Cell]]


def read_rows(
    content: bytes,
    metrics: Mapping[str, MetricType],
    *,
    primary: str,
    renamed: Mapping[str, str],
    number: int | None,
    date: str,
) -> tuple[list[OldRow], list[str]]:
    """Return the rows of an earlier board, and what was not read of it.

    Args:
        content: The file.
        metrics: Those of the benchmark, by name; a column may have the label instead.
        primary: The metric that a table must have.
        renamed: Title of a column → what it has: a metric, or `name`, `date`, `link` or `note`.
        number: Which table of a page, from 1; None: the only one that has names and the primary metric.
        date: The day of rows without one; "" if they must have one.

    Raises:
        TableError: What is wrong, cell by cell; no row is read then.
    """
    tables = _list_tables(content)
    places = [_match(table[0], metrics, renamed) for table in tables]
    fits = [index for index, columns in enumerate(places) if {"name", primary} <= columns.keys()]
    chosen = [index for index in fits if number in {None, index + 1}]
    shown = [list_some([show_cell(cell.text) for cell in table[0]]) for table in tables]
    _check_renamed([tables[index][0] for index in chosen] or [table[0] for table in tables], metrics, renamed)
    if len(chosen) != 1:
        wanted = "--table, for several fit" if chosen else f"columns of a name and of {primary!r}, maybe by --column"
        listed = "; ".join(f"table {index}: {titles}" for index, titles in enumerate(shown, 1))
        raise TableError([f"expected {wanted}; found {listed or 'no table'}"])
    table, columns = _check_grid(tables[chosen[0]]), places[chosen[0]]
    if len(table) == 1:
        raise TableError([f"expected a row below the header, found {shown[chosen[0]]} alone"])
    notes = [f"table {index + 1} was not read: {titles}" for index, titles in enumerate(shown) if index != chosen[0]]
    unread = [show_cell(cell.text) for at, cell in enumerate(table[0]) if at not in columns.values()]
    notes += [f"columns that were not read: {list_some(unread)}"] if unread else []
    lacking = [name for name, metric in metrics.items() if name not in columns and metric.expression is None]
    notes += [f"no column has {list_some(lacking)}: the rows are without"] if lacking else []
    return _read_lines(table, columns, metrics, date), notes


def _check_renamed(
    headers: Sequence[Sequence[Cell]], metrics: Mapping[str, MetricType], renamed: Mapping[str, str]
) -> None:
    titles, kinds = [cell.text for header in headers for cell in header], [*metrics, *_TITLES]
    for title, kind in renamed.items():
        if title not in titles or kind not in kinds:
            columns = list_some(map(show_cell, titles))
            raise TableError([f"--column {title}={kind}: expected one of {columns} as one of {list_some(kinds)}"])


def _match(header: Sequence[Cell], metrics: Mapping[str, MetricType], renamed: Mapping[str, str]) -> dict[str, int]:
    """Return what a row has → the place of its column, each once."""
    titles = {title: kind for kind, listed in _TITLES.items() for title in listed.split()}
    titles |= {_bare(each.label or name): name for name, each in metrics.items()} | {
        _bare(each): each for each in metrics
    }
    columns: dict[str, int] = {}
    for at, cell in sorted(enumerate(header), key=lambda pair: pair[1].text not in renamed):
        kind = renamed.get(cell.text) or titles.get(_bare(cell.text))
        if kind is not None:
            columns.setdefault(kind, at)
    return columns


def _bare(title: str) -> str:
    return "".join(filter(str.isalnum, title.casefold()))


def _read_lines(table: Lines, columns: Mapping[str, int], metrics: Mapping[str, MetricType], date: str) -> list[OldRow]:
    faults, rows, today = Faults(), list[OldRow](), datetime.now(UTC).date().isoformat()
    measured = {name: at for name, at in columns.items() if name in metrics}
    for number, line in enumerate(table[1:], 2):
        scores: dict[str, int | float] = {}
        for name, at in measured.items():
            text = line[at].text
            try:
                if text.casefold() not in _ABSENT:
                    scores[name] = metrics[name].check(_read_number(text, metrics[name].unit))
            except (ValueError, LaurelError) as error:
                faults.add("row {}, column {}: {}", number, show_cell(table[0][at].text), error)
        player, link, note, given = (
            line[columns[kind]] if kind in columns else Cell("") for kind in ("name", "link", "note", "date")
        )
        moment = _read_date(given.text or date)
        if not player.text or not scores:
            faults.add("row {}: expected a name and a score, found {}", number, show_cell(player.text))
        if not "1970-01-01" <= moment <= today:
            expected = "a day from 1970 until today, as 2024-05-31, maybe by --date"
            faults.add("row {}: expected {}, found {}", number, expected, show_cell(given.text or date))
        address = link.link or (player.link if link.text.casefold() in _ABSENT else link.text)
        if address and not (len(address) <= LINK_LENGTH and address.startswith("http") and is_web_address(address)):
            expected = f"a link as https://example.org, of at most {LINK_LENGTH} characters"
            faults.add("row {}: expected {}, found {}", number, expected, show_cell(address))
        if len(note.text) > NOTE_LENGTH:
            expected = f"a note of at most {NOTE_LENGTH} characters"
            faults.add("row {}: expected {}, found {}", number, expected, len(note.text))
        rows.append(OldRow(player.text, moment, scores, address, note.text or None))
    faults.check()
    return rows


def _read_number(text: str, unit: str | None) -> int | float:
    """Return a number. Raises ValueError."""
    number = text.removesuffix("%").strip() if unit == "%" else text
    if _NUMBER.fullmatch(number) is None:
        raise ValueError(f"expected a number, as 1234.5, found {show_cell(text)}")
    return int(number) if number.lstrip("+-").isdecimal() else float(number)


def _read_date(text: str) -> str:
    """Return a day as the API reads it; "" if it is none, or may be two."""
    with suppress(ValueError):
        return datetime.fromisoformat(text).date().isoformat()
    for pattern in _DATES:
        with suppress(ValueError):
            return datetime.strptime(text, pattern).replace(tzinfo=UTC).date().isoformat()
    return ""


def _list_tables(content: bytes) -> list[Lines]:
    """Return the tables of a file. Raises TableError."""
    if _PAGE_TABLE.search(content.decode("utf-8-sig", errors="replace")):  # `decode_text` names what is no UTF-8
        from markdown_it import MarkdownIt  # noqa: PLC0415  # files of other kinds are read without

        text = decode_text(content)
        is_page = text.lstrip().lower().startswith(("<!doctype", "<html"))
        page = _PageTables()
        page.feed(text if is_page else MarkdownIt("commonmark").enable("table").render(text))
        return [table for table in page.tables if len(table) > 1]
    columns = read_table(content).columns
    rows = [[*columns], *zip(*columns.values(), strict=True)]
    return [[[Cell(text.strip()) for text in row] for row in rows]]


def _check_grid(table: Lines) -> Lines:
    """Return a table whose cells are a grid. Raises TableError."""
    for number, line in enumerate(table, 1):
        if len(line) != len(table[0]) or any(cell.spans for cell in line):
            shown = list_some([show_cell(cell.text) for cell in line])
            raise TableError([f"row {number}: expected {len(table[0])} cells, none of which spans, found {shown}"])
    return table


class _PageTables(HTMLParser):
    """Collects the tables of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.tables: list[Lines] = []
        self._cell: Cell | None = None
        self._text = io.StringIO()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Begin a table, a row, a cell or a link."""
        given = {name: value or "" for name, value in attrs}
        self.handle_endtag(tag)
        if tag == "table":
            self.tables.append([])
        elif tag == "tr" and self.tables:
            self.tables[-1].append([])
        elif tag in {"td", "th"} and self.tables and self.tables[-1]:
            self._text = io.StringIO()
            self._cell = Cell("", spans=not {given.get("rowspan", "1"), given.get("colspan", "1")} <= {"1"})
        elif tag == "a" and self._cell and not self._cell.link and given.get("href", "").startswith("http"):
            self._cell = self._cell._replace(link=given["href"])

    def handle_endtag(self, tag: str) -> None:
        """End the cell, where it ends."""
        if tag in {"table", "tr", "td", "th"} and self._cell is not None:
            self.tables[-1][-1].append(self._cell._replace(text=" ".join(self._text.getvalue().split())))
            self._cell = None
        elif tag in _APART:
            self.handle_data(" ")

    def handle_data(self, data: str) -> None:
        """Add to the cell."""
        if self._cell is not None:
            self._text.write(data)
