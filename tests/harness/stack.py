"""The template's cloud inside the test's own process, and the shapes in which events reach the handlers."""

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote

import yaml
from botocore.awsrequest import AWSResponse
from botocore.compat import HTTPHeaders
from werkzeug.test import create_environ
from werkzeug.wrappers import Request

from aggregate import stream
from aggregate.aggregator import Aggregator
from aggregate.benchmarks.publishing import publish_benchmark
from aggregate.checking import BoardOperator, Difference
from aggregate.dependencies import make_aggregator
from aggregate.rebuilder import Rebuilder
from local.event_sources import QueuePoller, StreamPoller, make_queue_pollers, make_stream_pollers
from local.intrinsics import STACK
from local.site.gateway import make_event
from local.template import Route, Template, find_route
from local.worker import Context
from scoring_core.benchmarks.boards import MAIN
from scoring_core.benchmarks.bundle import pack
from scoring_core.benchmarks.loading import Benchmark, load_bundle
from storage.audit import AuditTrail
from storage.benchmarks.operations import OperationStore
from storage.benchmarks.store import PublishedBenchmark
from storage.boards.models import Head, Index, Rows
from storage.boards.reading import BoardReader
from storage.gateway.aws import AwsObjects
from storage.gateway.bucket import Bucket
from storage.gateway.schema import marshal
from storage.gateway.table import Table
from storage.keys import parse_result_key, utc_now
from storage.players.tokens import Scope
from storage.settings import AggregateSettings
from storage.submissions.decisions import WithdrawalStore
from storage.submissions.models import Player, Submission, SubmissionRecord
from storage.submissions.store import SubmissionStore
from tests.harness.clock import START
from tests.harness.raw_cloud import RawCloud
from tests.harness.role_wall import running
from tests.harness.tokens import keep_account, keep_name, keep_token

ROOT = Path(__file__).parents[2]

TRUTH = """id,type,scene_id,video_id,points
1,TR,L03,V017,"4945,5010,5001,5020"
2,TR,L03,V018,"100,120"
"""
"""Question 1 is example 1 of docs/sources.md, "Event decay": values 4945 and 5001 score 79.0."""
GOOD = {"question": "1", "text": "TR-V017-4945,5001"}
GOOD_SCORE = 79.0
EVENTS: Mapping[str, Any] = {
    "id": "tiny",
    "title": "Tiny",
    "summary": "Two questions.",
    "scorer": "event_decay",
    "ground_truth": "truth.csv",
    "score_type": {"headers": [{"name": "score", "type": "float", "min": 0, "max": 100, "decimals": 2}]},
    "ranking": {"keep": "best", "combine": "mean", "by": ["score"]},
    "contacts": {"owner": "owner@example.com"},
}
COINS: Mapping[str, Any] = {
    "id": "coins",
    "title": "Coins",
    "summary": "Coins and time.",
    "scorer": "script",
    "score_type": {
        "headers": [
            {"name": "Coins", "type": "int", "min": 0, "direction": "higher"},
            {"name": "Time", "type": "float", "direction": "lower", "unit": "s"},
        ]
    },
    "ranking": {"keep": "best", "combine": "sum", "by": ["Coins", "Time"]},
    "contacts": {"owner": "owner@example.com"},
}
"""Its records are made by hand: nothing here runs its script."""

PLAYS: Mapping[str, Any] = {
    **COINS,
    "id": "plays",
    "scorer": "fields",
    "parameters": {"fields": [{"name": "Coins", "at": "/coins", "type": "int"}, {"name": "Time", "at": "/time"}]},
    "parts": ["one", "two"],
    "runs": {"ticket": "required", "seed": "daily", "max_age": "2h", "at_least": "3s"},
}
"""A result needs a run ticket."""


def make_benchmark(
    base: Mapping[str, Any] = EVENTS,
    /,
    *,
    truth: str = TRUTH,
    files: Mapping[str, bytes] | None = None,
    **changes: Any,
) -> Benchmark:
    """Make a benchmark from a definition with some keys changed, and with further files."""
    definition = {**base, **changes}
    scored_with = {"evaluate.py": b"print('{}')"} if definition["scorer"] == "script" else {"truth.csv": truth.encode()}
    text = yaml.dump(definition, Dumper=yaml.CSafeDumper).encode()
    return _load_files(tuple({"benchmark.yaml": text, **scored_with, **(files or {})}.items()))


