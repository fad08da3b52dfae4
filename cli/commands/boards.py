"""`laurel board`."""

import io
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from json import dumps
from typing import Annotated, Any
from urllib.parse import quote

import httpx
import typer
from rich.table import Table

from cli.board_files import read_head, reading_board
from cli.client import PathNotFound, connect, get
from cli.console import AsJson, BenchmarkId, Host, format_number, make_console, plain, print_json, print_wide
from cli.exit_codes import UsageError
from scoring_core.benchmarks.boards import MAIN
from scoring_core.benchmarks.definition import RECURRING
from scoring_core.io.text import mask_harmful
from scoring_core.ranking.order import DONE
from scoring_core.ranking.part_columns import name_column, read_done
from storage.boards.csv_rows import write_header, write_lines
from storage.boards.models import Head, Metric
from storage.boards.reading import ShownBoard, find_percentile
from storage.boards.views import RankedRow
from storage.keys import head_key
from storage.urls import benchmark_url

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
    parts: Annotated[bool, typer.Option("--parts", help="Show what counts of each part, too.")] = False,
    listed: Annotated[
        bool, typer.Option("--list", help="List the boards instead; with --board WINDOW its days that were played.")
    ] = False,
    host: Host = None,
    json: AsJson = False,
) -> None:
    """Show a board: its first rows, rows from a rank, a player's neighbours, or all."""
    if sum((start is not None, around is not None, all_rows, csv)) > 1:
        raise UsageError("expected one of --from, --around, --all and --csv")
    if csv and json:
        raise UsageError("expected --csv or --json, not both")
    with connect(host, benchmark=benchmark) as client:
        if listed:
            list_boards(client, benchmark, None if board == MAIN else board, as_json=json)
            return
        with explaining_missing(client, benchmark, board):
            present = find_present(client, benchmark, board)
            if not (start or around or all_rows or csv):
                show_first(client, benchmark, present, top, parts=parts, as_json=json)
                return
            with reading_board(client, benchmark, present) as shown:
                if csv:
                    print_csv(shown)
                elif all_rows:
                    print_lines(shown, as_json=json)
                elif around is not None:
                    print_around(shown, around, label, parts=parts, as_json=json)
                else:
                    print_rows(shown, shown.rows_from(start or 1, top), parts=parts, as_json=json)


@contextmanager
def explaining_missing(client: httpx.Client, benchmark: str, board: str) -> Iterator[None]:
    """List the boards that exist where one was not found.

    Raises:
        UsageError: The benchmark has no such board.
        PathNotFound: There is no such benchmark, or the board, or this day of a window, has no files.
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


def show_first(client: httpx.Client, benchmark: str, board: str, top: int, *, parts: bool, as_json: bool) -> None:
    """Print the first rows, of which only the head is read. Raises ApiError."""
    path = f"/{head_key(benchmark, board)}"
    try:
        answer = get(client, path)
    except PathNotFound:
        if board == MAIN:
            raise
        # Nobody may have played yet; else the API says what is wrong with the id.
        get(client, f"{benchmark_url(benchmark)}/rows?board={quote(board)}&limit=1")
        make_console().print(f"nobody has played on {plain(board)}")
        return
    head = read_head(answer, path)
    if as_json:
        print_json(answer)
    else:
        print_board(head, top, parts=parts)


def print_board(head: Head, top: int, *, parts: bool) -> None:
    """Print the first rows of a board."""
    columns = list_columns(head, parts=parts)
    table = make_table(head, columns)
    rows = head.rows
    done = rows.scores.get(DONE, ())
    for index in range(min(top, len(rows.player))):
        scores = [format_number(rows.scores[column.id][index], column.decimals) for column in columns]
        label = rows.label[index] if index < len(rows.label) else None
        name = describe_player(
            rows.name[index],
            rows.kind[index],
            label,
            verified=rows.verified[index],
            missing=describe_missing(head, done[index] if index < len(done) else None),
        )
        table.add_row(str(rows.rank[index]), name, *scores, str(rows.submissions[index]))
    print_wide(table)
    print_total(min(top, len(rows.player)), head)


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
    columns = list_columns(shown.head, parts=parts)
    table = make_table(shown.head, columns)
    for rank, _, row in rows:
        scores = [format_number(row.scores.get(column.id), column.decimals) for column in columns]
        missing = describe_missing(shown.head, read_done(row.scores))
        name = describe_player(row.name, row.kind, row.label, verified=row.verified, missing=missing)
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
    metrics, parts = shown.head.metrics, shown.head.parts
    sys.stdout.write(write_header(metrics, has_labels=shown.head.row_kind == "label", parts=parts))
    sys.stdout.writelines(write_lines(shown.all_rows(), metrics, parts=parts))


def list_columns(head: Head, *, parts: bool) -> list[Metric]:
    """Return the metrics of a board, and if asked those of its parts.

    Raises UsageError if its rows do not have them.
    """
    if not parts:
        return [*head.metrics]
    if head.parts is None or not head.parts.names:
        raise UsageError(
            "--parts: this board does not have several parts"
            if head.parts is None
            else f"--parts: {head.parts.total} {head.parts.noun} are too many for its rows; a player's page has them"
        )
    by_id = {metric.id: metric for metric in head.metrics}
    of_parts = [
        by_id[metric].model_copy(update={"id": name_column(part, metric), "label": f"{part} {by_id[metric].label}"})
        for part in head.parts.names
        for metric in head.parts.metrics
    ]
    return [*head.metrics, *of_parts]


def describe_missing(head: Head, done: float | None) -> str | None:
    """Return how many parts a row has done: `1 of 3 levels`.

    None if that is all of them, or not known.
    """
    if head.parts is None or done is None or done >= head.parts.total:
        return None
    return f"{done} of {head.parts.total} {head.parts.noun}"


def make_table(head: Head, columns: Sequence[Metric]) -> Table:
    """Return a table without rows."""
    table = Table(title=plain(head.board_title or head.title), caption=plain(head.rank_rule))
    table.add_column("rank", justify="right")
    table.add_column("player")
    for metric in columns:
        unit = f" {metric.unit}" if metric.unit else ""
        table.add_column(plain(f"{metric.label}{unit} {_ARROWS[metric.direction]}"), justify="right")
    table.add_column("submissions", justify="right")
    return table


def describe_player(name: str, kind: str, label: str | None, *, verified: bool, missing: str | None = None) -> str:
    """Return a player with label, kind, guest or not, and what is missing, as markup."""
    tags = [*([label] if label else []), kind, *([] if verified else ["guest"]), *([missing] if missing else [])]
    return f"{plain(name)} [dim]{plain(' '.join(tags))}[/]"


def describe_row(ranked: RankedRow) -> dict[str, Any]:
    """Return a row as JSON."""
    rank, tied, row = ranked
    return {"rank": rank, "tied": tied, **row.to_json()}


def print_total(shown: int, head: Head) -> None:
    """Print how many rows of how many are shown."""
    what = "players" if head.row_kind == "player" else "rows"
    make_console().print(f"{shown} of {head.total} {what}")
