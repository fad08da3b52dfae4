"""Drops, from the object in S3 to submissions and a report: once each, whatever happens on the way."""

import dataclasses
import io
import json
import zipfile
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from scoring_core.outcome import Outcome
from storage.access.players import Account, PlayerStore
from storage.access.quotas import QuotaStore
from storage.aws.bucket import Bucket
from storage.aws.errors import StoreError
from storage.aws.table import Table
from storage.batches.reports import BatchReport, BatchReportStore, BatchState
from storage.ids import SHARED_LENGTH
from storage.keys import parse_result_key
from storage.submissions.models import Player, PlayerKind
from submit import batch_dead_letters, batches
from tests.harness.stack import (
    COINS,
    GOOD,
    ROOT,
    StackHarness,
    failing,
    make_benchmark,
    make_context,
    make_record,
)

LINE = json.dumps(GOOD).encode()
ADA = Player("ada", "Ada", PlayerKind.MODEL, verified=True)


class Warehouse:
    """Puts drops into S3, delivers their notices, and reads what became of them."""

    def __init__(self, stack: StackHarness) -> None:
        self.stack = stack
        self.bucket = stack.results_bucket
        self.reports = BatchReportStore(Bucket(stack.cloud.s3, self.bucket))

    def put(self, content: bytes, name: str = "runs.jsonl", *, benchmark: str = "tiny", player: str = "ada") -> str:
        """Put a drop, and give the notice of it."""
        key = f"drops/{benchmark}/{player}/{name}"
        answer = self.stack.cloud.s3.put_object(Bucket=self.bucket, Key=key, Body=content)
        told = {"s3": {"object": {"key": key, "versionId": answer["VersionId"]}}}
        return json.dumps({"Records": [told]})

    def deliver(self, notice: str, handler: Callable[..., Any] = batches.lambda_handler) -> list[str]:
        """Deliver a notice; gives the messages that come back."""
        event = json.loads((ROOT / "events/drop.json").read_text())
        event["Records"][0]["body"] = notice
        return [one["itemIdentifier"] for one in handler(event, make_context())["batchItemFailures"]]

    def send(self, content: bytes, name: str = "runs.jsonl", **where: str) -> BatchReport:
        """Put a drop, deliver its notice, and give its report."""
        before = set(self.list_reports())
        assert self.deliver(self.put(content, name, **where)) == []
        (key,) = set(self.list_reports()) - before
        return self.read(key)

    def list_reports(self) -> list[str]:
        """List the reports."""
        return self.stack.keys(self.bucket, "reports/")

    def read(self, key: str) -> BatchReport:
        """Read a report."""
        return BatchReport.parse(self.stack.cloud.s3.get_object(Bucket=self.bucket, Key=key)["Body"].read())

    def results(self) -> dict[str, bytes]:
        """Return the raw results, submission → bytes."""
        found = {}
        for key in self.stack.results():
            parsed = parse_result_key(key)
            assert parsed is not None
            found[parsed.submission] = self.stack.cloud.s3.get_object(Bucket=self.bucket, Key=key)["Body"].read()
        return found

    def versions(self) -> int:
        """Count everything that was ever written under results/ and reports/."""
        listed = [
            self.stack.cloud.s3.list_object_versions(Bucket=self.bucket, Prefix=prefix).get("Versions", [])
            for prefix in ("results/", "reports/")
        ]
        return sum(map(len, listed))


@pytest.fixture
def warehouse(stack: StackHarness) -> Warehouse:
    """The tiny benchmark, and Ada, who is verified."""
    stack.publish(make_benchmark())
    table = stack.template.resources["AccessTable"].name
    account = Account(ADA, "ada@example.com", datetime(2026, 1, 1, tzinfo=UTC))
    PlayerStore(Table(stack.cloud.dynamodb, table)).put(account)
    return Warehouse(stack)


def pack(members: dict[str, bytes]) -> bytes:
    """Make a ZIP."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def test_lines_become_submissions(warehouse: Warehouse) -> None:
    """Each line is a submission of the player, with the drop's id and what all ids of a drop share."""
    report = warehouse.send(LINE + b"\n" + b'{"question": "2", "text": "x"}\n')

    submissions = [one.submission or "" for one in report.entries]
    assert report.state is BatchState.RECEIVED
    assert [one.entry for one in report.entries] == ["line 1", "line 2"]
    assert warehouse.results() == dict(zip(submissions, [LINE, b'{"question": "2", "text": "x"}'], strict=True))
    assert {one[:SHARED_LENGTH] for one in submissions} == {report.drop[:SHARED_LENGTH]}
    found = [warehouse.stack.submissions.get_result(key).submission for key in _keys(warehouse)]
    assert {(one.player, one.batch, one.part, one.receipt_sha256) for one in found} == {(ADA, report.drop, None, None)}


