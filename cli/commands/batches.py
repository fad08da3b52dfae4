"""`laurel drop` submits batches, several at once, and each file only once; `laurel report` says how they went."""

import hashlib
import json
import os
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import Annotated, Any, NamedTuple
from urllib.parse import urljoin

import httpx
import typer
from rich.console import Console
from rich.progress import DownloadColumn
from rich.table import Table

from cli.client import TRANSIENT, PathNotFound, SiteClient, asks_site, get, list_pages, read_problem
from cli.console import BenchmarkId, format_moment, make_console, plain, print_note, print_wide
from cli.exit_codes import choose_exit_code
from cli.packing import PackedBatch, PackedFile, make_batches, open_batch
from cli.progress import show_progress
from scoring_core.errors import LaurelError
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


class BrokenUploadLog(LaurelError):
    """The file of earlier uploads cannot be read."""


class Batch(NamedTuple):
    """Files with the id of their upload, or the reason why they have none; and its status, once that was asked.

    Without a name, it is an upload of an earlier command with files that are skipped now.
    """

    files: tuple[PackedFile, ...]
    name: str = ""
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
        return "[yellow]…[/]" if _is_unfinished(self.status) else "[green]✓[/]"

    @property
    def unscored(self) -> int:
        """How many of its files are not scored yet."""
        if self.status is None or not _is_unfinished(self.status):
            return 0
        return min(len(self.files), self.status["queued"] or len(self.files))


class BatchResult(NamedTuple):
    """The batches, how many files were skipped because they were submitted before, and what became of those."""

    batches: tuple[Batch, ...]
    skipped: int
    earlier: tuple[Batch, ...] = ()

    @property
    def exit_code(self) -> int:
        """Return what the command ends with: what failed comes first, then what must wait."""
        every = [*self.batches, *self.earlier]
        return choose_exit_code(
            failed=any(batch.failed for batch in every),
            try_later=any(batch.must_wait for batch in every),
            unfinished=any(_is_unfinished(batch.status) for batch in every),
        )

    def as_json(self) -> dict[str, Any]:
        """Return what `laurel drop --json` prints."""
        drops = [
            {"name": batch.name, "upload": batch.upload, "problem": batch.problem or None, "status": batch.status}
            for batch in self.batches
        ]
        earlier = [{"upload": batch.upload, "status": batch.status} for batch in self.earlier]
        return {"drops": drops, "skipped": self.skipped, "earlier": earlier}


class UploadLog:
    """The upload of each file that was submitted with one token to one benchmark, in a file of the user.

    A file is named by its digest.
    """

    def __init__(self, path: Path, scope: str) -> None:
        self._path, self._scope, self._lock = path, scope, threading.Lock()

    def read(self) -> dict[str, str]:
        """Return digest → upload. Raises BrokenUploadLog."""
        return self._load().get(self._scope, {})

    def add(self, digests: Sequence[str], upload: str) -> None:
        """Write more digests at once, so that an interrupted command loses none."""
        with self._lock:
            scopes = self._load()
            scopes[self._scope] = {**scopes.get(self._scope, {}), **dict.fromkeys(digests, upload)}
            self._path.parent.mkdir(parents=True, exist_ok=True)
            part = self._path.with_suffix(".part")
            part.write_text(json.dumps(scopes))
            part.replace(self._path)

    def _load(self) -> dict[str, dict[str, str]]:
        try:
            scopes: dict[str, dict[str, str]] = json.loads(self._path.read_text())
        except FileNotFoundError:
            return {}
        except ValueError as error:
            detail = f"{self._path}: expected the log of earlier uploads, found no JSON; delete it to submit all again"
            raise BrokenUploadLog(detail) from error
        return scopes


@asks_site()
def drop(
    site: SiteClient,
    benchmark: BenchmarkId,
    paths: Annotated[list[Path], typer.Argument(help="Files of results, JSON lines or ZIPs, or folders of files.")],
    token: Annotated[str, typer.Option(envvar="LAUREL_TOKEN", help="Token of the player, `laurel_…`.")],
    wait: Annotated[bool, typer.Option("--wait", help="Wait until all are scored, and show what failed.")] = False,
    again: Annotated[bool, typer.Option("--again", help="Also count files that were submitted before.")] = False,
) -> None:
    """Submit many results at once.

    Files submitted before are skipped, so an interrupted command can be repeated. What failed of them is shown again,
    and --wait waits for them too. A file that came another way within a day is the batch that exists. Exits with 1 if
    something failed, with 5 if all is well so far but not all of it is scored, with 6 if the rest must be submitted
    later.
    """
    report = submit_batches(site.http, benchmark, paths, token=token, wait=wait, again=again)
    site.show(report.as_json(), lambda: _print_report(report))
    raise typer.Exit(report.exit_code)


