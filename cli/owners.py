"""What players and owners do through the API, and the audit trail that the stack keeps of it."""

import getpass
import os
import secrets
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
from boto3.session import Session
from botocore.exceptions import BotoCoreError, ClientError

from cli.api import ApiError, read_answer
from cli.durations import read_duration
from cli.naming import check_published
from cli.stack import find_settings
from scoring_core.errors import LaurelError
from storage.audit import Action, Actor, AuditEntry, AuditTrail, Role
from storage.aws.clients import s3_client
from storage.benchmarks.store import BenchmarkStore, PublishedBenchmark
from storage.settings import AggregateSettings

_PUBLISHING = timedelta(hours=1)
"""Longer than it takes from a line of the trail to the pointer."""


class InvalidMoment(LaurelError):
    """A moment that cannot be read; the message says what was expected."""


def withdraw(client: httpx.Client, benchmark: str, submission: str, *, reason: str) -> dict[str, Any]:
    """Withdraw a submission; give the withdrawal that stands. Raises ApiError."""
    path = f"/api/benchmarks/{benchmark}/submissions/{submission}/withdrawal"
    return read_answer(client.post(path, json={"reason": reason}), path)


def list_errors(client: httpx.Client, benchmark: str, *, outcome: str | None, limit: int) -> Iterator[dict[str, Any]]:
    """Give the errors of a benchmark, newest first, as far as they are asked for. Raises ApiError."""
    path = f"/api/benchmarks/{benchmark}/errors"
    query = {"outcome": outcome} if outcome else {}
    while True:
        page = read_answer(client.get(path, params=query), path)
        yield from page["errors"][:limit]
        limit -= len(page["errors"])
        if limit <= 0 or page["next"] in {None, query.get("cursor")}:
            return
        query["cursor"] = page["next"]


def open_trail(stack: str | None) -> AuditTrail:
    """Give the audit trail of a stack; None: of the one that runs on this machine. Raises NoStack."""
    settings = find_settings(stack, AggregateSettings)
    return AuditTrail(s3_client(), settings.results_bucket, lambda: datetime.now(UTC), secrets.token_bytes)


def describe_publishing(published: PublishedBenchmark, trail: AuditTrail, *, own: AuditEntry | None = None) -> str:
    """Return which version was published last, when and, as far as the audit trail tells, by whom.

    Args:
        published: The pointer, read just now.
        trail: A publisher adds a line to it before the pointer is written.
        own: The line of who asks.
    """
    newest = published.scored_under[-1]
    lines = [
        line
        for line in trail.list_lines(benchmark=published.id, since=newest.published_at - _PUBLISHING)
        if (line.action, line.subject) == (Action.PUBLISH, newest.version) and line.at <= newest.published_at
    ]
    publisher = f", by {others[-1].actor.id}" if (others := [line for line in lines if line != own]) else ""
    return f"version {newest.version}{publisher} at {newest.published_at:%Y-%m-%d %H:%M:%S} UTC"


def name_operator() -> Actor:
    """Tell who types: as AWS knows the credentials, and on the stack of this machine the user of the machine."""
    if "AWS_ENDPOINT_URL" in os.environ:
        return Actor(id=f"local:{getpass.getuser()}", role=Role.OPERATOR)
    try:
        arn = Session().client("sts").get_caller_identity()["Arn"]
    except (ClientError, BotoCoreError) as error:
        raise ApiError(f"AWS does not tell whose credentials these are: {error}") from error
    return Actor(id=arn, role=Role.OPERATOR)


def note_act(stack: str | None, action: Action, *, benchmark: str | None) -> None:
    """Put on record what is about to be done from this command line. Raises NoStack, ApiError."""
    open_trail(stack).add(name_operator(), action, benchmark=benchmark)


def read_since(text: str | None, now: datetime) -> datetime | None:
    """Read `12h`, `7d`, `2w` or a date, in UTC; None where nothing was asked. Raises InvalidMoment."""
    if text is None:
        return None
    age = read_duration(text)
    if age is not None:
        return now - age
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        expected = "expected 12h, 7d, 2w or a date such as 2026-01-31"
        raise InvalidMoment(f"--since: {expected}, found {text!r}") from error
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def list_lines(trail: AuditTrail, *, benchmark: str | None, since: str | None) -> list[AuditEntry]:
    """Give the lines of the audit trail, the oldest first. Raises InvalidMoment, UnknownBenchmark."""
    lines = list(trail.list_lines(benchmark=benchmark, since=read_since(since, datetime.now(UTC))))
    if benchmark is not None and not lines:
        check_published(BenchmarkStore(trail.s3, trail.bucket, trail.clock), benchmark)
    return lines