def test_one_bad_entry(warehouse: Warehouse) -> None:
    """What is wrong is told, what is right is handed in, and the player gets a mail."""
    report = warehouse.send(pack({"a.json": LINE, "b.json": b"{", "../c.json": LINE}), "runs.zip")

    assert [one.entry for one in report.refusals] == ["b.json", "../c.json"]
    assert len(warehouse.results()) == 1
    assert [item["thread"]["S"] for item in warehouse.stack.items("MailTable")]


def test_all_is_well(warehouse: Warehouse) -> None:
    """Where nothing is refused no mail is noted."""
    warehouse.send(LINE, "run.json")

    assert warehouse.stack.items("MailTable") == []


def test_parts(warehouse: Warehouse) -> None:
    """Where a script scores parts, each entry names its own."""
    warehouse.stack.publish(make_benchmark(COINS, parts=["level-1", "level-2"]))

    lined = warehouse.send(b'{"part": "level-2", "result": {"coins": 1.0}}\n{"coins": 1}\n', benchmark="coins")
    zipped = warehouse.send(pack({"level-1/a.json": b"[1]"}), "runs.zip", benchmark="coins")

    found = [warehouse.stack.submissions.get_result(key) for key in _keys(warehouse)]
    assert [one.error is None for one in (*lined.entries, *zipped.entries)] == [True, False, True]
    assert {(one.submission.part, one.body) for one in found} == {("level-2", b'{"coins": 1.0}'), ("level-1", b"[1]")}


def test_bundle(warehouse: Warehouse) -> None:
    """Where a ZIP is one result, it is kept as it is, as a ZIP."""
    warehouse.stack.publish(make_benchmark(submissions={"bundle": True}))
    content = pack({"a/b.json": b"{}"})

    report = warehouse.send(content, "run.zip")

    (key,) = warehouse.stack.results()
    found = warehouse.stack.cloud.s3.get_object(Bucket=warehouse.bucket, Key=key)
    assert (found["Body"].read(), found["ContentType"]) == (content, "application/zip")
    assert [one.entry for one in report.entries] == ["run.zip"]


def test_twice(warehouse: Warehouse) -> None:
    """A notice that comes again changes nothing."""
    notice = warehouse.put(LINE + b"\n{")
    warehouse.deliver(notice)
    before = warehouse.versions()

    assert warehouse.deliver(notice) == []

    assert warehouse.versions() == before == 2


def test_overwritten_while_it_waits(warehouse: Warehouse) -> None:
    """Each version is a drop of its own: the first is read as it was."""
    first = warehouse.put(b"[1]")
    second = warehouse.put(b"[2]")

    warehouse.deliver(first)
    assert list(warehouse.results().values()) == [b"[1]"]
    warehouse.deliver(second)

    assert sorted(warehouse.results().values()) == [b"[1]", b"[2]"]
    assert len(warehouse.list_reports()) == 2


def test_gone(warehouse: Warehouse) -> None:
    """A version that is gone is acknowledged: there is nothing to read."""
    notice = warehouse.put(b"[1]")
    found = json.loads(notice)["Records"][0]["s3"]["object"]
    warehouse.stack.cloud.s3.delete_object(Bucket=warehouse.bucket, Key=found["key"], VersionId=found["versionId"])

    assert warehouse.deliver(notice) == []
    assert warehouse.list_reports() == []


@pytest.mark.parametrize("writes", range(5))
def test_crash_after_every_write(warehouse: Warehouse, writes: int) -> None:
    """However far the first try came, the second ends as if there had been one."""
    notice = warehouse.put(b"[1]\n[2]\n{\n")
    client = warehouse.stack.cloud.s3
    seen: list[Any] = []

    def crash(params: dict[str, Any], **_: Any) -> None:
        seen.append(params)
        if len(seen) > writes:
            raise StoreError("the process died")

    client.meta.events.register("before-call.s3.PutObject", crash)
    try:
        came_back = warehouse.deliver(notice)
    finally:
        client.meta.events.unregister("before-call.s3.PutObject", crash)
    assert bool(came_back) == (writes < 3)

    assert warehouse.deliver(notice) == []

    (key,) = warehouse.list_reports()
    report = warehouse.read(key)
    assert [one.error is None for one in report.entries] == [True, True, False]
    assert set(warehouse.results()) == {one.submission for one in report.entries if one.submission}
    assert warehouse.versions() == 3


