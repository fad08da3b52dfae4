"""The stack that a command speaks to: the one that runs on this machine, or a deployed one by its name."""

import fcntl
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from boto3.session import Session
from botocore.exceptions import BotoCoreError, ClientError

from scoring_core.errors import LaurelError
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
    """There is no stack to speak to."""


def find_settings[Kind: Settings](stack: str | None, kind: type[Kind]) -> Kind:
    """Give the names of a stack's buckets, tables and queues; AWS clients made from now on speak to it.

    Args:
        stack: A deployed stack's name; None: the one that runs on this machine.
        kind: What of them is needed.

    Raises:
        NoStack: There is none.
    """
    if stack is not None:
        return kind.read({"STAGE": stack, **_read_outputs(stack)})
    running = _read_running()
    if running is None:
        raise NoStack("no stack runs here; start one with `make run`, or name a deployed one with --stack")
    os.environ.update(running["environment"])
    return kind.read(running["environment"])


def find_url() -> str:
    """Return where the site of the stack on this machine is, or where it usually is. Raises NoStack."""
    running = _read_running()
    url: str = USUAL_URL if running is None else running["url"]
    return url


@contextmanager
def announced(path: Path, *, url: str, environment: Mapping[str, str]) -> Iterator[None]:
    """Write down where a stack is, for this user alone, while the context lasts.

    The file is locked meanwhile, and however the process ends, the kernel unlocks it: a file without a lock is of a
    stack that has ended. A file that is there already is replaced.
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
    """Read what the stack on this machine has written down; None where none was started. Raises NoStack."""
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
    raise NoStack(
        f"the stack that {STACK_FILE} tells of has ended, and all that it held is gone; `make run` starts one"
    )


def _read_outputs(stack: str) -> dict[str, str]:
    try:
        answer = Session().client("cloudformation").describe_stacks(StackName=stack)
    except (ClientError, BotoCoreError) as error:
        raise NoStack(f"stack {stack}: {error}") from error
    outputs = {one["OutputKey"]: one["OutputValue"] for one in answer["Stacks"][0]["Outputs"]}
    return {variable: outputs[name] for variable, name in _OUTPUTS.items()}