@lru_cache(maxsize=64)  # most tests begin with the same few, whose definitions take longer to read than to publish
def _load_files(files: tuple[tuple[str, bytes], ...]) -> Benchmark:
    return load_bundle(pack(dict(files)))


class Answer(NamedTuple):
    """What the API answered; header names in lower case."""

    status: int
    headers: dict[str, str]
    body: Any

    @property
    def text(self) -> str:
        """The body as it travels."""
        return json.dumps(self.body)

    @property
    def repeated(self) -> dict[str, Any]:
        """The body of a 202 to a repeat, which is not charged."""
        return {**self.body, "quota_left": None, "left_in_all": None, "resets_at": None}


def make_context(function: str = "laurel-test") -> Context:
    """Make the context that Lambda passes to the handler of a function, by the function's name."""
    return Context(
        function_name=function,
        memory_limit_in_mb=512,
        invoked_function_arn=f"arn:aws:lambda:us-east-1:123456789012:function:{function}",
        aws_request_id="52fdfc07-2182-454f-963f-5f0f9a621d72",
        deadline=time.monotonic() + 900,
    )


@dataclass(frozen=True)
class InProcess:
    """A function as the pollers of local/event_sources.py call it, without a process of its own."""

    handler: Callable[[dict[str, Any], Any], Any]
    logical_id: str

    def invoke(self, event: Mapping[str, Any]) -> Any:
        """Call the handler; event and answer travel as JSON."""
        context = make_context(f"{STACK}-{self.logical_id.lower()}")
        with running(self.logical_id):
            return json.loads(json.dumps(self.handler(json.loads(json.dumps(event)), context)))

    def deliver(self, *keys: str) -> list[str]:
        """Hand a batch over, a message for each key; give the ids of those that failed."""
        messages = [make_message(key, number=number) for number, key in enumerate(keys, start=1)]
        answer = self.invoke({"Records": messages})
        return [failure["itemIdentifier"] for failure in answer["batchItemFailures"]]


BOARDS = InProcess(stream.lambda_handler, "AggregateFunction")


class NamingStore(SubmissionStore):
    """Results and records as tests make them, with their players' names, which a POST keeps before them."""

    def __init__(self, table: Table, bucket: Bucket, access: Table) -> None:
        super().__init__(table, bucket)
        self.access = access

    def put_result(self, submission: Submission, body: bytes) -> bool:
        """Keep the name, then the raw result."""
        keep_name(self.access, submission.player)
        return SubmissionStore.put_result(self, submission, body)

    def put_record(self, record: SubmissionRecord, **options: Any) -> bool:
        """Keep the name, then the record."""
        keep_name(self.access, record.submission.player)
        return SubmissionStore.put_record(self, record, **options)


