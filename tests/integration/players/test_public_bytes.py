"""What only owners may see is in no public byte: no route's answer, no file of the site, no mail, no line of the log.

Routes, their parameters and files are found, not listed: a new one is covered here, or fails until it has values.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import pytest

from aggregate import rescore
from evaluate import queue
from notify import stream as notices
from scoring_core.benchmarks.loading import Benchmark
from storage.batches.reports import BatchEntry, summarize
from storage.benchmarks.store import PublishedBenchmark
from storage.gateway.bucket import Bucket
from storage.keys import ResultKey, utc_now
from storage.players.tokens import Scope
from storage.submissions.models import PlayerKind
from tests.harness.factories import make_batch_report, make_guest_record, make_player, name_guest
from tests.harness.stack import COINS, GOOD, TRUTH, Answer, Api, StackHarness, make_benchmark, make_context, restart_api
from tests.integration.mail.test_notify import Post
from tests.leaks.requests import VALUES, Values, find_differences, read_public
from upkeep.orphans import OrphanSweeper

REVIEWED: Final = "score > 70"
FAIR: Final = {"question": "1", "text": "TR-V017-4945"}
CORRECTED: Final = TRUTH.replace("4945,5010,5001,5020", "4946,5010,5003,5020")
OTHER: Final = TRUTH.replace("4945,5010,5001,5020", "4944,5010,5000,5021")
SCORES: Final = {TRUTH: 76.3111, CORRECTED: 75.5611, OTHER: 76.5611}
"""Of the secret run, by truth."""
DIGITS: Final = re.compile(r"76\.31|75\.56|76\.56")
KEY: Final = {"Laurel-Player-Key": f"player_{'7' * 32}"}
ADA: Final = name_guest("Ada", PlayerKind.HUMAN).id
REASON: Final = "The frames were wrong."


def make(truth: str = TRUTH, review: str | None = None, **changes: Any) -> Benchmark:
    """Make a version of the benchmark; its scores have digits that nothing else has."""
    extra = {"parameters": {"max_score": 97.3111}, "results": "public", "windows": ["daily"], **changes}
    return make_benchmark(truth=truth, **extra, **({"review": review} if review else {}))


@dataclass
class World:
    """A benchmark with one run that is secret, and everybody who may look."""

    stack: StackHarness
    api: Api
    work: Callable[[], None]
    owner: dict[str, str]
    callers: dict[str, dict[str, str]]
    values: Values
    wait: int = 1
    secret: Any = None
    versions: list[str] = field(default_factory=list)

    def publish(self, benchmark: Benchmark) -> PublishedBenchmark:
        """Publish a version; every process knows it at once."""
        published = self.stack.publish(benchmark)
        self.versions.append(benchmark.version)
        rescore.lambda_handler({}, make_context())
        restart_api()
        return published

    def play(self, result: Any = GOOD) -> Any:
        """Submit the run that is to stay secret, as a guest with a player key."""
        self.secret = self.api.post(result, query={"player": "Ada"}, headers=KEY).body
        return self.secret

    def score(self, *pointers: PublishedBenchmark) -> None:
        """Score the secret run under the active versions of these pointers, or of the present one."""
        present = self.stack.aggregator.benchmarks.current("tiny", fresh=True)
        for published in pointers or (present,):
            queue.evaluate_dependencies()[0].evaluate(ResultKey("tiny", self.secret["submission"]), published)
        self.work()

    def rescore(self) -> None:
        """Make the next version current."""
        asked = self.api.ask("/api/benchmarks/tiny/rescore", {"reason": REASON}, self.owner)
        assert asked.status == 202, asked
        self.work()
        self.work()
        assert self.stack.head("tiny").version == self.versions[-1]

    def show(self, version: str | None = None, headers: Mapping[str, str] = {}) -> Answer:
        """Return the status of the secret run."""
        query = {"version": version} if version else None
        return self.api("GET", self.secret["status_url"], query=query, headers=headers)

    @property
    def receipt(self) -> dict[str, str]:
        """The headers of the secret run's player."""
        return {"Authorization": f"Bearer {self.secret['receipt']}"}

    def read(self) -> dict[Any, Any]:
        """Return every byte of the site, and every answer of every route to everybody but owners and the player."""
        values = {
            **self.values,
            "submission": [self.secret["submission"], *self.values["submission"]],
            **{key: [self.secret["submission"]] for key in ("upload", "publication", "operation")},
            "version": [*dict.fromkeys(self.versions), "0123456789abcdef"],
        }
        repeats = {(caller, "repeat"): self.repeat(headers) for caller, headers in self.callers.items()}
        return read_public(self.stack, self.api, values, self.callers) | repeats

    def repeat(self, headers: Mapping[str, str]) -> Answer:
        """Submit a fair result, or repeat that."""
        query = None if headers == self.callers["player"] else {"player": "Bea"}
        sent = {**headers, "Prefer": f"wait={self.wait}", "Idempotency-Key": "bystander"}
        return self.api.post(FAIR, query=query, headers=sent)


