"""Drops, from the object in S3 to submissions and a report: once each, whatever happens on the way."""

import json
from typing import Any

import pytest

from storage.batches.reports import BatchReport, BatchReportStore, BatchState
from storage.gateway.bucket import Bucket
from storage.gateway.errors import StoreError
from storage.keys import parse_result_key
from storage.submissions.models import PlayerKind
from submit import batch_dead_letters, batches
from tests.harness.archives import zip_files
from tests.harness.factories import make_player
from tests.harness.stack import COINS, GOOD, ROOT, InProcess, StackHarness, failing, make_benchmark

LINE = json.dumps(GOOD).encode()
ADA = make_player("ada", "Ada", PlayerKind.MODEL)
IMPORT = InProcess(batches.lambda_handler, "DropFunction")
DEAD_LETTERS = InProcess(batch_dead_letters.handle_messages, "DropDeadLetterFunction")


class BatchHarness:
    """Puts batches into S3, delivers their notices, and reads what became of them."""

    def __init__(self, stack: StackHarness) -> None:
        self.stack = stack
        self.bucket = stack.results_bucket
        self.reports = BatchReportStore(Bucket(stack.cloud.objects, self.bucket))

    def put(self, content: bytes, name: str = "runs.jsonl", *, benchmark: str = "tiny", player: str = "ada") -> str:
        """Put a batch, and return its notice."""
        key = f"drops/{benchmark}/{player}/{name}"
        answer = self.stack.cloud.s3.put_object(Bucket=self.bucket, Key=key, Body=content)
        record = {"s3": {"object": {"key": key, "versionId": answer["VersionId"]}}}
        return json.dumps({"Records": [record]})

    def deliver(self, notice: str, function: InProcess = IMPORT) -> list[str]:
        """Deliver a notice; gives the messages that come back."""
        event = json.loads((ROOT / "events/drop.json").read_text())
        event["Records"][0]["body"] = notice
        return [failure["itemIdentifier"] for failure in function.invoke(event)["batchItemFailures"]]

    def send(self, content: bytes, name: str = "runs.jsonl", **place: str) -> BatchReport:
        """Put a batch, deliver its notice, and return its report."""
        before = set(self.list_reports())
        assert self.deliver(self.put(content, name, **place)) == []
        (key,) = set(self.list_reports()) - before
        return self.read(key)

    def list_reports(self) -> list[str]:
        """List the reports."""
        return self.stack.keys(self.bucket, "reports/")

    def read(self, key: str) -> BatchReport:
        """Read a report."""
        stored = self.stack.cloud.s3.get_object(Bucket=self.bucket, Key=key)
        return BatchReport.model_validate_json(stored["Body"].read())

    def results(self) -> dict[str, bytes]:
        """Return the raw results, submission → bytes."""
        results = {}
        for key in self.stack.results():
            parsed = parse_result_key(key)
            assert parsed is not None
            results[parsed.submission] = self.stack.cloud.s3.get_object(Bucket=self.bucket, Key=key)["Body"].read()
        return results

    def versions(self) -> int:
        """Count everything that was ever written under results/ and reports/."""
        listed = [
            self.stack.cloud.s3.list_object_versions(Bucket=self.bucket, Prefix=prefix).get("Versions", [])
            for prefix in ("results/", "reports/")
        ]
        return sum(map(len, listed))


@pytest.fixture
def harness(stack: StackHarness) -> BatchHarness:
    """The tiny benchmark, and Ada, who is verified."""
    stack.publish(make_benchmark())
    stack.keep_account(ADA, "ada@example.com")
    return BatchHarness(stack)


def test_one_bad_entry(harness: BatchHarness) -> None:
    """Bad entries are reported, good ones submitted, and the player gets a mail."""
    report = harness.send(zip_files({"a.json": LINE, "b.json": b"{", "../c.json": LINE}), "runs.zip")

    assert [entry.entry for entry in report.refusals] == ["b.json", "../c.json"]
    assert len(harness.results()) == 1
    assert [item["thread"]["S"] for item in harness.stack.items("MailTable")]


def test_bundle_is_one_submission(harness: BatchHarness) -> None:
    """Where a ZIP is one result, it is kept as it is, as a ZIP."""
    harness.stack.publish(make_benchmark(COINS, id="tiny", submissions={"takes": ["json", "zip"]}))
    content = zip_files({"a/b.json": b"{}"})

    report = harness.send(content, "run.zip")

    (key,) = harness.stack.results()
    stored = harness.stack.cloud.s3.get_object(Bucket=harness.bucket, Key=key)
    assert (stored["Body"].read(), stored["ContentType"]) == (content, "application/zip")
    assert [entry.entry for entry in report.entries] == ["run.zip"]


def test_overwritten_while_it_waits(harness: BatchHarness) -> None:
    """Each version is a batch of its own: the first is read as it was."""
    first = harness.put(b"[1]")
    second = harness.put(b"[2]")

    harness.deliver(first)
    assert list(harness.results().values()) == [b"[1]"]
    harness.deliver(second)

    assert sorted(harness.results().values()) == [b"[1]", b"[2]"]
    assert len(harness.list_reports()) == 2


