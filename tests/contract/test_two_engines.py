"""State machines that drive both engines with the same operations: any difference that the table has not fails.

Two clients of one file take turns, so that neither may remember what the other one changes.
"""

import json
import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from itertools import zip_longest
from typing import Any, ClassVar, NamedTuple
from urllib.parse import unquote_plus

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from local.template import Template
from tests.contract.pair import Pair, Two
from tests.contract.sides import DEAD, EVALUATE, RESULTS, SHARE, SUBMISSIONS, Clients, read_stream

SETTINGS = settings(
    max_examples=settings().max_examples // 2,
    # Making a failure shorter takes minutes: `make fuzz` does it.
    phases=[Phase.generate] if settings().derandomize else list(Phase),
    stateful_step_count=30,
    suppress_health_check=list(HealthCheck),
)

KEYS = st.sampled_from([("a", "a1"), ("a", "a2"), ("a", "a3"), ("a", "á4"), ("b", "b1"), ("b", "b2")])
NAMES = ("number", "text", "tags", "flag", "benchmark_player", "failed_benchmark", "outcome")
NUMBERS = st.sampled_from(["0", "1", "-1", "2.5", "10", "1000"])
TEXTS = st.sampled_from(["", "a", "ab", "b", "ä", "\U0001f3c6"])
WORDS = st.sampled_from(["a", "ab", "b"])
TAGS = st.sets(WORDS, min_size=1).map(sorted)
VALUES = {
    "number": NUMBERS.map(lambda text: {"N": text}),
    "text": TEXTS.map(lambda text: {"S": text}),
    "tags": TAGS.map(lambda tags: {"SS": tags}),
    "flag": st.booleans().map(lambda flag: {"BOOL": flag}),
    "benchmark_player": WORDS.map(lambda text: {"S": text}),
    "failed_benchmark": WORDS.map(lambda text: {"S": text}),
    "outcome": WORDS.map(lambda text: {"S": text}),
}
ATTRIBUTES = st.fixed_dictionaries({}, optional=VALUES)


@st.composite
def conditions(draw: st.DrawFn, depth: int = 2) -> tuple[str, dict[str, Any]]:  # noqa: PLR0911  # one case a form
    """Draw a condition, and the values that it names."""
    kind = draw(st.sampled_from(["and", "or", "not", *["simple"] * 4] if depth else ["simple"]))
    if kind == "not":
        text, values = draw(conditions(depth - 1))
        return f"NOT ({text})", values
    if kind in {"and", "or"}:
        (left, some), (right, more) = draw(conditions(depth - 1)), draw(conditions(depth - 1))
        right, more = re.sub(r"(:\w+)", r"\1x", right), {f"{name}x": value for name, value in more.items()}
        return f"({left}) {kind.upper()} ({right})", {**some, **more}
    name = draw(st.sampled_from(["number", "text", "tags", "flag"]))
    value = draw(VALUES[name])
    match draw(st.sampled_from(["exists", "absent", "=", "<>", "order", "more"])):
        case "exists":
            return f"attribute_exists(#{name})", {}
        case "absent":
            return f"attribute_not_exists(#{name})", {}
        case "order" if name in {"number", "text"}:
            operator = draw(st.sampled_from(["<", "<=", ">", ">="]))
            return f"#{name} {operator} :v", {":v": value}
        case "more" if name == "text":
            function = draw(st.sampled_from(["begins_with", "contains"]))
            return f"{function}(#text, :v)", {":v": {"S": draw(WORDS)}}
        case "more" if name == "tags":
            part, size = draw(WORDS), str(draw(st.integers(0, 3)))
            operator = draw(st.sampled_from(["=", "<", ">="]))
            return draw(
                st.sampled_from(
                    [
                        ("contains(#tags, :v)", {":v": {"S": part}}),
                        (f"attribute_exists(#tags) AND size(#tags) {operator} :v", {":v": {"N": size}}),
                    ]
                )
            )
        case "<>":
            return f"#{name} <> :v", {":v": value}
    return f"#{name} = :v", {":v": value}


