"""The evaluate queue: from the notice of a result to its one record, whatever is delivered and however often."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from evaluate import evaluator, queue
from scoring_core.errors import BenchmarkError
from scoring_core.outcome import Outcome
from storage.benchmarks.store import BenchmarkStore, PublishedBenchmark
from storage.gateway.s3_events import TryCounts, make_notice
from storage.keys import ResultKey
from storage.submissions.models import PlayerKind, SubmissionRecord
from tests.harness.archives import zip_files
from tests.harness.clock import START
from tests.harness.stack import (
    GOOD,
    GOOD_SCORE,
    ROOT,
    Api,
    InProcess,
    StackHarness,
    failing,
    make_benchmark,
    make_message,
    watching,
)

pytestmark = pytest.mark.usefixtures("tiny")

type Log = Callable[[], list[dict[str, Any]]]

NOWHERE = "results/nowhere/2026-01-15/019bc119-0100-70ac-a1d8-b724381a8cbe"
WRONG = {"question": "9", "text": "TR-V017-4945"}
FUNCTION = InProcess(queue.lambda_handler, "EvaluateFunction")


def test_valid_result_is_scored(api: Api, stack: StackHarness, tiny: PublishedBenchmark) -> None:
    """A good result is recorded with its scores, detail, signature and player."""
    api.post(query={"player": "Ada", "kind": "model"})

    answer = FUNCTION.deliver(*stack.results())

    record = _record(stack)
    assert answer == []
    assert (record.outcome, record.version) == (Outcome.SCORED, tiny.version)
    assert record.scores == {"score": GOOD_SCORE}
    assert [(item.part, item.scores) for item in record.evaluations] == [("1", {"score": GOOD_SCORE})]
    assert record.evaluations[0].detail["per_event_scores"] == [67.5, 90.5]
    assert record.signature.startswith(f"benchmark:tiny|version:{tiny.version}|scorer:event_decay|")
    player = record.submission.player
    assert (player.name, player.kind) == (player.id, PlayerKind.MODEL), "the name is in one item, elsewhere"
    assert record.message == ""


def test_s3_messages_lead_to_records(api: Api, stack: StackHarness) -> None:
    """S3's own notices, its test event among them, are taken from the queue and lead to records."""
    poller = stack.queue_poller(queue.lambda_handler, queue="EvaluateQueue", function="EvaluateFunction")
    api.post()
    notice = {"Service": "Amazon S3", "Event": "s3:TestEvent", "Bucket": stack.results_bucket}
    stack.cloud.sqs.send_message(QueueUrl=poller.url, MessageBody=json.dumps(notice))

    bodies = []
    while messages := poller.receive():
        bodies += [message.body for message in messages]
        poller.handle(messages)

    assert any("s3:TestEvent" in body for body in bodies)
    assert _record(stack).outcome is Outcome.SCORED


def test_wrong_result_is_recorded_as_invalid(api: Api, stack: StackHarness, tiny: PublishedBenchmark) -> None:
    """A wrong result is recorded as invalid with what is wrong and where, and is not retried."""
    api.post(WRONG)

    answer = FUNCTION.deliver(*stack.results())

    record = _record(stack)
    assert answer == []
    assert (record.outcome, record.version) == (Outcome.INVALID, tiny.version)
    assert "'9'" in record.message
    assert record.pointer == "/question"
    assert (record.scores, record.evaluations) == ({}, ())


def test_long_evaluator_error_is_cut(api: Api, stack: StackHarness, monkeypatch: pytest.MonkeyPatch) -> None:
    """However much is wrong with a bundle, what is recorded of it fits a record."""

    def refuse(*_: object) -> None:
        raise BenchmarkError("fault\n" * 100_000)

    monkeypatch.setattr(BenchmarkStore, "load", refuse)
    api.post()

    answer = FUNCTION.deliver(*stack.results())

    record = _record(stack)
    assert (answer, record.outcome) == ([], Outcome.EVALUATOR_ERROR)
    assert record.message.startswith("fault")
    assert record.message.endswith("…")


@pytest.mark.parametrize("broken", [b"no ZIP at all", None], ids=["no ZIP", "broken ground truth"])
def test_broken_bundle_is_an_evaluator_error(
    api: Api, stack: StackHarness, tiny: PublishedBenchmark, broken: bytes | None
) -> None:
    """A published bundle that cannot score is the owner's fault: recorded, and not retried."""
    if broken is None:
        definition = (ROOT / "benchmarks/aic-2025/benchmark.yaml").read_text().replace("aic-2025", "tiny")
        broken = zip_files({"benchmark.yaml": definition.encode(), "truth.csv": b"id,type\n1,TR\n"})
    _overwrite_bundle(stack, tiny, broken)
    api.post()

    answer = FUNCTION.deliver(*stack.results())

    record = _record(stack)
    assert answer == []
    assert record.outcome is Outcome.EVALUATOR_ERROR
    assert record.message
    assert record.version == tiny.version