def submit_batches(
    client: httpx.Client, benchmark: str, paths: Sequence[Path], *, token: str, wait: bool, again: bool
) -> BatchResult:
    """Submit files and folders.

    Args:
        client: A client of the site, with the token.
        benchmark: The benchmark's id.
        paths: Files of results, JSONL and ZIP files; folders, which are packed.
        token: The player's token; each token has its own log of uploads.
        wait: Whether to wait until all are scored.
        again: Whether to also submit files that were submitted before, and count them again.

    Raises:
        ApiError, NothingToSubmit, BrokenUploadLog: Nothing was submitted.
    """
    rules = get(client, benchmark_url(benchmark))["submissions"]
    scope = f"{client.base_url} {benchmark} {hashlib.sha256(token.encode()).hexdigest()[:12]}"
    log = UploadLog(_log_file(), scope)
    submitted = log.read()
    batches, skipped, left = make_batches(paths, takes=rules["takes"], submitted=() if again else submitted)
    if left:
        print_note(f"left alone: {left} hidden {'files or links' if left > 1 else 'file or link'}")
    with show_progress(DownloadColumn()) as progress:
        task = progress.add_task("uploading", total=sum(batch.size_bytes for batch in batches))

        def upload(batch: PackedBatch) -> Batch:
            result = _upload(client, benchmark, batch, again=again)
            if result.upload is not None:
                log.add([file.digest for file in batch.files], result.upload)
            progress.advance(task, batch.size_bytes)
            return result

        with ThreadPoolExecutor(UPLOADS_AT_ONCE) as pool:
            results = list(pool.map(upload, batches))
    tracker = BatchTracker(client, benchmark, is_bundle="zip" in rules["takes"])
    result = BatchResult(tuple(results), len(skipped), tuple(_group_by_upload(skipped, submitted)))
    return tracker.wait(result) if wait else result._replace(earlier=tracker.refresh(result.earlier))


@dataclass(frozen=True, slots=True)
class BatchTracker:
    """Asks a site what became of batches; `is_bundle` of a folder that is a single result."""

    client: httpx.Client
    benchmark: str
    is_bundle: bool

    def wait(self, result: BatchResult) -> BatchResult:
        """Wait until every batch is done, or nothing has happened for MAX_IDLE_SECONDS."""
        with show_progress() as progress:
            task = progress.add_task("scoring", total=None)
            completed, since = -1, time.monotonic()
            while True:
                asked = time.monotonic()
                result = result._replace(batches=self.refresh(result.batches), earlier=self.refresh(result.earlier))
                answered = time.monotonic()
                statuses = [*filter(None, (batch.status for batch in (*result.batches, *result.earlier)))]
                total = sum(status["entries"] for status in statuses)
                queued = sum(status["queued"] for status in statuses)
                progress.update(task, total=total, completed=total - queued)
                if not any(map(_is_unfinished, statuses)):
                    return result
                if total - queued != completed:
                    completed, since = total - queued, answered
                if answered - since > MAX_IDLE_SECONDS:
                    return result
                time.sleep(max(POLL_SECONDS, POLL_PAUSES * (answered - asked)))

    def refresh(self, batches: Sequence[Batch]) -> tuple[Batch, ...]:
        """Return what became of batches; of skipped files, if a report can be found."""
        with ThreadPoolExecutor(UPLOADS_AT_ONCE) as pool:
            return tuple(pool.map(self._refresh, batches))

    def _refresh(self, batch: Batch) -> Batch:
        if batch.upload is None or (batch.status is not None and not _is_unfinished(batch.status)):
            return batch
        try:
            status = get_report(self.client, self.benchmark, batch.upload)
        except PathNotFound:
            if batch.name:
                raise
            return batch
        # A folder is one ZIP: files of it that have changed since are submitted again, and judged there.
        names = {file.name for file in batch.files}
        is_whole = (
            batch.name
            or self.is_bundle
            or status.get("state") != "received"
            or any(file.path.suffix in {".jsonl", ".zip"} for file in batch.files)
        )
        failures = [failure for failure in status["failures"] if is_whole or failure["entry"] in names]
        return batch._replace(status={**status, "failures": failures})


def _is_unfinished(status: Mapping[str, Any] | None) -> bool:
    """Return whether a batch is known to have entries that are not scored yet."""
    return status is not None and status["status"] != "done"


def _group_by_upload(skipped: Sequence[PackedFile], uploads: Mapping[str, str]) -> list[Batch]:
    by_upload: dict[str, list[PackedFile]] = {}
    for file in skipped:
        by_upload.setdefault(uploads[file.digest], []).append(file)
    return [Batch(tuple(files), upload=upload) for upload, files in by_upload.items()]


def _upload(client: httpx.Client, benchmark: str, batch: PackedBatch, *, again: bool) -> Batch:
    sent = Batch(batch.files, batch.name)
    with open_batch(batch) as content:
        size = content.seek(0, os.SEEK_END)
        content.seek(0)
        request = {"bytes": size, "filename": batch.filename, "again": again}
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


def _log_file() -> Path:
    base = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(base) / "laurel" / "drops.json"


def _print_report(report: BatchResult) -> None:
    console = make_console()
    if report.skipped:
        unscored = sum(batch.unscored for batch in report.earlier)
        state = f": {unscored} not scored yet" if unscored else ", skipped"
        console.print(f"{report.skipped} submitted before{state} (--again submits them again)")
    for batch in report.earlier:
        if batch.failed and batch.status is not None:
            console.print(f"[red]✗[/] upload {batch.upload}, submitted before:")
            print_failures(console, {**batch.status, **dict.fromkeys(FAILURES, 0)}, indent="    ")
    for result in report.batches:
        if result.upload is None:
            console.print(f"{result.mark} {plain(result.name)}: {plain(result.problem)}")
            continue
        console.print(f"{result.mark} {plain(result.name)}: upload {result.upload}")
        status = result.status
        if status is None:
            continue
        print_repetition(console, status, indent="    ")
        print_counts(console, status, indent="    ")
        print_failures(console, status, indent="    ")


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
