"""`laurel board`."""

from collections.abc import Mapping
from typing import Annotated, Any

import httpx
import typer
from pydantic import ValidationError
from rich.table import Table

from cli.client import ApiError, connect, get
from cli.console import AsJson, BenchmarkId, Host, format_number, make_console, plain, print_json, print_wide
from storage.boards.models import Head
from storage.keys import head_key

_ARROWS = {"higher": "↑", "lower": "↓"}


def board(
    benchmark: BenchmarkId,
    top: Annotated[int, typer.Option(min=1, max=100, help="Number of rows.")] = 20,
    host: Host = None,
    json: AsJson = False,
) -> None:
    """Show the board of a benchmark."""
    with connect(host, benchmark=benchmark) as client:
        head = get_head(client, benchmark)
    if json:
        print_json(head)
    else:
        print_board(head, top)


def get_head(client: httpx.Client, benchmark: str) -> dict[str, Any]:
    """Return the head of a board. Raises ApiError, also if it is incomplete."""
    path = f"/{head_key(benchmark)}"
    answer = get(client, path)
    try:
        head = Head.model_validate(answer)
    except ValidationError as error:
        position = "/".join(map(str, error.errors(include_url=False)[0]["loc"]))
        raise ApiError(f"{path}: expected a board, found something else at {position}") from error
    rows = head.rows
    columns = (
        rows.name,
        rows.kind,
        rows.rank,
        rows.verified,
        rows.submissions,
        *(rows.scores.get(metric.id) for metric in head.metrics),
    )
    if any(column is None or len(column) != len(rows.player) for column in columns):
        raise ApiError(f"{path}: expected rows with a value in every column")
    return answer


def print_board(head: Mapping[str, Any], top: int) -> None:
    """Print the first rows of a board."""
    table = Table(title=plain(head["title"]), caption=plain(head["rank_rule"]))
    table.add_column("rank", justify="right")
    table.add_column("player")
    for metric in head["metrics"]:
        unit = f" {metric['unit']}" if metric["unit"] else ""
        table.add_column(plain(f"{metric['label']}{unit} {_ARROWS[metric['direction']]}"), justify="right")
    table.add_column("submissions", justify="right")
    rows = head["rows"]
    for index in range(min(top, len(rows["player"]))):
        scores = [format_number(rows["scores"][metric["id"]][index], metric["decimals"]) for metric in head["metrics"]]
        tags = [rows["kind"][index], *([] if rows["verified"][index] else ["guest"])]
        table.add_row(
            str(rows["rank"][index]),
            f"{plain(rows['name'][index])} [dim]{plain(' '.join(tags))}[/]",
            *scores,
            str(rows["submissions"][index]),
        )
    print_wide(table)
    make_console().print(f"{min(top, head['total'])} of {head['total']} players")
