"""`laurel report`: how batches went."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any

import httpx
import typer
from rich.console import Console
from rich.table import Table

from cli.client import PathNotFound, SiteClient, asks_site, get, list_pages
from cli.console import BenchmarkId, make_console, plain, print_wide
from cli.exit_codes import choose_exit_code
from scoring_core.urls import benchmark_url, upload_url

FAILURES = ("invalid", "refused", "evaluator_error", "internal_error")
MAX_FAILURES = 100
COUNTS = ("scored", "in_review", *FAILURES)

Player = Annotated[str | None, typer.Option(help="The player whose batch it is, for owners.", metavar="PLAYER")]


@asks_site("token")
def report(
    site: SiteClient,
    benchmark: BenchmarkId,
    batch: Annotated[str | None, typer.Argument(help="Id of a batch or upload; default: list the batches.")] = None,
    player: Player = None,
) -> None:
    """Show how a batch went, or list the batches of the last 30 days.

    `laurel submissions BENCHMARK --batch BATCH` has its entries, and marks the best.

    Exits with 1 if an entry has no score and will get none, with 5 if some are not scored yet.
    """
    if batch is None:
        batches = list(list_batches(site.http, benchmark, player=player))
        site.show(batches, lambda: _print_batches(batches))
        return
    view = get_report(site.http, benchmark, batch, player=player)
    site.show(view, lambda: print_report(view))
    failed = bool(view["failures"]) or view["status"] == "waiting"
    raise typer.Exit(choose_exit_code(failed=failed, unfinished=view["status"] != "done"))


def show_report(site: SiteClient, benchmark: str, batch: str) -> bool:
    """Print the report of a batch; return False if this player has no such batch."""
    try:
        view = get_report(site.http, benchmark, batch)
    except PathNotFound:
        return False
    if view["drop"] is None:
        return False
    site.show(view, lambda: print_report(view))
    return True


def get_report(client: httpx.Client, benchmark: str, batch: str, *, player: str | None = None) -> dict[str, Any]:
    """Return how a batch went, and its first entries without a score. Raises ApiError."""
    view = get(client, upload_url(benchmark, batch), query={"player": player})
    if not any(view[name] for name in FAILURES):
        return {**view, "failures": []}
    query = {"batch": batch, "player": player, "outcome": "failed", "limit": str(MAX_FAILURES)}
    return {**view, "failures": get(client, f"{benchmark_url(benchmark)}/submissions", query=query)["submissions"]}


def list_batches(client: httpx.Client, benchmark: str, *, player: str | None) -> Iterator[dict[str, Any]]:
    """List the batches of a player, newest first. Raises ApiError."""
    return list_pages(client, f"{benchmark_url(benchmark)}/batches", "batches", {"player": player})


def print_report(view: Mapping[str, Any]) -> None:
    """Print a report: counts, and why some entries have no score."""
    console = make_console()
    if view["drop"] is None:
        console.print(f"[cyan]{view['status']}[/]: {_WAITING[view['status']]}")
        return
    console.print(f"[bold]{plain(view['file'])}[/] batch {view['drop']}, received {format_moment(view['received_at'])}")
    print_repetition(console, view)
    print_counts(console, view)
    print_failures(console, view)


_WAITING = {
    "waiting": "no file has arrived under this id",
    "processing": "the file has arrived and is being read",
}


def print_repetition(console: Console, view: Mapping[str, Any], indent: str = "") -> None:
    """Print which batch a file is that was uploaded before."""
    if view.get("repeated"):
        batch = f"this is batch {view['drop']} of {format_moment(view['received_at'])}"
        state = "and counts once (`laurel drop --again` counts it again)"
        if view.get("withdrawn"):
            state = "of which something was withdrawn (`laurel drop --again` submits it again)"
        console.print(f"{indent}[yellow]submitted before[/]: {batch}, {state}")


def print_counts(console: Console, view: Mapping[str, Any], indent: str = "") -> None:
    """Print how many entries have which outcome."""
    if view["status"] != "done":
        console.print(f"{indent}[yellow]{view['status']}[/]: {view['queued']} not scored yet")
    counts = [f"{view[name]} {name}" for name in COUNTS if view[name]]
    withdrawn = view.get("withdrawn", 0)
    line = " · ".join([*counts, *([f"{withdrawn} withdrawn"] if withdrawn else [])])
    if line:
        console.print(f"{indent}{line}")


def print_failures(console: Console, view: Mapping[str, Any], indent: str = "") -> None:
    """Print why entries have no score, as far as the report says."""
    for failure in view["failures"]:
        pointer = f" (at {plain(failure['pointer'])})" if failure.get("pointer") else ""
        reason = f"{plain(failure['message'])}{pointer}"
        console.print(f"{indent}[yellow]{failure['status']}[/] {plain(failure['entry'])}: {reason}")
    rest = sum(view[name] for name in FAILURES) - len(view["failures"])
    if rest > 0:
        console.print(f"{indent}and {rest} more without a score")


def format_moment(moment: str) -> str:
    """Return a moment of the API for people, to the minute."""
    return f"{moment[:16].replace('T', ' ')} UTC"


def _print_batches(batches: Sequence[Mapping[str, Any]]) -> None:
    if not batches:
        make_console().print("no batch in the last 30 days")
        return
    table = Table("batch", "received", "file", "entries", "", box=None)
    for batch in batches:
        notes = [f"{batch[name]} {name}" for name in FAILURES if batch[name]]
        notes += [] if batch["state"] == "received" else [f"{batch['state']}: {batch['message']}"]
        entries = str(batch["entries"])
        moment = format_moment(batch["received_at"])
        table.add_row(batch["drop"], moment, plain(batch["file"]), entries, plain(", ".join(notes)))
    print_wide(table)