@st.composite
def changes(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    """Draw an update expression, and the values that it names."""
    clauses: dict[str, list[str]] = {}
    values: dict[str, Any] = {}
    for name in draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=4, unique=True)):
        values[f":u{name}"] = draw(VALUES[name])
        match draw(st.sampled_from(["set", "remove", *{"number": ["add"], "tags": ["add", "delete"]}.get(name, [])])):
            case "set":
                clauses.setdefault("SET", []).append(f"#{name} = :u{name}")
            case "add":
                clauses.setdefault("ADD", []).append(f"#{name} :u{name}")
            case "delete":
                clauses.setdefault("DELETE", []).append(f"#{name} :u{name}")
            case "remove":
                clauses.setdefault("REMOVE", []).append(f"#{name}")
                del values[f":u{name}"]
    return " ".join(f"{clause} {', '.join(actions)}" for clause, actions in clauses.items()), values


def make_key(key: tuple[str, str]) -> dict[str, Any]:
    """Return a key in DynamoDB's form."""
    return {"benchmark": {"S": key[0]}, "submission_version": {"S": key[1]}}


def name_attributes(*texts: str) -> dict[str, Any]:
    """Return the names of attributes that are in expressions."""
    names = {f"#{name}": name for name in NAMES if any(f"#{name}" in text for text in texts)}
    return {"ExpressionAttributeNames": names} if names else {}


def fill(condition: tuple[str, dict[str, Any]] | None, change: tuple[str, dict[str, Any]] | None = None) -> Any:
    """Return the parameters of a condition and of an update."""
    given = {"ConditionExpression": condition, "UpdateExpression": change}
    request: dict[str, Any] = {name: part[0] for name, part in given.items() if part}
    values = {name: value for part in given.values() if part for name, value in part[1].items()}
    if values:
        request["ExpressionAttributeValues"] = values
    return {**request, **name_attributes(*(part[0] for part in given.values() if part))}


def plain(item: Mapping[str, Any]) -> dict[str, Any]:
    """Return an item in which a set has an order, and a number is a number."""
    return {name: _plain_value(value) for name, value in item.items()}


def _plain_value(value: Mapping[str, Any]) -> Any:
    ((kind, content),) = value.items()
    # moto keeps zeros at the end of a number, as the table says.
    return {kind: sorted(content) if kind == "SS" else Decimal(content) if kind == "N" else content}


def agree(two: Two, what: str) -> None:
    """Check that both sides have the same."""
    pairs = list(zip_longest(two.engine, two.moto))
    assert pairs == [(each, each) for each, _ in pairs], f"{what}: {next(pair for pair in pairs if pair[0] != pair[1])}"


class Machine(RuleBasedStateMachine):
    """What all machines share: both engines, made for each example."""

    clients: ClassVar[Clients]
    template: ClassVar[Template]

    def __init__(self) -> None:
        super().__init__()
        self.pair = Pair.open(self.clients, self.template)

    def teardown(self) -> None:
        """Compare what is left, and close both."""
        try:
            self.compare_all()
        finally:
            self.pair.close()

    def compare_all(self) -> None:
        """Compare all that is stored."""