@pytest.mark.parametrize("result", [GOOD, WRONG])
def test_result_tried_before_is_looked_up_and_not_scored_again(
    api: Api, stack: StackHarness, result: dict[str, Any]
) -> None:
    """The share queue scores nothing that an earlier try recorded."""
    api.post(result)
    FUNCTION.deliver(*stack.results())
    before = stack.items("SubmissionsTable")
    (key,) = stack.results()

    with (
        watching(stack.cloud.dynamodb, "PutItem") as items,
        watching(stack.cloud.s3, "GetObject") as reads,
    ):
        answer = FUNCTION.invoke({"Records": [_make_share_message(key, tries=1)]})

    assert answer == {"batchItemFailures": []}
    assert items == []
    assert reads == []
    assert stack.items("SubmissionsTable") == before


@pytest.mark.parametrize(
    "body",
    [
        "",
        "{}",
        '{"Records": [{"s3": {"object": {"key": 5}}}]}',
        '{"Records": [{"s3": null}]}',
        "[" * 100_000,
        '{"line": "one\\r\\ntwo"',
    ],
)
def test_invalid_message_is_discarded_and_logged(stack: StackHarness, log: Log, body: str) -> None:
    """A message of a foreign shape is acknowledged, and the log says so in one line."""
    answer = FUNCTION.invoke({"Records": [{**make_message("results/"), "body": body}]})

    (line,) = log()
    assert answer == {"batchItemFailures": []}
    assert (line["level"], line["message"]) == ("WARNING", "invalid message discarded")
    assert stack.items("SubmissionsTable") == []


@pytest.mark.parametrize(
    "key",
    [
        "benchmarks/tiny/current.json",
        "results/tiny/2026-01-16/019bc119-0100-70ac-a1d8-b724381a8cbe",
        "results/tiny/2026-01-15/019bc119-0100-70ac-a1d8-b724381a8cbe%0A",
    ],
)
def test_message_about_another_object_is_discarded(stack: StackHarness, key: str) -> None:
    """A notice of an object that is no raw result is acknowledged."""
    assert FUNCTION.deliver(key) == []
    assert stack.items("SubmissionsTable") == []


def test_encoded_key_is_decoded(api: Api, stack: StackHarness) -> None:
    """S3 encodes keys in its notices."""
    api.post()
    (key,) = stack.results()

    FUNCTION.deliver(key.replace("/", "%2F"))

    assert _record(stack).outcome is Outcome.SCORED


def test_only_failed_messages_are_reported(api: Api, stack: StackHarness, log: Log) -> None:
    """Of a batch exactly those messages fail, and come again, whose results could not be scored; the log says so."""
    for _ in range(3):
        api.post()
    first, second, third = stack.results()
    stack.cloud.s3.delete_object(Bucket=stack.results_bucket, Key=second)

    answer = FUNCTION.deliver(first, second, third)

    assert answer == ["message-2"]
    assert [line["message"] for line in log() if line["level"] == "ERROR"] == ["scoring failed, will be retried"]
    recorded = {item["submission"]["S"] for item in stack.items("SubmissionsTable")}
    assert recorded == {key.rsplit("/", 1)[1] for key in (first, third)}


@pytest.mark.parametrize(("receives", "seconds"), [(1, 30), (2, 60), (3, 120), (6, 960), (20, 42_000)])
def test_failed_message_is_deferred_longer_each_time(stack: StackHarness, receives: int, seconds: int) -> None:
    """What can be neither scored nor handed on stays hidden for 30 s × 2ⁿ, at most for what SQS allows."""
    sqs = stack.cloud.sqs
    url = stack.queue_url("EvaluateQueue")
    sqs.purge_queue(QueueUrl=url)
    sqs.send_message(QueueUrl=url, MessageBody="{}")
    (received,) = sqs.receive_message(QueueUrl=url)["Messages"]

    with watching(sqs, "ChangeMessageVisibility") as calls:
        answer = FUNCTION.invoke(
            {"Records": [make_message(NOWHERE, receives=receives, handle=received["ReceiptHandle"])]}
        )

    assert [item["itemIdentifier"] for item in answer["batchItemFailures"]] == ["message-1"]
    assert [call["VisibilityTimeout"] for call in calls] == [seconds]