def open_world(
    stack: StackHarness, api: Api, work: Callable[[], None], owner: dict[str, str], benchmark: Benchmark
) -> World:
    """Return a benchmark with the results of two bystanders, and a session of DRES."""
    heron = make_player("heron", "Heron")
    rival = stack.issue_token(heron, Scope.SUBMIT, benchmarks=("tiny",), address="heron@example.com")
    other = stack.issue_token(make_player("otto", "Otto"), Scope.OWN, Scope.ORGANISE, benchmarks=("other",))
    stack.publish(benchmark)
    bea = api.post(FAIR, query={"player": "Bea"}, headers={"Idempotency-Key": "bystander"}).body
    api.post(FAIR, headers={**rival, "Idempotency-Key": "bystander"})
    work()
    login = {"username": "heron", "password": rival["Authorization"].removeprefix("Bearer ")}
    session = api.ask("/api/v2/login", login).body["sessionId"]
    callers = {"nobody": {}, "player": rival, "organiser": other}
    values = {
        **VALUES, "submission": [bea["submission"]], "player": [ADA, "heron"], "players": [f"{ADA},heron"],
        "session": [session],
    }  # fmt: skip
    return World(stack, api, work, owner, callers, values, versions=[benchmark.version])


@pytest.fixture
def open_with(
    api: Api, stack: StackHarness, owner: dict[str, str], work: Callable[[], None]
) -> Callable[[Benchmark], World]:
    """What makes the world with a benchmark."""
    return lambda benchmark: open_world(stack, api, work, owner, benchmark)


@pytest.fixture
def world(open_with: Callable[[Benchmark], World]) -> World:
    """The world with a benchmark without `review`."""
    return open_with(make())


def _later(hours: int) -> Callable[[], datetime]:
    return lambda: datetime.now(UTC) + timedelta(hours=hours)


def test_outcome_of_the_next_version_alone_is_not_shown(open_with: Callable[[Benchmark], World]) -> None:
    """While the script of the current version has not run, a submission is queued; its player sees no more."""
    world = open_with(make_benchmark(COINS, id="tiny"))
    world.wait = 0
    world.play()
    world.publish(make())
    before, own = world.read(), world.show(headers=world.receipt).body

    for published in world.stack.aggregator.benchmarks.current("tiny", fresh=True).active_versions[1:]:
        world.score(published)

    (record,) = world.stack.submissions.list_records_of("tiny", submission=world.secret["submission"])
    assert (record.version, record.scores) == (world.versions[-1], {"score": SCORES[TRUTH]})
    assert find_differences(before, world.read()) == {}
    assert world.show(headers=world.receipt).body == own
    repeat = world.api.post(GOOD, query={"player": "Ada"}, headers={**KEY, "Prefer": "wait=1"})
    assert "scores" not in repeat.body


