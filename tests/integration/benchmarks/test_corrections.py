"""Corrections: what a rescore changed is on the page, without who has left the board, and mailed once if asked for."""

import json
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

from aggregate import rescore
from aggregate.benchmarks.keeper import BoardKeeper
from storage.benchmarks.corrections import Corrections, CorrectionStore
from storage.boards.standings import BoardKey
from storage.keys import corrections_key
from storage.players.tokens import Scope
from storage.submissions.models import PlayerKind
from tests.harness.factories import make_player, make_withdrawal, name_guest
from tests.harness.stack import GOOD, ROOT, TRUTH, Api, InProcess, StackHarness, failing, make_benchmark

SCHEDULE = InProcess(rescore.lambda_handler, "RescoreFunction")
EVENT = json.loads((ROOT / "events/rescore.json").read_text())
ADA, VERA = make_player("ada", "Ada"), make_player("vera", "Vera", PlayerKind.MODEL)
BEA = name_guest("Bea", PlayerKind.HUMAN).id
OTHER = {"question": "1", "text": "TR-V017-4934,5001"}
CORRECTED = TRUTH.replace("4945,5010,5001,5020", "4934,4934,5001,5001")
"""The truth that Vera and Bea knew."""
REASON = "The frames of question 1 were wrong."


@pytest.fixture
def corrected(api: Api, stack: StackHarness, owner: dict[str, str], work: Callable[[], None]) -> dict[str, str]:
    """Three results, of which two are better under the truth that was published next; the headers of the owner."""
    for player, result in ((ADA, GOOD), (VERA, OTHER)):
        address = f"{player.id}@example.com"
        headers = stack.issue_token(player, Scope.SUBMIT, benchmarks=("tiny",), address=address)
        api.post(result, headers=headers)
    api.post(OTHER, query={"player": "Bea"})
    work()
    stack.publish(make_benchmark(truth=CORRECTED))
    return owner


def read_corrections(stack: StackHarness) -> Corrections | None:
    """Read the list of corrections as the site serves it."""
    return CorrectionStore(stack.aggregator.snapshots.bucket).find("tiny")


def ask(api: Api, headers: dict[str, str], **note: Any) -> int:
    """Ask for a rescore, and return the status."""
    return api.ask("/api/benchmarks/tiny/rescore", note or None, headers).status


def test_correction_is_listed_once(
    api: Api, stack: StackHarness, corrected: dict[str, str], work: Callable[[], None]
) -> None:
    """The list has who moved and why; the schedule dies before the head, and nothing is there twice."""
    assert "corrected_at" not in stack.aggregator.snapshots.bucket.get("data/b/tiny/head.json").body.decode()
    assert ask(api, corrected, reason=REASON) == 202
    site = rescore.promoter().aggregator.snapshots.bucket.client.client
    with failing(site, "PutObject", about="data/b/tiny/head.json") as refused, suppress(ExceptionGroup):
        work()
    before = stack.head("tiny")
    assert refused
    assert before.corrected_at is None

    work()

    head, listed = stack.head("tiny"), read_corrections(stack)
    assert listed is not None
    (correction,) = listed.corrections
    assert head.corrected_at == correction.at
    assert (correction.replaced, correction.version, correction.reason) == (before.version, head.version, REASON)
    assert (correction.rows, correction.changed, correction.moved, correction.left) == (3, 3, 3, 0)
    assert [(row.name, row.rank_before, row.rank_after) for row in correction.listed] == [
        ("Vera", 2, 1),
        ("Bea", 2, 1),
        ("Ada", 1, 3),
    ]
    assert correction.listed[0].value_after == stack.rows("tiny").scores[correction.metric.id][0]
    stored = stack.cloud.s3.head_object(Bucket=stack.site_bucket, Key=corrections_key("tiny"))
    assert stored["CacheControl"] == "public, max-age=2"


def test_who_leaves_the_board_leaves_the_list(
    api: Api, stack: StackHarness, corrected: dict[str, str], work: Callable[[], None]
) -> None:
    """A banned or withdrawn player is counted and no longer named, at rest and in the very moment of the switch."""
    assert ask(api, corrected) == 202
    work()
    listed = read_corrections(stack)
    assert listed is not None
    assert listed.corrections[0].reason == ""
    assert listed.list_rows() == {"ada", BEA, "vera"}
    api.ask("/api/benchmarks/tiny/ban", {"player": BEA, "reason": "copied"}, corrected)
    rows = stack.rows("tiny")
    submission = dict(zip(rows.player, rows.submission, strict=True))["ada"]
    record = stack.submissions.find_record("tiny", submission=submission, version=stack.head("tiny").version)
    assert record is not None

    stack.withdrawals.put(make_withdrawal(record))
    work()

    stored = stack.aggregator.snapshots.bucket.get(corrections_key("tiny")).body.decode()
    assert not {"Ada", "Bea", "ada", BEA} & set(stored.replace('"', " ").split())
    left = read_corrections(stack)
    assert left is not None
    assert (left.corrections[0].changed, left.list_rows()) == (3, {"vera"})


def test_who_leaves_between_list_and_head_leaves_the_list(
    api: Api, stack: StackHarness, corrected: dict[str, str], work: Callable[[], None]
) -> None:
    """A result that is withdrawn while the list of its version is written is not named when the board switches."""
    assert ask(api, corrected) == 202
    site = rescore.promoter().aggregator.snapshots.bucket.client.client
    with failing(site, "PutObject", about="data/b/tiny/"), suppress(ExceptionGroup):
        work()
    published = stack.aggregator.benchmarks.current("tiny", fresh=True)
    records = stack.submissions.all_records("tiny", version=published.version)
    (record,) = (record for record in records if record.submission.player.id == ADA.id)
    listed: list[bytes] = []

    def withdraw(params: Any, **_: Any) -> None:
        if "corrections.json" in params["url"] and not listed:
            listed.append(params["body"])
            stack.withdrawals.put(make_withdrawal(record))
            stack.aggregator.update(BoardKey("tiny", published.version), [record])

    site.meta.events.register("before-call.s3.PutObject", withdraw)
    SCHEDULE.invoke(EVENT)
    site.meta.events.unregister("before-call.s3.PutObject", withdraw)

    (before,), after = map(Corrections.model_validate_json, listed), read_corrections(stack)
    assert after is not None
    assert stack.head("tiny").version == published.version
    assert before.list_rows() - after.list_rows() == {"ada"}


def test_only_the_schedule_shows_a_corrected_version(
    api: Api, stack: StackHarness, corrected: dict[str, str], work: Callable[[], None]
) -> None:
    """If it dies after the pointer, no result and no publisher switches the board without the correction."""
    assert ask(api, corrected, reason=REASON) == 202
    site = rescore.promoter().aggregator.snapshots.bucket.client.client
    with failing(site, "PutObject", about="data/b/"), suppress(ExceptionGroup):
        work()
    published = stack.aggregator.benchmarks.current("tiny", fresh=True)
    before = stack.head("tiny").version
    assert published.version != before
    records = list(stack.submissions.all_records("tiny", version=published.version))

    stack.aggregator.update(BoardKey("tiny", published.version), records)
    BoardKeeper(stack.aggregator).keep(published)

    assert (stack.head("tiny").version, read_corrections(stack)) == (before, None)

    work()

    listed = read_corrections(stack)
    assert stack.head("tiny").version == published.version
    assert listed is not None
    assert [correction.reason for correction in listed.corrections] == [REASON]