@pytest.mark.parametrize(
    ("operation", "client"),
    [("GetObject", "s3"), ("HeadObject", "s3"), ("UpdateItem", "dynamodb"), ("PutItem", "dynamodb")],
)
def test_store_out_of_reach(warehouse: Warehouse, operation: str, client: str) -> None:
    """Where a store does not answer the message comes back, and the next try ends well."""
    notice = warehouse.put(b"[1]\n{\n")
    with failing(getattr(warehouse.stack.cloud, client), operation, code="SlowDown", status=503):
        assert warehouse.deliver(notice)

    assert warehouse.deliver(notice) == []

    assert len(warehouse.results()) == len(warehouse.list_reports()) == len(warehouse.stack.items("MailTable")) == 1


def test_quota(warehouse: Warehouse) -> None:
    """Entries count from the first on; those beyond the day's quota are told when the next day begins."""
    warehouse.stack.publish(make_benchmark(submissions={"drop_per_day": 3}))

    report = warehouse.send(b"[1]\n{\n[2]\n[3]\n[4]\n[5]")

    assert [one.submission is not None for one in report.entries] == [True, False, True, True, False, False]
    assert "3 results a day" in (report.entries[4].error or "")
    assert len(warehouse.results()) == 3


def test_freed_by_a_fault_of_ours(warehouse: Warehouse) -> None:
    """An entry that was kept before a crash stays handed in, though its place in the quota was given to another."""
    warehouse.stack.publish(make_benchmark(submissions={"drop_per_day": 1}))
    notice = warehouse.put(b"[1]")
    with failing(warehouse.stack.cloud.s3, "PutObject", about="reports/", code="SlowDown", status=503):
        warehouse.deliver(notice)
    table = warehouse.stack.template.resources["AccessTable"].name
    (quota,) = [one for one in warehouse.stack.items("AccessTable") if one["key"]["S"].startswith("quota#")]
    warehouse.stack.cloud.dynamodb.delete_item(TableName=table, Key={"key": quota["key"]})
    warehouse.send(b"[2]", "other.jsonl")

    warehouse.deliver(notice)

    reports = [warehouse.read(key) for key in warehouse.list_reports()]
    assert [one.error for report in reports for one in report.entries] == [None, None]


def test_what_was_given_back_is_not_charged_again(warehouse: Warehouse) -> None:
    """Where a drop is received again, an entry that failed by a fault of ours meanwhile takes no place of another."""
    published = warehouse.stack.publish(make_benchmark(submissions={"drop_per_day": 1}))
    notice = warehouse.put(b"[1]")
    with failing(warehouse.stack.cloud.s3, "PutObject", about="reports/", code="SlowDown", status=503):
        warehouse.deliver(notice)
    (key,) = (parse_result_key(one) for one in warehouse.stack.results())
    submission = key and warehouse.stack.submissions.find_submission(key)
    assert submission is not None
    failed = make_record(published, "Ada", {}, number=0, outcome=Outcome.INTERNAL_ERROR)
    warehouse.stack.submissions.put_record(dataclasses.replace(failed, submission=submission))
    table = warehouse.stack.template.resources["AccessTable"].name
    QuotaStore(Table(warehouse.stack.cloud.dynamodb, table)).settle(submission, Outcome.INTERNAL_ERROR)

    assert warehouse.deliver(notice) == []

    (report,) = (warehouse.read(one) for one in warehouse.list_reports())
    assert [one.submission for one in report.entries] == [submission.id]
    assert [one.error for one in warehouse.send(b"[2]", "other.jsonl").entries] == [None]


