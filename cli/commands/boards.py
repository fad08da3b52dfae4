"""`laurel board`."""

import io
import sys
from collections.abc import Sequence
from json import dumps
from typing import Annotated, Any

import httpx
import typer
from rich.table import Table

from cli.board_files import read_head, reading_board
from cli.client import connect, get
from cli.console import (
    AsJson,
    BenchmarkId,
    Host,
    UsageError,
    format_number,
    make_console,
    plain,
    print_json,
    print_wide,
)
from scoring_core.benchmarks.boards import MAIN
from scoring_core.io.text import mask_harmful
from storage.boards.csv_rows import write_header, write_lines
from storage.boards.models import Head
from storage.boards.reading import ShownBoard, find_percentile
from storage.boards.views import RankedRow
from storage.keys import head_key

_ARROWS = {"higher": "↑", "lower": "↓"}
NEIGHBOURS = 5
"""Rows above and below a player's."""


def board(  # the options of one command
    benchmark: BenchmarkId,
    *,
    board: Annotated[str, typer.Option("--board", help="The board; default: the main one.")] = MAIN,
    top: Annotated[int, typer.Option(min=1, max=100, help="Number of rows.")] = 20,
    start: Annotated[int | None, typer.Option("--from", min=1, help="Rank of the first row.", metavar="RANK")] = None,
    around: Annotated[str | None, typer.Option(help="Show a player's row between its neighbours.")] = None,
    label: Annotated[str | None, typer.Option(help="With --around, where each label has a row.")] = None,
    all_rows: Annotated[bool, typer.Option("--all", help="Print every row, a line each, cells between tabs.")] = False,
    csv: Annotated[bool, typer.Option("--csv", help="Print every row as CSV.")] = False,
    host: Host = None,
    json: AsJson = False,
) -> None:
    """Show a board: its first rows, rows from a rank, a player's neighbours, or all."""
    if sum((start is not None, around is not None, all_rows, csv)) > 1:
        raise UsageError("expected one of --from, --around, --all and --csv")
    if csv and json:
        raise UsageError("expected --csv or --json, not both")
    with connect(host, benchmark=benchmark) as client:
        if not (start or around or all_rows or csv):
            show_first(client, benchmark, board, top, as_json=json)
            return
        with reading_board(client, benchmark, board) as shown:
            if csv:
                print_csv(shown)
            elif all_rows:
                print_lines(shown, as_json=json)
            elif around is not None:
                print_around(shown, around, label, as_json=json)
            else:
                print_rows(shown, shown.rows_from(start or 1, top), as_json=json)


def show_first(client: httpx.Client, benchmark: str, board: str, top: int, *, as_json: bool) -> None:
    """Print the first rows, of which only the head is read. Raises ApiError."""
    path = f"/{head_key(benchmark, board)}"
    answer = get(client, path)
    head = read_head(answer, path)
    if as_json:
        print_json(answer)
    else:
        print_board(head, top)


def print_board(head: Head, top: int) -> None:
    """Print the first rows of a board."""
    table = make_table(head)
    rows = head.rows
    for index in range(min(top, len(rows.player))):
        scores = [format_number(rows.scores[metric.id][index], metric.decimals) for metric in head.metrics]
        label = rows.label[index] if index < len(rows.label) else None
        name = describe_player(rows.name[index], rows.kind[index], label, verified=rows.verified[index])
        table.add_row(str(rows.rank[index]), name, *scores, str(rows.submissions[index]))
    print_wide(table)
    print_total(min(top, len(rows.player)), head)


def print_around(shown: ShownBoard, player: str, label: str | None, *, as_json: bool) -> None:
    """Print a player's row between its neighbours. Raises UsageError."""
    around = shown.find_around(player, label, above=NEIGHBOURS, below=NEIGHBOURS)
    if around is None:
        raise UsageError(f"this board has no row of the player {player!r}")
    percentile = find_percentile(around.own.rank, shown.total)
    if as_json:
        own = {"player": player, "rank": around.own.rank, "percentile": percentile, "total": shown.total}
        print_json({**own, "rows": list(map(describe_row, around.rows))})
        return
    print_rows(shown, around.rows, as_json=False)
    make_console().print(f"rank {around.own.rank}, ahead of or equal to {percentile:.1f} % of the others")


def print_rows(shown: ShownBoard, rows: Sequence[RankedRow], *, as_json: bool) -> None:
    """Print some rows."""
    if as_json:
        print_json({"total": shown.total, "rows": list(map(describe_row, rows))})
        return
    table = make_table(shown.head)
    for rank, _, row in rows:
        scores = [format_number(row.scores.get(metric.id), metric.decimals) for metric in shown.head.metrics]
        name = describe_player(row.name, row.kind, row.label, verified=row.verified)
        table.add_row(str(rank), name, *scores, str(row.submissions))
    print_wide(table)
    print_total(len(rows), shown.head)


def print_lines(shown: ShownBoard, *, as_json: bool) -> None:
    """Print every row, a line each, while pages are read."""
    for ranked in shown.all_rows():
        rank, _, row = ranked
        if as_json:
            line = dumps(describe_row(ranked), ensure_ascii=False)
        else:
            scores = [format_number(row.scores.get(metric.id), metric.decimals) for metric in shown.head.metrics]
            labels = [] if row.label is None else [mask_harmful(row.label)]
            line = "\t".join([str(rank), mask_harmful(row.name), *labels, *scores, str(row.submissions)])
        sys.stdout.write(f"{line}\n")


def print_csv(shown: ShownBoard) -> None:
    """Print every row as CSV, while pages are read."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", newline="")  # CSV ends its lines with CR LF everywhere
    sys.stdout.write(write_header(shown.head.metrics, has_labels=shown.head.row_kind == "label"))
    sys.stdout.writelines(write_lines(shown.all_rows(), shown.head.metrics))


def make_table(head: Head) -> Table:
    """Return a table without rows."""
    table = Table(title=plain(head.board_title or head.title), caption=plain(head.rank_rule))
    table.add_column("rank", justify="right")
    table.add_column("player")
    for metric in head.metrics:
        unit = f" {metric.unit}" if metric.unit else ""
        table.add_column(plain(f"{metric.label}{unit} {_ARROWS[metric.direction]}"), justify="right")
    table.add_column("submissions", justify="right")
    return table


def describe_player(name: str, kind: str, label: str | None, *, verified: bool) -> str:
    """Return a player with label, kind and whether the player is a guest, as markup."""
    tags = [*([label] if label else []), kind, *([] if verified else ["guest"])]
    return f"{plain(name)} [dim]{plain(' '.join(tags))}[/]"


def describe_row(ranked: RankedRow) -> dict[str, Any]:
    """Return a row as JSON."""
    rank, tied, row = ranked
    return {"rank": rank, "tied": tied, **row.to_json()}


def print_total(shown: int, head: Head) -> None:
    """Print how many rows of how many are shown."""
    what = "players" if head.row_kind == "player" else "rows"
    make_console().print(f"{shown} of {head.total} {what}")
