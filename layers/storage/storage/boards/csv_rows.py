"""Rows as CSV that spreadsheets read without running any cell, as frontend/src/lib/csv.ts writes them. RFC 4180."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from storage.ids import time_of

if TYPE_CHECKING:  # a player's command writes reports as CSV, and need not import the models of boards
    from storage.boards.models import HeadParts, Metric
    from storage.boards.views import RankedRow

BYTE_ORDER_MARK: Final = "\ufeff"
# Spreadsheets take these for the start of a formula, in their full-width forms too.
_FORMULA = re.compile(r"[=+\-@\t\r\n＝＋－＠]")  # the full-width forms are meant
_SPECIAL = re.compile(r'[",\r\n]')


def write_header(
    metrics: "Sequence[Metric]", *, has_labels: bool, parts: "HeadParts | None" = None, baselines: Collection[str] = ()
) -> str:
    """Return the first line; with parts, columns of them come last.

    A board with baselines, which are ids of rows, has a column that says which rows are some.
    """
    labels = [*(["label"] if has_labels else []), *(["baseline"] if baselines else [])]
    names = [metric.label for metric in metrics]
    columns = ["rank", "tied", "player", "player_id", "kind", "verified", *labels, *names, "submissions", "last"]
    by_id = {metric.id: metric.label for metric in metrics}
    of_parts = [f"{parts.noun}_done", *(f"{part} {by_id[metric]}" for part, metric in parts.values)] if parts else []
    return BYTE_ORDER_MARK + _write_line([*columns, "submission", *of_parts])


def write_lines(
    rows: "Iterable[RankedRow]",
    metrics: "Sequence[Metric]",
    *,
    parts: "HeadParts | None" = None,
    baselines: Collection[str] = (),
) -> Iterator[str]:
    """Yield a line for each row, numbers at full precision."""
    for rank, tied, row in rows:
        labels = [*([] if row.label is None else [row.label]), *([row.id in baselines] if baselines else [])]
        values = [row.scores.get(metric.id, "") for metric in metrics]
        moment = time_of(row.submission).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        cells = [rank, tied, row.name, row.player, row.kind, row.verified, *labels, *values, row.submissions, moment]
        of_parts = [row.scores.get(column, "") for column in parts.columns] if parts else []
        yield _write_line([*cells, row.submission, *of_parts])


def write_table(lines: Iterable[Iterable[object]]) -> str:
    """Return lines of cells as a whole file."""
    return BYTE_ORDER_MARK + "".join(map(_write_line, lines))


def _write_line(cells: Iterable[object]) -> str:
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