def test_message_that_cannot_be_deferred_fails(stack: StackHarness) -> None:
    """Where even that fails the message still counts as failed, and comes back when its visibility ends."""
    with failing(stack.cloud.sqs, "ChangeMessageVisibility", code="AccessDenied", status=403):
        assert FUNCTION.deliver(_absent(1)) == ["message-1"]


def test_versions_stay_prepared_by_bytes(api: Api, stack: StackHarness, monkeypatch: pytest.MonkeyPatch) -> None:
    """Many small versions stay prepared; of large ones those that were used last, and one always."""
    names = [f"tiny-{number}" for number in range(10)]
    sample = json.dumps({**GOOD, "note": "x" * 400_000}).encode()

    def count_reads(*played: str) -> int:
        keys = [
            str(ResultKey(name, api.post(benchmark=name, query={"player": "Ada"}).body["submission"]))
            for name in played
        ]
        with watching(stack.cloud.s3, "GetObject") as reads:
            for key in keys:
                FUNCTION.deliver(key)
        return sum(item["Key"].endswith(".zip") for item in reads)

    for name in names:
        stack.publish(make_benchmark(id=name, files={"examples/large.json": sample}))

    assert count_reads(*names, *names) == 10

    monkeypatch.setattr(evaluator, "MAX_PREPARED_BYTES", 1_000_000)
    queue.evaluate_dependencies.cache_clear()
    first, second, third, *_ = names

    assert count_reads(first, second, first, third) == 3
    assert count_reads(first) == 0
    assert count_reads(second) == 1
    monkeypatch.setattr(evaluator, "MAX_PREPARED_BYTES", 1)
    assert count_reads(third, third) == 1


@pytest.mark.parametrize(("change", "bundles"), [({"title": "Anew"}, 1), ({"parameters": {"max_score": 50.0}}, 2)])
def test_result_is_scored_with_the_newest_publishing(
    api: Api, stack: StackHarness, change: dict[str, Any], bundles: int
) -> None:
    """From the moment at which a new revision is published results are scored with it; with a next version too."""
    api.post()
    FUNCTION.deliver(*stack.results())
    published = stack.publish(make_benchmark(**change))
    api.post()

    with watching(stack.cloud.s3, "GetObject") as reads:
        FUNCTION.deliver(stack.results()[1])

    assert sum(item["Key"].endswith(".zip") for item in reads) == bundles
    versions = {item["version"]["S"] for item in stack.items("SubmissionsTable")}
    assert versions == {item.version for item in published.active_versions}


def _make_share_message(key: str, *, tries: int) -> dict[str, Any]:
    """Make the message of a result in the share queue."""
    message = make_message(key)
    attributes = {**message["attributes"], "MessageGroupId": "tiny#0"}
    return {**message, "attributes": attributes, "body": make_notice("bucket", key, TryCounts(tries))}


def _record(stack: StackHarness) -> SubmissionRecord:
    """Read the one record that there is."""
    (item,) = stack.items("SubmissionsTable")
    record = stack.submissions.find_record(
        item["benchmark"]["S"], submission=item["submission"]["S"], version=item["version"]["S"], detailed=True
    )
    assert record is not None
    return record


def _absent(number: int) -> str:
    moment = int(START.timestamp() * 1000) + number
    return str(ResultKey("tiny", f"{moment >> 16:08x}-{moment & 0xFFFF:04x}-7000-8000-000000000000"))


def _overwrite_bundle(stack: StackHarness, published: PublishedBenchmark, bundle: bytes) -> None:
    key = published.bundle_key
    assert stack.keys(stack.results_bucket, key) == [key]
    stack.cloud.s3.put_object(Bucket=stack.results_bucket, Key=key, Body=bundle)


def test_long_output_is_kept_beside_the_record(api: Api, stack: StackHarness, tiny: PublishedBenchmark) -> None:
    """A detail too long for the item is an object of its own, which a repeat of the POST reads."""
    body, key = {"question": "1", "text": "TR-V017-" + ",".join(map(str, range(5000)))}, {"Idempotency-Key": "0" * 32}
    api.post(body, headers=key)
    FUNCTION.deliver(*stack.results())

    (stored,) = stack.keys(stack.results_bucket, "records/tiny/")
    assert tiny.version in stored
    assert len(_record(stack).evaluations[0].detail["values"]) == 5000  # type: ignore[arg-type]
    assert len(api.post(body, headers={**key, "Prefer": "wait=1"}).body["detail"]["values"]) == 5000
