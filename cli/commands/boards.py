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
import yaml
from rich.table import Table

from cli.boards.first_rows import explaining_contents, read_head
from cli.boards.records import list_card_results, list_records
from cli.boards.rows import list_csv
from cli.client import PathNotFound, SiteClient, asks_site, get, make_error
from cli.console import BenchmarkId, make_console, plain, print_json, print_note, print_wide
from cli.exit_codes import UsageError, choose_exit_code
from cli.progress import operate
from scoring_core.metrics.spelling import show_number
from scoring_core.urls import MAIN_BOARD, benchmark_url, head_url

MAX_TOP = 100
"""Rows that a head has at most."""
_PAGE_ROWS = 100


@asks_site()
def board(
    site: SiteClient,
    benchmark: BenchmarkId,
    *,
    board: Annotated[str, typer.Option("--board", help="The board; default: the main one.")] = MAIN_BOARD,
    top: Annotated[int, typer.Option(min=1, max=MAX_TOP, help="Number of rows.")] = 20,
    csv: Annotated[bool, typer.Option("--csv", help="Print every row as CSV.")] = False,
    records: Annotated[
        bool, typer.Option("--records", help="Print the first rows as records of Every Eval Ever, a line each.")
    ] = False,
    eval_results: Annotated[
        str | None, typer.Option(help="Print this player's row for a model's card at Hugging Face.", metavar="NAME")
    ] = None,
) -> None:
    """Show the first rows of a board, or all as CSV."""
    if sum((csv, records, site.as_json, eval_results is not None)) > 1:
        raise UsageError("expected one of --csv, --records, --eval-results and --json")
    with explaining_missing(site.http, benchmark, board):
        if csv:
            print_csv(site.http, benchmark, board)
        else:
            length = top if eval_results is None else MAX_TOP
            show_first(site.http, benchmark, board, length, records=records, card=eval_results, as_json=site.as_json)


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


def show_first(
    client: httpx.Client, benchmark: str, board: str, top: int, *, records: bool, card: str | None, as_json: bool
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
        elif card is not None:
            written = list_card_results(head, rows, card, site=str(client.base_url).rstrip("/"))
            sys.stdout.write(yaml.safe_dump(written, sort_keys=False, allow_unicode=True))
        elif as_json:
            print_json(answer)
        else:
            head.print_rows(rows)


def print_csv(client: httpx.Client, benchmark: str, board: str) -> None:
    """Print every row as CSV, part by part.

    A program reads it: a byte order mark, which tells spreadsheets the encoding of a file, would be in its first name.
    """

    def ask(path: str, query: Mapping[str, Any]) -> httpx.Response:
        answer = client.get(path, params=query)
        if not answer.is_success:
            raise make_error(answer, path)
        return answer

    total, sequence = _read_state(client, benchmark, board)
    for line in list_csv(ask, benchmark, board, total):
        sys.stdout.buffer.write(line.encode())
    if total > _PAGE_ROWS and _read_state(client, benchmark, board)[1] != sequence:
        print_note("the board changed meanwhile: a row may be there twice, or be missing; run the command again")


def _read_state(client: httpx.Client, benchmark: str, board: str) -> tuple[int, int]:
    """Return the number of rows of a board, and its sequence. Raises ApiError."""
    path = head_url(benchmark, board)
    with explaining_contents(path):
        head = read_head(get(client, path))
        return head.total, int(head.answer["sequence"])


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
    if report["next"] is not None:
        console.print("its time ended before the last record: it goes on from there")


def _arrow(before: int | None, after: int | None) -> str:
    if before is None or after is None or before == after:
        return " "
    return "[green]↑[/]" if after < before else "[red]↓[/]"
