"""`laurel drop`: submits batches, several at once, and each file only once."""

import hashlib
import json
import os
import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import Annotated, Any, NamedTuple
from urllib.parse import urljoin

import httpx
import typer
from rich.progress import DownloadColumn

from cli.client import TRANSIENT, PathNotFound, SiteClient, asks_site, get, read_problem
from cli.commands.reports import FAILURES, get_report, print_counts, print_failures, print_repetition
from cli.console import BenchmarkId, make_console, plain, print_note
from cli.exit_codes import choose_exit_code
from cli.packing import PackedBatch, PackedFile, make_batches, open_batch
from cli.progress import show_progress
from scoring_core.errors import LaurelError
from scoring_core.urls import benchmark_url, upload_url

UPLOADS_AT_ONCE = 4
POLL_SECONDS = 1.0
POLL_PAUSES = 4
"""The pause between requests, in response times: polling never keeps a slow site busy."""
MAX_IDLE_SECONDS = 600.0
UPLOAD_TIMEOUT_SECONDS = 300.0


class BrokenUploadLog(LaurelError):
    """The file of earlier uploads cannot be read."""


class SubmittedBatch(NamedTuple):
    """A batch with the id of its upload, or the reason why it has none; and its status, if the command waited."""

    batch: PackedBatch
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


class EarlierBatch(NamedTuple):
    """An upload of an earlier command with files that are skipped now; its status, without failures of other files."""

    upload: str
    files: tuple[PackedFile, ...]
    status: dict[str, Any] | None = None

    @property
    def failed(self) -> bool:
        """Return whether a file of it has no score and will get none."""
        return self.status is not None and bool(self.status["failures"])

    @property
    def unscored(self) -> int:
        """How many of its files are not scored yet."""
        if self.status is None or not _is_unfinished(self.status):
            return 0
        return min(len(self.files), self.status["queued"] or len(self.files))


class BatchResult(NamedTuple):
    """The batches, how many files were skipped because they were submitted before, and what became of those."""

    batches: tuple[SubmittedBatch, ...]
    skipped: int
    earlier: tuple[EarlierBatch, ...] = ()

    @property
    def exit_code(self) -> int:
        """Return what the command ends with: what failed comes first, then what must wait."""
        every: list[SubmittedBatch | EarlierBatch] = [*self.batches, *self.earlier]
        return choose_exit_code(
            failed=any(batch.failed for batch in every),
            try_later=any(submitted.must_wait for submitted in self.batches),
            unfinished=any(_is_unfinished(batch.status) for batch in every),
        )

    def as_json(self) -> dict[str, Any]:
        """Return what `laurel drop --json` prints."""
        drops = [
            {
                "name": submitted.batch.name,
                "upload": submitted.upload,
                "problem": submitted.problem or None,
                "status": submitted.status,
            }
            for submitted in self.batches
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

        def upload(batch: PackedBatch) -> SubmittedBatch:
            result = _upload(client, benchmark, batch, again=again)
            if result.upload is not None:
                log.add([file.digest for file in batch.files], result.upload)
            progress.advance(task, batch.size_bytes)
            return result

        with ThreadPoolExecutor(UPLOADS_AT_ONCE) as pool:
            results = list(pool.map(upload, batches))
    tracker = BatchTracker(client, benchmark, is_bundle="zip" in rules["takes"])
    result = BatchResult(tuple(results), len(skipped), tuple(_group_by_upload(skipped, submitted)))
    return tracker.wait(result) if wait else result._replace(earlier=tracker.refresh_earlier(result.earlier))


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
                result = result._replace(
                    batches=tuple(map(self._refresh, result.batches)), earlier=self.refresh_earlier(result.earlier)
                )
                answered = time.monotonic()
                statuses = [*filter(None, (batch.status for batch in result.batches))]
                statuses += filter(None, (batch.status for batch in result.earlier))
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

    def refresh_earlier(self, earlier: Sequence[EarlierBatch]) -> tuple[EarlierBatch, ...]:
        """Return what became of skipped files, as far as their reports can be found."""
        with ThreadPoolExecutor(UPLOADS_AT_ONCE) as pool:
            return tuple(pool.map(self._refresh_earlier, earlier))

    def _refresh(self, batch: SubmittedBatch) -> SubmittedBatch:
        if batch.upload is None or (batch.status is not None and not _is_unfinished(batch.status)):
            return batch
        return batch._replace(status=get_report(self.client, self.benchmark, batch.upload))

    def _refresh_earlier(self, batch: EarlierBatch) -> EarlierBatch:
        if batch.status is not None and not _is_unfinished(batch.status):
            return batch
        try:
            status = get_report(self.client, self.benchmark, batch.upload)
        except PathNotFound:
            return batch
        # A folder is one ZIP: files of it that have changed since are submitted again, and judged there.
        names = {file.name for file in batch.files}
        is_whole = (
            self.is_bundle
            or status.get("state") != "received"
            or any(file.path.suffix in {".jsonl", ".zip"} for file in batch.files)
        )
        failures = [failure for failure in status["failures"] if is_whole or failure["entry"] in names]
        return batch._replace(status={**status, "failures": failures})


def _is_unfinished(status: Mapping[str, Any] | None) -> bool:
    """Return whether a batch is known to have entries that are not scored yet."""
    return status is not None and status["status"] != "done"


def _group_by_upload(skipped: Sequence[PackedFile], uploads: Mapping[str, str]) -> list[EarlierBatch]:
    by_upload: dict[str, list[PackedFile]] = {}
    for file in skipped:
        by_upload.setdefault(uploads[file.digest], []).append(file)
    return [EarlierBatch(upload, tuple(files)) for upload, files in by_upload.items()]


def _upload(client: httpx.Client, benchmark: str, batch: PackedBatch, *, again: bool) -> SubmittedBatch:
    with open_batch(batch) as content:
        size = content.seek(0, os.SEEK_END)
        content.seek(0)
        request = {"bytes": size, "filename": batch.filename, "again": again}
        answer = client.post(f"{benchmark_url(benchmark)}/uploads", json=request)
        if answer.status_code != HTTPStatus.CREATED:
            problem = str(read_problem(answer)["detail"])
            return SubmittedBatch(batch, problem=problem, must_wait=answer.status_code in TRANSIENT)
        accepted = answer.json()
        upload, fields = accepted["upload"], accepted["fields"]
        url = urljoin(str(client.base_url), accepted["url"])
        files = {"file": (batch.filename, content, fields["Content-Type"])}
        try:
            # Not with `client`: the form is signed, and S3 must not see the token.
            answer = httpx.post(url, data=fields, files=files, timeout=UPLOAD_TIMEOUT_SECONDS)
        except httpx.TransportError as error:
            if get(client, upload_url(benchmark, upload))["status"] == "waiting":
                return SubmittedBatch(batch, problem=f"the connection was lost: {error}")
            return SubmittedBatch(batch, upload=upload)  # the file arrived; only the answer was lost
    if answer.is_success:
        return SubmittedBatch(batch, upload=upload)
    problem = f"the store rejected it: {answer.status_code} {answer.reason_phrase}"
    return SubmittedBatch(batch, problem=problem, must_wait=answer.status_code in TRANSIENT)


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
            console.print(f"{result.mark} {plain(result.batch.name)}: {plain(result.problem)}")
            continue
        console.print(f"{result.mark} {plain(result.batch.name)}: upload {result.upload}")
        status = result.status
        if status is None:
            continue
        print_repetition(console, status, indent="    ")
        print_counts(console, status, indent="    ")
        print_failures(console, status, indent="    ")
