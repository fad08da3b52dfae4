"""`laurel audit`, and the entries that other commands add to the audit trail."""

import getpass
import os
import secrets
from datetime import UTC, datetime
from typing import Annotated

import typer
from rich.table import Table

from cli.client import ApiError
from cli.console import AsJson, StackName, make_console, plain, print_json, print_wide, read_duration
from cli.stack import check_published, find_settings
from scoring_core.errors import LaurelError
from storage.actors import Actor, Role
from storage.audit import Action, AuditEntry, AuditTrail
from storage.aws.bucket import Bucket
from storage.aws.clients import ENGINE_VARIABLE, s3_client
from storage.benchmarks.store import BenchmarkStore
from storage.settings import AggregateSettings


class InvalidMoment(LaurelError):
    """A moment cannot be read; the message says what was expected."""


def audit(
    benchmark: Annotated[str | None, typer.Option(help="Only this benchmark; default: all.")] = None,
    since: Annotated[
        str | None, typer.Option(help="5m, 12h, 7d, 2w or a date, in UTC; default: all.", metavar="WHEN")
    ] = None,
    stack: StackName = None,
    json: AsJson = False,
) -> None:
    """List who did what: published, rescored, withdrew, made or revoked tokens.

    Needs the rights of an administrator.
    """
    entries = _list_entries(open_trail(stack), benchmark=benchmark, since=since)
    if json:
        print_json([entry.model_dump(mode="json") for entry in entries])
        return
    table = Table("at (UTC)", "who", "role", "did", "benchmark", "to", "detail", box=None)
    for entry in entries:
        detail = ", ".join(f"{name}: {value}" for name, value in entry.detail.items())
        texts = (entry.actor.id, entry.actor.role, entry.action, entry.benchmark or "–", entry.subject or "–", detail)
        table.add_row(f"{entry.at:%F %T}", *map(plain, texts))
    if entries:
        print_wide(table)
    else:
        make_console().print("no entries")


def open_trail(stack: str | None) -> AuditTrail:
    """Return the audit trail of a stack; None: the local one. Raises NoStack."""
    settings = find_settings(stack, AggregateSettings)
    return AuditTrail(Bucket(s3_client(), settings.results_bucket), lambda: datetime.now(UTC), secrets.token_bytes)


def find_operator() -> Actor:
    """Return who runs the command.

    That is the ARN of the AWS credentials; on the local stack, the user of the machine.
    """
    if ENGINE_VARIABLE in os.environ:
        return Actor(id=f"local:{getpass.getuser()}", role=Role.OPERATOR)
    # The stack of this machine needs no packages of AWS.
    from boto3.session import Session  # noqa: PLC0415
    from botocore.exceptions import BotoCoreError, ClientError  # noqa: PLC0415

    try:
        arn = Session().client("sts").get_caller_identity()["Arn"]
    except (ClientError, BotoCoreError) as error:
        raise ApiError(f"AWS does not say whose credentials these are: {error}") from error
    return Actor(id=arn, role=Role.OPERATOR)


def record_audit(stack: str | None, action: Action, *, benchmark: str | None) -> None:
    """Add an entry for what this command is about to do. Raises NoStack, ApiError."""
    open_trail(stack).add(find_operator(), action, benchmark=benchmark)


def read_since(text: str | None, now: datetime) -> datetime | None:
    """Read `5m`, `12h`, `7d`, `2w` or a date in UTC. Raises InvalidMoment."""
    if text is None:
        return None
    age = read_duration(text)
    if age is not None:
        return now - age
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        expected = "expected 5m, 12h, 7d, 2w or a date such as 2026-01-31"
        raise InvalidMoment(f"--since: {expected}, found {text!r}") from error
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _list_entries(trail: AuditTrail, *, benchmark: str | None, since: str | None) -> list[AuditEntry]:
    """List audit entries, oldest first. Raises InvalidMoment, UnknownBenchmark."""
    entries = list(trail.list_entries(benchmark=benchmark, since=read_since(since, datetime.now(UTC))))
    if benchmark is not None and not entries:
        check_published(BenchmarkStore(trail.bucket, trail.clock), benchmark)
    return entries
