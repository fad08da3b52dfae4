"""The sample events of `events/`, and a cloud with the data that they name."""

import base64
import gzip
import json
import time
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Any

from aggregate.dependencies import make_aggregator
from aggregate.versions.publishing import publish_benchmark
from local.aws import LOCALHOST
from local.layout import ROOT
from local.stack import PARAMETERS
from local.template import Template
from scoring_core.benchmarks.loading import load_folder
from scoring_core.outcome import Outcome
from storage.aws.bucket import Bucket
from storage.aws.queue import Queue
from storage.aws.s3_events import read_notices
from storage.aws.table import Table
from storage.keys import parse_result_key
from storage.mail.models import DigestKey, DigestKind
from storage.mail.outbox import MailQueue
from storage.settings import AggregateSettings
from storage.submissions.models import Player, PlayerKind, Submission
from storage.submissions.store import SubmissionStore
from tests.harness.moto.server import MotoCloud, start_cloud

_RESULT = b'{"question": "1", "text": "TR-V017-4945,5001"}'
_PLAYER = Player("guest-ada-1c2d3e4f", "Ada", PlayerKind.HUMAN, verified=False)


def read_event(service: str) -> Any:
    """Return the sample event of a service; messages of queues are dated now."""
    event = json.loads((ROOT / "events" / f"{service}.json").read_text(encoding="utf-8"))
    for record in event.get("Records", ()):
        if "SentTimestamp" in record.get("attributes", {}):
            record["attributes"]["SentTimestamp"] = str(time.time_ns() // 1_000_000)
    return event


def read_variables(function: str) -> dict[str, str]:
    """Return the variables of a function that only a deployed stack knows."""
    variables: dict[str, dict[str, str]] = json.loads((ROOT / "events" / "env.json").read_text(encoding="utf-8"))
    return variables.get(function, {})


def service_of(template: Template, function: str) -> str:
    """Return the service of a function, as in the name of its log group."""
    group = str(template.resources_of("AWS::Lambda::Function")[function]["LoggingConfig"]["LogGroup"])
    return group.rpartition("/")[2].removeprefix("laurel-local-").replace("-", "_")


def is_right(template: Template, function: str, answer: Any) -> bool:
    """Return whether an answer is right for a function's sample event."""
    mapped = [
        template.logical_id_of(mapping["FunctionName"])
        for mapping in template.resources_of("AWS::Lambda::EventSourceMapping").values()
    ]
    if function == "SubmitFunction":
        return bool(answer["statusCode"] == HTTPStatus.ACCEPTED)
    if function == "SandboxFunction":
        return bool(json.loads(gzip.decompress(base64.b64decode(answer["stdout"]))) == {"Coins": 2})
    if function in mapped:
        return bool(answer == {"batchItemFailures": []})
    return not isinstance(answer, dict) or "errorType" not in answer


def start_stocked_cloud(template: Template, *, host: str = LOCALHOST) -> MotoCloud:
    """Start AWS with the benchmarks and results that the events name, and messages in queues that schedules empty."""
    cloud = start_cloud(template, sender=PARAMETERS["SenderAddress"], host=host)
    variables = template.resources_of("AWS::Lambda::Function")["AggregateFunction"]["Environment"]["Variables"]
    settings = AggregateSettings.read(variables)
    aggregator = make_aggregator(settings, s3=cloud.s3, dynamodb=cloud.dynamodb, clock=lambda: datetime.now(UTC))
    for benchmark in ("aic-2025", "coin-run"):
        publish_benchmark(load_folder(ROOT / "benchmarks" / benchmark), aggregator)
    store = SubmissionStore(
        Table(cloud.dynamodb, settings.submissions_table), Bucket(cloud.s3, settings.results_bucket)
    )
    for name in ("evaluate", "script"):
        for message in read_event(name)["Records"]:
            for key in filter(None, (parse_result_key(notice.key) for notice in read_notices(message["body"]))):
                submission = Submission(id=key.submission, benchmark=key.benchmark, player=_PLAYER)
                store.put_result(submission, _RESULT, content_type="application/json")
    for name, queue in (("evaluate", "EvaluateDeadLetterQueue"), ("drop", "DropDeadLetterQueue")):
        _find_queue(template, cloud, queue).send(read_event(name)["Records"][0]["body"])
    digest = DigestKey(DigestKind.RESULTS, "aic-2025", Outcome.INVALID, _PLAYER.id)
    MailQueue(_find_queue(template, cloud, "MailQueue")).enqueue(digest)
    return cloud


def _find_queue(template: Template, cloud: MotoCloud, name: str) -> Queue:
    """Return a queue of the template, which a schedule empties."""
    return Queue(cloud.sqs, cloud.sqs.get_queue_url(QueueName=template.resources[name].name)["QueueUrl"])
