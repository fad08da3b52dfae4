"""The handlers alone, on dictionaries instead of AWS: what they cost themselves, and POST beside plain FastAPI.

Times are of the processor, so that another's load does not count; each answer is checked, outside of the time.
"""

import asyncio
import json
import logging
import math
import os
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import batched
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

from under_load.events import (
    BENCHMARK,
    ORIGIN_SECRET,
    make_message,
    make_record,
    make_request,
    make_scope,
)
from under_load.memory_cloud import ACCESS, BOARDS, RESULTS, SITE, SUBMISSIONS, MemorySession
from under_load.plain_submit import Stores, make_app
from under_load.plain_submit import logger as plain_logger

from aggregate import stream
from aggregate.dependencies import make_aggregator
from cli.commands.benchmarks import publish_benchmark
from evaluate import queue
from local.stack import ROOT
from local.worker import Context
from scoring_core.benchmarks.loading import load_folder
from storage.access.players import Account, PlayerStore
from storage.access.tokens import TOKEN_PREFIX, Scope, Token, TokenStore, hash_secret, token_id_of
from storage.aws import clients
from storage.aws.table import Table
from storage.boards.models import Head
from storage.settings import AggregateSettings
from storage.submissions.models import Player, PlayerKind
from submit import http

ENVIRONMENT = {
    "STAGE": "dev",
    "POWERTOOLS_SERVICE_NAME": "bench",
    "RESULTS_BUCKET": RESULTS,
    "SITE_BUCKET": SITE,
    "SUBMISSIONS_TABLE": SUBMISSIONS,
    "BOARDS_TABLE": BOARDS,
    "ACCESS_TABLE": ACCESS,
    "ORIGIN_SECRET": ORIGIN_SECRET,
    "EVALUATE_QUEUE_URL": "none",
    "EVALUATE_DEAD_LETTER_QUEUE_URL": "none",
    "SHARE_QUEUE_URL": "none",
    "SANDBOX_FUNCTION": "none",
}
WARM_UP = 50
TURN = 50
BATCH = 25


class Spent(NamedTuple):
    """What one invocation took: milliseconds of the processor, and calls of AWS."""

    milliseconds: float
    calls: int


class Cost(NamedTuple):
    """Milliseconds of the processor, and the median of the calls of AWS, each of which the cloud answers in some ms."""

    median: float
    p95: float
    calls: int


class Costs(NamedTuple):
    """What each handler costs, and what a plain FastAPI handler costs in the place of POST."""

    post: Cost
    plain: Cost
    evaluate: Cost
    aggregate: Cost
    aggregate_batch: Cost


class Sender(NamedTuple):
    """A player with a token."""

    player: Player
    secret: str


def measure_handlers(*, players: int, submissions: int) -> Costs:
    """Measure the way of results, handler by handler, each answer checked.

    Args:
        players: How many hand in, and so how many the board shows in the end.
        submissions: How many results of twelve answers each they hand in, in turn.
    """
    with stocked_memory() as session:
        senders = [add_player(session, number) for number in range(players)]
        requests = [
            make_request(senders[number % players].secret, f"run-{number}") for number in range(submissions + WARM_UP)
        ]
        post, plain = asyncio.run(measure_posts(session, requests, make_plain(senders)))
        keys = session.s3.keys(RESULTS, "results/")
        assert len(keys) == len(requests)
        evaluate = [spend(session, queue.lambda_handler, make_message(key), check_batch) for key in keys]
        records = [make_record(item) for item in session.dynamodb.items(SUBMISSIONS, BENCHMARK)]
        assert [one["dynamodb"]["NewImage"]["outcome"]["S"] for one in records] == ["scored"] * len(keys)
        half = len(records) // 2
        aggregate = [spend(session, stream.lambda_handler, {"Records": [one]}, check_batch) for one in records[:half]]
        batches = [list(batch) for batch in batched(records[half:], BATCH, strict=False)]
        aggregate_batch = [spend(session, stream.lambda_handler, {"Records": batch}, check_batch) for batch in batches]
        head = Head.model_validate_json(session.s3.objects[SITE, f"data/b/{BENCHMARK}/head.json"].body)
        assert (head.counts.players, head.counts.submissions) == (players, len(keys))
    return Costs(*map(summarise, (post, plain, evaluate[WARM_UP:], aggregate[WARM_UP:], aggregate_batch[1:])))


