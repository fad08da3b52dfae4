"""`laurel drop` submits batches, several at once; `laurel report` says how they went."""

import os
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus
from pathlib import Path
from typing import Annotated, Any, NamedTuple
from urllib.parse import urljoin

import httpx
import typer
from rich.console import Console
from rich.progress import DownloadColumn
from rich.table import Table

from cli.client import TRANSIENT, SiteClient, asks_site, get, list_pages, read_problem
from cli.console import BenchmarkId, format_moment, make_console, plain, print_note, print_wide
from cli.exit_codes import choose_exit_code
from cli.packing import PackedBatch, make_batches, open_batch
from cli.progress import show_progress
from scoring_core.urls import benchmark_url, upload_url

FAILURES = ("invalid", "refused", "evaluator_error", "internal_error")
MAX_FAILURES = 100
COUNTS = ("scored", "in_review", *FAILURES)

_WAITING = {
    "waiting": "no file has arrived under this id",
    "processing": "the file has arrived and is being read",
}
Player = Annotated[str | None, typer.Option(help="The player whose batch it is, for owners.", metavar="PLAYER")]

UPLOADS_AT_ONCE = 4
POLL_SECONDS = 1.0
POLL_PAUSES = 4
"""The pause between requests, in response times: polling never keeps a slow site busy."""
MAX_IDLE_SECONDS = 600.0
UPLOAD_TIMEOUT_SECONDS = 300.0


class Batch(NamedTuple):
    """The id of an upload, or the reason why there is none; and its status, once that was asked."""

    name: str
    upload: str | None = None
    problem: str = ""
    status: dict[str, Any] | None = None
    must_wait: bool = False

    @property
    def failed(self) -> bool:
        """Return whether it was not uploaded, or an entry will get no score."""
        if self.upload is None:
            return not self.must_wait
        return self.status is not None and bool(self.status["failures"])

    @property
    def mark(self) -> str:
        """The mark before its line, as markup."""
        if self.upload is None or self.failed:
            return "[red]✗[/]"
        return "[yellow]…[/]" if self.is_unfinished else "[green]✓[/]"

    @property
    def is_unfinished(self) -> bool:
        """Return whether it is known to have entries that are not scored yet."""
        return self.status is not None and self.status["status"] != "done"

    def as_json(self) -> dict[str, Any]:
        """Return what `laurel drop --json` prints of it."""
        return {"name": self.name, "upload": self.upload, "problem": self.problem or None, "status": self.status}


@asks_site("token")
def drop(
    site: SiteClient,
    benchmark: BenchmarkId,
    paths: Annotated[list[Path], typer.Argument(help="Files of results, JSON lines or ZIPs, or folders of files.")],
    wait: Annotated[bool, typer.Option("--wait", help="Wait until all are scored, and show what failed.")] = False,
) -> None:
    """Submit many results at once.

    An interrupted command is typed again as it was: what was uploaded unchanged within a day before is the batch that
    exists. After a day, or under another name, it counts again; `laurel report` lists the batches of the last 30 days.

    Exits with 1 if something failed, with 5 if all is well so far but not all of it is scored, with 6 if the rest must
    be submitted later.
    """
    batches = submit_batches(site.http, benchmark, paths, wait=wait)
    site.show({"drops": [batch.as_json() for batch in batches]}, lambda: _print_submitted(batches))
    code = choose_exit_code(
        failed=any(batch.failed for batch in batches),
        try_later=any(batch.must_wait for batch in batches),
        unfinished=any(batch.is_unfinished for batch in batches),
    )
    raise typer.Exit(code)


def submit_batches(client: httpx.Client, benchmark: str, paths: Sequence[Path], *, wait: bool) -> list[Batch]:
    """Submit files and folders.

    Args:
        client: A client of the site, with the token.
        benchmark: The benchmark's id.
        paths: Files of results, JSONL and ZIP files; folders, which are packed.
        wait: Whether to wait until all are scored.

    Raises:
        ApiError, NothingToSubmit: Nothing was submitted.
    """
    rules = get(client, benchmark_url(benchmark))["submissions"]
    packed, left = make_batches(paths, takes=rules["takes"])
    if left:
        print_note(f"left alone: {left} hidden {'files or links' if left > 1 else 'file or link'}")
    with show_progress(DownloadColumn()) as progress:
        task = progress.add_task("uploading", total=sum(batch.size_bytes for batch in packed))

        def upload(batch: PackedBatch) -> Batch:
            sent = _upload(client, benchmark, batch)
            progress.advance(task, batch.size_bytes)
            return sent

        with ThreadPoolExecutor(UPLOADS_AT_ONCE) as pool:
            batches = list(pool.map(upload, packed))
    return _wait(client, benchmark, batches) if wait else batches


