"""The API as a client sees it: hand in, follow, read."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from http import HTTPStatus
from pathlib import Path
from typing import Any

import httpx
from pydantic import ValidationError
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from cli.naming import UnknownBenchmark
from cli.stack import find_url
from scoring_core.errors import LaurelError
from storage.boards.models import Head

MAX_WAIT_SECONDS = 120.0
POLL_SECONDS = 0.2


class Kind(StrEnum):
    """Who played."""

    HUMAN = "human"
    MODEL = "model"


class ApiError(LaurelError):
    """The site does not answer, or not as it should."""


class NotThere(ApiError):
    """There is nothing at a path of the site, or nothing that may be seen."""


@dataclass(frozen=True, slots=True)
class SubmittedFile:
    """What became of one file.

    Args:
        file: The file.
        accepted: The API's 202; None where it refused.
        problem: Why it refused, or why its outcome is not known although that was waited for.
        status: What became of it, where that was waited for.
    """

    file: Path
    accepted: dict[str, Any] | None = None
    problem: dict[str, Any] = field(default_factory=dict)
    status: dict[str, Any] | None = None

    @property
    def is_well(self) -> bool:
        """Whether it was accepted and, as far as that is known, scored."""
        return not self.problem and (self.status is None or self.status["outcome"] == "scored")

    def as_json(self) -> dict[str, Any]:
        """Give what `laurel submit --json` prints."""
        return {"file": str(self.file), "accepted": self.accepted, "problem": self.problem, "status": self.status}


@contextmanager
def connect(host: str | None, *, benchmark: str, token: str | None = None) -> Iterator[httpx.Client]:
    """Give a client of a site.

    Args:
        host: Where the site is; None: of the stack on this machine.
        benchmark: What all of it is about.
        token: In whose name: a token or a receipt.

    Raises:
        ApiError: Out of reach.
        UnknownBenchmark: Something was not there because the benchmark is not.
    """
    url = host or find_url()
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    with httpx.Client(base_url=url, timeout=30, headers=headers) as client:
        try:
            try:
                yield client
            except NotThere as error:
                known = [one["id"] for one in get(client, "/api/benchmarks")["benchmarks"]]
                if benchmark not in known:
                    raise UnknownBenchmark(benchmark, known) from error
                raise
        except httpx.TransportError as error:
            raise ApiError(f"{url} does not answer: {error}; is the stack running (`make run`)?") from error


def submit_files(
    client: httpx.Client,
    benchmark: str,
    files: Sequence[Path],
    *,
    player: str | None,
    kind: Kind,
    part: str | None,
    wait: bool,
) -> list[SubmittedFile]:
    """Hand in files one after another, with a progress bar where a person watches.

    Returns:
        One entry a file, in their order; a file that was refused stops nothing.
    """
    query = {"player": player, "kind": kind.value, "part": part}
    parameters = {name: value for name, value in query.items() if value is not None}
    console = Console(stderr=True)
    columns = (TextColumn("handing in"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, disable=len(files) == 1 or not console.is_terminal) as progress:
        handed_in = [_submit(client, benchmark, file, parameters) for file in progress.track(files)]
    if not wait:
        return handed_in
    columns = (TextColumn("waiting"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, disable=len(files) == 1 or not console.is_terminal) as progress:
        return [_wait(client, one) for one in progress.track(handed_in)]


def get_status(client: httpx.Client, benchmark: str, submission: str) -> dict[str, Any]:
    """Give the status of a submission. Raises ApiError."""
    return get(client, f"/api/benchmarks/{benchmark}/submissions/{submission}")


def get_head(client: httpx.Client, benchmark: str) -> dict[str, Any]:
    """Give the head of a board. Raises ApiError, also where it is none that can be shown."""
    path = f"/data/b/{benchmark}/head.json"
    found = get(client, path)
    try:
        head = Head.model_validate(found)
    except ValidationError as error:
        where = "/".join(map(str, error.errors(include_url=False)[0]["loc"]))
        raise ApiError(f"{path}: expected a board, found something else at {where}") from error
    rows = head.rows
    columns = (
        rows.name,
        rows.kind,
        rows.rank,
        rows.verified,
        rows.submissions,
        *(rows.scores.get(one.id) for one in head.metrics),
    )
    if any(column is None or len(column) != len(rows.player) for column in columns):
        raise ApiError(f"{path}: expected rows with a value in every column")
    return found


def _submit(client: httpx.Client, benchmark: str, file: Path, parameters: dict[str, str]) -> SubmittedFile:
    try:
        content = file.read_bytes()
    except OSError as error:
        return SubmittedFile(file, problem={"detail": error.strerror})
    answer = client.post(
        f"/api/benchmarks/{benchmark}/submissions",
        params=parameters,
        content=content,
        headers={"Content-Type": "application/json"},
    )
    if answer.status_code == HTTPStatus.NOT_FOUND:
        raise NotThere(read_problem(answer)["detail"])
    if answer.status_code != HTTPStatus.ACCEPTED:
        return SubmittedFile(file, problem=read_problem(answer))
    return SubmittedFile(file, accepted=answer.json())


def _wait(client: httpx.Client, one: SubmittedFile) -> SubmittedFile:
    """Wait for the outcome of one file. Where that fails, its receipt and the other files are reported all the same."""
    if one.accepted is None:
        return one
    deadline = time.monotonic() + MAX_WAIT_SECONDS
    try:
        while time.monotonic() < deadline:
            status = get(client, one.accepted["status_url"], receipt=one.accepted["receipt"])
            if status["status"] == "done":
                return SubmittedFile(one.file, one.accepted, status=status)
            time.sleep(POLL_SECONDS)
    except (ApiError, httpx.TransportError) as error:
        return SubmittedFile(one.file, one.accepted, problem={"detail": str(error)})
    return SubmittedFile(
        one.file, one.accepted, problem={"detail": f"still queued after {MAX_WAIT_SECONDS:.0f} seconds"}
    )


def get(client: httpx.Client, path: str, *, receipt: str | None = None) -> dict[str, Any]:
    """Give what a path of the site answers. Raises ApiError."""
    headers = {"Authorization": f"Bearer {receipt}"} if receipt else {}
    return read_answer(client.get(path, headers=headers), path)


def read_answer(answer: httpx.Response, path: str) -> dict[str, Any]:
    """Give what the site answered to a path. Raises ApiError where it refused."""
    if answer.status_code != HTTPStatus.OK:
        kind = NotThere if answer.status_code == HTTPStatus.NOT_FOUND else ApiError
        raise kind(f"{path}: {read_problem(answer)['detail']}")
    try:
        found = answer.json()
    except (ValueError, RecursionError) as error:
        raise ApiError(f"{path}: expected JSON, found something else: is this Laurel?") from error
    if not isinstance(found, dict):
        raise ApiError(f"{path}: expected an object, found other JSON: is this Laurel?")
    return found


def read_problem(answer: httpx.Response) -> dict[str, Any]:
    """Give why the API refused."""
    if answer.headers.get("content-type", "").startswith("application/problem+json"):
        problem: dict[str, Any] = answer.json()
        return problem
    return {"status": answer.status_code, "detail": f"{answer.status_code} {answer.reason_phrase}"}
