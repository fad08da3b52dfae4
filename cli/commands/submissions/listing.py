"""`laurel submissions`: those of a player, a batch or an outcome, in review or all, as a table, CSV or raw results."""

import io
import sys
from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, Final, Literal
from urllib.parse import urljoin

import httpx
import typer
from rich.console import Console
from rich.table import Table

from cli.client import ApiError, SiteClient, asks_site, get, list_pages, make_error, post
from cli.console import COLOURS, BenchmarkId, format_moment, make_console, plain, print_output, print_wide
from cli.exit_codes import UsageError
from scoring_core.io.csv_text import BYTE_ORDER_MARK
from scoring_core.urls import benchmark_url

DOWNLOAD_SECONDS: Final = 600.0
DEFAULT_LIMIT: Final = 50
PAGE_LENGTH: Final = 1000


@asks_site("owner")
def submissions(
    site: SiteClient,
    benchmark: BenchmarkId,
    player: Annotated[
        str | None, typer.Option(help="Those of this player; beside --batch whose batch it is, for owners.")
    ] = None,
    batch: Annotated[str | None, typer.Option(help="The entries of a batch, by its id or its upload's.")] = None,
    outcome: Annotated[
        Literal["failed", "invalid", "evaluator_error", "internal_error"] | None,
        typer.Option(help="What has no score, and why; for owners."),
    ] = None,
    in_review: Annotated[bool, typer.Option("--in-review", help="What waits for the owner's look.")] = False,
    limit: Annotated[
        int | None, typer.Option(min=1, help=f"How many at most; default: {DEFAULT_LIMIT}, as CSV all.")
    ] = None,
    csv: Annotated[bool, typer.Option("--csv", help="Print a row for each submission as CSV.")] = False,
    grades: Annotated[
        bool, typer.Option("--grades", help="Print a row for each player who was invited or has a row, as CSV.")
    ] = False,
    decimal_comma: Annotated[
        bool, typer.Option("--decimal-comma", help="With --grades: `;` and `0,5`, as Excel in German expects it.")
    ] = False,
    folder: Annotated[
        Path | None,
        typer.Option("--zip", help="Write ZIPs of rows and raw results of all into this new folder.", metavar="FOLDER"),
    ] = None,
) -> None:
    """List the submissions of a player, batch or outcome, those in review, or all.

    The last three are for owners. Submissions are newest first; a batch is in its order, a benchmark oldest first.
    """
    asked = {"player": player, "batch": batch, "outcome": outcome, "in_review": "true" if in_review else None}
    query: dict[str, str | None] = {name: value for name, value in asked.items() if value}
    whole = folder is not None or grades
    if (csv and (site.as_json or limit)) or (whole and (csv or query or limit)) or (folder and grades):
        raise UsageError("expected --csv for whole lists, --json, --grades, or --zip FOLDER for all submissions")
    if folder is not None:
        _write_zips(site, benchmark, folder)
        return
    if grades:
        query = {"decimal": "comma" if decimal_comma else "point"}
        _print_csv(site.http, f"{benchmark_url(benchmark)}/grades.csv", query, mark=BYTE_ORDER_MARK)
        return
    path = f"{benchmark_url(benchmark)}/submissions"
    if csv:
        _print_csv(site.http, path, {**query, "limit": str(PAGE_LENGTH)})
        return
    wanted = limit or DEFAULT_LIMIT
    query["limit"] = str(min(wanted, PAGE_LENGTH))
    listed = list(islice(list_pages(site.http, path, "submissions", query), wanted))
    site.show(listed, lambda: _print(listed, get(site.http, benchmark_url(benchmark))["headers"] if listed else []))


