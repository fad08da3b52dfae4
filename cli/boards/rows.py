"""Prints any rows of a board: neighbours of a player, rows from a rank, all rows, CSV."""

import io
import sys
from collections.abc import Sequence
from json import dumps
from typing import Any

from cli.boards.first_rows import ShownRow, read_head
from cli.console import make_console, print_json
from cli.exit_codes import UsageError
from scoring_core.io.csv_text import BYTE_ORDER_MARK
from scoring_core.io.text import mask_harmful
from scoring_core.metrics.spelling import show_number
from storage.boards.csv_rows import write_header, write_lines
from storage.boards.reading import ShownBoard, find_percentile
from storage.boards.views import RankedRow

NEIGHBOURS = 5
"""Rows above and below a player's."""


def print_around(shown: ShownBoard, player: str, label: str | None, *, parts: bool, as_json: bool) -> None:
    """Print a player's row between its neighbours. Raises UsageError."""
    around = shown.find_around(player, label, above=NEIGHBOURS, below=NEIGHBOURS)
    if around is None:
        raise UsageError(f"this board has no row of the player {player!r}")
    percentile = find_percentile(around.own.rank, shown.total)
    if as_json:
        own = {"player": player, "rank": around.own.rank, "percentile": percentile, "total": shown.total}
        print_json({**own, "rows": list(map(describe_row, around.rows))})
        return
    print_rows(shown, around.rows, parts=parts, as_json=False)
    make_console().print(f"rank {around.own.rank}, ahead of or equal to {percentile:.1f} % of the others")


def print_rows(shown: ShownBoard, rows: Sequence[RankedRow], *, parts: bool, as_json: bool) -> None:
    """Print some rows."""
    if as_json:
        print_json({"total": shown.total, "rows": list(map(describe_row, rows))})
        return
    marked = shown.head.baseline_rows
    shown_rows = [
        ShownRow(rank, row.name, row.kind, row.label, row.verified, row.scores, row.submissions, row.id in marked)
        for rank, _, row in rows
    ]
    read_head(shown.head.model_dump(mode="json")).print_rows(shown_rows, parts=parts)


def print_lines(shown: ShownBoard, *, as_json: bool) -> None:
    """Print every row, a line each, while pages are read."""
    for ranked in shown.all_rows():
        rank, _, row = ranked
        if as_json:
            line = dumps(describe_row(ranked), ensure_ascii=False)
        else:
            scores = [
                show_number(row.scores.get(metric.id), metric.decimals, metric.unit) for metric in shown.head.metrics
            ]
            labels = [] if row.label is None else [mask_harmful(row.label)]
            line = "\t".join([str(rank), mask_harmful(row.name), *labels, *scores, str(row.submissions)])
        sys.stdout.write(f"{line}\n")


def print_csv(shown: ShownBoard) -> None:
    """Print every row as CSV, while pages are read.

    A program reads it: a byte order mark, which tells spreadsheets the encoding of a file, would be in its first name.
    """
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", newline="")  # CSV ends its lines with CR LF everywhere
    metrics, parts, marked = shown.head.metrics, shown.head.parts, shown.head.baseline_rows
    has_labels = shown.head.row_kind == "label"
    header = write_header(metrics, has_labels=has_labels, parts=parts, baselines=marked)
    sys.stdout.write(header.removeprefix(BYTE_ORDER_MARK))
    sys.stdout.writelines(write_lines(shown.all_rows(), metrics, parts=parts, baselines=marked))


def describe_row(ranked: RankedRow) -> dict[str, Any]:
    """Return a row as JSON."""
    rank, tied, row = ranked
    return {"rank": rank, "tied": tied, **row.to_json()}
