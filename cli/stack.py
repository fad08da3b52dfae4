"""The stack that a command works on: the one on this machine, or a deployed one by its name."""

import fcntl
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from boto3.session import Session
from botocore.exceptions import BotoCoreError, ClientError

from scoring_core.benchmarks.terms import is_benchmark_id
from scoring_core.benchmarks.validation import suggest_nearest
from scoring_core.errors import LaurelError
from storage.aws.errors import NotFound
from storage.benchmarks.store import BenchmarkStore
from storage.settings import Settings

STACK_FILE = Path(".laurel/stack.json")
USUAL_URL = "http://localhost:8000"
_OUTPUTS = {
    "RESULTS_BUCKET": "ResultsBucketName",
    "SITE_BUCKET": "SiteBucketName",
    "SUBMISSIONS_TABLE": "SubmissionsTableName",
    "BOARDS_TABLE": "BoardsTableName",
    "ACCESS_TABLE": "AccessTableName",
    "EVALUATE_QUEUE_URL": "EvaluateQueueUrl",
}


class NoStack(LaurelError):
    """The stack does not exist."""


class UnknownBenchmark(LaurelError):
    """No benchmark has this id."""

    def __init__(self, benchmark: str, ids: Iterable[str]) -> None:
        names = sorted(ids)
        hint = suggest_nearest(benchmark, names) if names else "none is published"
        super().__init__(f"there is no benchmark {benchmark!r}; {hint}")


def check_published(benchmarks: BenchmarkStore, benchmark: str) -> None:
    """Raise UnknownBenchmark unless the benchmark is published."""
    try:
        if is_benchmark_id(benchmark):
            benchmarks.current(benchmark, fresh=True)
            return
    except NotFound:
        pass
    raise UnknownBenchmark(benchmark, benchmarks.list_ids())


def find_settings[Kind: Settings](stack: str | None, kind: type[Kind]) -> Kind:
    """Return the names of a stack's buckets, tables and queues.

    For the stack on this machine it also sets the environment, so AWS clients made afterwards use that stack.

    Args:
        stack: Name of a deployed stack; None: the one on this machine.
        kind: The settings model to read.

    Raises:
        NoStack: The stack does not exist.
    """
    if stack is not None:
        return kind.read({"STAGE": stack, **_read_outputs(stack)})
    running = _read_running()
    if running is None:
        raise NoStack("no stack runs here; start one with `make run`, or name a deployed one with --stack")
    os.environ.update(running["environment"])
    return kind.read(running["environment"])


def find_url() -> str:
    """Return the URL of the local stack, by default the usual one. Raises NoStack."""
    running = _read_running()
    url: str = USUAL_URL if running is None else running["url"]
    return url


@contextmanager
def announced(path: Path, *, url: str, environment: Mapping[str, str]) -> Iterator[None]:
    """Write URL and environment of a stack to a file, while the context lasts.

    Only this user can read the file.

    The process holds a lock on the file. The kernel releases it however the process ends, so a file without a lock
    belongs to a stack that has ended. An existing file is replaced.
    """
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    draft.unlink(missing_ok=True)
    with os.fdopen(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        json.dump({"url": url, "environment": dict(environment)}, file, indent=2)
        file.flush()
        draft.replace(path)
        try:
            yield
        finally:
            if path.exists() and os.path.samestat(path.stat(), os.fstat(file.fileno())):  # not another stack's
                path.unlink()


def _read_running() -> dict[str, Any] | None:
    """Read the file of the local stack; None if none started. Raises NoStack."""
    try:
        file = STACK_FILE.open(encoding="utf-8")
    except FileNotFoundError:
        return None
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            running: dict[str, Any] = json.load(file)
            return running
    raise NoStack(f"the stack of {STACK_FILE} has ended, and its data is gone; `make run` starts a new one")


def _read_outputs(stack: str) -> dict[str, str]:
    try:
        answer = Session().client("cloudformation").describe_stacks(StackName=stack)
    except (ClientError, BotoCoreError) as error:
        raise NoStack(f"stack {stack}: {error}") from error
    outputs = {output["OutputKey"]: output["OutputValue"] for output in answer["Stacks"][0]["Outputs"]}
    return {variable: outputs[name] for variable, name in _OUTPUTS.items()}
