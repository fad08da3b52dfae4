"""The stack that a command works on: the one on this machine, or a deployed one by its name."""

import os
from functools import cache
from pathlib import Path

from cli.client import UnknownBenchmark
from cli.console import print_note
from cli.sites import NoStack, Running, find_remembered_stack, find_running, read_remembered
from scoring_core.benchmarks.terms import is_benchmark_id
from storage.aws.errors import NotFound
from storage.benchmarks.store import BenchmarkStore
from storage.settings import Settings

_OUTPUTS = {
    "RESULTS_BUCKET": "ResultsBucketName",
    "SITE_BUCKET": "SiteBucketName",
    "SUBMISSIONS_TABLE": "SubmissionsTableName",
    "BOARDS_TABLE": "BoardsTableName",
    "ACCESS_TABLE": "AccessTableName",
    "MAIL_TABLE": "MailTableName",
    "EVALUATE_QUEUE_URL": "EvaluateQueueUrl",
    "RESCORE_FUNCTION": "RescoreFunctionName",
    "RUNTIMES": "Runtimes",
}


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
        settings = kind.read({"STAGE": stack, **_read_outputs(stack)})
        print_stack(stack, "--stack")
        return settings
    running = find_local_stack()
    print_stack(running.url, f"runs in {running.folder}")
    os.environ.update(running.environment)
    return kind.read(running.environment)


def find_local_stack() -> Running:
    """Return the stack of this folder, or of the one that is remembered.

    Raises NoStack.
    """
    running = find_running(Path.cwd())
    remembered = read_remembered() if running is None else None
    if isinstance(remembered, Path):
        return find_remembered_stack(remembered)
    if running is None:
        aside = f"; of {remembered}, which `laurel use` remembers, only the address is known" if remembered else ""
        raise NoStack(
            "no stack runs in this folder; start one with `laurel local`, go to the folder of one that runs, "
            f"or name a deployed one with --stack{aside}"
        )
    return running


@cache
def print_stack(name: str, source: str) -> None:
    """Print, once, which stack the command works on."""
    print_note(f"stack: {name} ({source})")


def _read_outputs(stack: str) -> dict[str, str]:
    # The stack of this machine needs no packages of AWS.
    from boto3.session import Session  # noqa: PLC0415
    from botocore.exceptions import BotoCoreError, ClientError  # noqa: PLC0415

    try:
        answer = Session().client("cloudformation").describe_stacks(StackName=stack)
    except (ClientError, BotoCoreError) as error:
        raise NoStack(f"stack {stack}: {error}") from error
    outputs = {output["OutputKey"]: output["OutputValue"] for output in answer["Stacks"][0]["Outputs"]}
    return {variable: outputs[name] for variable, name in _OUTPUTS.items()}
