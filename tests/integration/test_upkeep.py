"""The schedules of upkeep as Lambda calls them: hourly orphans, daily the comparison of every benchmark."""

from collections.abc import Iterator

import pytest

from storage.aws.errors import Busy
from tests.harness.stack import COINS, InProcess, StackHarness, failing, make_benchmark
from upkeep import dependencies, orphans, schedule

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
    """What the head names stays, as do files with fixed names; a small board gets no edition."""
    monkeypatch.setattr(orphans, "PUBLISHING", orphans.PUBLISHING * -1)
    monkeypatch.setattr(orphans, "GRACE", orphans.GRACE * -1)
    before = set(stack.keys(stack.site_bucket, "data/"))
    with monkeypatch.context() as patch:
        patch.setattr(orphans, "QUIET", orphans.PUBLISHING)  # negative: every folder was written long ago
        assert UPKEEP.invoke({"detail-type": "Scheduled Event"}) == 0
        assert set(stack.keys(stack.site_bucket, "data/")) == before

    written = UPKEEP.invoke({"detail-type": "Scheduled Event"})

    assert written == 0
    assert before - set(stack.keys(stack.site_bucket, "data/")) == {ORPHAN}


def test_daily_run_compares_every_benchmark() -> None:
    """Boards that are right cause nothing."""
    assert UPKEEP.invoke({"compare": True}) == 0


def test_failed_run_is_reported(stack: StackHarness) -> None:
    """A benchmark that cannot be compared fails the run, so that the alarm on errors reports it."""
    benchmarks = dependencies.upkeep_dependencies().benchmarks

    with (
        failing(stack.cloud.s3, "GetObject", code="InternalError", status=500),
        pytest.raises(ExceptionGroup) as caught,
    ):
        schedule.run_each(["coins"], lambda name: bool(benchmarks.current(name, fresh=True)))

    assert isinstance(caught.value.exceptions[0], Busy)
