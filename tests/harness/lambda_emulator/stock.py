"""AWS with all that the sample events name."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from moto.s3.models import s3_backends

from aggregate.aggregator import Aggregator
from aggregate.benchmarks.publishing import publish_benchmark
from aggregate.dependencies import make_aggregator
from local.intrinsics import ACCOUNT
from local.layout import ROOT
from local.site.listening import LOCALHOST
from local.stack import PARAMETERS
from local.template import Template
from notify.messages import write_message
from scoring_core.benchmarks.bundle import pack
from scoring_core.benchmarks.loading import load_folder
from scoring_core.outcome import Outcome
from storage.benchmarks.publications import PublicationRequest, PublicationStore
from storage.gateway.bucket import Bucket
from storage.gateway.queue import Queue
from storage.gateway.s3_events import read_notices
from storage.gateway.table import Table
from storage.keys import incoming_key, parse_result_key
from storage.mail.models import DigestKey, DigestKind, PendingMail
from storage.mail.outbox import MailOutbox
from storage.players.players import Account, PlayerStore
from storage.settings import AggregateSettings
from storage.submissions.models import Player, PlayerKind, Submission
from tests.harness.lambda_emulator.events import SERVICES, read_event
from tests.harness.moto.server import MotoCloud, start_cloud

BENCHMARKS = ("aic-2025", "coin-run")
_BODY = b'{"question": "1", "text": "TR-V017-4945,5001"}'
"""The bytes of every raw result and batch, whose size and ETag the events name."""
_GUEST = Player("guest-7d03f1b86c5e294a90d2", "Ada", PlayerKind.HUMAN, verified=False)
_ACCOUNTS = {"ada": "Ada Lovelace", "olga": "Olga Ladyzhenskaya"}
_DIGEST = DigestKey(DigestKind.RESULTS, "aic-2025", Outcome.INVALID, "ada")
"""The mail about the failed submission of the event of `notify`."""
_DRAINED = {"dead_letter": "EvaluateDeadLetterQueue", "drop_dead_letter": "DropDeadLetterQueue", "send": "MailQueue"}
"""Service → the queue that it empties when its schedule calls it."""


def start_stocked_cloud(template: Template, *, host: str = LOCALHOST) -> MotoCloud:
    """Start AWS with all that the events name, and a message in each queue that a schedule empties."""
    cloud = start_cloud(template, sender=PARAMETERS["SenderAddress"], host=host)
    stock = _Stock.of(cloud, template)
    for benchmark in BENCHMARKS:
        publish_benchmark(load_folder(ROOT / "benchmarks" / benchmark), stock.aggregator)
    for id_, name in _ACCOUNTS.items():
        player = Player(id_, name, PlayerKind.HUMAN, verified=True)
        account = Account(player, f"{id_}@example.org", datetime(2026, 1, 1, tzinfo=UTC))
        stock.players.table.transact(stock.players.plan(account))
    for service in SERVICES:
        stock.put(read_event(service))
    for service, origin in (("dead_letter", "evaluate"), ("drop_dead_letter", "drop")):
        _find_queue(cloud, template, service).send(read_event(origin)["Records"][0]["body"])
    _find_queue(cloud, template, "send").send(write_message(_DIGEST))
    record = read_event("notify")["Records"][0]["dynamodb"]["NewImage"]
    stock.outbox.add(PendingMail(_DIGEST, record["submission"]["S"], record["version"]["S"], 0))
    return cloud


def _find_queue(cloud: MotoCloud, template: Template, service: str) -> Queue:
    """Return the queue that a service's schedule empties. Raises KeyError if there is none."""
    name = template.resources[_DRAINED[service]].name
    return Queue(cloud.messages, cloud.sqs.get_queue_url(QueueName=name)["QueueUrl"])


@dataclass(frozen=True)
class _Stock:
    """Puts what an event names into AWS."""

    cloud: MotoCloud
    results: Bucket
    aggregator: Aggregator
    players: PlayerStore
    outbox: MailOutbox

    @classmethod
    def of(cls, cloud: MotoCloud, template: Template) -> "_Stock":
        """Return the stock of a cloud that was started with a template."""
        variables = template.resources_of("AWS::Lambda::Function")["AggregateFunction"]["Environment"]["Variables"]
        settings = AggregateSettings.read(variables)
        return cls(
            cloud,
            Bucket(cloud.objects, settings.results_bucket),
            make_aggregator(settings, s3=cloud.objects, dynamodb=cloud.dynamodb, clock=lambda: datetime.now(UTC)),
            PlayerStore(Table(cloud.dynamodb, settings.access_table)),
            MailOutbox(Table(cloud.dynamodb, template.resources["MailTable"].name)),
        )

    def put(self, event: Any) -> None:
        """Put what an event names, but for benchmarks and players."""
        for record in event.get("Records", ()):
            if "dynamodb" in record:
                self.cloud.dynamodb.put_item(TableName=_table_of(record), Item=record["dynamodb"]["NewImage"])
                continue
            for notice in read_notices(record["body"]):
                self._put_object(notice.key, notice.version_id)
        if "replaces" in event:
            request = PublicationRequest.model_validate(event)
            bundle = pack(load_folder(ROOT / "benchmarks" / request.publication.benchmark).files)
            self.results.put(incoming_key(*request.publication), bundle, replacing=None)
            PublicationStore(self.results).put_request(request)

    def _put_object(self, key: str, version_id: str | None) -> None:
        if (result := parse_result_key(key)) is None:
            self.results.overwrite(key, _BODY, content_type="application/octet-stream")
        else:
            submission = Submission(id=result.submission, benchmark=result.benchmark, player=_GUEST)
            self.aggregator.submissions.put_result(submission, _BODY)
        if version_id is not None:  # S3 chooses it, as moto does
            s3_backends[ACCOUNT]["aws"].buckets[self.results.name].keys[key]._version_id = version_id


def _table_of(record: Any) -> str:
    return str(record["eventSourceARN"].split("/")[1])
