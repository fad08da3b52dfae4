"""Replays: raw results of the first rows are public while the rows are there, and not a moment longer."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any, Final

import pytest

from aggregate import rescore, stream
from scoring_core.benchmarks.terms import ArchiveMark
from storage.access.archives import ArchiveStore
from storage.access.bans import Ban, BanStore
from storage.aws.bucket import Bucket
from storage.benchmarks.store import PublishedBenchmark
from storage.boards.rendering.replays import CACHE, MAX_REPLAY_BYTES, ReplayList, ReplayStore
from storage.keys import ResultKey, replay_key, replays_key
from storage.submissions.models import SubmissionRecord
from tests.harness.clock import START, Clock
from tests.harness.factories import make_guest_record, make_withdrawal
from tests.harness.stack import COINS, InProcess, StackHarness, make_benchmark, make_change, make_context
from upkeep.orphans import OrphanSweeper

FUNCTION: Final = InProcess(stream.lambda_handler, "AggregateFunction")
PREFIX: Final = "data/b/coins/replays/"
WRITES: Final = ("PutObject", "CopyObject", "DeleteObjects")


class Died(BaseException):
    """The process is no more."""


@pytest.fixture
def site(stack: StackHarness) -> Bucket:
    """The site bucket."""
    return Bucket(stack.cloud.s3, stack.site_bucket)


def play(
    stack: StackHarness,
    published: PublishedBenchmark,
    player: str,
    coins: int,
    *,
    number: int,
    part: str | None = None,
    body: bytes = b'{"run": []}',
) -> SubmissionRecord:
    """Submit and score a result, and deliver its record."""
    record = make_guest_record(published, player, {"Coins": coins, "Time": 1.0}, number=number, part=part)
    submission = replace(record.submission, receipt_sha256="5" * 64, origin="0" * 64)
    record = replace(record, submission=submission)
    stack.submissions.put_result(submission, body)
    stack.submissions.put_record(record)
    deliver(stack, record)
    return record


def deliver(stack: StackHarness, record: SubmissionRecord, suffix: str = "") -> None:
    """Deliver the record of a submission as its stream does, or another item beside it."""
    item = f"{record.submission.id}#{suffix or record.version}"
    key = {"benchmark": {"S": record.submission.benchmark}, "submission_version": {"S": item}}
    image = stack.cloud.dynamodb.get_item(TableName=stack.submissions.table.name, Key=key)["Item"]
    assert FUNCTION.invoke({"Records": [make_change(dict(image), number=1)]}) == {"batchItemFailures": []}


def withdraw(stack: StackHarness, record: SubmissionRecord) -> None:
    """Withdraw a submission, and deliver that."""
    stack.withdrawals.put(make_withdrawal(record))
    deliver(stack, record, "withdrawal")


def read_list(site: Bucket) -> ReplayList:
    """Return the list, which must name all copies, and show none that does not exist."""
    listed = ReplayList.model_validate_json(site.get(replays_key("coins")).body)
    copies = {key.removeprefix(PREFIX).removesuffix(".json") for key in site.list_keys(PREFIX)}
    assert listed.shown <= copies <= listed.submissions
    return listed


def name_shown(site: Bucket) -> list[tuple[int, str, str | None]]:
    """Return rank, name and part of the replays that are shown; nothing is changing."""
    listed = read_list(site)
    assert listed.changing == ()
    assert {replay_key("coins", each) for each in listed.shown} == {*site.list_keys(PREFIX)}
    return [(replay.rank, replay.name, replay.part) for replay in listed.replays]


def test_replays_are_what_the_first_rows_rest_on(stack: StackHarness, site: Bucket, clock: Clock) -> None:
    """Part by part, the raw result alone, and gone with a withdrawal, a ban, the key, or a better row of others."""
    published = stack.publish(make_benchmark(COINS, parts=["a", "b"], replays=2))
    ada = play(stack, published, "Ada", 9, number=1, part="a", body=b'{"run": "of Ada"}')
    old = play(stack, published, "Ada", 3, number=2, part="b")
    best = play(stack, published, "Ada", 5, number=3, part="b")
    play(stack, published, "Bea", 4, number=4, part="a")
    play(stack, published, "Cleo", 1, number=5, part="a")

    assert name_shown(site) == [(1, "Ada", "a"), (1, "Ada", "b"), (2, "Bea", "a")]
    key = replay_key("coins", ada.submission.id)
    copy = stack.cloud.s3.get_object(Bucket=site.name, Key=key)
    assert (copy["Body"].read(), copy["Metadata"]) == (b'{"run": "of Ada"}', {})
    assert (copy["ContentType"], copy["CacheControl"]) == ("application/json", CACHE)

    withdraw(stack, best)
    assert [replay.submission for replay in read_list(site).replays][:2] == [ada.submission.id, old.submission.id]
    assert best.submission.id not in str([*site.list_keys(PREFIX)])
    play(stack, published, "Dora", 8, number=6, part="a", body=b" " * (MAX_REPLAY_BYTES + 1))
    assert name_shown(site) == [(1, "Ada", "a"), (1, "Ada", "b")], "Dora's result is too long"

    ban = Ban(subject=ada.submission.player.id, name="", reason="cheats", at=START)
    BanStore(stack.access).put("coins", ban)
    rescore.lambda_handler({}, make_context())
    assert name_shown(site) == [(2, "Bea", "a")]

    archives = ArchiveStore(stack.access)
    mark = ArchiveMark(START, "over")
    archives.put("coins", mark)
    rescore.lambda_handler({}, make_context())
    assert [key for key in site.list_keys("data/b/coins/") if "replays" in key] == []
    archives.undo("coins", mark)
    rescore.lambda_handler({}, make_context())
    assert name_shown(site) == [(2, "Bea", "a")]

    stack.publish(make_benchmark(COINS, parts=["a", "b"]))
    assert [key for key in site.list_keys("data/b/coins/") if "replays" in key] == []
    assert b"replays" not in site.get("data/b/coins/head.json").body


def test_death_between_two_writes_leaves_nothing_public_that_is_not_listed(stack: StackHarness, site: Bucket) -> None:
    """Whichever write of replays is the last one, the next delivery brings them up to date."""
    published = stack.publish(make_benchmark(COINS, replays=1))
    play(stack, published, "Ada", 1, number=1)
    for last in range(1, 9):
        number = last + 1
        record = make_guest_record(published, f"P{number}", {"Coins": number, "Time": 1.0}, number=number)
        stack.submissions.put_result(record.submission, b"{}")
        stack.submissions.put_record(record)
        with dying(stack, last) as writes, suppress(Died):
            deliver(stack, record)
        read_list(site)
        stream.stream_dependencies.cache_clear()
        if len(writes) < last:
            break
        deliver(stack, record)
        assert name_shown(site) == [(1, f"P{number}", None)]
    assert {*writes} == {*WRITES}


@contextmanager
def dying(stack: StackHarness, last: int) -> Iterator[list[str]]:
    """Let the process die before a write of the list or a copy; gives these writes until then."""
    writes: list[str] = []

    def die(params: Any, model: Any, **_: Any) -> None:
        if "data/b/coins/replays" not in str(params):
            return
        writes.append(model.name)
        if len(writes) == last:
            raise Died

    events = stack.cloud.s3.meta.events
    for operation in WRITES:
        events.register(f"before-parameter-build.s3.{operation}", die)
    try:
        yield writes
    finally:
        for operation in WRITES:
            events.unregister(f"before-parameter-build.s3.{operation}", die)


def test_withdrawal_meanwhile_takes_the_replay_away(
    stack: StackHarness, site: Bucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process that copies a result while another takes its row off the board deletes the copy again."""
    published = stack.publish(make_benchmark(COINS, replays=1))
    play(stack, published, "Ada", 1, number=1)
    for number, at in enumerate(("put", "copy"), start=2):
        act: Callable[..., Any] = getattr(ReplayStore, at)
        best = make_guest_record(published, f"P{number}", {"Coins": 2, "Time": 1.0}, number=number)

        def meanwhile(
            store: ReplayStore,
            *arguments: Any,
            at: str = at,
            act: Callable[..., Any] = act,
            best: SubmissionRecord = best,
            **options: Any,
        ) -> Any:
            monkeypatch.setattr(ReplayStore, at, act)
            withdraw(stack, best)
            return act(store, *arguments, **options)

        monkeypatch.setattr(ReplayStore, at, meanwhile)
        play(stack, published, f"P{number}", 2, number=number)

        assert getattr(ReplayStore, at) is act, "the withdrawal came between"
        assert name_shown(site) == [(1, "Ada", None)]


def test_upkeep_deletes_what_the_list_does_not_name(stack: StackHarness, site: Bucket, clock: Clock) -> None:
    """The upkeep finds the copy of a process that lost a race and died; the schedule makes a lost list again."""
    published = stack.publish(make_benchmark(COINS, replays=1))
    record = play(stack, published, "Ada", 1, number=1)
    site.overwrite(replay_key("coins", "01a206a8-667e-7979-911c-d3786a97b133"), b"{}")

    swept = OrphanSweeper(site, clock).sweep("data/b/")

    assert swept[PREFIX] == 1
    assert name_shown(site) == [(1, "Ada", None)]
    stack.submissions.bucket.get(str(ResultKey("coins", record.submission.id)))
    site.delete_all([replays_key("coins"), replay_key("coins", record.submission.id)])
    rescore.lambda_handler({}, make_context())
    assert name_shown(site) == [(1, "Ada", None)]
    assert json.loads(site.get("data/b/coins/head.json").body)["replays"] == 1
