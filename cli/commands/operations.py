"""`laurel rebuild` and `laurel sweep`: what administrators start by hand."""

import time
from collections.abc import Mapping
from functools import partial
from typing import Annotated, Any, Final

import httpx
import typer
from rich.table import Table

from cli.client import ApiError, NotFinished, SiteClient, asks_site, get, post
from cli.console import BenchmarkId, make_console, plain, print_wide
from cli.exit_codes import choose_exit_code
from cli.progress import show_progress
from scoring_core.metrics.spelling import show_number

POLL_SECONDS: Final = 1.0
MAX_WAIT_SECONDS: Final = 3600.0


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


@asks_site("admin")
def sweep(
    site: SiteClient,
    hours: Annotated[int, typer.Option(min=1, help="How far back to look for results without an outcome.")] = 48,
    failed: Annotated[
        bool, typer.Option("--failed", help="Queue results that ended as internal_error instead, of any age.")
    ] = False,
) -> None:
    """Queue results without an outcome again, without waiting for the schedule."""
    queued = operate(site.http, {"operation": "sweep", "hours": hours, "failed": failed})["queued"]
    site.show(queued, lambda: _print_swept(queued, failed=failed))


def operate(client: httpx.Client, body: Mapping[str, Any]) -> dict[str, Any]:
    """Start an operation, wait until it has ended, and return its result.

    Raises ApiError if it is rejected, or failed, NotFinished if it does not end in time.
    """
    view, until = post(client, "/api/operations", body), time.monotonic() + MAX_WAIT_SECONDS
    url = f"/api/operations/{view['id']}"
    with show_progress() as progress:
        progress.add_task(body["operation"], total=None)
        while view["status"] == "running":
            if time.monotonic() > until:
                raise NotFinished(f"{url}: it goes on, and its report will be there")
            time.sleep(POLL_SECONDS)
            view = get(client, url)
    if view["status"] == "failed":
        raise ApiError(view["detail"])
    return dict(view["result"])


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


def _arrow(before: int | None, after: int | None) -> str:
    if before is None or after is None or before == after:
        return " "
    return "[green]↑[/]" if after < before else "[red]↓[/]"


def _print_rebuilt(benchmark: str, report: Mapping[str, Any]) -> None:
    console = make_console()
    console.print(f"[bold]{benchmark}[/] version {report['version']}, {report['rows']} rows")
    print_changes(report["changes"], report["column"])
    console.print(f"{report['changed'] or 'nothing'} changed")
    if report["next"] is not None:
        console.print("its time ended before the last record: it goes on from there")


def _print_swept(queued: Mapping[str, int], *, failed: bool) -> None:
    console = make_console()
    kind = "that ended as internal_error" if failed else "without an outcome"
    for benchmark, number in queued.items():
        console.print(f"[bold]{benchmark}[/]: {number} results {kind} are queued again")
    if not queued:
        console.print(f"no results {kind}")