class ItemsMachine(Machine):
    """Items, transactions, queries and the stream of a table with indexes."""

    @rule(key=KEYS, item=ATTRIBUTES, condition=st.none() | conditions())
    def put(self, *, key: tuple[str, str], item: Any, condition: Any) -> None:
        """Put an item."""
        more = {"ReturnValuesOnConditionCheckFailure": "ALL_OLD"} if condition else {}
        self._ask("put_item", Item={**make_key(key), **item}, **fill(condition), **more)

    @rule(key=KEYS, change=changes(), condition=st.none() | conditions())
    def update(self, *, key: tuple[str, str], change: Any, condition: Any) -> None:
        """Update an item."""
        self._ask("update_item", Key=make_key(key), **fill(condition, change))

    @rule(key=KEYS, condition=st.none() | conditions())
    def delete(self, *, key: tuple[str, str], condition: Any) -> None:
        """Delete an item."""
        self._ask("delete_item", Key=make_key(key), **fill(condition))

    @rule(
        puts=st.lists(
            st.tuples(KEYS, conditions(), ATTRIBUTES), min_size=1, max_size=4, unique_by=lambda action: action[0]
        )
    )
    def transact(self, *, puts: Any) -> None:
        """Put several items or none."""
        request = {"TableName": SUBMISSIONS, "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}
        items = [
            {"Put": {**request, "Item": {**make_key(key), **item}, **fill(condition)}} for key, condition, item in puts
        ]
        self.pair.ask("dynamodb", "transact_write_items", lambda _: None, TransactItems=items)

    @rule(key=KEYS)
    def get(self, *, key: tuple[str, str]) -> None:
        """Read an item."""
        self._ask("get_item", lambda answer: plain(answer.get("Item", {})), Key=make_key(key))

    @rule(keys=st.lists(KEYS, min_size=1, max_size=4, unique=True), puts=st.booleans())
    def batch(self, *, keys: list[tuple[str, str]], puts: bool) -> None:
        """Write several items, each by itself, and read them."""
        writes = [
            {"PutRequest": {"Item": make_key(key)}} if puts else {"DeleteRequest": {"Key": make_key(key)}}
            for key in keys
        ]
        self.pair.ask("dynamodb", "batch_write_item", lambda _: None, RequestItems={SUBMISSIONS: writes})
        self.pair.ask(
            "dynamodb",
            "batch_get_item",
            lambda answer: sorted(map(_text, answer["Responses"][SUBMISSIONS])),
            RequestItems={SUBMISSIONS: {"Keys": [make_key(key) for key in keys], "ConsistentRead": True}},
        )

    @rule(
        index=st.sampled_from([None, "by_player", "by_failure"]),
        condition=st.sampled_from(["", "=", "<", "<=", ">", ">=", "BETWEEN", "begins_with"]),
        bounds=st.lists(st.sampled_from(["a", "a1", "a2", "a3", "b1", "z", "á4"]), min_size=2, max_size=2).map(sorted),
        limit=st.none() | st.integers(1, 3),
        forward=st.booleans(),
        kept=st.none() | conditions(depth=1),
        names=st.lists(st.sampled_from(NAMES), max_size=2, unique=True),
    )
    def query(
        self,
        *,
        index: str | None,
        condition: str,
        bounds: list[str],
        limit: int | None,
        forward: bool,
        kept: Any,
        names: list[str],
    ) -> None:
        """Read all pages of a partition."""
        hash_key = {"by_player": "benchmark_player", "by_failure": "failed_benchmark"}.get(index or "", "benchmark")
        sort = {
            "": "",
            "BETWEEN": " AND submission_version BETWEEN :low AND :high",
            "begins_with": " AND begins_with(submission_version, :low)",
        }.get(condition, f" AND submission_version {condition} :low")
        values = {":pk": {"S": "a"}, ":low": {"S": bounds[0]}, ":high": {"S": bounds[1]}}
        text = f"{hash_key} = :pk{sort}"
        values = {name: value for name, value in values.items() if name in text}
        request: dict[str, Any] = {"KeyConditionExpression": text, "ScanIndexForward": forward}
        projected = ", ".join(f"#{name}" for name in names)
        if kept:
            request["FilterExpression"] = kept[0]
            values.update(kept[1])
        if names:
            request["ProjectionExpression"] = projected
        request |= name_attributes(projected, kept[0] if kept else "")
        request |= {"IndexName": index} if index else {"ConsistentRead": True}
        request |= {"Limit": limit} if limit else {}
        self._read_pages("query", {**request, "ExpressionAttributeValues": values})

    @rule(limit=st.none() | st.integers(1, 3), kept=st.none() | conditions(depth=1))
    def scan(self, *, limit: int | None, kept: Any) -> None:
        """Read the whole table; its order is any."""
        request: dict[str, Any] = {"Limit": limit} if limit else {}
        if kept:
            request |= {"FilterExpression": kept[0], **name_attributes(kept[0])}
            request |= {"ExpressionAttributeValues": kept[1]} if kept[1] else {}
        self._scan(request)

    def compare_all(self) -> None:
        """Compare the table and its stream."""
        self._scan({})
        records = self.pair.each(lambda side: list(_list_changes(read_stream(side, SUBMISSIONS))))
        agree(records, "stream")

    def _scan(self, request: Mapping[str, Any]) -> None:
        items = self.pair.each(
            lambda side: sorted(
                _text(item)
                for page in side.dynamodb.get_paginator("scan").paginate(TableName=SUBMISSIONS, **request)
                for item in page["Items"]
            )
        )
        agree(items, f"scan {request}")

    def _ask(self, operation: str, pick: Any = lambda _: None, **request: Any) -> None:
        self.pair.ask("dynamodb", operation, pick, TableName=SUBMISSIONS, **request)

    def _read_pages(self, operation: str, request: dict[str, Any]) -> None:
        start: Any = {}
        for _ in range(10):
            lasts: list[Any] = []

            def pick(page: Mapping[str, Any], lasts: list[Any] = lasts) -> Any:
                lasts.append(page.get("LastEvaluatedKey"))
                return [plain(item) for item in page["Items"]], page["Count"], page["ScannedCount"]

            self.pair.ask("dynamodb", operation, pick, TableName=SUBMISSIONS, **request, **start)
            if len(lasts) == 1 or not any(lasts):  # an error, or the end
                return
            start = {"ExclusiveStartKey": lasts[1]}
            if not lasts[0]:  # a page that ends with the last item has a position on AWS, and none on moto
                read = getattr(self.pair.engines[0].dynamodb, operation)
                assert read(TableName=SUBMISSIONS, **request, **start)["ScannedCount"] == 0
                return
            assert lasts[0] == lasts[1]


def _text(item: Mapping[str, Any]) -> str:
    return json.dumps(plain(item), sort_keys=True, default=float)


def _list_changes(records: list[Any]) -> Iterator[tuple[str, str, str | None]]:
    """Yield the records of a stream without those that only moto has, as the table says.

    They are of writes that change nothing, and of the bare key before an update that makes an item.
    """
    images: dict[str, str] = {}
    for record, following in zip_longest(records, records[1:]):
        key, image = _text(record["dynamodb"]["Keys"]), record["dynamodb"].get("NewImage")
        inserts = following and record["eventName"] == following["eventName"] == "INSERT"
        if inserts and key == _text(following["dynamodb"]["Keys"]):
            continue
        text = None if image is None else _text(image)
        if text is None or images.get(key) != text:
            yield record["eventName"], key, text
        if text is None:
            images.pop(key, None)
        else:
            images[key] = text


SECONDS = {EVALUATE: 1080, SHARE: 240}
"""How long a message of a queue is hidden, as the template says."""


class Receipt(NamedTuple):
    """The last receipt of a message, and when it ends."""

    body: str
    handle: Two
    ends: float


class QueuesMachine(Machine):
    """Messages of a queue, of its dead letters, and of a FIFO queue with groups."""

    def __init__(self) -> None:
        super().__init__()
        self.sent = 0
        self.receipts: dict[str, dict[str, Receipt]] = {EVALUATE: {}, SHARE: {}}
        self.urls = {name: self.pair.each(lambda side, name=name: side.url(name)) for name in (EVALUATE, SHARE)}

    @initialize()
    def begin(self) -> None:
        """Send what a few receives need: a message that may be given up, and two of one group."""
        self.send(delay=None)
        for _ in range(2):
            self.send_in_group(group="g", repeats=False)

    @rule(delay=st.sampled_from([None, 0, 5]))
    def send(self, delay: int | None) -> None:
        """Send a message to the standard queue."""
        if self.sent < 9:  # one answer has all: which ten come first is not defined
            more = {} if delay is None else {"DelaySeconds": delay}
            self._ask(EVALUATE, "send_message", lambda _: None, MessageBody=self._make_body(), **more)

    @rule(group=st.sampled_from(["g", "h"]), repeats=st.booleans())
    def send_in_group(self, *, group: str, repeats: bool) -> None:
        """Send a message to a group, or one that the group has had."""
        if self.sent < 9:
            body = str(self.sent) if repeats and self.sent else self._make_body()
            more = {"MessageGroupId": group, "MessageDeduplicationId": f"{group}{body}"}
            self._ask(SHARE, "send_message", lambda _: None, MessageBody=body, **more)

    @rule(
        queue=st.sampled_from([EVALUATE, SHARE]),
        hidden=st.sampled_from([None, 0, 0, 5, 40]),
        times=st.sampled_from([1, 2, 7]),
    )
    def receive(self, *, queue: str, hidden: int | None, times: int) -> None:
        """Receive all that is visible, as often as that."""
        for _ in range(times):
            answers: list[Any] = []

            def pick(answer: Mapping[str, Any], answers: list[Any] = answers) -> Any:
                messages = sorted(answer.get("Messages", ()), key=lambda message: message["Body"])
                answers.append(messages)
                return [(message["Body"], message["Attributes"]["ApproximateReceiveCount"]) for message in messages]

            more = {} if hidden is None else {"VisibilityTimeout": hidden}
            self._ask(
                queue,
                "receive_message",
                pick,
                # moto redelivers one message of a group that has several in flight, so that there is never more.
                MaxNumberOfMessages=1 if queue == SHARE else 10,
                MessageSystemAttributeNames=["All"],
                **more,
            )
            for first, second in zip(*answers, strict=True):
                ends = self.pair.now + (SECONDS[queue] if hidden is None else hidden)
                handle = Two(first["ReceiptHandle"], second["ReceiptHandle"])
                self.receipts[queue][first["Body"]] = Receipt(first["Body"], handle, ends)

    @rule(queue=st.sampled_from([EVALUATE, SHARE]), place=st.integers(0, 20))
    def delete(self, *, queue: str, place: int) -> None:
        """Delete a message by its last receipt."""
        if receipt := self._find_receipt(queue, place):
            self._ask(queue, "delete_message", lambda _: None, ReceiptHandle=receipt.handle)
            del self.receipts[queue][receipt.body]

    @rule(queue=st.sampled_from([EVALUATE, SHARE]), place=st.integers(0, 20), seconds=st.sampled_from([0, 3, 60]))
    def hide(self, queue: str, place: int, seconds: int) -> None:
        """Hide a message for another time."""
        if receipt := self._find_receipt(queue, place):
            more = {"ReceiptHandle": receipt.handle, "VisibilityTimeout": seconds}
            self._ask(queue, "change_message_visibility", lambda _: None, **more)
            self.receipts[queue][receipt.body] = receipt._replace(ends=self.pair.now + seconds)

    @rule(seconds=st.sampled_from([1.0, 6.0, 41.0, 301.0, 1100.0]))
    def wait(self, seconds: float) -> None:
        """Let time pass."""
        self.pair.now += seconds

    @rule(queue=st.sampled_from([EVALUATE, SHARE]))
    def count(self, queue: str) -> None:
        """Count the messages of a queue."""
        names = [f"ApproximateNumberOfMessages{kind}" for kind in ("", "NotVisible", "Delayed")]
        self._ask(
            queue,
            "get_queue_attributes",
            lambda answer: [answer["Attributes"][name] for name in names],
            AttributeNames=names,
        )

    def compare_all(self) -> None:
        """Compare the dead letters."""
        bodies = self.pair.each(
            lambda side: sorted(
                message["Body"]
                for message in side.sqs.receive_message(QueueUrl=side.url(DEAD), MaxNumberOfMessages=10).get(
                    "Messages", ()
                )
            )
        )
        agree(bodies, "dead letters")

    def _ask(self, queue: str, operation: str, pick: Any, **request: Any) -> None:
        self.pair.ask("sqs", operation, pick, QueueUrl=self.urls[queue], **request)

    def _find_receipt(self, queue: str, place: int) -> "Receipt | None":
        """Return the receipt of a message in flight: the table has what moto says of one that is visible again."""
        receipts = [receipt for receipt in self.receipts[queue].values() if receipt.ends > self.pair.now]
        return receipts[place % len(receipts)] if receipts else None

    def _make_body(self) -> str:
        self.sent += 1
        return str(self.sent)


OBJECT_KEYS = st.sampled_from(["results/a/1.json", "results/b", "drops/x", "b", "b/1", "b/2", "b/c/3", "b/ä +"])
BODIES = st.sampled_from([b"", b"a", b"bb", b"0123456789"])


class ObjectsMachine(Machine):
    """Objects, their versions, lists and notices."""

    def __init__(self) -> None:
        super().__init__()
        self.etags: list[str] = ['"0cc175b9c0f1b6a831c399e269772661"']

    @rule(
        key=OBJECT_KEYS,
        body=BODIES,
        condition=st.sampled_from(["", "new", "etag"]),
        place=st.integers(0, 9),
        metadata=st.none() | st.just({"player": "anna"}),
    )
    def put(self, *, key: str, body: bytes, condition: str, place: int, metadata: Any) -> None:
        """Put an object."""
        more: dict[str, Any] = {"Metadata": metadata} if metadata else {}
        if condition:
            more |= {"IfNoneMatch": "*"} if condition == "new" else {"IfMatch": self.etags[place % len(self.etags)]}
        etag = self._ask("put_object", lambda answer: answer["ETag"], Key=key, Body=body, **more)
        if isinstance(etag, str):
            self.etags.append(etag)

    @rule(key=OBJECT_KEYS, part=st.sampled_from([None, "bytes=0-0", "bytes=1-1", "bytes=2-4", "bytes=5-99"]))
    def get(self, *, key: str, part: str | None) -> None:
        """Read an object, or a part of it."""
        self._ask("get_object", _describe, Key=key, **({"Range": part} if part else {}))

    @rule(key=OBJECT_KEYS)
    def head(self, key: str) -> None:
        """Read what is stored of an object besides its bytes."""
        self._ask("head_object", _describe, Key=key)

    @rule(key=OBJECT_KEYS)
    def delete(self, *, key: str) -> None:
        """Delete an object."""
        self._ask("delete_object", lambda _: None, Key=key)

    @rule(keys=st.lists(OBJECT_KEYS, min_size=1, max_size=3, unique=True))
    def delete_many(self, keys: list[str]) -> None:
        """Delete objects."""
        entries = {"Objects": [{"Key": key} for key in keys], "Quiet": True}
        self._ask("delete_objects", lambda answer: answer.get("Errors"), Delete=entries)

    @rule(place=st.integers(0, 20), act=st.sampled_from(["get_object", "head_object", "delete_object"]))
    def use_version(self, place: int, act: str) -> None:
        """Read or delete a version."""
        versions = self.pair.each(_list_versions)
        if versions.moto:
            place %= len(versions.moto)
            key, _, marks, _ = versions.moto[place][0]
            if act != "delete_object" and marks is None:
                return  # the table has what moto says of a delete marker
            number = Two(versions.moto[place][1], versions.engine[place][1])
            pick = (lambda _: None) if act == "delete_object" else _describe
            self._ask(act, pick, Key=key, VersionId=number)

    @rule(source=OBJECT_KEYS, key=OBJECT_KEYS)
    def copy(self, source: str, key: str) -> None:
        """Copy an object."""
        self._ask(
            "copy_object",
            lambda answer: answer["CopyObjectResult"]["ETag"],
            Key=key,
            CopySource={"Bucket": RESULTS, "Key": source},
            MetadataDirective="REPLACE",
            TaggingDirective="REPLACE",
            ContentType="text/plain",
        )

    @rule(
        prefix=st.sampled_from(["", "b", "b/", "results/", "z"]),
        delimiter=st.sampled_from(["", "/"]),
        after=st.sampled_from(["", "b", "b/1", "c"]),
        size=st.integers(1, 4),
    )
    def list(self, prefix: str, delimiter: str, after: str, size: int) -> None:
        """List objects and folders, page by page."""
        request: dict[str, Any] = {"Bucket": RESULTS, "Prefix": prefix, "MaxKeys": size}
        # moto has folders of deleted objects, as the table says.
        has_deleted = "DeleteMarkers" in self.pair.moto.s3.list_object_versions(Bucket=RESULTS)
        request |= {"Delimiter": delimiter} if delimiter and not has_deleted else {"StartAfter": after}
        pages = self.pair.each(lambda side: _list_pages(side, request))
        agree(pages, f"list {request}")

    def compare_all(self) -> None:
        """Compare all versions, and the notices."""
        versions = self.pair.each(lambda side: [entry for entry, _ in _list_versions(side)])
        agree(versions, "versions")
        notices = self.pair.each(_list_notices)
        agree(notices, "notices")

    def _ask(self, operation: str, pick: Any, **request: Any) -> Any:
        return self.pair.ask("s3", operation, pick, Bucket=RESULTS, **request)[0]


def _describe(answer: Mapping[str, Any]) -> Any:
    body = answer["Body"].read() if "Body" in answer else None
    members = ("ETag", "ContentLength", "ContentType", "Metadata", "ContentRange")
    return body, [answer.get(name) for name in members]


def _list_versions(side: Clients) -> list[tuple[tuple[str, bool, str | None, int], str]]:
    """Return key, whether it is the latest, ETag and size of each version, and its id; a marker has no ETag."""
    answer = side.s3.list_object_versions(Bucket=RESULTS)
    versions = [*answer.get("Versions", ()), *answer.get("DeleteMarkers", ())]
    entries = [
        ((entry["Key"], entry["IsLatest"], entry.get("ETag"), entry.get("Size", 0)), entry["VersionId"])
        for entry in versions
    ]
    return sorted(entries, key=lambda entry: (entry[0][0], str(entry[0])))


def _list_pages(side: Clients, request: Mapping[str, Any]) -> list[Any]:
    pages = side.s3.get_paginator("list_objects_v2").paginate(**request)
    return [
        (
            [(entry["Key"], entry["ETag"], entry["Size"]) for entry in page.get("Contents", ())],
            [entry["Prefix"] for entry in page.get("CommonPrefixes", ())],
            page["KeyCount"],
            page["IsTruncated"],
        )
        for page in pages
    ]


def _list_notices(side: Clients) -> list[tuple[str, str]]:
    """Return event and key of each notice; moto sends one more when a bucket is made, and encodes more of the key."""
    notices = []
    while messages := side.sqs.receive_message(QueueUrl=side.url(EVALUATE), MaxNumberOfMessages=10).get("Messages", ()):
        for message in messages:
            for record in json.loads(message["Body"]).get("Records", ()):
                stored = record["s3"]["object"]
                notices.append((record["eventName"], unquote_plus(stored["key"]), stored["size"], stored["eTag"]))
    return sorted(notices)


@pytest.mark.fuzz
@pytest.mark.parametrize("machine", [ItemsMachine, QueuesMachine, ObjectsMachine])
def test_engines_agree(machine: type[Machine], clients: Clients, template: Template) -> None:
    """Whatever is done, both engines answer the same, but for the differences of the table."""
    driven = type(machine.__name__, (machine,), {"clients": clients, "template": template})
    run_state_machine_as_test(driven, settings=SETTINGS)
