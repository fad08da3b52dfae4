"""The owner's runner: what waits for it, its leases, and what it reports."""

import dataclasses
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any, Final

import pytest

from aggregate.benchmarks import promoter
from evaluate import dependencies as sweeping
from evaluate import queue, sweep
from handlers.http import dependencies
from scoring_core.benchmarks.bundle import pack
from scoring_core.benchmarks.loading import Benchmark, load_bundle
from scoring_core.errors import BenchmarkError
from scoring_core.judgement import judge
from storage.keys import ReportedKey, ResultKey, utc_now
from storage.players.tokens import Scope
from storage.submissions.work import WorkStore
from tests.harness.clock import Clock
from tests.harness.factories import make_player
from tests.harness.stack import (
    COINS,
    GOOD,
    GOOD_SCORE,
    TRUTH,
    Answer,
    Api,
    InProcess,
    StackHarness,
    failing,
    make_benchmark,
)
from tests.integration.benchmarks.test_final import FINAL_BOARD, LUCKY, PUBLIC_BOARD, STEADY, Contest, make_contest
from tests.integration.benchmarks.test_final import GOOD as NEAR
from tests.integration.players.test_invitations import bearer, invite, join

OWN: Final = {"runs_on": "own"}
PATH: Final = "/api/benchmarks/tiny/work"