def _print(listed: Sequence[Mapping[str, Any]], metrics: Sequence[Mapping[str, Any]]) -> None:
    """Print a table of what the submissions have, and then why some have no score."""
    console = make_console()
    if not listed:
        console.print("no submission")
        return
    several = len({each["player"] for each in listed}) > 1
    shown = {"name": several} | {name: any(each[name] for each in listed) for name in ("entry", "label", "part")}
    names = [name for name in shown if shown[name]]
    metrics = [metric for metric in metrics if any(metric["name"] in (each["scores"] or {}) for each in listed)]
    table = Table("", "submitted", *names, "outcome", box=None)
    for metric in metrics:
        table.add_column(plain(metric["name"]), justify="right")
    table.add_column("submission")
    for each in listed:
        scores = each["scores"] or {}
        status = f"[{COLOURS.get(each['status'], 'yellow')}]{each['status']}[/]"
        table.add_row(
            "★" if each["best"] or each["counts"] else "",
            format_moment(each["submitted_at"]),
            *(plain(each[name] or "") for name in names),
            " ".join([status, *(f"[dim]{mark}[/]" for mark in ("late", "extended", "withdrawn") if each.get(mark))]),
            *(repr(scores[metric["name"]]) if metric["name"] in scores else "–" for metric in metrics),
            each["submission"] or "–",
        )
    print_wide(table)
    for each in listed:
        if each["message"]:
            _explain(console, each)


def _explain(console: Console, listed: Mapping[str, Any]) -> None:
    """Print why a submission has no score, and what its script printed."""
    position = f" (at {plain(listed['pointer'])})" if listed["pointer"] else ""
    name = plain(listed["entry"] or listed["submission"])
    console.print(f"[yellow]{listed['status']}[/] {name}: {plain(listed['message'])}{position}")
    output = listed["output"] or {}
    if output.get("ended"):
        console.print(f"    [dim]the script {plain(output['ended'])}[/]")
    printed = {name: output.get(name) or "" for name in ("stdout", "stderr")}
    print_output(console, listed["message"], **printed, indent="    ")


def _print_csv(client: httpx.Client, path: str, query: Mapping[str, str | None], mark: str = "") -> None:
    """Print pages as one, behind a mark. Raises ApiError if their columns differ."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", newline="")  # CSV ends its lines with CR LF everywhere
    address, header = str(httpx.URL(path, params=query)), ""
    while address:
        answer = client.get(address, headers={"Accept": "text/csv"})
        if not answer.is_success:
            raise make_error(answer, path)
        first, end, rows = answer.content.decode("utf-8-sig").partition("\r\n")
        if not header:
            header = first
            sys.stdout.write(mark + first + end)
        elif first != header:
            raise ApiError("the metrics of the benchmark changed meanwhile; run the command again")
        sys.stdout.write(rows)
        address = answer.links.get("next", {}).get("url", "")


def _write_zips(site: SiteClient, benchmark: str, folder: Path) -> None:
    """Write all submissions with their raw results into a folder. Raises ApiError."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"--zip: expected a new or empty folder, found {folder}")
    folder.mkdir(parents=True, exist_ok=True)
    files = download_zips(site.http, benchmark, folder)
    site.show({"files": files}, f"{len(files)} file{'' if len(files) == 1 else 's'} in {plain(str(folder))}")


def download_zips(client: httpx.Client, benchmark: str, folder: Path) -> list[str]:
    """Write all submissions with their raw results into an empty folder.

    Returns the names of the ZIPs. Raises ApiError.
    """
    files: list[str] = []
    path, cursor = f"{benchmark_url(benchmark)}/downloads", None
    while cursor is not None or not files:
        written = post(client, path, {"cursor": cursor})
        # Not with the client of the site: the address is signed, and S3 must not see the token.
        answer = httpx.get(urljoin(str(client.base_url), written["url"]), timeout=DOWNLOAD_SECONDS)
        if not answer.is_success:
            raise make_error(answer, "the download from the store")
        file = folder / f"{benchmark}-{len(files) + 1:04}.zip"
        file.write_bytes(answer.content)
        files.append(str(file))
        cursor = written["next"]
    return files
