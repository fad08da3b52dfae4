"""Counts what AWS charges for: the calls of the functions and their units, processor time and bytes of logs."""

import contextlib
import json
import logging
import math
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, TextIO
from unittest.mock import patch
from urllib.parse import unquote

from costing.units import count_index_units, count_read_units, count_write_units, measure_item
from costing.waiting import Waiting
from moto.core.models import BotocoreStubber

from local.template import Template
from tests.faults.faults import FaultInjector

_UNITS: Mapping[str, Mapping[str, float]] = {
    "DeleteObject": {},
    "DeleteObjects": {},
    "Invoke": {},
    "SendEmail": {"SES mails": 1},
}
"""Units of the calls that are charged alike, whatever they carry. The sandbox counts its invocations."""
CHUNK_BYTES = 65_536
"""SQS charges each 64 KB of a request as one."""
_PREFIXES = ("results/", "drops/", "records/", "reports/", "audit/", "benchmarks/", "downloads/", "data/")
"""Where our objects are; without one of them, a path begins with its bucket."""
_S3_UNITS = {
    "PutObject": "S3 writes",
    "CopyObject": "S3 writes",
    "ListObjectsV2": "S3 writes",
    "GetObject": "S3 reads",
    "HeadObject": "S3 reads",
}


class UnknownOperation(BaseException):
    """Nobody said what a call costs; handlers must not take this for a failure of AWS."""


@dataclass
class Usage:
    """What a function used.

    Args:
        invocations: How often it was invoked.
        calls: Operation → number of its calls.
        units: A name of prices.yaml → units.
        log_bytes: UTF-8 bytes of its log.
        processor_seconds: Of the function itself, its AWS client included, without what moto took.
        waits: Operation → number of its calls that were waited for one after another; others overlap them.
    """

    invocations: int = 0
    calls: Counter[str] = field(default_factory=Counter)
    units: Counter[str] = field(default_factory=Counter)
    log_bytes: int = 0
    processor_seconds: float = 0.0
    waits: Counter[str] = field(default_factory=Counter)

    def counts(self) -> tuple[int, Counter[str], Counter[str]]:
        """Return what is the same in every run."""
        return self.invocations, self.calls, self.units