@dataclass(frozen=True)
class StackHarness:
    """The template's buckets, queues and tables, and what reads and writes them."""

    template: Template
    cloud: RawCloud
    aggregator: Aggregator
    submissions: SubmissionStore

    def publish(self, benchmark: Benchmark) -> PublishedBenchmark:
        """Publish a benchmark and its board, as the command line does."""
        publish_benchmark(benchmark, self.aggregator)
        return self.aggregator.benchmarks.current(benchmark.definition.id, fresh=True)

    @property
    def results_bucket(self) -> str:
        """Its name."""
        return self.template.resources["ResultsBucket"].name

    @property
    def site_bucket(self) -> str:
        """Its name."""
        return self.template.resources["SiteBucket"].name

    def queue_url(self, queue: str) -> str:
        """Return the URL of a queue of the template."""
        return self.cloud.sqs.get_queue_url(QueueName=self.template.resources[queue].name)["QueueUrl"]

    def keys(self, bucket: str, prefix: str) -> list[str]:
        """List the keys of a bucket under a prefix."""
        listed = self.cloud.s3.list_objects_v2(Bucket=bucket, Prefix=prefix)
        return sorted(one["Key"] for one in listed.get("Contents", []))

    def read_json(self, key: str) -> Any:
        """Read an object of the results bucket."""
        return json.loads(self.cloud.s3.get_object(Bucket=self.results_bucket, Key=key)["Body"].read())

    def results(self) -> list[str]:
        """List the raw results."""
        return self.keys(self.results_bucket, "results/")

    def submission(self) -> Submission:
        """Read the only submission whose raw result is kept."""
        (name,) = self.results()
        key = parse_result_key(name)
        assert key is not None
        submission = self.submissions.find_submission(key)
        assert submission is not None
        return submission

    def items(self, logical_id: str) -> list[dict[str, Any]]:
        """Read every item of a table."""
        return list(self.cloud.dynamodb.scan(TableName=self.template.resources[logical_id].name)["Items"])

    @property
    def withdrawals(self) -> WithdrawalStore:
        """The store of withdrawals."""
        return WithdrawalStore(self.submissions.table)

    @property
    def trail(self) -> AuditTrail:
        """The audit trail; nothing is added to it here."""
        return AuditTrail(Bucket(self.cloud.objects, self.results_bucket), lambda: START, bytes)

    @property
    def access(self) -> Table:
        """The table of accounts, tokens, quotas and the like."""
        return Table(self.cloud.dynamodb, self.template.resources["AccessTable"].name)

    def keep_account(self, player: Player, address: str | None = None) -> None:
        """Keep a player's account, with the address to which mail goes."""
        keep_account(self.access, player, address)

    def keep_names(self, records: Sequence[SubmissionRecord]) -> None:
        """Keep the names of players, as a POST does."""
        for player in {record.submission.player for record in records}:
            keep_name(self.access, player)

    def issue_token(
        self, player: Player, *scopes: Scope, address: str | None = None, secret: str | None = None, **changes: Any
    ) -> dict[str, str]:
        """Make an account and a token of it, but for the changes; give the headers of a request that shows it."""
        keep_account(self.access, player, address)
        return {"Authorization": f"Bearer {keep_token(self.access, player, *scopes, secret=secret, **changes)}"}

    def count_tokens(self) -> int:
        """Count the tokens that are stored."""
        return sum(item["key"]["S"].startswith("token#") for item in self.items("AccessTable"))

    def left_behind(self) -> int:
        """Count what a POST may leave: raw results, and items of the tables that it may write."""
        kept = ("publish#", "guest#secret")
        access = [item for item in self.items("AccessTable") if not item["key"]["S"].startswith(kept)]
        return len(self.results()) + len(access) + len(self.items("SubmissionsTable"))

    def queue_poller(self, handler: Callable[..., Any], *, queue: str, function: str) -> QueuePoller:
        """Return the local stack's poller of a queue, with the handler in this process."""
        functions = {function: InProcess(handler, function)}
        pollers = make_queue_pollers(self.template, self.cloud, functions, on_error=print)
        return next(poller for poller in pollers if poller.queue == queue)

    def stream_poller(self, handler: Callable[..., Any], *, function: str = "AggregateFunction") -> StreamPoller:
        """Return the local stack's poller of the submissions table's stream, with the handler in this process."""
        functions = {function: InProcess(handler, function)}
        (poller,) = make_stream_pollers(self.template, self.cloud, functions, on_error=print)
        return poller

    def read_stream(self, handler: Callable[..., Any], *, function: str = "AggregateFunction") -> None:
        """Let a function read the stream of the submissions table to its end."""
        poller = self.stream_poller(handler, function=function)
        while poller.poll():
            pass

    def follow(self, records: Sequence[SubmissionRecord]) -> None:
        """Deliver records to the boards, which fold and show them, with their players' names."""
        self.keep_names(records)
        assert BOARDS.invoke(make_stream_event(records)) == {"batchItemFailures": []}

    def follow_all(self) -> None:
        """Deliver all records and withdrawals that are kept to the boards, in one batch."""
        items = enumerate(self.items("SubmissionsTable"), start=1)
        changes = [make_change(item, number=number) for number, item in items]
        assert BOARDS.invoke({"Records": changes}) == {"batchItemFailures": []}

    def head(self, benchmark: str = "coins") -> Head:
        """Read a board's head."""
        found = self.aggregator.snapshots.read_head(benchmark)
        assert found is not None
        return found.value

    def find_head(self, benchmark: str, board: str) -> Head | None:
        """Read the newest head of a board."""
        snapshots = self.aggregator.snapshots
        if board == MAIN:
            stored = snapshots.read_head(benchmark)
            return stored and stored.value
        shown = BoardReader(snapshots).find_newest(benchmark, board)
        return shown and shown.head

    def rows(self, benchmark: str = "coins") -> Rows:
        """Read all rows of a board."""
        return Rebuilder(self.aggregator).read_rows(benchmark)

    def check_boards(self, benchmark: str) -> list[Difference]:
        """Return where boards differ from the records of their submissions."""
        operations = OperationStore(self.trail.bucket)
        return BoardOperator(Rebuilder(self.aggregator), operations, utc_now, lambda _: None).check(benchmark)

    def index(self) -> Index:
        """Read the index, as the schedule brings it up to date."""
        self.aggregator.renderer.update_index(self.aggregator.benchmarks.list_ids())
        found = self.aggregator.snapshots.read_index()
        assert found is not None
        return found.value

    def board(self, benchmark: str = "coins") -> dict[str, Any]:
        """Read all that a board shows but what depends on when, and how often, it was published."""
        passing = {"sequence", "generated_at", "beat", "pages"}
        head = self.head(benchmark).model_dump(exclude=passing)
        entries = [
            one.model_dump(exclude={"sequence", "updated_at"}) for one in self.index().benchmarks if one.id == benchmark
        ]
        return {"head": head, "rows": self.rows(benchmark).model_dump(), "entries": entries}


