"""`laurel report` and `laurel history`: what became of the entries of a batch, and of a player's submissions."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Annotated, Any

import httpx
import typer
from rich.console import Console
from rich.table import Table

from cli.client import PathNotFound, SiteClient, asks_site, get, list_pages
from cli.console import COLOURS, BenchmarkId, make_console, plain, print_wide
from cli.exit_codes import UsageError, choose_exit_code
from scoring_core.io.csv_text import BYTE_ORDER_MARK, write_table
from scoring_core.urls import benchmark_url, upload_url

PAGE_LENGTH = 1000
FAILURES = ("invalid", "refused", "evaluator_error", "internal_error")
COUNTS = ("scored", "in_review", *FAILURES)

Player = Annotated[str | None, typer.Option(help="The player whose batch it is, for owners.", metavar="PLAYER")]


@asks_site("token")
def report(
    site: SiteClient,
    benchmark: BenchmarkId,
    batch: Annotated[str | None, typer.Argument(help="Id of a batch or upload; default: list the batches.")] = None,
    player: Player = None,
    sort: Annotated[str | None, typer.Option(help="Show the best by this metric first.", metavar="METRIC")] = None,
    csv: Annotated[bool, typer.Option("--csv", help="Print every entry as CSV.")] = False,
) -> None:
    """Show the scores of a batch, or list the batches of the last 30 days.

    Exits with 1 if an entry has no score and will get none, with 5 if some are not scored yet.
    """
    if csv and site.as_json:
        raise UsageError("expected --csv or --json, not both")
    if batch is None:
        batches = list(list_batches(site.http, benchmark, player=player))
        site.show(batches, lambda: _print_batches(batches))
        return
    view = read_report(site.http, benchmark, batch, player=player, sort=sort)
    metrics = get(site.http, benchmark_url(benchmark))["headers"] if view["page"] else []
    site.show(view, lambda: (print_csv if csv else print_report)(view, metrics))
    failed = bool(view["failures"]) or view["status"] == "waiting"
    raise typer.Exit(choose_exit_code(failed=failed, unfinished=view["status"] != "done"))


def show_report(site: SiteClient, benchmark: str, batch: str) -> bool:
    """Print the report of a batch; return False if this player has no such batch."""
    try:
        view = read_report(site.http, benchmark, batch)
    except PathNotFound:
        return False
    if view["drop"] is None:
        return False
    site.show(view, lambda: print_report(view, get(site.http, benchmark_url(benchmark))["headers"]))
    return True


def read_report(
    client: httpx.Client, benchmark: str, batch: str, *, player: str | None = None, sort: str | None = None
) -> dict[str, Any]:
    """Read the report of a batch with all entries. Raises ApiError."""
    path = upload_url(benchmark, batch)
    query = {"limit": PAGE_LENGTH, "player": player, "sort": sort}
    view = get(client, path, query=query)
    following = view["next"]
    while following is not None:
        page = get(client, path, query={**query, "cursor": following})
        view["page"] += page["page"]
        following = page["next"] if page["next"] != following else None
    view["next"] = None
    return view


def list_batches(client: httpx.Client, benchmark: str, *, player: str | None) -> Iterator[dict[str, Any]]:
    """List the batches of a player, newest first. Raises ApiError."""
    return list_pages(client, f"{benchmark_url(benchmark)}/batches", "batches", {"player": player})


def print_report(view: Mapping[str, Any], metrics: Sequence[Mapping[str, Any]]) -> None:
    """Print a report: counts, a line for each entry, and why some have no score."""
    console = make_console()
    if view["drop"] is None:
        console.print(f"[cyan]{view['status']}[/]: {_WAITING[view['status']]}")
        return
    console.print(f"[bold]{plain(view['file'])}[/] batch {view['drop']}, received {format_moment(view['received_at'])}")
    print_repetition(console, view)
    print_counts(console, view)
    if view["page"]:
        print_wide(_make_table(view["page"], metrics))
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
    """Print how many entries have which outcome, and the best of them."""
    if view["status"] != "done":
        console.print(f"{indent}[yellow]{view['status']}[/]: {view['queued']} not scored yet")
    counts = [f"{view[name]} {name}" for name in COUNTS if view[name]]
    withdrawn = view.get("withdrawn", 0)
    line = " · ".join([*counts, *([f"{withdrawn} withdrawn"] if withdrawn else [])])
    if line:
        console.print(f"{indent}{line}")
    for entry in view.get("best", ()):
        scores = ", ".join(f"{plain(name)} {value!r}" for name, value in entry["scores"].items())
        part = f" of {plain(entry['part'])}" if entry["part"] else ""
        console.print(f"{indent}[green]best[/]{part}: {plain(name_entry(entry))}: {scores}")


def print_failures(console: Console, view: Mapping[str, Any], indent: str = "") -> None:
    """Print why entries have no score, as far as the report says."""
    for failure in view["failures"]:
        pointer = f" (at {plain(failure['pointer'])})" if failure.get("pointer") else ""
        reason = f"{plain(failure['message'])}{pointer}"
        console.print(f"{indent}[yellow]{failure['status']}[/] {plain(failure['entry'])}: {reason}")
    rest = sum(view[name] for name in FAILURES) - len(view["failures"])
    if rest > 0:
        console.print(f"{indent}and {rest} more without a score")


def print_csv(view: Mapping[str, Any], metrics: Sequence[Mapping[str, Any]]) -> None:
    """Print a report as CSV, as the site writes it."""
    names = [metric["name"] for metric in metrics]
    failures = {failure["entry"]: failure for failure in view["failures"]}
    head = ["entry", "label", "part", "status", "best", "withdrawn", *names, "submission", "message", "pointer"]
    lines: list[list[object]] = [list(head)]
    for entry in view["page"]:
        failure, scores = failures.get(entry["entry"], {}), entry["scores"] or {}
        about = [entry["entry"], entry["label"] or "", entry["part"] or "", entry["status"]]
        values = [scores.get(name, "") for name in names]
        why = [entry["submission"] or "", failure.get("message", ""), failure.get("pointer") or ""]
        lines.append([*about, entry["best"], entry["withdrawn"], *values, *why])
    sys.stdout.write(write_table(lines).removeprefix(BYTE_ORDER_MARK))


def name_entry(entry: Mapping[str, Any]) -> str:
    """Return the name of an entry, and its label if that says more."""
    label = entry["label"]
    return f"{entry['entry']} “{label}”" if label and label not in entry["entry"] else entry["entry"]


def format_moment(moment: str) -> str:
    """Return a moment of the API for people, to the minute."""
    return f"{moment[:16].replace('T', ' ')} UTC"


def _make_table(entries: Sequence[Mapping[str, Any]], metrics: Sequence[Mapping[str, Any]]) -> Table:
    with_labels, with_parts = (any(entry[name] for entry in entries) for name in ("label", "part"))
    table = Table(box=None)
    table.add_column("")
    for title, shown in (("entry", True), ("label", with_labels), ("part", with_parts), ("outcome", True)):
        if shown:
            table.add_column(title)
    for metric in metrics:
        table.add_column(plain(metric["name"]), justify="right")
    for entry in entries:
        scores = entry["scores"] or {}
        names = [entry["entry"], *([entry["label"] or ""] if with_labels else [])]
        names += [entry["part"] or ""] if with_parts else []
        colour = COLOURS.get(entry["status"], "yellow" if entry["status"] == "refused" else "cyan")
        outcome = f"[{colour}]{entry['status']}[/]{' [dim]withdrawn[/]' if entry['withdrawn'] else ''}"
        values = [repr(scores[metric["name"]]) if metric["name"] in scores else "–" for metric in metrics]
        table.add_row("★" if entry["best"] else "", *map(plain, names), outcome, *values)
    return table


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


@asks_site("token")
def history(
    site: SiteClient,
    benchmark: BenchmarkId,
    player: Annotated[str, typer.Argument(help="The player's id, as the board's links and CSV have it.")],
    sort: Annotated[
        str | None, typer.Option(help="Show the best 50 by this metric of the newest 1,000.", metavar="METRIC")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, help="Number of submissions, newest first.")] = 50,
) -> None:
    """List a player's submissions with their scores.

    With the player's token, or an owner's, it names the files of batches.
    """
    history = list_pages(site.http, f"{benchmark_url(benchmark)}/players/{player}", "history", {"sort": sort})
    entries = list(islice(history, limit))
    if not entries:
        site.show(entries, "no submission")
        return
    url = benchmark_url(benchmark)
    site.show(entries, lambda: print_wide(_make_history(entries, get(site.http, url)["headers"])))


def _make_history(entries: Sequence[Mapping[str, Any]], metrics: Sequence[Mapping[str, Any]]) -> Table:
    names = [name for name in ("entry", "label", "part") if any(entry[name] for entry in entries)]
    table = Table("submitted", *names, "outcome", box=None)
    for metric in metrics:
        table.add_column(plain(metric["name"]), justify="right")
    table.add_column("submission")
    for entry in entries:
        scores = entry["scores"] or {}
        about = [plain(entry[name] or "") for name in names]
        outcome = f"[{COLOURS[entry['outcome']]}]{entry['outcome']}[/]{' withdrawn' if entry['withdrawn'] else ''}"
        values = [repr(scores[metric["name"]]) if metric["name"] in scores else "–" for metric in metrics]
        table.add_row(format_moment(entry["submitted_at"]), *about, outcome, *values, entry["submission"])
    return table
