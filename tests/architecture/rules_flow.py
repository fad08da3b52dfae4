"""Rules of the flow of data: queues, dead letters, streams, and the sources of evaluate."""

import math
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from evaluate.sharing import WAIT_LIMIT
from handlers.draining import DRAIN_SECONDS
from local.schedules import list_schedules
from local.template import Properties, Template
from scoring_core.scorers.base import MAX_SECONDS
from tests.architecture.expectations import list_statements, list_violations, listed

MAX_BATCH: Final = 10
"""More must be gathered in a window, for which a single result would wait, too."""
MAX_VERSIONS: Final = 2
"""The current version and the next one."""
SCORING_STEPS: Final = 2
"""Preparing the scorer and scoring the result, each within the limit of processor time."""
DEAD_LETTER_RETENTION_SECONDS: Final = 14 * 24 * 3600
MINIMUM_TRIES: Final = 50
"""Of a stream record; with fewer, a short outage is left to redelivery."""
MINIMUM_CONCURRENCY: Final = 2
"""The least that SQS accepts."""

UNCONSUMED: Final = {"MailDeadLetterQueue": "the schedule of SendFunction finds its pending mail in MailTable"}
"""Dead-letter queue → why no function consumes it."""

DRAINED: Final = {
    "DropDeadLetterQueue": "DropDeadLetterFunction",
    "EvaluateDeadLetterQueue": "DeadLetterFunction",
    "ShareDeadLetterQueue": "DeadLetterFunction",
    "MailQueue": "SendFunction",
}
"""Queue → the function that empties it on a schedule, so that no poller costs anything while nothing happens."""
MAX_DRAIN_SECONDS: Final = 300
"""How long a message may wait for the schedule."""
WAKING: Final = {"MailTable": "its records only wake SendFunction, and its schedule finds the pending mail"}
"""Table → why a record of its stream may be lost."""

HANDED_BACK: Final = ("ShareQueue", "ScriptQueue")
"""FIFO queues in which a message is tried once: it then goes back to EvaluateQueue, with its tries and dead letters."""
SPARE_SECONDS: Final = 60
"""How much longer than its function runs a message of these stays hidden."""
MINIMUM_RECEIVES: Final = 5
RECEIVED_TIMEOUTS: Final = 36
"""How many timeouts pass before a message of these becomes a dead letter: as AWS advises, six receives of six."""

EVALUATORS: Final = {
    "EvaluateQueue": "EvaluateFunction",
    "ShareQueue": "EvaluateFunction",
    "ScriptQueue": "ScriptFunction",
}
"""Queue → the function that scores its results."""

MAY_GO_ROUND: Final = {"EvaluateFunction", "ScriptFunction"}
"""A result goes back to its queue for each of six tries, and while its script has no room: a message counts both."""


class _Source(NamedTuple):
    """An event source: its mapping, and the resource and the function that it connects."""

    logical_id: str
    mapping: Properties
    origin: str
    function: str


def check_visibility(template: Template) -> list[str]:
    """A message stays hidden for six timeouts of its function and the batching window.

    AWS advises six because a throttled batch is invoked again until it is visible, and requires one (Lambda Developer
    Guide, Creating and configuring an Amazon SQS event source mapping). In a FIFO queue a group waits for a hidden
    message (SQS Developer Guide, FIFO queue delivery logic): if its process died, that is how long its benchmark stands
    still. There it is exactly one timeout and a minute; more receives make up for the throttled ones.
    """
    violations = []
    for source in _sources(template, "AWS::SQS::Queue"):
        timeout = template.resources[source.function].properties["Timeout"]
        needed = 6 * timeout + source.mapping.get("MaximumBatchingWindowInSeconds", 0)
        visibility = template.resources[source.origin].properties.get("VisibilityTimeout", 30)
        if source.origin in HANDED_BACK:
            needed = timeout + SPARE_SECONDS
        if visibility < needed or (source.origin in HANDED_BACK and visibility > needed):
            violations.append(f"{source.origin}: VisibilityTimeout is {visibility} s, {source.function} needs {needed}")
    return violations


