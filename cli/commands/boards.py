"""`laurel board` and `laurel rebuild`."""

import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Annotated, Any
from urllib.parse import quote

import httpx
import typer
from rich.table import Table

from cli.boards.first_rows import explaining_contents, read_head
from cli.boards.records import list_records
from cli.boards.rows import BoardRows
from cli.client import PathNotFound, SiteClient, asks_site, get
from cli.console import BenchmarkId, make_console, plain, print_json, print_wide
from cli.exit_codes import UsageError, choose_exit_code
from cli.progress import operate
from scoring_core.benchmarks.terms import RECURRING
from scoring_core.metrics.spelling import show_number
from scoring_core.urls import MAIN_BOARD, benchmark_url, head_url


@asks_site()
def board(
    site: SiteClient,
    benchmark: BenchmarkId,
    *,
    board: Annotated[str, typer.Option("--board", help="The board; default: the main one.")] = MAIN_BOARD,
    top: Annotated[int, typer.Option(min=1, max=100, help="Number of rows.")] = 20,
    start: Annotated[int | None, typer.Option("--from", min=1, help="Rank of the first row.", metavar="RANK")] = None,
    around: Annotated[str | None, typer.Option(help="Show a player's row between its neighbours.")] = None,
    label: Annotated[str | None, typer.Option(help="With --around, where each label has a row.")] = None,
    csv: Annotated[bool, typer.Option("--csv", help="Print every row as CSV.")] = False,
    records: Annotated[
        bool, typer.Option("--records", help="Print the first rows as records of Every Eval Ever, a line each.")
    ] = False,
    parts: Annotated[bool, typer.Option("--parts", help="Show what counts of each part, too.")] = False,
    listed: Annotated[
        bool, typer.Option("--list", help="List the boards instead; with --board WINDOW its days that were played.")
    ] = False,
) -> None:
    """Show a board: first rows, rows from a rank, a player's neighbours, or all."""
    if sum((start is not None, around is not None, csv, records)) > 1:
        raise UsageError("expected one of --from, --around, --csv and --records")
    if csv and site.as_json:
        raise UsageError("expected --csv or --json, not both")
    if listed:
        list_boards(site.http, benchmark, None if board == MAIN_BOARD else board, as_json=site.as_json)
        return
    with explaining_missing(site.http, benchmark, board):
        present = find_present(site.http, benchmark, board)
        if not (start or around or csv):
            show_first(site.http, benchmark, present, top, parts=parts, records=records, as_json=site.as_json)
            return
        rows = BoardRows(site.http, benchmark, present)
        if csv:
            rows.print_csv()
        elif around is not None:
            rows.print_around(around, label, parts=parts, as_json=site.as_json)
        else:
            rows.print_from(start or 1, top, parts=parts, as_json=site.as_json)


@contextmanager
def explaining_missing(client: httpx.Client, benchmark: str, board: str) -> Iterator[None]:
    """List the boards that exist where one was not found.

    Raises UsageError if the benchmark has no such board, PathNotFound if there is no such benchmark, or the board, or
    this day of a window, has no files.
    """
    try:
        yield
    except PathNotFound as error:
        ids = [str(card["id"]) for card in get(client, f"{benchmark_url(benchmark)}/boards")["boards"]]
        if any(board == existing or board.startswith(f"{existing}-") for existing in ids):  # a day of a window
            raise
        raise UsageError(f"{benchmark} has no board {board!r}; its boards are {', '.join(ids)}") from error


def find_present(client: httpx.Client, benchmark: str, board: str) -> str:
    """Return the present instance of a window, or any other board as it is.

    Raises ApiError.
    """
    if board.rpartition("-")[2] not in RECURRING:
        return board
    answer = get(client, f"{benchmark_url(benchmark)}/boards")
    spans = {card["id"]: card.get("window") for card in answer["boards"]}
    return str(spans[board]["board"]) if spans.get(board) else board