def build_aggregator(stack: StackHarness, clock: Callable[[], datetime], *, s3: Any = None) -> Aggregator:
    """Build another aggregator and renderer over the same cloud, with a clock and perhaps an S3 client of its own."""
    variables = stack.template.resources_of("AWS::Lambda::Function")["AggregateFunction"]["Environment"]
    settings = AggregateSettings.read(variables["Variables"])
    return make_aggregator(settings, s3=AwsObjects(s3 or stack.cloud.s3), dynamodb=stack.cloud.dynamodb, clock=clock)


@dataclass(frozen=True)
class Api:
    """Calls the handlers behind the API with the event that the local server makes of a request.

    As API Gateway does, but that a method without a route is for the function of all that is not found.
    """

    handlers: Mapping[str, Callable[[dict[str, Any], Any], Any]]
    routes: Sequence[Route]
    origin_headers: Mapping[str, str]

    def __call__(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
        body: bytes | None = None,
        address: str = "192.0.2.7",
    ) -> Answer:
        """Send a request; the path may hold percent-encoded octets."""
        environ = create_environ(
            method=method, query_string=query, headers=headers, data=body, environ_base={"REMOTE_ADDR": address}
        )
        environ["PATH_INFO"] = unquote(path, "latin-1")
        return self.send(make_event(Request(environ), {}))

    def send(self, event: dict[str, Any]) -> Answer:
        """Send an event as it is, but for what the site's host adds."""
        event = {**event, "headers": {**event["headers"], **self.origin_headers}}
        route = find_route(self.routes, event["requestContext"]["http"]["method"], event["rawPath"])
        handler = self.handlers[route.function if route else "ApiFunction"]
        answer = json.loads(json.dumps(handler(event, make_context())))
        headers = {name.lower(): value for name, value in answer["headers"].items()}
        body = answer["body"]
        if "json" in headers["content-type"]:
            body = json.loads(body) if body else None
        return Answer(answer["statusCode"], headers, body)

    def post(
        self,
        body: bytes | str | Mapping[str, Any] = GOOD,
        *,
        benchmark: str = "tiny",
        query: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
        address: str = "192.0.2.7",
    ) -> Answer:
        """Submit a result."""
        path = f"/api/benchmarks/{benchmark}/submissions"
        return self.ask(path, body.encode() if isinstance(body, str) else body, headers, query=query, address=address)

    def ask(
        self,
        path: str,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
        *,
        query: Mapping[str, str] | None = None,
        address: str = "192.0.2.7",
    ) -> Answer:
        """Send a POST of JSON; bytes are sent as they are, None is an empty body."""
        content = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json", **(headers or {})}
        return self("POST", path, query=query, headers=headers, body=content, address=address)

    def get(self, path: str, *, headers: Mapping[str, str] | None = None) -> Answer:
        """Get something."""
        return self("GET", path, headers=headers)


