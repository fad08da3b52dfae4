"""The stack that a command speaks to: the one that runs on this machine, or a deployed one by its name."""

import json
import os
from collections.abc import Mapping
from pathlib import Path

from boto3.session import Session
from botocore.exceptions import BotoCoreError, ClientError

from ledger.settings import Settings
from scoring_core.errors import LaurelError

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
    if not STACK_FILE.exists():
        raise NoStack("no stack runs here; start one with `make run`, or name a deployed one with --stack")
    environment: Mapping[str, str] = json.loads(STACK_FILE.read_text())["environment"]
    os.environ.update(environment)
    return kind.read(environment)


def find_url() -> str:
    """Give where the site of the stack on this machine is: as it says itself, or where it usually is."""
    if not STACK_FILE.exists():
        return USUAL_URL
    url: str = json.loads(STACK_FILE.read_text())["url"]
    return url


def _read_outputs(stack: str) -> dict[str, str]:
    try:
        answer = Session().client("cloudformation").describe_stacks(StackName=stack)
    except (ClientError, BotoCoreError) as error:
        raise NoStack(f"stack {stack}: {error}") from error
    outputs = {one["OutputKey"]: one["OutputValue"] for one in answer["Stacks"][0]["Outputs"]}
    return {variable: outputs[name] for variable, name in _OUTPUTS.items()}