@pytest.fixture
def runner(stack: StackHarness, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> "Runner":
    """A runner with a token of scope `work`; the benchmark is published without its truth."""
    stack.publish(make_benchmark(**OWN).withhold())
    headers = stack.issue_token(make_player("gpu", "GPU"), Scope.WORK, benchmarks=("tiny",))
    monkeypatch.setattr(dependencies, "utc_now", clock)
    return Runner(headers)


@dataclasses.dataclass(frozen=True)
class Runner:
    """What `laurel work` sends."""

    headers: Mapping[str, str]
    name: str = "gpu-1"

    def take(self, api: Api, version: str | None = None) -> Answer:
        """Ask for the next submission."""
        asked = {"runner": self.name, "versions": [version or make_benchmark(**OWN).version], "sandbox": "none"}
        return api.ask(PATH, asked, self.headers)

    def report(self, api: Api, run: Mapping[str, Any], **changes: Any) -> Answer:
        """Report a score."""
        scored = {"outcome": "scored", "evaluations": [{"part": "1", "scores": {"score": GOOD_SCORE}}]}
        body = {"version": run["version"], "signature": "benchmark:tiny|sandbox:none", **scored, **changes}
        return api.ask(f"{PATH}/{run['submission']}", body, self.headers)

    def serve(self, api: Api, stack: StackHarness, full: Benchmark) -> None:
        """Score all that waits under a version of the folder."""
        while run := self.take(api, full.version).body["run"]:
            result = stack.submissions.get_result(ResultKey("tiny", run["submission"])).body
            scored = judge(full, full.prepare_scorer(), result).evaluations
            self.report(api, run, evaluations=[{"part": each.part, "scores": each.scores} for each in scored])

    def renew(self, api: Api, run: Mapping[str, Any], **changes: Any) -> Answer:
        """Renew a lease."""
        asked = {"version": run["version"], "lease": run["lease"], **changes}
        return api.ask(f"{PATH}/{run['submission']}/lease", asked, self.headers)


def test_bundle_without_truth_is_the_same_version() -> None:
    """Truth, program and examples stay at home; what is published has their hashes, and none of them."""
    full = make_benchmark(**OWN, files={"examples/a.json": b"{}", "description.md": b"# Tiny"})
    published = load_bundle(full.withhold().pack())

    assert (published.version, published.parts) == (full.version, full.parts)
    assert set(published.files) == {"benchmark.yaml", "description.md", "withheld.json"}
    assert published.withhold() is published
    assert make_benchmark(**OWN, truth=TRUTH.replace("5020", "5021")).version != full.version
    with pytest.raises(BenchmarkError, match=r"expected no truth and no program beside it, found 'truth.csv'"):
        load_bundle(pack({**published.files, "truth.csv": b""}))


def test_result_is_scored_by_the_runner(
    api: Api, stack: StackHarness, runner: Runner, work: Callable[[], None], owner: dict[str, str]
) -> None:
    """It waits, is leased, and its outcome is on the board, as if the platform had scored it."""
    stack.publish(make_benchmark(**OWN).withhold())
    status = api.post(GOOD, query={"player": "Ada"}).body["status_url"]
    work()
    waiting = api.get(status).body
    assert (waiting["status"], waiting["runner"]) == ("queued", {"seen_at": None})

    run = runner.take(api).body["run"]
    listed = api.get(PATH, headers=owner).body
    assert (run["part"], run["tries"], run["file_format"]) == (None, 1, "json")
    assert (listed["waits"], listed["runners"][0]["submission"]) == (1, run["submission"])
    assert runner.take(api).body == {"waits": 1, "run": None}

    assert runner.report(api, run).body == {"first": True}
    work()
    done, full = api.get(status).body, make_benchmark(**OWN)
    assert (
        done["scores"] == judge(full, full.prepare_scorer(), b'{"question": "1", "text": "TR-V017-4945,5001"}').scores
    )
    assert done["signature"].endswith("|sandbox:none")
    assert stack.rows("tiny").name == ("Ada",)
    assert stack.check_boards("tiny") == []
    assert runner.report(api, run).body["type"] == "urn:laurel:problem:has-an-outcome"
    assert runner.take(api).body == {"waits": 0, "run": None}


def test_lease_ends_and_another_runner_takes_it(
    api: Api, runner: Runner, clock: Clock, work: Callable[[], None], stack: StackHarness
) -> None:
    """Renewed, it lasts; given back, it does not count; three that end without an outcome are the owner's error."""
    status = api.post(GOOD, query={"player": "Ada"}).body["status_url"]
    owner = stack.issue_token(make_player("olga", "Olga"), Scope.OWN, benchmarks=("tiny",))
    work()
    other = dataclasses.replace(runner, name="gpu-2")
    run = runner.take(api).body["run"]
    clock.advance(seconds=50)
    assert runner.renew(api, run).status == 200
    assert api.get(PATH, headers=owner).body["runners"][0]["seen_at"] == f"{clock.moment:%Y-%m-%dT%H:%M:%SZ}"
    clock.advance(seconds=50)
    assert other.take(api).body["run"] is None
    assert runner.renew(api, run, release=True).status == 200
    second = other.take(api).body["run"]
    assert second["tries"] == 1
    assert runner.renew(api, run).body["type"] == "urn:laurel:problem:lease-lost"

    for tries in (2, 3):
        clock.advance(seconds=61)
        assert runner.take(api).body["run"]["tries"] == tries
    clock.advance(seconds=61)
    assert runner.take(api).body == {"waits": 0, "run": None}
    work()
    assert api.get(status).body["outcome"] == "evaluator_error"


def test_late_outcome_without_a_lease_counts_if_it_is_the_first(
    api: Api, runner: Runner, clock: Clock, work: Callable[[], None]
) -> None:
    """A runner whose site was away for an hour loses nothing; the other one is told."""
    api.post(GOOD, query={"player": "Ada"})
    work()
    run = runner.take(api).body["run"]
    clock.advance(hours=1)
    second = runner.take(api).body["run"]

    assert runner.report(api, run).status == 200
    assert runner.report(api, second).status == 409
    assert runner.renew(api, second).status == 409


@pytest.mark.parametrize(
    "wrong",
    [
        ({"evaluations": []}, "expected one or more if it scored"),
        ({"outcome": "invalid"}, "none otherwise"),
        ({"evaluations": [{"part": "9", "scores": {"score": 1}}]}, "found '9'"),
        ({"evaluations": [{"part": "1", "scores": {"points": 1}}]}, "'points' is no metric of tiny"),
        ({"evaluations": [{"part": "1", "scores": {"score": 101}}]}, "above the maximum 100"),
        ({"evaluations": [{"part": "1", "scores": {"score": 1}}] * 2}, "each once"),
        ({"version": "0" * 16}, "neither the current nor the next one"),
    ],
)
def test_wrong_outcome_is_refused_and_leaves_nothing(
    api: Api, runner: Runner, work: Callable[[], None], stack: StackHarness, wrong: tuple[dict[str, Any], str]
) -> None:
    """The runner hears what is wrong with it; the submission still waits."""
    api.post(GOOD, query={"player": "Ada"})
    work()
    run = runner.take(api).body["run"]

    assert wrong[1] in runner.report(api, run, **wrong[0]).body["detail"]
    assert stack.keys(stack.results_bucket, "outcomes/") == []
    assert runner.renew(api, run).status == 200


def test_token_of_a_runner_does_nothing_else(
    api: Api, runner: Runner, stack: StackHarness, owner: dict[str, str]
) -> None:
    """Nobody else takes work; a folder of another version gets none; a benchmark of the platform has none."""
    stack.publish(make_benchmark(**OWN).withhold())
    stranger = Runner(stack.issue_token(make_player("eve", "Eve"), Scope.SUBMIT))
    assert stranger.take(api).status == 403
    assert Runner({}).take(api).status == 401
    invited = Runner(bearer(join(api, invite(api, owner, allows=["work"])["code"], "Box")))
    assert api.post(GOOD, headers=invited.headers).status == 403
    for known in (runner, invited):
        assert known.take(api, "0" * 16).body["type"] == "urn:laurel:problem:other-version"
    assert api.get(PATH, headers=runner.headers).status == 403
    assert api.post(GOOD, headers=runner.headers).status == 403
    stack.publish(make_benchmark())
    assert api.get(PATH, headers=owner).body == {"own": False, "waits": 0, "oldest_at": None, "runners": []}


def test_owner_is_mailed_once_when_results_wait_for_a_day(
    api: Api, runner: Runner, stack: StackHarness, work: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not before, and not again while no runner is seen."""
    assert timedelta(days=1) == promoter._PATIENCE

    def count() -> int:
        return sum(item["thread"]["S"].startswith("runs#tiny") for item in stack.items("MailTable"))

    api.post(GOOD, query={"player": "Ada"})
    work()
    before = count()
    monkeypatch.setattr(promoter, "_PATIENCE", timedelta())
    work()
    work()
    assert (before, count()) == (0, 1)


def test_a_corrected_truth_is_scored_under_both_versions(
    api: Api, runner: Runner, stack: StackHarness, work: Callable[[], None], clock: Clock
) -> None:
    """While a rescore is under way a result waits under each version that has no outcome of it."""
    clock.moment = utc_now()  # as of the functions behind the API
    owner = stack.issue_token(make_player("olga", "Olga"), Scope.OWN, benchmarks=("tiny",))
    api.post(GOOD, query={"player": "Ada"})
    work()
    runner.report(api, runner.take(api).body["run"])
    work()
    corrected = make_benchmark(**OWN, truth=TRUTH.replace("5020", "5021"))
    stack.publish(corrected.withhold())
    assert api.ask("/api/benchmarks/tiny/rescore", {}, owner).status == 202
    api.post(GOOD, query={"player": "Bea"})
    work()

    before = runner.take(api).body["run"]
    following = [runner.take(api, corrected.version).body["run"] for _ in range(2)]
    assert before["submission"] in {run["submission"] for run in following}
    runner.report(api, following[0])
    work()
    assert stack.head("tiny").version == before["version"]
    for run in (following[1], before):
        runner.report(api, run)
    work()
    assert (stack.head("tiny").version, {*stack.rows("tiny").name}) == (corrected.version, {"Ada", "Bea"})


def test_sweep_leaves_alone_what_waits(
    api: Api, runner: Runner, stack: StackHarness, work: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It queues it not again, and forgets what waited under a version that is gone."""
    monkeypatch.setenv("SWEEP_AGE_SECONDS", "0")
    monkeypatch.setattr(dependencies, "utc_now", utc_now)
    submission = api.post(GOOD, query={"player": "Ada"}).body["submission"]
    work()
    sweeping.sweeper().work.wait(ReportedKey("tiny", submission, "0" * 16), utc_now())
    assert InProcess(sweep.lambda_handler, "SweepFunction").invoke({}) == {}
    assert [work.version for work in sweeping.sweeper().work.list_waiting("tiny")] == [make_benchmark(**OWN).version]


def test_lost_race_goes_on(api: Api, runner: Runner, work: Callable[[], None], monkeypatch: pytest.MonkeyPatch) -> None:
    """Others may take four results between a runner's look and its lease; it gets the fifth."""
    sent = [api.post(GOOD, query={"player": player}).body["submission"] for player in "ABCDE"]
    work()
    lost, change = iter([False] * 4), WorkStore._change
    monkeypatch.setattr(WorkStore, "_change", lambda *given: next(lost, True) and change(*given))
    assert runner.take(api).body["run"]["submission"] in sent


def test_failure_of_the_platform_counts_no_lease(
    api: Api, runner: Runner, work: Callable[[], None], stack: StackHarness
) -> None:
    """A runner that never heard of its lease has not tried."""
    api.post(GOOD, query={"player": "Ada"})
    work()
    with failing(stack.cloud.s3, "CopyObject"):
        assert [runner.take(api).status for _ in range(4)] == [503] * 4

    assert runner.take(api).body["run"]["tries"] == 1


def test_final_ranks_by_the_hidden_half(
    api: Api, runner: Runner, stack: StackHarness, work: Callable[[], None], clock: Clock
) -> None:
    """The runner scores it as the platform would, which knows neither truth."""
    clock.moment = utc_now()  # as of the functions behind the API
    owner = stack.issue_token(make_player("olga", "Olga"), Scope.OWN, benchmarks=("tiny",))
    closed, played = make_contest(**OWN), make_contest(**OWN, closes=None)
    stack.publish(played.withhold())
    for player, result in (("Ada", STEADY), ("Ada", LUCKY), ("Bea", NEAR)):
        api.post(result, query={"player": player})
    work()
    runner.serve(api, stack, played)
    stack.publish(closed.withhold())
    work()

    contest = Contest(api, stack, work, owner)
    before = contest.board
    final = contest.reveal().body["next"]
    work()
    assert (final, contest.board) == (closed.final_version, before)
    runner.serve(api, stack, closed.reveal())
    work()
    assert (before, contest.board) == (PUBLIC_BOARD, FINAL_BOARD)


def test_what_waits_is_charged_and_a_failure_refunded(
    api: Api, runner: Runner, stack: StackHarness, work: Callable[[], None]
) -> None:
    """Quotas do not wait for a runner; what it failed at gives the try back, as on the platform."""
    stack.publish(make_benchmark(**OWN, submissions={"per_day": 1}).withhold())
    token = stack.issue_token(make_player("ada", "Ada"), Scope.SUBMIT)
    assert api.post(GOOD, headers=token).body["quota_left"] == 0
    work()
    assert api.post(GOOD, headers=token).status == 429

    runner.report(api, runner.take(api).body["run"], outcome="evaluator_error", evaluations=[])
    work()
    assert api.post(GOOD, headers=token).status == 202


def test_log_says_what_waits(
    api: Api, runner: Runner, stack: StackHarness, work: Callable[[], None], log: Callable[[], list[dict[str, Any]]]
) -> None:
    """A message that comes again about a recorded result does not, and waits in no queue for scripts."""
    stack.publish(make_benchmark(COINS, id="tiny", **OWN).withhold())
    api.post(GOOD, query={"player": "Ada"})
    evaluating = InProcess(queue.lambda_handler, "EvaluateFunction")
    evaluating.deliver(*stack.results())
    coins = make_benchmark(COINS, id="tiny", **OWN)
    run = runner.take(api, coins.version).body["run"]
    runner.report(api, run, evaluations=[{"scores": {"Coins": 1, "Time": 1.0}}])
    work()
    evaluating.deliver(*stack.results())

    said = [line["message"] for line in log() if line["function_name"].endswith("evaluatefunction")]
    assert said == ["waits for the owner's runner", "evaluated", "already recorded", "already recorded"]


@pytest.mark.parametrize("is_erased", [False, True], ids=["withdrawn", "erased"])
def test_what_is_taken_back_during_a_run_is_on_no_board(
    api: Api, runner: Runner, stack: StackHarness, work: Callable[[], None], *, is_erased: bool
) -> None:
    """The runner reports as if nothing had happened, and nothing waits any more."""
    token = stack.issue_token(make_player("iris", "Iris"), Scope.SUBMIT)
    accepted = api.post(GOOD, headers=token).body
    work()
    run = runner.take(api).body["run"]
    if is_erased:
        assert api.ask("/api/me/erasure", {"confirm": "iris"}, token).status == 200
    else:
        assert api.ask(f"{accepted['status_url']}/withdrawal", {"reason": "a mistake"}, token).status == 200

    assert runner.report(api, run).status == 200
    work()
    assert (stack.rows("tiny").name, stack.check_boards("tiny")) == ((), [])
    assert runner.take(api).body == {"waits": 0, "run": None}
