"""The same bytes again, within a day, are the batch that exists already, whichever way they came."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from evaluate import queue
from storage.gateway.errors import StoreError
from storage.players.tokens import Scope
from tests.harness.factories import make_player
from tests.harness.stack import PLAYS, Answer, Api, StackHarness, failing, make_benchmark
from tests.integration.batches.test_batch_import import DEAD_LETTERS, BatchHarness

ADDS = {name: value for name, value in PLAYS.items() if name not in {"runs", "parts"}} | {
    "id": "adds",
    "ranking": {"keep": "sum", "combine": "sum", "by": ["Coins", "Time"]},
}
TWENTY = b'{"coins": 20, "time": 2.5}\n'
INVALID = b"{\n"


@pytest.fixture
def harness(stack: StackHarness) -> BatchHarness:
    """Two benchmarks on which results add up, and two verified players."""
    for id_ in ("adds", "adds-too"):
        stack.publish(make_benchmark(ADDS, id=id_))
    for name in ("ada", "bob"):
        stack.keep_account(make_player(name, name.title()))
    return BatchHarness(stack)


@pytest.fixture
def ada(stack: StackHarness, harness: BatchHarness) -> dict[str, str]:
    """Ada's token, as headers."""
    return stack.issue_token(make_player("ada", "Ada"), Scope.SUBMIT)


def put(harness: BatchHarness, content: bytes = TWENTY, name: str = "runs.jsonl", **place: str) -> str:
    """Put a batch, and return its notice."""
    return harness.put(content, name, **{"benchmark": "adds", **place})


def drop(harness: BatchHarness, content: bytes = TWENTY, name: str = "runs.jsonl", **place: str) -> None:
    """Put a batch and import it."""
    assert harness.deliver(put(harness, content, name, **place)) == []


def ask_form(api: Api, headers: dict[str, str], **marks: bool) -> dict[str, Any]:
    """Ask for a form that uploads TWENTY."""
    body: dict[str, Any] = {"bytes": len(TWENTY), "filename": "runs.jsonl", **marks}
    answer = api.ask("/api/benchmarks/adds/uploads", body, headers)
    assert answer.status == 201, answer.text
    return dict(answer.body)


def post_form(harness: BatchHarness, ticket: dict[str, Any]) -> str:
    """Send a form, and return its notice."""
    return put(harness, name=ticket["fields"]["key"].split("/", 3)[3])


def look(api: Api, upload: str, headers: dict[str, str]) -> Answer:
    """Look at an upload."""
    return api("GET", f"/api/benchmarks/adds/uploads/{upload}", headers=headers)


def coins(stack: StackHarness) -> list[int | float]:
    """Score what was accepted, publish the board, and return the coins of its rows."""
    evaluate = stack.queue_poller(queue.lambda_handler, queue="EvaluateQueue", function="EvaluateFunction")
    while evaluate.deliver():
        pass
    stack.follow_all()
    return [value or 0 for value in stack.rows("adds").scores["Coins"]]


@contextmanager
def received_later(harness: BatchHarness, delay: timedelta) -> Iterator[None]:
    """Let S3 say that it received the objects that much later."""

    def shift(parsed: dict[str, Any], **_: Any) -> None:
        if "LastModified" in parsed:
            parsed["LastModified"] += delay

    events = harness.stack.cloud.s3.meta.events
    events.register("after-call.s3.HeadObject", shift)
    try:
        yield
    finally:
        events.unregister("after-call.s3.HeadObject", shift)


def test_same_file_by_s3_counts_once(harness: BatchHarness) -> None:
    """Where results add up, a file that is copied twice counts 20, not 40, and is one batch of the list."""
    drop(harness)

    drop(harness)
    drop(harness, name="other/folder/runs.jsonl")

    assert len(harness.results()) == 1
    assert coins(harness.stack) == [20]