def test_ban_between_two_attempts(harness: BatchHarness) -> None:
    """What was submitted before is reported with its submission; of a batch of which nothing was, nothing is read."""
    notice = harness.put(b"[1]\n[2]\n{\n")
    refused: list[Any] = []

    def crash(params: dict[str, Any], **_: Any) -> None:
        if b"[2]" in params["body"] if isinstance(params["body"], bytes) else b"[2]" in params["body"].getvalue():
            refused.append(params)
            raise StoreError("the process died")

    events = harness.stack.cloud.s3.meta.events
    events.register("before-call.s3.PutObject", crash)
    try:
        assert harness.deliver(notice) != []
    finally:
        events.unregister("before-call.s3.PutObject", crash)
    (stored,) = harness.results()
    harness.stack.aggregator.benchmarks.put_bans("tiny", {"ada": "spam"})

    assert harness.deliver(notice) == []

    report = harness.read(*harness.list_reports())
    assert report.state is BatchState.RECEIVED
    assert [entry.submission for entry in report.entries] == [stored, None, None]
    assert report.entries[1].error == "banned from this benchmark by its owner: spam"
    assert harness.send(b"[3]\n", "late.jsonl").state is BatchState.QUARANTINED
    assert set(harness.results()) == {stored}


@pytest.mark.parametrize(
    ("operation", "client"),
    [("GetObject", "s3"), ("HeadObject", "s3"), ("UpdateItem", "dynamodb"), ("PutItem", "dynamodb")],
)
def test_store_out_of_reach(harness: BatchHarness, operation: str, client: str) -> None:
    """Where a store does not answer the message comes back, and the next try ends well."""
    notice = harness.put(b"[1]\n{\n")
    with failing(getattr(harness.stack.cloud, client), operation, code="SlowDown", status=503):
        assert harness.deliver(notice)

    assert harness.deliver(notice) == []

    assert len(harness.results()) == len(harness.list_reports()) == len(harness.stack.items("MailTable")) == 1


def test_batch_is_accepted_up_to_its_quota(harness: BatchHarness) -> None:
    """Entries count in order; the errors of those over quota name the start of the next day."""
    harness.stack.publish(make_benchmark(submissions={"drop_per_day": 3}))

    report = harness.send(b"[1]\n{\n[2]\n[3]\n[4]\n[5]")

    assert [entry.submission is not None for entry in report.entries] == [True, False, True, True, False, False]
    assert "3 results a day" in (report.entries[4].error or "")
    assert len(harness.results()) == 3


def test_freed_by_a_fault_of_ours(harness: BatchHarness) -> None:
    """An entry stored before a crash stays submitted, though its place in the quota was given to another."""
    harness.stack.publish(make_benchmark(submissions={"drop_per_day": 1}))
    notice = harness.put(b"[1]")
    with failing(harness.stack.cloud.s3, "PutObject", about="reports/", code="SlowDown", status=503):
        harness.deliver(notice)
    (quota,) = [item for item in harness.stack.items("AccessTable") if item["key"]["S"].startswith("quota#")]
    harness.stack.cloud.dynamodb.delete_item(TableName=harness.stack.access.name, Key={"key": quota["key"]})
    harness.send(b"[2]", "other.jsonl")

    harness.deliver(notice)

    reports = [harness.read(key) for key in harness.list_reports()]
    assert [entry.error for report in reports for entry in report.entries] == [None, None]


@pytest.mark.parametrize(
    ("content", "name", "benchmark", "message"),
    [
        (b"[1]", "runs.csv", "tiny", "ends in .json, .jsonl, .zip"),
        (b"[1]", "runs", "tiny", "ends in .json, .jsonl, .zip"),
        (b"", "runs.jsonl", "tiny", "expected 1 to"),
        (b"[" + b" " * 2_000_000 + b"]", "run.json", "tiny", "expected 1 to 1048576 bytes"),
        (b"[1]", "runs.zip", "tiny", "expected a ZIP"),
        (b"[1]", "runs.jsonl", "nothing", "no such benchmark"),
        (b"[1]", "runs.jsonl", "early", "opens at 2990-01-01"),
    ],
)
def test_batch_is_rejected_as_a_whole(
    harness: BatchHarness, content: bytes, name: str, benchmark: str, message: str
) -> None:
    """A batch that is rejected as a whole scores nothing, and leaves one report with the reason."""
    harness.stack.publish(make_benchmark(id="early", opens="2990-01-01T00:00:00Z"))

    report = harness.send(content, name, benchmark=benchmark)

    assert report.state is BatchState.QUARANTINED
    assert [message in (entry.error or "") for entry in report.entries] == [True]
    assert harness.results() == {}


def test_dead_letter_gets_a_report_that_success_replaces(harness: BatchHarness) -> None:
    """A batch that failed every retry has a report of it, which a later success replaces."""
    notice = harness.put(LINE)

    assert harness.deliver(notice, DEAD_LETTERS) == []
    (key,) = harness.list_reports()
    failed = harness.read(key)
    harness.deliver(notice)

    assert failed.state is BatchState.INTERNAL_ERROR
    assert harness.read(key).state is BatchState.RECEIVED
    assert len(harness.stack.items("MailTable")) == 1


@pytest.mark.parametrize("function", [IMPORT, DEAD_LETTERS])
def test_deleted_batch_is_skipped(harness: BatchHarness, function: InProcess) -> None:
    """A version that is gone is acknowledged: there is nothing to read."""
    notice = harness.put(LINE)
    stored = json.loads(notice)["Records"][0]["s3"]["object"]
    harness.stack.cloud.s3.delete_object(Bucket=harness.bucket, Key=stored["key"], VersionId=stored["versionId"])

    assert harness.deliver(notice, function) == []
    assert harness.list_reports() == []


def test_files_of_a_batch_are_labels(harness: BatchHarness) -> None:
    """Each file of a ZIP is a submission with its name as label."""
    harness.stack.publish(make_benchmark(id="labelled", ranking={"by": ["score"], "rows": "label"}))
    harness.send(zip_files({"step 1.json": LINE}), "runs.zip", benchmark="labelled")

    (result,) = harness.stack.results()
    head = harness.stack.cloud.s3.head_object(Bucket=harness.bucket, Key=result)
    assert head["Metadata"]["label"] == "step%201"
