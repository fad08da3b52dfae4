"""The schedules of upkeep as Lambda calls them: hourly orphans and a canary."""

import json
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest

from tests.harness.stack import COINS, Api, InProcess, StackHarness, make_benchmark
from upkeep import dependencies, orphans, schedule
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
    """What the head names stays, as do files with fixed names; what nothing names goes in a second run."""
    monkeypatch.setattr(orphans, "RENDERING", orphans.RENDERING * -1)
    before = set(stack.keys(stack.site_bucket, "data/"))
    with monkeypatch.context() as patch:
        patch.setattr(orphans, "QUIET", orphans.RENDERING)  # negative: every folder was written long ago
        assert UPKEEP.invoke({"detail-type": "Scheduled Event"}) == 0
        assert set(stack.keys(stack.site_bucket, "data/")) == before

    first = UPKEEP.invoke({"detail-type": "Scheduled Event"})
    monkeypatch.setattr(orphans, "GRACE", orphans.GRACE * -1)
    swept = UPKEEP.invoke({"detail-type": "Scheduled Event"})

    assert (first, swept) == (0, 1)
    assert before - set(stack.keys(stack.site_bucket, "data/")) == {ORPHAN}


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