def restart_api() -> None:
    """Let the functions behind the API be new processes, which have read no benchmark yet."""
    from api import dependencies  # noqa: PLC0415  # most tests have no API
    from submit import dependencies as accepting  # noqa: PLC0415

    for room in (dependencies, accepting):
        room.services.cache_clear()


def make_stream_event(records: Sequence[SubmissionRecord], *, first: int = 1) -> dict[str, Any]:
    """Make the batch that DynamoDB Streams hands over, in the shape of events/aggregate.json."""
    images = [marshal(record.to_item(long_output=record.long_output())) for record in records]
    return {"Records": [make_change(image, number=first + index) for index, image in enumerate(images)]}


def make_message(
    key: str, *, number: int = 1, receives: int = 1, handle: str = "handle", size_bytes: int = 100
) -> dict[str, Any]:
    """Make the message that announces one object, sent a moment ago, in the shape of events/evaluate.json."""
    (shape,) = json.loads((ROOT / "events/evaluate.json").read_text())["Records"]
    notice = json.loads(shape["body"])
    notice["Records"][0]["s3"]["object"] |= {"key": key, "size": size_bytes}
    sent = str(int(time.time() * 1000))
    attributes = {**shape["attributes"], "ApproximateReceiveCount": str(receives), "SentTimestamp": sent}
    message = {"messageId": f"message-{number}", "receiptHandle": handle, "attributes": attributes}
    return {**shape, **message, "body": json.dumps(notice)}


def make_change(image: Mapping[str, Any], *, number: int) -> dict[str, Any]:
    """Make one stream record."""
    (shape,) = json.loads((ROOT / "events/aggregate.json").read_text())["Records"]
    keys = {name: image[name] for name in ("benchmark", "submission_version") if name in image}
    change = {**shape["dynamodb"], "Keys": keys, "NewImage": dict(image), "SequenceNumber": str(10**27 + number)}
    return {**shape, "eventID": f"{number:032x}", "dynamodb": change}


def sequence_number(number: int) -> str:
    """Return the sequence number of the record with this number."""
    return str(10**27 + number)


@contextmanager
def watching(client: Any, operation: str) -> Iterator[list[dict[str, Any]]]:
    """Watch one operation of an AWS client while the context lasts; gives the parameters of its calls."""
    client = getattr(client, "client", client)
    event = f"provide-client-params.{client.meta.service_model.service_id.hyphenize()}.{operation}"
    calls: list[dict[str, Any]] = []

    def note(params: dict[str, Any], **_: Any) -> None:
        calls.append(params)

    client.meta.events.register(event, note)
    try:
        yield calls
    finally:
        client.meta.events.unregister(event, note)


@contextmanager
def failing(
    client: Any, operation: str, *, about: str = "", code: str = "SlowDown", status: int = 503
) -> Iterator[list[Any]]:
    """Let one operation of an AWS client fail while the context lasts; gives the list of its refused requests.

    Args:
        client: The client.
        operation: As AWS names it.
        about: Only requests fail whose address or body holds this.
        code: AWS's name of the error.
        status: The HTTP status.
    """
    client = getattr(client, "client", client)
    service = client.meta.service_model.service_id.hyphenize()
    event = f"before-call.{service}.{operation}"
    refused: list[Any] = []

    def refuse(params: Mapping[str, Any], **_: Any) -> tuple[AWSResponse, dict[str, Any]] | None:
        if about not in params["url"] and about not in str(params["body"]):
            return None
        refused.append(params)
        answer = AWSResponse(params["url"], status, HTTPHeaders(), None)
        return answer, {
            "Error": {"Code": code, "Message": "refused by the test"},
            "ResponseMetadata": {"HTTPStatusCode": status},
        }

    client.meta.events.register(event, refuse)
    try:
        yield refused
    finally:
        client.meta.events.unregister(event, refuse)
