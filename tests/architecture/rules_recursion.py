"""Rules of Lambda's recursion detection: which functions can reach themselves, and which of them may do so for long."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Final, NamedTuple

from local.template import Template
from tests.architecture.expectations import list_statements, list_violations, listed
from tests.architecture.rules_flow import DRAINED

CIRCLES: Final = {
    "EvaluateFunction": "a result goes back to its queue for each of six tries, and while its script has no room",
    "ScriptFunction": "it hands such a result back to EvaluateFunction",
}
"""Function that can reach itself through what carries a chain of requests → why."""
FRESH_CIRCLES: Final = {
    "SendFunction": "it asks for the mail that it could not send; each run is its schedule's",
}
"""Function that reaches itself only through a stream or a schedule, which begins a new chain → why."""


class Edge(NamedTuple):
    """What one function does that can start another.

    Args:
        source: The function.
        target: The function that is started.
        is_carried: Whether the chain of requests is carried on: SQS, S3 and Invoke do, streams and schedules do not.
            Source: AWS Lambda Developer Guide, Use Lambda recursive loop detection to prevent infinite loops.
    """

    source: str
    target: str
    is_carried: bool


def check_recursion(template: Template) -> list[str]:
    """Lambda stops every function that goes round, except those that are meant to."""
    edges = set(list_edges(template))
    functions = template.resources_of("AWS::Lambda::Function")
    carried = _find_circles({edge for edge in edges if edge.is_carried})
    fresh = _find_circles(edges) - carried
    allowed = {name for name, function in functions.items() if function.get("RecursiveLoop") == "Allow"}
    expectations = {
        f"those that can reach themselves are {sorted(CIRCLES)}, not {sorted(carried)}": carried == CIRCLES.keys(),
        f"those that reach themselves in a new chain are {sorted(FRESH_CIRCLES)}, not {sorted(fresh)}": fresh
        == FRESH_CIRCLES.keys(),
        f"RecursiveLoop is Allow for {sorted(CIRCLES)}, not {sorted(allowed)}": allowed == CIRCLES.keys(),
    }
    return list_violations("functions", expectations)


def list_edges(template: Template) -> Iterator[Edge]:
    """Yield an edge for each way in which a function's role lets it start a function."""
    functions = template.resources_of("AWS::Lambda::Function")
    readers = _read_sources(template)
    for name, function in functions.items():
        role = template.resources[template.logical_id_of(function["Role"])].properties
        for statement in list_statements(role, "Allow"):
            actions = set(listed(statement.get("Action")))
            for resource in map(str, listed(statement.get("Resource"))):
                yield from _follow(template, name, actions, resource, readers)


def _follow(
    template: Template, function: str, actions: set[str], resource: str, readers: Mapping[str, set[str]]
) -> Iterator[Edge]:
    """Yield the edges of one right of a function."""
    if "lambda:InvokeFunction" in actions:
        functions = template.resources_of("AWS::Lambda::Function")
        targets = [name for name in functions if fnmatchcase(template.resources[name].arn or "", resource)]
        yield from (Edge(function, target, is_carried=True) for target in targets)
    if "sqs:SendMessage" in actions:
        queue = template.logical_id_of(resource)
        yield from _read_queue(template, function, queue, readers)
    if "s3:PutObject" in actions:
        bucket, _, written = resource.partition("/")
        notices = template.resources[template.logical_id_of(bucket)].properties.get("NotificationConfiguration", {})
        for notice in notices.get("QueueConfigurations", ()):
            (rule,) = notice["Filter"]["S3Key"]["Rules"]
            prefix, start = rule["Value"], written.partition("*")[0]
            if prefix.startswith(start) or start.startswith(prefix):
                yield from _read_queue(template, function, template.logical_id_of(notice["Queue"]), readers)
    if actions & {"dynamodb:PutItem", "dynamodb:UpdateItem", "dynamodb:DeleteItem", "dynamodb:BatchWriteItem"}:
        table = template.logical_id_of(resource)
        yield from (Edge(function, reader, is_carried=False) for reader in readers.get(table, ()))


def _read_queue(template: Template, function: str, queue: str, readers: Mapping[str, set[str]]) -> Iterator[Edge]:
    """Yield the edges to the readers of a queue, and its dead letters."""
    yield from (Edge(function, reader, is_carried=True) for reader in readers.get(queue, ()))
    if queue in DRAINED:
        yield Edge(function, DRAINED[queue], is_carried=False)
    if redrive := template.resources[queue].properties.get("RedrivePolicy"):
        yield from _read_queue(template, function, template.logical_id_of(redrive["deadLetterTargetArn"]), readers)


def _read_sources(template: Template) -> Mapping[str, set[str]]:
    """Return queue or table → the functions that its event sources start."""
    readers: dict[str, set[str]] = defaultdict(set)
    for mapping in template.resources_of("AWS::Lambda::EventSourceMapping").values():
        origin = template.logical_id_of(mapping["EventSourceArn"])
        readers[origin].add(template.logical_id_of(mapping["FunctionName"]))
    return readers


def _find_circles(edges: set[Edge]) -> set[str]:
    """Return the functions from which a way leads back to them."""
    following: dict[str, set[str]] = defaultdict(set)
    for edge in edges:
        following[edge.source].add(edge.target)
    circles = set()
    for start in list(following):
        reached, waiting = set[str](), list(following[start])
        while waiting:
            function = waiting.pop()
            if function not in reached:
                reached.add(function)
                waiting += following.get(function, ())
        if start in reached:
            circles.add(start)
    return circles
