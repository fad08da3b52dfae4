"""An empty cloud for each test, in this process, as the template declares it: once moto, once the engine."""

from collections.abc import Callable, Iterator
from copy import replace
from datetime import timedelta
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from local.template import Template, load_template
from scoring_core.benchmarks.loading import Benchmark
from storage.benchmarks.store import BenchmarkStore
from storage.boards.snapshots import SnapshotStore
from storage.boards.standings import StandingStore
from storage.gateway.bucket import Bucket
from storage.gateway.table import RisingNumbers, Table
from storage.keys import make_submission_id
from storage.mail.outbox import MailOutbox
from storage.submissions.idempotency import IdempotencyStore
from storage.submissions.models import Submission, SubmissionRecord
from storage.submissions.store import SubmissionStore
from tests.contract.sides import Boto, moto_clients, open_engine, open_moto
from tests.harness import factories, stack
from tests.harness.clock import Clock
from tests.harness.factories import NOON, make_player
from tests.harness.raw_cloud import RawCloud

ANNA = make_player("anna", "Anna Ångström")
UNNAMED = replace(ANNA, name="anna")
"""The same as a raw result or a record has her, without the name."""
COIN_RUN = {
    "id": "coin-run",
    "summary": "Collect coins.",
    "scorer": "script",
    "ranking": {"by": ["Coins"]},
    "score_type": {"headers": [{"name": "Coins", "type": "int"}]},
    "contacts": {"owner": "owner@example.com"},
}

type MakeSubmission = Callable[..., Submission]
type MakeRecord = Callable[..., SubmissionRecord]
type MakeBenchmark = Callable[..., Benchmark]


def intercept[Gateway: (Table, Bucket)](gateway: Gateway, **operations: Any) -> Gateway:
    """Return a table or bucket whose client has other operations."""
    return replace(gateway, client=Mock(wraps=gateway.client, **operations))


ON_BOTH = ("test_tables.py", "test_objects.py", "test_queues.py")
"""What `make test` runs on moto, too: the gateway, by which all stores ask."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave the stores on moto to `make long`."""
    for item in items:
        is_moto = isinstance(item, pytest.Function) and "moto" in item.name and "engine_name" in item.fixturenames
        if is_moto and item.path.parent == Path(__file__).parent and item.path.name not in ON_BOTH:
            item.add_marker(pytest.mark.long)


@pytest.fixture(scope="session")
def template() -> Template:
    """The template as the local stack reads it."""
    return load_template({})


@pytest.fixture(scope="module")
def clients() -> Iterator[Boto]:
    """One client of moto of each kind."""
    with moto_clients() as clients:
        yield clients


@pytest.fixture(params=["moto", "engine"])
def engine_name(request: pytest.FixtureRequest) -> str:
    """Each engine in turn."""
    return str(request.param)


@pytest.fixture
def cloud(engine_name: str, request: pytest.FixtureRequest, template: Template) -> Iterator[RawCloud]:
    """Empty buckets, queues and tables, as the template declares them."""
    if engine_name == "moto":
        with open_moto(request.getfixturevalue("clients"), template) as cloud:
            yield cloud
    else:
        with open_engine(template) as cloud:
            yield cloud


@pytest.fixture
def clock() -> Clock:
    """A clock that shows noon."""
    return Clock(NOON)


@pytest.fixture
def submissions(cloud: RawCloud, template: Template) -> SubmissionStore:
    """The store of raw results and records."""
    return SubmissionStore(
        Table(cloud.dynamodb, template.resources["SubmissionsTable"].name),
        Bucket(cloud.objects, template.resources["ResultsBucket"].name),
    )


@pytest.fixture
def benchmarks(cloud: RawCloud, template: Template, clock: Clock) -> BenchmarkStore:
    """The store of published benchmarks."""
    return BenchmarkStore(
        Bucket(cloud.objects, template.resources["ResultsBucket"].name),
        clock=clock,
        numbers=RisingNumbers(Table(cloud.dynamodb, template.resources["AccessTable"].name)),
    )


@pytest.fixture
def standings(cloud: RawCloud, template: Template) -> StandingStore:
    """The store of boards."""
    return StandingStore(Table(cloud.dynamodb, template.resources["BoardsTable"].name))


@pytest.fixture
def snapshots(cloud: RawCloud, template: Template) -> SnapshotStore:
    """The store of what the browser reads."""
    return SnapshotStore(Bucket(cloud.objects, template.resources["SiteBucket"].name))


@pytest.fixture
def access(cloud: RawCloud, template: Template) -> IdempotencyStore:
    """The store of idempotency keys."""
    return IdempotencyStore(Table(cloud.dynamodb, template.resources["AccessTable"].name))


@pytest.fixture
def mail(cloud: RawCloud, template: Template) -> MailOutbox:
    """The store of pending mails and leases."""
    return MailOutbox(Table(cloud.dynamodb, template.resources["MailTable"].name), digest_interval_seconds=3600)


@pytest.fixture
def make_submission() -> MakeSubmission:
    """Make submissions, each a second after the one before; keywords are those of Submission."""
    moments = iter(NOON + timedelta(seconds=index) for index in range(10_000))

    def make(**changes: Any) -> Submission:
        defaults = {"id": make_submission_id(next(moments), bytes(10)), "player": UNNAMED}
        return factories.make_submission(**{**defaults, **changes})

    return make


@pytest.fixture
def make_record(make_submission: MakeSubmission) -> MakeRecord:
    """Make submission records; keywords are those of SubmissionRecord."""

    def make(**changes: Any) -> SubmissionRecord:
        return factories.make_record(**{**changes, "submission": changes.get("submission") or make_submission()})

    return make


@pytest.fixture
def make_benchmark() -> MakeBenchmark:
    """Make the game, with another title, script or sample."""

    def make(title: str = "Coin Run", script: bytes = b"print()\n", sample: bytes = b"[1]") -> Benchmark:
        files = {"evaluate.py": script, "examples/sample.json": sample, "description.md": b"Run."}
        return stack.make_benchmark(COIN_RUN, title=title, files=files)

    return make
