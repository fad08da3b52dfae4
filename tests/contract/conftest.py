"""A fresh cloud for each test, in this process, made from the template by the code that makes the local one."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast
from unittest.mock import Mock

import pytest
from boto3.session import Session
from botocore.config import Config
from moto import mock_aws

from local.aws import CREDENTIALS, Cloud, create_resources
from local.intrinsics import REGION
from local.template import Template, translate
from local.uploads.signatures import make_credentials
from scoring_core.benchmarks.bundle import pack
from scoring_core.benchmarks.loading import Benchmark, load_bundle
from scoring_core.outcome import Outcome
from storage.access.idempotency import IdempotencyStore
from storage.aws.bucket import Bucket
from storage.aws.table import Table
from storage.benchmarks.store import BenchmarkStore
from storage.boards.snapshots import SnapshotStore
from storage.boards.standings import StandingStore
from storage.ids import make_submission_id
from storage.mail.outbox import MailOutbox
from storage.submissions.models import Player, PlayerKind, Submission, SubmissionRecord
from storage.submissions.store import SubmissionStore

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_sqs import SQSClient

ROOT = Path(__file__).parents[2]
NOON = datetime(2026, 1, 2, 12, tzinfo=UTC)
ANNA = Player("anna", "Anna Ångström", PlayerKind.HUMAN, verified=True)

type MakeSubmission = Callable[..., Submission]
type MakeRecord = Callable[..., SubmissionRecord]
type MakeBenchmark = Callable[..., Benchmark]


class Clients(NamedTuple):
    """Clients that speak to whatever moto has in this process; slow to make, so they are shared."""

    s3: "S3Client"
    sqs: "SQSClient"
    dynamodb: "DynamoDBClient"
    streams: Any


@dataclass
class Clock:
    """A clock that moves when it is told to."""

    moment: datetime = NOON

    def __call__(self) -> datetime:
        """Return the time."""
        return self.moment

    def move(self, seconds: float) -> None:
        """Let time pass."""
        self.moment += timedelta(seconds=seconds)


def intercept[Gateway: (Table, Bucket)](gateway: Gateway, **operations: Any) -> Gateway:
    """Return a table or bucket whose client has other operations."""
    return replace(gateway, client=Mock(wraps=gateway.client, **operations))


@pytest.fixture(scope="session")
def template() -> Template:
    """The template as the local stack reads it."""
    return translate(ROOT / "template.yaml", {})


@pytest.fixture(scope="module")
def clients() -> Iterator[Clients]:
    """One client of each kind."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in CREDENTIALS.items():
            patch.setenv(name, value)
        session = Session(region_name=REGION)
        # moto does not know the host that an account has to itself.
        options: Any = {"config": Config(account_id_endpoint_mode="disabled", retries={"total_max_attempts": 1})}
        yield Clients(
            s3=session.client("s3", **options),
            sqs=session.client("sqs", **options),
            dynamodb=session.client("dynamodb", **options),
            streams=session.client("dynamodbstreams", **options),
        )


@pytest.fixture
def cloud(template: Template, clients: Clients) -> Iterator[Cloud]:
    """Empty buckets, queues and tables, as the template declares them."""
    with mock_aws():
        here = Cloud(
            "in this process",
            clients.s3,
            clients.sqs,
            clients.dynamodb,
            clients.streams,
            make_credentials(),
            cast("Any", None),
        )
        create_resources(here, template)
        yield here


@pytest.fixture
def clock() -> Clock:
    """A clock that stands at noon."""
    return Clock()


@pytest.fixture
def submissions(cloud: Cloud, template: Template) -> SubmissionStore:
    """The store of raw results and records."""
    return SubmissionStore(
        Table(cloud.dynamodb, template.resources["SubmissionsTable"].name),
        Bucket(cloud.s3, template.resources["ResultsBucket"].name),
    )


@pytest.fixture
def benchmarks(cloud: Cloud, template: Template, clock: Clock) -> BenchmarkStore:
    """The store of published benchmarks."""
    return BenchmarkStore(Bucket(cloud.s3, template.resources["ResultsBucket"].name), clock=clock)


@pytest.fixture
def standings(cloud: Cloud, template: Template) -> StandingStore:
    """The store of boards."""
    return StandingStore(Table(cloud.dynamodb, template.resources["BoardsTable"].name))


@pytest.fixture
def snapshots(cloud: Cloud, template: Template) -> SnapshotStore:
    """The store of what the browser reads."""
    return SnapshotStore(Bucket(cloud.s3, template.resources["SiteBucket"].name))


@pytest.fixture
def access(cloud: Cloud, template: Template) -> IdempotencyStore:
    """The store of idempotency keys."""
    return IdempotencyStore(Table(cloud.dynamodb, template.resources["AccessTable"].name))


@pytest.fixture
def mail(cloud: Cloud, template: Template) -> MailOutbox:
    """The store of intents and leases."""
    return MailOutbox(Table(cloud.dynamodb, template.resources["MailTable"].name), digest_interval_seconds=3600)


@pytest.fixture
def make_submission() -> MakeSubmission:
    """Make submissions, each a second after the one before; keywords are those of Submission."""
    moments = iter(NOON + timedelta(seconds=index) for index in range(10_000))

    def make(**changes: Any) -> Submission:
        made = make_submission_id(next(moments), bytes(10))
        return Submission(**{"id": made, "benchmark": "coin-run", "player": ANNA, **changes})

    return make


@pytest.fixture
def make_record(make_submission: MakeSubmission) -> MakeRecord:
    """Make records; keywords are those of Record."""

    def make(**changes: Any) -> SubmissionRecord:
        plain = {
            "version": "0123456789abcdef",
            "outcome": Outcome.SCORED,
            "signature": "benchmark:coin-run",
            "recorded_at": "2026-01-02T12:00:01+00:00",
        }
        return SubmissionRecord(
            **{**plain, "submission": changes.pop("submission", None) or make_submission(), **changes}
        )

    return make


@pytest.fixture
def make_benchmark() -> MakeBenchmark:
    """Make the game, with another title or another script."""

    def make(title: str = "Coin Run", script: bytes = b"print()\n", sample: bytes = b"[1]") -> Benchmark:
        definition = (
            f"{{id: coin-run, title: {title}, summary: Collect coins., scorer: script, ranking: {{by: [Coins]}}, "
            "score_type: {headers: [{name: Coins, type: int}]}, contacts: {owner: owner@example.com}}"
        )
        files = {"benchmark.yaml": definition.encode(), "evaluate.py": script, "examples/sample.json": sample}
        return load_bundle(pack({**files, "description.md": b"Run."}))

    return make
