"""Hands in drops: several at once, with a progress bar, and each file once."""

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
from typing import Any, BinaryIO, NamedTuple
from urllib.parse import urljoin

import httpx
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from cli.api import get, read_problem
from cli.parcels import Batch, make_batches, open_batch
from scoring_core.errors import LaurelError

UPLOADS_AT_ONCE = 4
POLL_SECONDS = 1.0
POLL_PAUSES = 4
"""How many times as long as an answer takes the next question waits: asking never keeps a site busy."""
MAX_IDLE_SECONDS = 600.0
UPLOAD_TIMEOUT_SECONDS = 300.0


class SubmittedBatch(NamedTuple):
    """What became of one drop: its upload, or why there is none; its status where that was waited for."""

    parcel: Batch
    upload: str | None = None
    problem: str = ""
    status: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class BatchResult:
    """What was handed in; `skipped` counts the files that had been handed in before."""

    parcels: tuple[SubmittedBatch, ...]
    skipped: int

    @property
    def is_well(self) -> bool:
        """Whether all was handed in and, where that was waited for, scored."""
        return all(one.upload is not None and (one.status is None or _is_scored(one.status)) for one in self.parcels)

    def as_json(self) -> dict[str, Any]:
        """Give what `laurel drop --json` prints."""
        drops = [
            {"name": one.parcel.name, "upload": one.upload, "problem": one.problem or None, "status": one.status}
            for one in self.parcels
        ]
        return {"drops": drops, "skipped": self.skipped}


class BrokenUploadLog(LaurelError):
    """What was handed in before cannot be told."""


class UploadLog:
    """What was handed in before, of one token to one benchmark of one site: digests in a file of the user's."""

    def __init__(self, path: Path, scope: str) -> None:
        self._path, self._scope, self._lock = path, scope, threading.Lock()

    def read(self) -> frozenset[str]:
        """Give the digests. Raises BrokenMemory."""
        return frozenset(self._load().get(self._scope, ()))

    def add(self, digests: Sequence[str]) -> None:
        """Remember more of them, at once: whatever ends the program, they are kept."""
        with self._lock:
            known = self._load()
            known[self._scope] = sorted({*known.get(self._scope, ()), *digests})
            self._path.parent.mkdir(parents=True, exist_ok=True)
            part = self._path.with_suffix(".part")
            part.write_text(json.dumps(known))
            part.replace(self._path)

    def _load(self) -> dict[str, list[str]]:
        try:
            found: dict[str, list[str]] = json.loads(self._path.read_text())
        except FileNotFoundError:
            return {}
        except ValueError as error:
            detail = f"{self._path}: expected what earlier drops noted, found no JSON; without it all is handed in anew"
            raise BrokenUploadLog(detail) from error
        return found


def submit_batches(
    client: httpx.Client, benchmark: str, paths: Sequence[Path], *, token: str, wait: bool, again: bool
) -> BatchResult:
    """Hand in files and folders.

    Args:
        client: Of the site, with the token.
        benchmark: The benchmark's id.
        paths: JSON, JSONL and ZIP files; folders, which are packed.
        token: Tells whose files are remembered.
        wait: Whether to wait until all is scored.
        again: Whether to hand in what was handed in before, too.

    Raises:
        ApiError, NothingToDrop, BrokenMemory: Nothing was handed in.
    """
    rules = get(client, f"/api/benchmarks/{benchmark}")["submissions"]
    memory = UploadLog(
        _state_file(), f"{client.base_url} {benchmark} {hashlib.sha256(token.encode()).hexdigest()[:12]}"
    )
    known = memory.read()
    parcels, skipped = make_batches(paths, bundle=rules["bundle"], known=frozenset() if again else known)
    console = Console(stderr=True)
    columns = (TextColumn("uploading"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, disable=not console.is_terminal) as progress:
        total = sum(member.path.stat().st_size for one in parcels for member in one.members)
        task = progress.add_task("uploading", total=total)

        def upload(parcel: Batch) -> SubmittedBatch:
            done = _upload(client, benchmark, parcel)
            if done.upload is not None:
                memory.add([one.digest for one in parcel.members])
            progress.advance(task, sum(one.path.stat().st_size for one in parcel.members))
            return done

        with ThreadPoolExecutor(UPLOADS_AT_ONCE) as pool:
            dropped = list(pool.map(upload, parcels))
    return BatchResult(tuple(_follow(client, benchmark, dropped, console) if wait else dropped), skipped)


def _upload(client: httpx.Client, benchmark: str, parcel: Batch) -> SubmittedBatch:
    with open_batch(parcel) as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(0)
        request = {"bytes": size, "filename": parcel.filename}
        answer = client.post(f"/api/benchmarks/{benchmark}/uploads", json=request)
        if answer.status_code != HTTPStatus.CREATED:
            return SubmittedBatch(parcel, problem=str(read_problem(answer)["detail"]))
        ticket = answer.json()
        upload = ticket["upload"]
        try:
            answer = _send(urljoin(str(client.base_url), ticket["url"]), ticket["fields"], parcel, file)
        except httpx.TransportError as error:
            if get(client, f"/api/benchmarks/{benchmark}/uploads/{upload}")["status"] == "waiting":
                return SubmittedBatch(parcel, problem=f"the connection was lost: {error}")
            return SubmittedBatch(parcel, upload=upload)  # only the answer was lost
    if answer.is_success:
        return SubmittedBatch(parcel, upload=upload)
    return SubmittedBatch(parcel, problem=f"the store refused it: {answer.status_code} {answer.reason_phrase}")


def _send(url: str, fields: dict[str, str], parcel: Batch, file: BinaryIO) -> httpx.Response:
    """Send a file where the ticket allows it: the token stays behind, for the form is signed."""
    files = {"file": (parcel.filename, file, fields["Content-Type"])}
    return httpx.post(url, data=fields, files=files, timeout=UPLOAD_TIMEOUT_SECONDS)


def _follow(
    client: httpx.Client, benchmark: str, dropped: Sequence[SubmittedBatch], console: Console
) -> list[SubmittedBatch]:
    """Wait until every upload is done, or nothing has happened for MAX_IDLE_SECONDS."""
    columns = (TextColumn("scoring"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, disable=not console.is_terminal) as progress:
        task = progress.add_task("scoring", total=None)
        seen, since = -1, time.monotonic()
        while True:
            asked = time.monotonic()
            dropped = [_look(client, benchmark, one) for one in dropped]
            answered = time.monotonic()
            found = [one.status for one in dropped if one.status is not None]
            total, queued = sum(one["entries"] for one in found), sum(one["queued"] for one in found)
            progress.update(task, total=total, completed=total - queued)
            if all(one["status"] == "done" for one in found):
                return list(dropped)
            if total - queued != seen:
                seen, since = total - queued, answered
            if answered - since > MAX_IDLE_SECONDS:
                return list(dropped)
            time.sleep(max(POLL_SECONDS, POLL_PAUSES * (answered - asked)))


def _look(client: httpx.Client, benchmark: str, one: SubmittedBatch) -> SubmittedBatch:
    if one.upload is None or (one.status is not None and one.status["status"] == "done"):
        return one
    return one._replace(status=get(client, f"/api/benchmarks/{benchmark}/uploads/{one.upload}"))


def _is_scored(status: Mapping[str, Any]) -> bool:
    return status["status"] == "done" and not status["failures"]


def _state_file() -> Path:
    base = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(base) / "laurel" / "drops.json"