@dataclass
class Meter(FaultInjector):
    """Sees each call of the functions, and injects no fault.

    Args:
        usage: By the logical id of the function, or what a call is made for.
    """

    template: Template = field(kw_only=True)
    dynamodb: Any = field(default=None, kw_only=True)
    waiting: Waiting = field(kw_only=True)
    usage: dict[str, Usage] = field(default_factory=dict, kw_only=True)
    _lock: threading.RLock = field(default_factory=threading.RLock)

    def of(self, name: str) -> Usage:
        """Return the usage of a function."""
        return self.usage.setdefault(name, Usage())

    def take(self) -> dict[str, Usage]:
        """Return what was counted, and start again."""
        usage, self.usage, self.calls = self.usage, {}, []
        return usage

    def carry(self, make: Callable[..., Any], operation: Any, request: dict[str, Any]) -> Any:
        """Make a call and count its units."""
        with self._lock:  # what a call changes is read before and after it, and functions make calls in threads
            with self.waiting.foreign():
                usage = self.of(self.function)
                usage.calls[operation.name] += 1
                if operation.name == "Invoke":
                    self.of("SandboxFunction").invocations += 1
                count = self._watch(operation.name, request)
            answer = super().carry(make, operation, request)
            with self.waiting.foreign():
                for unit, number in count(answer).items():
                    usage.units[unit] += number
        self.waiting.wait(operation.name)
        return answer

    @contextmanager
    def attached_to_moto(self) -> Iterator[None]:
        """Leave moto's processor time out, and follow pools of threads, while the context lasts."""
        call = BotocoreStubber.__call__

        def timed(stubber: BotocoreStubber, *arguments: Any, **options: Any) -> Any:
            with self.waiting.foreign():
                return call(stubber, *arguments, **options)

        with patch.object(BotocoreStubber, "__call__", timed), self.waiting.attached_to_pools():
            yield

    def time(self, function: str, handler: Callable[..., Any]) -> Callable[..., Any]:
        """Return a handler that counts its invocations, processor time and log."""

        def timed(event: Any, context: Any) -> Any:
            usage = self.of(function)
            log = _Log(usage)
            usage.invocations += 1
            with log.replacing(), self.waiting.invocation() as invocation:
                answer = handler(event, context)
            usage.processor_seconds += invocation.processor_seconds
            usage.waits += Counter(invocation.path.calls)
            return answer

        return timed

    def _watch(self, operation: str, request: Mapping[str, Any]) -> Callable[[Any], Mapping[str, float]]:
        """Look at a request before it is made; return what counts its units from the answer."""
        if operation in _S3_UNITS:
            return lambda answer: self._count_s3(operation, request, answer)
        if operation in _UNITS:
            return lambda _: _UNITS[operation]
        body = json.loads(request["body"])
        match operation:
            case "PutItem" | "UpdateItem" | "DeleteItem" | "TransactWriteItems":
                return self._watch_writes(body)
            case "GetItem" | "BatchGetItem":
                asked = body.get("RequestItems") or {body["TableName"]: {**body, "Keys": [body["Key"]]}}
                return lambda _: self._count_reads(asked)
            case "Query" | "Scan":
                return lambda _: {"DynamoDB read units": _reads(sum(map(measure_item, self._query(body))), body)}
            case (
                "SendMessage" | "SendMessageBatch" | "ReceiveMessage" | "DeleteMessageBatch" | "ChangeMessageVisibility"
            ):
                texts = [entry["MessageBody"] for entry in body.get("Entries", [body]) if "MessageBody" in entry]
                return lambda _: count_queue_requests(body["QueueUrl"], texts)
        raise UnknownOperation(operation)

    def _watch_writes(self, body: Mapping[str, Any]) -> Callable[[Any], Mapping[str, float]]:
        """Look at what is replaced; a unit that is written in a transaction counts twice."""
        writes = [action["Put"] for action in body["TransactItems"]] if "TransactItems" in body else [body]
        factor = 2 if "TransactItems" in body else 1
        befores = [self._read(body["TableName"], body.get("Key") or body["Item"]) for body in writes]

        def count(_: Any) -> Mapping[str, float]:
            units: Counter[str] = Counter()
            for write, before in zip(writes, befores, strict=True):
                units.update(self._count_write(write, before))
            return {unit: factor * count for unit, count in units.items()}

        return count

    def _count_reads(self, asked: Mapping[str, Mapping[str, Any]]) -> Mapping[str, float]:
        units = [
            _reads(measure_item(self._read(table, key) or {}), request)
            for table, request in asked.items()
            for key in request["Keys"]
        ]
        return {"DynamoDB read units": sum(units)}

    def _count_s3(self, operation: str, request: Mapping[str, Any], answer: Any) -> Mapping[str, float]:
        if operation in {"PutObject", "CopyObject"} and answer[0].status_code < HTTPStatus.MULTIPLE_CHOICES:
            path = unquote(request["url_path"]).removeprefix("/")
            self.note_object(path if path.startswith(_PREFIXES) else path.partition("/")[2])
        return {_S3_UNITS[operation]: 1}

    def note_object(self, key: str) -> None:
        """Count the message in which S3 announces a new object; the owner of the queue pays for it."""
        notified = self.template.resources["ResultsBucket"].properties["NotificationConfiguration"]
        for target in notified["QueueConfigurations"]:
            (rule,) = target["Filter"]["S3Key"]["Rules"]
            if key.startswith(rule["Value"]):
                self.of("queue").units["SQS requests"] += 1

    def _count_write(self, body: Mapping[str, Any], before: Any) -> Mapping[str, float]:
        table = body["TableName"]
        after = self._read(table, body.get("Key") or body["Item"])
        sizes = [measure_item(item) for item in (before, after) if item]
        units = count_write_units(max(sizes, default=0))
        properties = self._table(table)
        keys = [key["AttributeName"] for key in properties["KeySchema"]]
        return {
            "DynamoDB write units": units
            + count_index_units(properties.get("GlobalSecondaryIndexes", ()), keys, before, after)
        }

    def _table(self, name: str) -> Mapping[str, Any]:
        return self.template.resources[self.template.logical_id_of(name)].properties

    def _read(self, table: str, item: Mapping[str, Any]) -> Any:
        """Read the stored item with the key of this one, at nobody's expense."""
        keys = {key["AttributeName"]: item[key["AttributeName"]] for key in self._table(table)["KeySchema"]}
        return self.dynamodb.get_item(TableName=table, Key=keys, ConsistentRead=True).get("Item")

    def _query(self, body: Mapping[str, Any]) -> list[Any]:
        """Read again what a query read, also what it filtered out, did not project or only counted."""
        whole = {
            name: value
            for name, value in body.items()
            if name not in {"FilterExpression", "ProjectionExpression", "ExpressionAttributeNames", "Select"}
        }
        expression = body.get("KeyConditionExpression", "")
        names = {name: value for name, value in body.get("ExpressionAttributeNames", {}).items() if name in expression}
        values = {
            name: value for name, value in body.get("ExpressionAttributeValues", {}).items() if name in expression
        }
        read = self.dynamodb.query if expression else self.dynamodb.scan
        whole |= {"ExpressionAttributeNames": names} if names else {}
        whole.pop("ExpressionAttributeValues", None)
        whole |= {"ExpressionAttributeValues": values} if values else {}
        return read(**whole)["Items"]


def count_queue_requests(url: str, bodies: list[str]) -> dict[str, float]:
    """Return the requests of a call of SQS that carries these bodies."""
    unit = "SQS FIFO requests" if url.endswith(".fifo") else "SQS requests"
    return {unit: max(1, math.ceil(sum(len(body.encode()) for body in bodies) / CHUNK_BYTES))}


def _reads(size: int, request: Mapping[str, Any]) -> float:
    return count_read_units(size, consistent=bool(request.get("ConsistentRead")))


class _Log:
    """A stream that counts the bytes of the log."""

    def __init__(self, usage: Usage) -> None:
        self.usage = usage

    def write(self, text: str) -> int:
        """Count."""
        self.usage.log_bytes += len(text.encode())
        return len(text)

    def flush(self) -> None:
        """Do nothing."""

    @contextmanager
    def replacing(self) -> Iterator[None]:
        """Replace the stream of every log handler while the context lasts."""
        streams: list[tuple[Any, TextIO]] = []
        for logger in list(logging.root.manager.loggerDict.values()):
            for handler in getattr(logger, "handlers", ()):
                with contextlib.suppress(AttributeError):
                    streams.append((handler, handler.setStream(self)))
        try:
            yield
        finally:
            for handler, stream in streams:
                if stream is not None:
                    handler.setStream(stream)
