"""The schedules of upkeep as Lambda calls them: hourly orphans and a canary, daily the comparison of boards."""

import json
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest

from storage.aws.errors import Busy
from tests.harness.factories import make_guest_record
from tests.harness.stack import COINS, Api, InProcess, StackHarness, failing, make_benchmark
from upkeep import comparison, dependencies, orphans, schedule
from upkeep.canary import CanaryAnswer

UPKEEP = InProcess(schedule.lambda_handler, "UpkeepFunction")
ORPHAN = "data/b/coins/page.1-0123456789ab.json"


@pytest.fixture(autouse=True)
def published(stack: StackHarness) -> Iterator[None]:
    """A benchmark with a board, and an object that nothing names."""
    dependencies.upkeep_dependencies.cache_clear()
    stack.publish(make_benchmark(COINS))
    stack.cloud.s3.put_object(Bucket=stack.site_bucket, Key=ORPHAN, Body=b"{}")
    yield
    dependencies.upkeep_dependencies.cache_clear()


def test_hourly_run_deletes_orphans_and_leaves_the_board(stack: StackHarness, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the head names stays, as do files with fixed names."""
    monkeypatch.setattr(orphans, "RENDERING", orphans.RENDERING * -1)
    monkeypatch.setattr(orphans, "GRACE", orphans.GRACE * -1)
    before = set(stack.keys(stack.site_bucket, "data/"))
    with monkeypatch.context() as patch:
        patch.setattr(orphans, "QUIET", orphans.RENDERING)  # negative: every folder was written long ago
        assert UPKEEP.invoke({"detail-type": "Scheduled Event"}) == 0
        assert set(stack.keys(stack.site_bucket, "data/")) == before

    swept = UPKEEP.invoke({"detail-type": "Scheduled Event"})

    assert swept == 1
    assert before - set(stack.keys(stack.site_bucket, "data/")) == {ORPHAN}


def test_orphan_is_deleted_by_the_second_run_that_finds_it(
    stack: StackHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first run notes what nothing names, and deletes nothing."""
    monkeypatch.setattr(orphans, "RENDERING", orphans.RENDERING * -1)

    UPKEEP.invoke({"detail-type": "Scheduled Event"})
    between = stack.keys(stack.site_bucket, ORPHAN)
    monkeypatch.setattr(orphans, "GRACE", orphans.GRACE * 0)
    UPKEEP.invoke({"detail-type": "Scheduled Event"})

    assert (between, stack.keys(stack.site_bucket, ORPHAN)) == ([ORPHAN], [])


def test_daily_run_compares_every_benchmark(stack: StackHarness, monkeypatch: pytest.MonkeyPatch) -> None:
    """Boards that are right cause nothing; one that lacks a row makes a mail."""
    monkeypatch.setattr(comparison, "LOOK_SECONDS", 0.0)
    benchmark = stack.aggregator.benchmarks.current("coins")
    record = make_guest_record(benchmark, "Ada", {"Coins": 1, "Time": 1.5}, number=1)
    right = UPKEEP.invoke({"compare": True})
    stack.aggregator.fold_standings(benchmark.boards[0].key, [record])

    assert (right, UPKEEP.invoke({"compare": True})) == (0, 1)

    (mail,) = stack.items("MailTable")
    assert mail["text"]["S"].startswith(f"{record.submission.player.id}: the board shows nothing")


def test_failed_run_is_reported(stack: StackHarness) -> None:
    """A benchmark that cannot be compared fails the run, so that the alarm on errors reports it."""
    benchmarks = dependencies.upkeep_dependencies().benchmarks

    with (
        failing(stack.cloud.s3, "GetObject", code="InternalError", status=500),
        pytest.raises(ExceptionGroup) as caught,
    ):
        schedule.run_each(["coins"], lambda name: bool(benchmarks.current(name, fresh=True)))

    assert isinstance(caught.value.exceptions[0], Busy)


def test_canary_gets_the_answer_that_it_expects(api: Api, stack: StackHarness, monkeypatch: pytest.MonkeyPatch) -> None:
    """A POST that reaches `submit` is answered as expected and leaves nothing; without the host's secret it is not."""
    answers = list[CanaryAnswer]()

    def post(url: str) -> CanaryAnswer:
        answer = api("POST", urlsplit(url).path, body=b"-", headers={"Content-Type": "application/json"})
        answers.append(CanaryAnswer(answer.status, json.dumps(answer.body).encode()))
        return answers[-1]

    before = stack.left_behind()
    dependencies.upkeep_dependencies.cache_clear()
    with monkeypatch.context() as patch:
        patch.setattr(dependencies, "post_result", post)
        patch.setenv("CANARY_URL", "https://laurel.example")
        assert UPKEEP.invoke({"canary": True}) == 0

    assert [answer.status for answer in answers] == [404]
    assert stack.left_behind() == before