def list_boards(client: httpx.Client, benchmark: str, window: str | None, *, as_json: bool) -> None:
    """Print the boards of a benchmark, or the instances of a window that were played."""
    query = "" if window is None else f"?window={quote(window)}"
    answer = get(client, f"{benchmark_url(benchmark)}/boards{query}")
    if as_json:
        print_json(answer)
        return
    played = answer.get("played")
    rows = answer["boards"] if played is None else played["instances"]
    table = Table(title=plain(f"{played['title']} ({played['time_zone']})") if played else None)
    for column in ("board", *(() if played else ("title",)), "from", "to"):
        table.add_column(column)
    for row in rows:
        span = row if played else row.get("window") or {}
        name = row["board"] if played else row["id"]
        titles = () if played else (row["title"] or "",)
        table.add_row(*(plain(str(cell)) for cell in (name, *titles, span.get("from", ""), span.get("to", ""))))
    print_wide(table)
    if played and played["next"]:
        make_console().print(
            f"and earlier ones; see {benchmark_url(benchmark)}/boards?window={window}&before={played['next']}"
        )


def show_first(
    client: httpx.Client, benchmark: str, board: str, top: int, *, parts: bool, records: bool, as_json: bool
) -> None:
    """Print the first rows, of which only the head is read. Raises ApiError."""
    path = head_url(benchmark, board)
    try:
        answer = get(client, path)
    except PathNotFound:
        if board == MAIN_BOARD:
            raise
        # Nobody may have played yet; else the API says what is wrong with the id.
        get(client, f"{benchmark_url(benchmark)}/rows?board={quote(board)}&limit=1")
        make_console().print(f"nobody has played on {plain(board)}")
        return
    with explaining_contents(path):
        head = read_head(answer)
        rows = head.list_rows(top)
        if records:
            headers = get(client, benchmark_url(benchmark))["headers"]
            for record in list_records(head, rows, headers, site=str(client.base_url).rstrip("/")):
                sys.stdout.write(f"{json.dumps(record, ensure_ascii=False)}\n")
        elif as_json:
            print_json(answer)
        else:
            head.print_rows(rows, parts=parts)


@asks_site("admin")
def rebuild(
    site: SiteClient,
    benchmark: BenchmarkId,
    check: Annotated[
        bool, typer.Option("--check", help="Report where boards differ from the records, and change nothing.")
    ] = False,
) -> None:
    """Rebuild a board from the records of its submissions; safe while results come in."""
    if check:
        body = {"operation": "rebuild", "benchmark": benchmark, "check": True}
        differences = operate(site.http, body)["differences"]
        site.show(differences, "\n".join(map(plain, differences)) or "no board differs from its records")
        raise typer.Exit(choose_exit_code(failed=bool(differences)))
    after: str | None = ""
    while after is not None:
        body = {"operation": "rebuild", "benchmark": benchmark, "after": after}
        report = operate(site.http, body)
        site.show(report, partial(_print_rebuilt, benchmark, report))
        after = report["next"]


def print_changes(changes: list[dict[str, Any]], column: str) -> None:
    """Print whose rank or value changed."""
    if not changes:
        return
    table = Table("player", box=None)
    table.add_column("rank", justify="right")
    table.add_column(plain(column), justify="right")
    for change in changes:
        before, after = change["rank_before"], change["rank_after"]
        values = f"{show_number(change['value_before'])} → {show_number(change['value_after'])}"
        name = f"{change['name']} · {change['label']}" if change["label"] else change["name"]
        table.add_row(plain(name), f"{before or '–'} → {after or '–'} {_arrow(before, after)}", values)
    print_wide(table)


def _print_rebuilt(benchmark: str, report: Mapping[str, Any]) -> None:
    console = make_console()
    console.print(f"[bold]{benchmark}[/] version {report['version']}, {report['rows']} rows")
    print_changes(report["changes"], report["column"])
    console.print(f"{report['changed'] or 'nothing'} changed")
    if report["next"] is not None:
        console.print("its time ended before the last record: it goes on from there")


def _arrow(before: int | None, after: int | None) -> str:
    if before is None or after is None or before == after:
        return " "
    return "[green]↑[/]" if after < before else "[red]↓[/]"
