"""The handlers alone, against moto with the time of its calls subtracted, and POST beside a first draft of it.

Times are processor time of their threads, so that other load hardly counts, nor does moto in this process. Each
answer is checked, outside of the time.
"""

import json
import math
import os
import statistics
import time
from collections.abc import Callable, Iterator
from concurrent.futures.thread import _WorkItem
from contextlib import contextmanager
from datetime import UTC, datetime
from http import HTTPStatus
from itertools import batched
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple
from unittest.mock import patch

from aws_lambda_powertools import Logger
from aws_lambda_powertools.event_handler import APIGatewayHttpResolver, Response
from botocore.client import BaseClient
from under_load.events import BENCHMARK, make_message, make_record, make_request

from aggregate import stream
from evaluate import queue
from local.stack import PARAMETERS
from local.template import Template, load_template
from local.worker import Context
from storage.access.players import Account, PlayerStore
from storage.access.tokens import TOKEN_PREFIX, Scope, Token, TokenStore, token_id_of
from storage.aws.table import Table
from storage.boards.models import Head
from storage.submissions.models import Player, PlayerKind
from submit import http
from tests.harness.lambda_emulator.stock import start_stocked_cloud
from tests.harness.moto.server import MotoCloud

FUNCTIONS = ("AggregateFunction", "EvaluateFunction", "SubmitFunction")
WARM_UP = 20
TURN = 20
BATCH = 25


class Spent(NamedTuple):
    """One invocation: milliseconds of the handler itself, and its calls of AWS."""

    milliseconds: float
    calls: int


class Cost(NamedTuple):
    """Milliseconds of the handler itself, and the median of its calls of AWS."""

    median: float
    p95: float
    calls: int


class Costs(NamedTuple):
    """The cost of each handler, and of a first draft of POST."""

    post: Cost
    draft: Cost
    evaluate: Cost
    aggregate: Cost
    aggregate_batch: Cost


class CallTimer:
    """Counts calls of AWS and sums processor time: of the calls, and of what a handler does in threads of a pool."""

    def __init__(self) -> None:
        self.calls, self.seconds, self.pooled = 0, 0.0, 0.0
        self._lock = Lock()

    @contextmanager
    def running(self) -> Iterator[None]:
        """Time every call of every client, and all work in pools, while the context lasts."""
        call = BaseClient._make_api_call  # noqa: SLF001  # every call of every client passes it
        run = _WorkItem.run

        def timed(client: BaseClient, *arguments: Any) -> Any:
            started = time.thread_time()
            try:
                return call(client, *arguments)
            finally:
                with self._lock:
                    self.calls += 1
                    self.seconds += time.thread_time() - started

        def run_timed(work: Any) -> None:
            started = time.thread_time()
            try:
                run(work)
            finally:
                with self._lock:
                    self.pooled += time.thread_time() - started

        with patch.object(BaseClient, "_make_api_call", timed), patch.object(_WorkItem, "run", run_timed):
            yield

    def spend(self, handler: Callable[..., Any], event: dict[str, Any], check: Callable[[Any], None]) -> Spent:
        """Return what a handler spends on an event."""
        context = Context(
            "laurel-bench", 512, "arn:aws:lambda:us-east-1:123456789012:function:bench", "bench", math.inf
        )
        calls, pooled, seconds, started = self.calls, self.pooled, self.seconds, time.thread_time()
        answer = handler(event, context)
        spent = time.thread_time() - started + (self.pooled - pooled) - (self.seconds - seconds)
        check(answer)
        return Spent(spent * 1000, self.calls - calls)


def measure_handlers(*, players: int, submissions: int) -> Costs:
    """Measure the handlers that every result passes, each answer checked.

    Args:
        players: Number of players, who submit in turn and are all on the board in the end.
        submissions: Number of results, of twelve answers each.
    """
    template = load_template(PARAMETERS)
    timer = CallTimer()
    with stocked_cloud(template) as cloud, timer.running():
        name_of = {name: resource.name for name, resource in template.resources.items()}
        secrets = [add_player(cloud, name_of["AccessTable"], number) for number in range(players)]
        requests = [
            make_request(secrets[number % players], f"run-{number}", template.origin_headers())
            for number in range(submissions + WARM_UP)
        ]
        before = set(list_results(cloud, name_of["ResultsBucket"]))
        draft = make_draft(cloud, name_of["ResultsBucket"], name_of["AccessTable"])
        post, drafted = measure_posts(timer, requests, draft)
        keys = sorted(set(list_results(cloud, name_of["ResultsBucket"])) - before)
        assert len(keys) == len(requests)
        evaluate = [timer.spend(queue.lambda_handler, make_message(key), check_batch) for key in keys]
        pages = cloud.dynamodb.get_paginator("scan").paginate(TableName=name_of["SubmissionsTable"])
        submitted = {key.rpartition("/")[2] for key in keys}
        items = [item for page in pages for item in page["Items"] if item.get("submission", {}).get("S") in submitted]
        records = [make_record(dict(item)) for item in items]
        assert [record["dynamodb"]["NewImage"]["outcome"]["S"] for record in records] == ["scored"] * len(keys)
        half = len(records) // 2
        aggregate = [
            timer.spend(stream.lambda_handler, {"Records": [record]}, check_batch) for record in records[:half]
        ]
        batches = [list(batch) for batch in batched(records[half:], BATCH, strict=False)]
        aggregate_batch = [timer.spend(stream.lambda_handler, {"Records": batch}, check_batch) for batch in batches]
        head = cloud.s3.get_object(Bucket=name_of["SiteBucket"], Key=f"data/b/{BENCHMARK}/head.json")["Body"].read()
        counts = Head.model_validate_json(head).counts
        assert (counts.players, counts.submissions) == (players, len(keys))
    return Costs(*map(summarise, (post, drafted, evaluate[WARM_UP:], aggregate[WARM_UP:], aggregate_batch[1:])))