def test_same_form_and_a_new_form_are_the_batch_that_exists(
    api: Api, harness: BatchHarness, ada: dict[str, str]
) -> None:
    """Every upload answers with the one batch, its scores and that it is a repetition; the list has it once."""
    form, other = ask_form(api, ada), ask_form(api, ada)
    for ticket in (form, form, other):
        assert harness.deliver(post_form(harness, ticket)) == []
    assert coins(harness.stack) == [20]

    repeated, new = look(api, form["upload"], ada).body, look(api, other["upload"], ada).body
    by_batch = look(api, new["drop"], ada).body
    listed = api("GET", "/api/benchmarks/adds/batches", headers=ada).body["batches"]

    assert repeated["drop"] == new["drop"] == by_batch["drop"]
    assert (repeated["repeated"], new["repeated"], by_batch["repeated"]) == (True, True, False)
    assert (new["status"], new["scored"]) == ("done", 1)
    assert [card["drop"] for card in listed] == [new["drop"]]


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1), (1, 2, 0, 1, 2, 0)])
def test_three_at_once_by_one_form_are_one_batch(
    api: Api, harness: BatchHarness, ada: dict[str, str], order: tuple[int, ...]
) -> None:
    """In whatever order, and however often, their notices are delivered."""
    form = ask_form(api, ada)
    notices = [post_form(harness, form) for _ in range(3)]

    for place in order:
        assert harness.deliver(notices[place]) == []

    assert len(harness.results()) == 1
    assert len({harness.read(key).drop for key in harness.list_reports()}) == 1
    assert look(api, form["upload"], ada).body["entries"] == 1


def test_batch_that_arrives_while_the_first_is_read(harness: BatchHarness) -> None:
    """The second one's import begins while the first stores its entries: both make the same submissions."""
    first, second = put(harness), put(harness)
    events, delivered = harness.stack.cloud.s3.meta.events, list[list[str]]()

    def interrupt(**_: Any) -> None:
        if not delivered:
            delivered.append([])
            delivered[0] = harness.deliver(second)

    events.register("before-call.s3.PutObject", interrupt)
    try:
        came_back = harness.deliver(first)
    finally:
        events.unregister("before-call.s3.PutObject", interrupt)

    assert (came_back, delivered) == ([], [[]])
    assert len(harness.results()) == 1


@pytest.mark.parametrize(
    ("name", "place", "content"),
    [
        ("others.jsonl", {}, TWENTY),
        ("runs.jsonl", {"player": "bob"}, TWENTY),
        ("runs.jsonl", {"benchmark": "adds-too"}, TWENTY),
        ("runs.jsonl", {}, TWENTY + b"\n"),
    ],
)
def test_other_name_player_benchmark_or_bytes_are_another_batch(
    harness: BatchHarness, name: str, place: dict[str, str], content: bytes
) -> None:
    """Each of them is submitted."""
    drop(harness)

    drop(harness, content, name, **place)

    assert len(harness.results()) == 2


@pytest.mark.parametrize(("delay", "batches_"), [(timedelta(hours=23, minutes=59), 1), (timedelta(hours=25), 2)])
def test_after_a_day_the_same_file_is_another_batch(harness: BatchHarness, delay: timedelta, batches_: int) -> None:
    """The day is counted by the moments at which S3 received the files."""
    first = put(harness)
    assert harness.deliver(first) == []

    with received_later(harness, delay):
        drop(harness)
        drop(harness)

    assert harness.deliver(first) == []
    assert len(harness.results()) == batches_


@pytest.mark.parametrize("late", [timedelta(0), timedelta(hours=25)])
def test_earlier_batch_delivered_after_the_next_day(harness: BatchHarness, late: timedelta) -> None:
    """A notice that was delayed by more than a day makes the batch that its file was, or the one within a day of it."""
    delayed = put(harness)
    with received_later(harness, late):
        drop(harness)

    assert harness.deliver(delayed) == []
    assert harness.deliver(delayed) == []

    assert len(harness.results()) == (2 if late else 1)


def test_file_of_which_nothing_was_accepted_is_read_again(harness: BatchHarness) -> None:
    """What was rejected before the benchmark opened is accepted afterwards, though its bytes are the same."""
    harness.stack.publish(make_benchmark(ADDS, opens="2990-01-01T00:00:00Z"))
    drop(harness)
    rejected = len(harness.results())
    harness.stack.publish(make_benchmark(ADDS))

    drop(harness)
    drop(harness)

    assert (rejected, len(harness.results())) == (0, 1)