def _wait(client: httpx.Client, benchmark: str, batches: list[Batch]) -> list[Batch]:
    """Wait until every batch is done, or nothing has happened for MAX_IDLE_SECONDS."""

    def refresh(batch: Batch) -> Batch:
        if batch.upload is None or (batch.status is not None and not batch.is_unfinished):
            return batch
        return batch._replace(status=get_report(client, benchmark, batch.upload))

    with show_progress() as progress, ThreadPoolExecutor(UPLOADS_AT_ONCE) as pool:
        task = progress.add_task("scoring", total=None)
        completed, since = -1, time.monotonic()
        while True:
            asked = time.monotonic()
            batches = list(pool.map(refresh, batches))
            answered = time.monotonic()
            statuses = [batch.status for batch in batches if batch.status is not None]
            total = sum(status["entries"] for status in statuses)
            queued = sum(status["queued"] for status in statuses)
            progress.update(task, total=total, completed=total - queued)
            if not any(batch.is_unfinished for batch in batches):
                return batches
            if total - queued != completed:
                completed, since = total - queued, answered
            if answered - since > MAX_IDLE_SECONDS:
                return batches
            time.sleep(max(POLL_SECONDS, POLL_PAUSES * (answered - asked)))


def _upload(client: httpx.Client, benchmark: str, batch: PackedBatch) -> Batch:
    sent = Batch(batch.name)
    with open_batch(batch) as content:
        size = content.seek(0, os.SEEK_END)
        content.seek(0)
        request = {"bytes": size, "filename": batch.filename}
        answer = client.post(f"{benchmark_url(benchmark)}/uploads", json=request)
        if answer.status_code != HTTPStatus.CREATED:
            problem = str(read_problem(answer)["detail"])
            return sent._replace(problem=problem, must_wait=answer.status_code in TRANSIENT)
        accepted = answer.json()
        upload, fields = accepted["upload"], accepted["fields"]
        url = urljoin(str(client.base_url), accepted["url"])
        files = {"file": (batch.filename, content, fields["Content-Type"])}
        try:
            # Not with `client`: the form is signed, and S3 must not see the token.
            answer = httpx.post(url, data=fields, files=files, timeout=UPLOAD_TIMEOUT_SECONDS)
        except httpx.TransportError as error:
            if get(client, upload_url(benchmark, upload))["status"] == "waiting":
                return sent._replace(problem=f"the connection was lost: {error}")
            return sent._replace(upload=upload)  # the file arrived; only the answer was lost
    if answer.is_success:
        return sent._replace(upload=upload)
    problem = f"the store rejected it: {answer.status_code} {answer.reason_phrase}"
    return sent._replace(problem=problem, must_wait=answer.status_code in TRANSIENT)


def _print_submitted(batches: Sequence[Batch]) -> None:
    console = make_console()
    for batch in batches:
        line = plain(batch.problem) if batch.upload is None else f"upload {batch.upload}"
        console.print(f"{batch.mark} {plain(batch.name)}: {line}")
        if batch.status is not None:
            print_outcome(console, batch.status, indent="    ")


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
        batches = list(list_pages(site.http, f"{benchmark_url(benchmark)}/batches", "batches", {"player": player}))
        site.show(batches, lambda: _print_batches(batches))
        return
    view = get_report(site.http, benchmark, batch, player=player)
    site.show(view, lambda: print_report(view))
    failed = bool(view["failures"]) or view["status"] == "waiting"
    raise typer.Exit(choose_exit_code(failed=failed, unfinished=view["status"] != "done"))


def get_report(client: httpx.Client, benchmark: str, batch: str, *, player: str | None = None) -> dict[str, Any]:
    """Return how a batch went, and its first entries without a score. Raises ApiError."""
    view = get(client, upload_url(benchmark, batch), query={"player": player})
    if not any(view[name] for name in FAILURES):
        return {**view, "failures": []}
    query = {"batch": batch, "player": player, "outcome": "failed", "limit": str(MAX_FAILURES)}
    return {**view, "failures": get(client, f"{benchmark_url(benchmark)}/submissions", query=query)["submissions"]}


def print_report(view: Mapping[str, Any]) -> None:
    """Print a report: counts, and why some entries have no score."""
    console = make_console()
    if view["drop"] is None:
        console.print(f"[cyan]{view['status']}[/]: {_WAITING[view['status']]}")
        return
    console.print(f"[bold]{plain(view['file'])}[/] batch {view['drop']}, received {format_moment(view['received_at'])}")
    print_outcome(console, view)


def print_outcome(console: Console, view: Mapping[str, Any], indent: str = "") -> None:
    """Print the batch that it repeats, its counts, and why entries have no score."""
    if view.get("repeated"):
        batch = f"this is batch {view['drop']} of {format_moment(view['received_at'])}"
        state = "of which something was withdrawn" if view.get("withdrawn") else "and counts once"
        console.print(f"{indent}[yellow]submitted before[/]: {batch}, {state}; under another name it counts again")
    if view["status"] != "done":
        console.print(f"{indent}[yellow]{view['status']}[/]: {view['queued']} not scored yet")
    counts = [f"{view[name]} {name}" for name in COUNTS if view[name]]
    withdrawn = view.get("withdrawn", 0)
    line = " · ".join([*counts, *([f"{withdrawn} withdrawn"] if withdrawn else [])])
    if line:
        console.print(f"{indent}{line}")
    for failure in view["failures"]:
        pointer = f" (at {plain(failure['pointer'])})" if failure.get("pointer") else ""
        reason = f"{plain(failure['message'])}{pointer}"
        console.print(f"{indent}[yellow]{failure['status']}[/] {plain(failure['entry'])}: {reason}")
    rest = sum(view[name] for name in FAILURES) - len(view["failures"])
    if rest > 0:
        console.print(f"{indent}and {rest} more without a score")


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