@pytest.mark.parametrize(
    ("content", "name", "benchmark", "told"),
    [
        (b"[1]", "runs.csv", "tiny", "ends in .json, .jsonl, .zip"),
        (b"[1]", "runs", "tiny", "ends in .json, .jsonl, .zip"),
        (b"", "runs.jsonl", "tiny", "expected 1 to"),
        (b"[" + b" " * 2_000_000 + b"]", "run.json", "tiny", "expected 1 to 1048576 bytes"),
        (b"[1]", "runs.zip", "tiny", "expected a ZIP"),
        (b"[1]", "runs.jsonl", "nothing", "no such benchmark"),
        (b"[1]", "runs.jsonl", "closed", "closed at 2020-02-01"),
        (b"[1]", "runs.jsonl", "early", "opens at 2990-01-01"),
    ],
)
def test_quarantined(warehouse: Warehouse, content: bytes, name: str, benchmark: str, told: str) -> None:
    """What is refused as a whole scores nothing, and leaves one report that says why."""
    window = {"opens": "2020-01-01T00:00:00Z", "closes": "2020-02-01T00:00:00Z"}
    warehouse.stack.publish(make_benchmark(id="closed", **window))
    warehouse.stack.publish(make_benchmark(id="early", opens="2990-01-01T00:00:00Z"))

    report = warehouse.send(content, name, benchmark=benchmark)

    assert report.state is BatchState.QUARANTINED
    assert [told in (one.error or "") for one in report.entries] == [True]
    assert warehouse.results() == {}


@pytest.mark.parametrize(
    "key", ["drops/tiny/ghost/a.jsonl", "drops/tiny/guest/a.jsonl", "drops/a.jsonl", "drops/tiny/ada/"]
)
def test_nobodys(warehouse: Warehouse, log: Callable[[], list[dict[str, Any]]], key: str) -> None:
    """A drop of no player is logged once and acknowledged: there is nobody to report to."""
    answer = warehouse.stack.cloud.s3.put_object(Bucket=warehouse.bucket, Key=key, Body=b"[1]")
    told = {"s3": {"object": {"key": key, "versionId": answer["VersionId"]}}}

    assert warehouse.deliver(json.dumps({"Records": [told]})) == []

    assert [one["message"] for one in log() if one["level"] == "WARNING"] == ["batch rejected"]
    assert warehouse.list_reports() == warehouse.stack.results() == []


@pytest.mark.parametrize("body", ['{"Event": "s3:TestEvent"}', "hello", "[]", "{}", '{"Records": [{"s3": {}}]}'])
@pytest.mark.parametrize("handler", [batches.lambda_handler, batch_dead_letters.lambda_handler])
def test_foreign_messages(warehouse: Warehouse, body: str, handler: Callable[..., Any]) -> None:
    """S3's test event and what is no notice at all are acknowledged."""
    assert warehouse.deliver(body, handler) == []


def test_dead_letter(warehouse: Warehouse) -> None:
    """A drop that was retried in vain has a report that says so, and one that a later success replaces."""
    notice = warehouse.put(LINE)

    assert warehouse.deliver(notice, batch_dead_letters.lambda_handler) == []
    (key,) = warehouse.list_reports()
    failed = warehouse.read(key)
    warehouse.deliver(notice)

    assert failed.state is BatchState.INTERNAL_ERROR
    assert warehouse.read(key).state is BatchState.RECEIVED
    assert len(warehouse.stack.items("MailTable")) == 1


def test_dead_letter_that_fails(warehouse: Warehouse) -> None:
    """A dead letter whose report cannot be kept comes back."""
    notice = warehouse.put(LINE)

    with failing(warehouse.stack.cloud.s3, "PutObject", about="reports/"):
        failed = warehouse.deliver(notice, batch_dead_letters.lambda_handler)

    assert len(failed) == 1
    assert warehouse.list_reports() == []


def test_dead_letter_of_a_success(warehouse: Warehouse) -> None:
    """A report that stands is not replaced by the dead letter of a notice that came twice."""
    notice = warehouse.put(LINE)
    warehouse.deliver(notice)

    warehouse.deliver(notice, batch_dead_letters.lambda_handler)

    (key,) = warehouse.list_reports()
    assert warehouse.read(key).state is BatchState.RECEIVED


def test_the_queue(warehouse: Warehouse) -> None:
    """S3 tells the drop queue what comes under its prefix, and the wiring hands it on with the very version."""
    warehouse.put(LINE)
    poller = warehouse.stack.queue_poller(batches.lambda_handler, queue="DropQueue", function="DropFunction")

    while poller.deliver():  # S3's test event comes first
        pass

    assert [warehouse.read(key).state for key in warehouse.list_reports()] == [BatchState.RECEIVED]


def _keys(warehouse: Warehouse) -> list[Any]:
    return [parse_result_key(key) for key in warehouse.stack.results()]