def test_file_that_counts_repeats_no_batch_that_is_rejected_meanwhile(harness: BatchHarness) -> None:
    """What arrived after the benchmark opened counts, although the same file from before has no report yet."""
    opens = datetime.now(UTC) + timedelta(hours=1)
    harness.stack.publish(make_benchmark(ADDS, opens=f"{opens:%Y-%m-%dT%H:%M:%SZ}"))
    early = put(harness)
    with failing(harness.stack.cloud.s3, "PutObject", about="reports/", code="SlowDown", status=503):
        assert harness.deliver(early)

    with received_later(harness, timedelta(hours=2)):
        drop(harness)
    assert harness.deliver(early) == []

    assert len(harness.results()) == 1
    states = {report.drop: report.state.value for report in map(harness.read, harness.list_reports())}
    assert sorted(states.values()) == ["quarantined", "received"]


@pytest.mark.parametrize("writes", range(6))
def test_crash_after_every_write_of_either(harness: BatchHarness, writes: int) -> None:
    """However far the first one's import came, the file is submitted once, by whichever notice comes next."""
    first, second = put(harness, TWENTY + INVALID), put(harness, TWENTY + INVALID)
    seen: list[str] = []

    def crash(model: Any, **_: Any) -> None:
        seen.append(model.name)
        if len(seen) > writes:
            raise StoreError("the process died")

    clients = (harness.stack.cloud.s3, harness.stack.cloud.dynamodb)
    writing = [
        (client, f"before-call.{name}")
        for client, names in zip(clients, (["s3.PutObject"], ["dynamodb.PutItem", "dynamodb.UpdateItem"]), strict=True)
        for name in names
    ]
    for client, event in writing:
        client.meta.events.register(event, crash)
    try:
        harness.deliver(first)
    finally:
        for client, event in writing:
            client.meta.events.unregister(event, crash)

    assert harness.deliver(second) == []
    assert harness.deliver(first) == []

    reports = [harness.read(key) for key in harness.list_reports()]
    assert len(harness.results()) == 1
    assert len({report.drop for report in reports}) == 1
    assert [report.state.value for report in reports] == ["received"] * 2
    assert len(harness.stack.items("MailTable")) == 1


def test_failed_import_is_taken_up_by_the_same_file(harness: BatchHarness) -> None:
    """After all retries of the first failed, the same file completes it, under the ids that were given."""
    first = put(harness, TWENTY + TWENTY)
    with failing(harness.stack.cloud.s3, "PutObject", about="reports/", code="SlowDown", status=503):
        assert harness.deliver(first)
    assert harness.deliver(first, DEAD_LETTERS) == []
    before = set(harness.results())

    drop(harness, TWENTY + TWENTY)

    assert set(harness.results()) == before
    assert [harness.read(key).state.value for key in harness.list_reports()] == ["received"] * 2


def test_first_file_that_is_gone_stops_no_other(harness: BatchHarness) -> None:
    """Whose object was deleted before it was read made no batch: the next file is one."""
    first = put(harness)
    with failing(harness.stack.cloud.s3, "GetObject", about="drops/", code="SlowDown", status=503):
        assert harness.deliver(first)
    stored = json.loads(first)["Records"][0]["s3"]["object"]
    harness.stack.cloud.s3.delete_object(Bucket=harness.bucket, Key=stored["key"], VersionId=stored["versionId"])

    drop(harness)

    assert len(harness.results()) == 1


def test_file_in_parts_equals_the_file_in_one(harness: BatchHarness) -> None:
    """An upload in parts, as AWS's tools make of large files, has another ETag, and the same bytes."""
    events = harness.stack.cloud.s3.meta.events

    def name_parts(parsed: dict[str, Any], **_: Any) -> None:
        parsed["ETag"] = f'"{"0" * 32}-2"'  # the MD5 of the parts' MD5s, and their number

    drop(harness)
    before = set(harness.results())
    events.register("after-call.s3.HeadObject", name_parts)
    try:
        drop(harness)
        same = set(harness.results())
        drop(harness, TWENTY.replace(b"20", b"21"))
    finally:
        events.unregister("after-call.s3.HeadObject", name_parts)

    assert (same == before, len(harness.results())) == (True, 2)


def test_repeated_batch_is_withdrawn_as_the_one_that_exists(
    api: Api, harness: BatchHarness, ada: dict[str, str]
) -> None:
    """The id of the second upload withdraws the batch."""
    drop(harness)
    form = ask_form(api, ada)
    harness.deliver(post_form(harness, form))

    answer = api.ask(f"/api/benchmarks/adds/uploads/{form['upload']}/withdrawal", {"reason": "mistake"}, ada)

    assert (answer.status, answer.body["changed"]) == (200, 1)
    assert look(api, form["upload"], ada).body["withdrawn"] == 1