def test_run_that_a_correction_reviews_is_public_nowhere(
    world: World, monkeypatch: pytest.MonkeyPatch, log: Callable[[], list[dict[str, Any]]]
) -> None:
    """Not under the version under which it was public either, until its owner accepts it."""
    world.play()
    world.work()
    public, shown = world.read(), world.show().body
    world.publish(make(CORRECTED, review=REVIEWED))
    world.rescore()

    for hours in (2, 4):
        OrphanSweeper(Bucket(world.stack.cloud.objects, world.stack.site_bucket), _later(hours)).sweep("data/")
    seen = world.read()

    first, second = dict.fromkeys(world.versions)
    assert shown["scores"] == {"score": SCORES[TRUTH]}
    assert DIGITS.search(str(public))
    assert {name for name, value in seen.items() if DIGITS.search(str(value))} == set()
    assert (world.show().body["status"], world.show(first).status, world.show(second).body["status"]) == (
        "queued", 404, "queued",
    )  # fmt: skip
    for version in (first, second):
        assert world.show(version, world.receipt).body["scores"], "its player may see what is in review"
    post = Post(world.stack)
    world.stack.read_stream(notices.lambda_handler, function="NotifyFunction")
    post.flush()
    mails = {mail["To"]: mail.as_string() for mail in post.sent()}
    assert mails.keys() == {"owner@example.com"}
    assert not [line for line in log() if DIGITS.search(json.dumps(line))]

    world.api.ask(f"{world.secret['status_url']}/acceptance", {}, world.owner)
    world.work()

    assert world.show().body["scores"] == {"score": SCORES[CORRECTED]}
    assert world.show(first).body["scores"] == {"score": SCORES[TRUTH]}


def test_versions_that_were_current_stay_public(world: World) -> None:
    """What was public under a version can be read under its name; the next version is for owners alone."""
    first = world.versions[0]
    world.play()
    world.work()
    world.publish(make(CORRECTED))
    world.rescore()
    world.publish(make(OTHER))
    world.score()
    second, following = world.versions[-2:]

    for headers in (*world.callers.values(), world.receipt):
        assert world.show(first, headers).body["scores"] == {"score": SCORES[TRUTH]}
        assert world.show(second, headers).body["scores"] == {"score": SCORES[CORRECTED]}
        assert world.show(None, headers).body["scores"] == {"score": SCORES[CORRECTED]}
        assert world.show(following, headers).status == 404
    assert world.show(following, world.owner).body["scores"] == {"score": SCORES[OTHER]}

    world.publish(make(CORRECTED))
    world.publish(make())
    world.play()
    world.score()

    for headers in (*world.callers.values(), world.receipt):
        assert world.show(first, headers).status == 404, "it was not current for this run"
    assert world.show(first, world.owner).body["scores"] == {"score": SCORES[TRUTH]}


@pytest.mark.parametrize("late", [True, False], ids=["recorded late", "written late"])
def test_late_outcome_of_a_replaced_version_is_not_shown(world: World, *, late: bool) -> None:
    """A score under a version that was current a moment ago makes nothing public; the result is scored again.

    Then an outcome that was recorded while the version was current is shown as any other of that version.
    """
    stale = world.stack.aggregator.benchmarks.current("tiny", fresh=True)
    started = utc_now()
    world.publish(make(CORRECTED))
    world.rescore()
    first, second = dict.fromkeys(world.versions)
    world.play()
    before = world.read()
    evaluator = replace(queue.evaluate_dependencies()[0], clock=utc_now if late else lambda: started)

    evaluator.evaluate(ResultKey("tiny", world.secret["submission"]), stale)

    (record,) = world.stack.submissions.list_records_of("tiny", submission=world.secret["submission"])
    assert (record.version, record.rescored) == (first, False)
    assert find_differences(before, world.read()) == {}
    world.score()
    assert world.show().body["scores"] == {"score": SCORES[CORRECTED]}
    assert world.show(first).status == (404 if late else 200)
    assert world.show(second).status == 200


def test_batch_has_no_outcome_of_another_version(stack: StackHarness) -> None:
    """An entry that only the next version has scored is queued in its player's report and mail."""
    published = stack.publish(make())
    made = make_guest_record(published, "Ada", {"score": SCORES[OTHER]}, number=1)
    batch = made.submission.id
    stack.submissions.put_record(
        made._replace(submission=made.submission._replace(batch=batch), version="0123456789abcdef")
    )
    report = make_batch_report(batch, "tiny", entries=(BatchEntry(entry="a.json", submission=batch),))

    (entry,) = summarize(report, stack.submissions.list_batch("tiny", batch=batch, version=published.version))

    assert (entry.status, entry.scores) == ("queued", None)