def check_drains(template: Template) -> list[str]:
    """What a schedule empties stays hidden while the function runs, which names the queue and may read it."""
    intervals = {schedule.function: schedule.seconds for schedule in list_schedules(template)}
    violations = []
    for name, function in DRAINED.items():
        queue, reader = template.resources[name], template.resources[function].properties
        role = template.resources[template.logical_id_of(reader["Role"])].properties
        rights = {
            action
            for statement in list_statements(role, "Allow")
            if queue.arn in listed(statement.get("Resource"))
            for action in listed(statement["Action"])
        }
        expectations = {
            f"{function} comes every {MAX_DRAIN_SECONDS} s": intervals.get(function, math.inf) <= MAX_DRAIN_SECONDS,
            f"{function} names it": queue.ref in reader["Environment"]["Variables"].values(),
            f"{function} may receive and delete": {"sqs:ReceiveMessage", "sqs:DeleteMessage"} <= rights,
            f"{function} runs for {2 * DRAIN_SECONDS:g} s": reader["Timeout"] >= 2 * DRAIN_SECONDS,
            "a message stays hidden while it runs": queue.properties["VisibilityTimeout"] > reader["Timeout"],
        }
        violations += list_violations(name, expectations)
    return violations


def check_recursion(template: Template) -> list[str]:
    """Lambda stops every function that goes round, except those that are meant to."""
    functions = template.resources_of("AWS::Lambda::Function")
    allowed = {name for name, function in functions.items() if function.get("RecursiveLoop") == "Allow"}
    expectations = {
        f"RecursiveLoop is Allow for {sorted(MAY_GO_ROUND)}, not {sorted(allowed)}": allowed == MAY_GO_ROUND
    }
    return list_violations("functions", expectations)


def check_redrive(template: Template) -> list[str]:
    """A message is tried at least five times, then kept for 14 days and consumed.

    In a FIFO queue a receive hides it for one timeout only, so there are more of them.
    """
    sources = list(_sources(template, "AWS::SQS::Queue"))
    queues = template.resources_of("AWS::SQS::Queue")
    targets = {
        template.logical_id_of(_redrive(queue)["deadLetterTargetArn"]) for queue in queues.values() if _redrive(queue)
    }
    violations = [
        f"{target}: dead letters are kept for {DEAD_LETTER_RETENTION_SECONDS} s"
        for target in targets
        if queues[target].get("MessageRetentionPeriod") != DEAD_LETTER_RETENTION_SECONDS
    ]
    violations += [
        f"{target}: no function consumes it"
        for target in targets - {source.origin for source in sources} - UNCONSUMED.keys() - DRAINED.keys()
    ]
    for name in dict.fromkeys([*(source.origin for source in sources), *DRAINED]):
        tries = _redrive(queues[name]).get("maxReceiveCount", 0)
        needed = RECEIVED_TIMEOUTS if name in HANDED_BACK else MINIMUM_RECEIVES
        if name not in targets and tries < needed:
            violations.append(f"{name}: maxReceiveCount is {tries}, expected {needed} or more")
    violations += [
        f"{template.logical_id_of(_redrive(queue)['deadLetterTargetArn'])}: is no FIFO queue, as {name} is"
        for name, queue in queues.items()
        if _redrive(queue) and queue.get("FifoQueue") != _queue_of(template, queue).get("FifoQueue")
    ]
    return violations


def check_partial_failures(template: Template) -> list[str]:
    """Every event source accepts the failure of single messages of a batch."""
    return [
        f"{source.logical_id}: FunctionResponseTypes lacks ReportBatchItemFailures"
        for source in _sources(template)
        if "ReportBatchItemFailures" not in source.mapping.get("FunctionResponseTypes", [])
    ]