@contextmanager
def stocked_cloud(template: Template) -> Iterator[MotoCloud]:
    """Start moto with the benchmark, and point the handlers of this process at it; their logs are discarded."""
    cloud = start_stocked_cloud(template)
    functions = template.resources_of("AWS::Lambda::Function")
    variables = [functions[name]["Environment"]["Variables"] for name in FUNCTIONS]
    environment = {name: str(value) for function in variables for name, value in function.items()}
    with (
        patch.dict(os.environ, {**environment, **cloud.environment}),
        Path(os.devnull).open("w", encoding="utf-8") as nowhere,
    ):
        for logger in (http.logger, queue.logger, stream.logger):
            logger.registered_handler.setStream(nowhere)
        try:
            yield cloud
        finally:
            cloud.stop()


def add_player(cloud: MotoCloud, table: str, number: int) -> str:
    """Store an account and a token of it; return the token."""
    player = Player(f"player-{number}", f"Player No {number}", PlayerKind.HUMAN, verified=True)
    secret, now = f"{TOKEN_PREFIX}bench-{number}", datetime.now(UTC)
    PlayerStore(Table(cloud.dynamodb, table)).put(Account(player, None, now))
    token = Token(
        id=token_id_of(secret), player=player.id, scopes=frozenset({Scope.SUBMIT}), benchmarks=(), created_at=now
    )
    TokenStore(Table(cloud.dynamodb, table)).put(secret, token)
    return secret


def list_results(cloud: MotoCloud, bucket: str) -> list[str]:
    """List the keys of the raw results."""
    pages = cloud.s3.get_paginator("list_objects_v2").paginate(Bucket=bucket, Prefix=f"results/{BENCHMARK}/")
    return [item["Key"] for page in pages for item in page.get("Contents", ())]


def measure_posts(
    timer: CallTimer, requests: list[dict[str, Any]], draft: Callable[..., Any]
) -> tuple[list[Spent], list[Spent]]:
    """Return what each POST spends in our handler and in the draft, which take turns; warm-up is left out."""
    ours: list[Spent] = []
    theirs: list[Spent] = []
    for turn in batched(requests, TURN, strict=False):
        ours += [timer.spend(http.lambda_handler, event, check_post) for event in turn]
        theirs += [timer.spend(draft, event, check_post) for event in turn]
    return ours[WARM_UP:], theirs[WARM_UP:]


def make_draft(cloud: MotoCloud, bucket: str, table: str) -> Callable[..., Any]:
    """Return a first draft of POST: the same framework, five bare calls and a line of log, but no checks."""
    app = APIGatewayHttpResolver(enable_validation=True)
    logger = Logger(service="draft", stream=Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115  # for the process
    s3, dynamodb = cloud.s3, cloud.dynamodb

    @app.post("/api/benchmarks/<benchmark>/submissions")
    def post_submission(benchmark: str, player: str | None = None) -> Response[dict[str, Any]]:
        event = app.current_event
        result, key = json.loads(event.body or ""), event.headers["idempotency-key"]
        dynamodb.get_item(TableName=table, Key={"key": {"S": event.headers["authorization"]}})
        dynamodb.put_item(TableName=table, Item={"key": {"S": f"draft#{key}"}, "digest": {"S": key}})
        dynamodb.update_item(
            TableName=table,
            Key={"key": {"S": "draft#quota"}},
            UpdateExpression="ADD used :one",
            ExpressionAttributeValues={":one": {"N": "1"}},
        )
        s3.put_object(Bucket=bucket, Key=f"draft/{key}", Body=json.dumps(result), ContentType="application/json")
        dynamodb.get_item(TableName=table, Key={"key": {"S": f"draft#{key}"}})
        logger.info("result received", extra={"benchmark": benchmark, "player": player})
        return Response(HTTPStatus.ACCEPTED, "application/json", {"submission": key, "status": "queued"})

    return logger.inject_lambda_context(app.resolve)


def check_post(answer: Any) -> None:
    """Check that a result was accepted."""
    assert answer["statusCode"] == HTTPStatus.ACCEPTED, answer
    assert json.loads(answer["body"])["status"] == "queued"


def check_batch(answer: Any) -> None:
    """Check that no message of a batch failed."""
    assert answer == {"batchItemFailures": []}


def summarise(spent: list[Spent]) -> Cost:
    """Return medians, and the p95 of the time."""
    milliseconds = [invocation.milliseconds for invocation in spent]
    calls = statistics.median_low(invocation.calls for invocation in spent)
    return Cost(statistics.median(milliseconds), statistics.quantiles(milliseconds, n=20)[-1], calls)