@contextmanager
def stocked_memory() -> Iterator[MemorySession]:
    """Lead the handlers' clients into this process, to a store with one benchmark; what is logged goes nowhere."""
    session = MemorySession()
    with (
        patch.dict(os.environ, ENVIRONMENT),
        patch.object(clients, "_session", lambda: session),
        Path(os.devnull).open("w", encoding="utf-8") as nowhere,
    ):
        for one in (http, queue, stream):
            one.logger.registered_handler.setStream(nowhere)
        plain_logger.handlers = [logging.StreamHandler(nowhere)]
        plain_logger.setLevel(logging.INFO)
        plain_logger.propagate = False
        aggregator = make_aggregator(
            AggregateSettings.read(ENVIRONMENT), s3=clients.s3_client(), dynamodb=clients.dynamodb_client(), clock=now
        )
        publish_benchmark(load_folder(ROOT / "benchmarks" / BENCHMARK), aggregator)
        yield session


def now() -> datetime:
    """Give the time."""
    return datetime.now(UTC)


def add_player(session: MemorySession, number: int) -> Sender:
    """Keep an account and a token of it."""
    player = Player(f"player-{number}", f"Player No {number}", PlayerKind.HUMAN, verified=True)
    secret = f"{TOKEN_PREFIX}bench-{number}"
    dynamodb: Any = session.dynamodb
    PlayerStore(Table(dynamodb, ACCESS)).put(Account(player, None, now()))
    token = Token(
        id=token_id_of(secret),
        player=player.id,
        scopes=frozenset({Scope.SUBMIT}),
        benchmarks=(),
        created_at=now(),
    )
    TokenStore(Table(dynamodb, ACCESS)).put(secret, token)
    return Sender(player, secret)


def make_plain(senders: list[Sender]) -> Any:
    """Make the plain application, with the same benchmark and the same tokens."""
    definition = load_folder(ROOT / "benchmarks" / BENCHMARK).definition
    tokens = {hash_secret(one.secret): one.player.id for one in senders}
    return make_app(Stores(ORIGIN_SECRET, {BENCHMARK: definition}, tokens))


async def measure_posts(
    session: MemorySession, requests: list[dict[str, Any]], plain: Any
) -> tuple[list[Spent], list[Spent]]:
    """Give what each POST took, ours and the plain one, taking turns; the first are left out."""
    ours: list[Spent] = []
    theirs: list[Spent] = []
    for turn in batched(requests, TURN, strict=False):
        ours += [spend(session, http.lambda_handler, event, check_post) for event in turn]
        theirs += [await spend_plainly(plain, event) for event in turn]
    return ours[WARM_UP:], theirs[WARM_UP:]


def spend(
    session: MemorySession, handler: Callable[..., Any], event: dict[str, Any], check: Callable[[Any], None]
) -> Spent:
    """Give what a handler takes for an event."""
    context = Context("laurel-bench", 512, "arn:aws:lambda:us-east-1:123456789012:function:bench", "bench", math.inf)
    calls, started = session.calls, time.process_time()
    answer = handler(event, context)
    spent = Spent((time.process_time() - started) * 1000, session.calls - calls)
    check(answer)
    return spent


async def spend_plainly(plain: Any, event: dict[str, Any]) -> Spent:
    """Give what the plain application takes, called as its server calls it."""
    scope = make_scope(event)
    body, sent = event["body"].encode(), []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    started = time.process_time()
    await plain(scope, receive, send)
    spent = Spent((time.process_time() - started) * 1000, 0)
    check_post({"statusCode": sent[0]["status"], "body": sent[1]["body"]})
    return spent


def check_post(answer: Any) -> None:
    """Check that a result was taken in."""
    assert answer["statusCode"] == 202, answer
    assert json.loads(answer["body"])["status"] == "queued"


def check_batch(answer: Any) -> None:
    """Check that nothing of a batch failed."""
    assert answer == {"batchItemFailures": []}


def summarise(spent: list[Spent]) -> Cost:
    """Give medians, and p95 of the time."""
    milliseconds = [one.milliseconds for one in spent]
    calls = statistics.median_low(one.calls for one in spent)
    return Cost(statistics.median(milliseconds), statistics.quantiles(milliseconds, n=20)[-1], calls)