def check_streams(template: Template) -> list[str]:
    """A stream is read from its beginning, with bounded retries; failures go to S3 and are redelivered.

    A stream that only wakes its reader is retried a few times; the reader also has a schedule.
    """
    violations = []
    scheduled = {schedule.function for schedule in list_schedules(template)}
    buckets = {template.resources[bucket].arn for bucket in template.resources_of("AWS::S3::Bucket")}
    for source in _sources(template, "AWS::DynamoDB::Table"):
        mapping, name = source.mapping, source.logical_id
        if source.origin in WAKING:
            expectations = {
                "a schedule does the same": source.function in scheduled,
                "MaximumRetryAttempts is 5 or less": 0 <= mapping.get("MaximumRetryAttempts", -1) <= 5,
            }
            violations += list_violations(name, expectations)
            continue
        timeout = template.resources[source.function].properties["Timeout"]
        destination = mapping.get("DestinationConfig", {}).get("OnFailure", {}).get("Destination", "")
        expectations = {
            "StartingPosition is TRIM_HORIZON": mapping.get("StartingPosition") == "TRIM_HORIZON",
            "OnFailure is a bucket": destination in buckets,
            "BisectBatchOnFunctionError is true": mapping.get("BisectBatchOnFunctionError") is True,
            f"MaximumRetryAttempts is {MINIMUM_TRIES} or more": mapping.get("MaximumRetryAttempts", -1)
            >= MINIMUM_TRIES,
            "a schedule redelivers what Lambda discards": source.function in scheduled,
            "its tries fit into MaximumRecordAgeInSeconds, however long each takes": timeout
            * mapping.get("MaximumRetryAttempts", 0)
            <= mapping.get("MaximumRecordAgeInSeconds", 0),
            "MaximumRecordAgeInSeconds ends before 24 h": 0 < mapping.get("MaximumRecordAgeInSeconds", -1) < 86400,
            "MaximumBatchingWindowInSeconds is 1 or less": mapping.get("MaximumBatchingWindowInSeconds", 0) <= 1,
        }
        violations += list_violations(name, expectations)
    return violations


def check_evaluate(template: Template) -> list[str]:
    """Evaluate outlives its slowest batch; a FIFO queue delivers one result at a time."""
    timeout = template.resources["EvaluateFunction"].properties["Timeout"]
    needed = WAIT_LIMIT.seconds + MAX_VERSIONS * SCORING_STEPS * MAX_SECONDS
    violations = list_violations("EvaluateFunction", {f"Timeout is above {needed:g} s": timeout > needed})
    for source in _sources_of_evaluators(template):
        most = 1 if source.origin in HANDED_BACK else MAX_BATCH
        expectations = {f"BatchSize is {most} or less": 0 < source.mapping.get("BatchSize", MAX_BATCH + 1) <= most}
        violations += list_violations(f"{source.function}: {source.origin}", expectations)
    return violations


def check_concurrency(template: Template) -> list[str]:
    """No queue's load can take all the functions that the account may run at once."""
    return [
        f"{source.logical_id}: MaximumConcurrency is {_concurrency(source)}, expected {MINIMUM_CONCURRENCY} or more"
        for source in _sources(template, "AWS::SQS::Queue")
        if _concurrency(source) < MINIMUM_CONCURRENCY
    ]


def check_shares(template: Template) -> list[str]:
    """A benchmark can take at most half of the evaluators of each FIFO queue."""
    sources = {source.origin: source for source in _sources_of_evaluators(template)}
    functions = {origin: source.function for origin, source in sources.items()}
    violations = list_violations("evaluators", {f"their sources are {EVALUATORS}": functions == EVALUATORS})
    for name in HANDED_BACK:
        function = template.resources[EVALUATORS[name]].properties
        share = int(function["Environment"]["Variables"]["BENCHMARK_CONCURRENCY"])
        queue = template.resources[name].properties
        expectations = {
            "it is a FIFO queue": queue.get("FifoQueue") is True,
            f"it keeps messages for {DEAD_LETTER_RETENTION_SECONDS} s: a share drains slowly": (
                queue.get("MessageRetentionPeriod") == DEAD_LETTER_RETENTION_SECONDS
            ),
            "BENCHMARK_CONCURRENCY is at most half of its MaximumConcurrency": name in sources
            and 0 < 2 * share <= _concurrency(sources[name]),
        }
        violations += list_violations(name, expectations)
    return violations


def _sources_of_evaluators(template: Template) -> list[_Source]:
    return [source for source in _sources(template) if source.function in EVALUATORS.values()]


def _concurrency(source: _Source) -> int:
    return int(source.mapping.get("ScalingConfig", {}).get("MaximumConcurrency", 0))


def _sources(template: Template, origin_type: str | None = None) -> Iterator[_Source]:
    for logical_id, mapping in template.resources_of("AWS::Lambda::EventSourceMapping").items():
        origin = template.logical_id_of(mapping["EventSourceArn"])
        if origin_type in {None, template.resources[origin].type}:
            yield _Source(logical_id, mapping, origin, template.logical_id_of(mapping["FunctionName"]))


def _queue_of(template: Template, queue: Properties) -> Properties:
    """Return the queue of the dead letters of a queue."""
    return template.resources[template.logical_id_of(_redrive(queue)["deadLetterTargetArn"])].properties


def _redrive(queue: Properties) -> dict[str, Any]:
    return dict(queue.get("RedrivePolicy", {}))
