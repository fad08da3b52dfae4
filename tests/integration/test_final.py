"""The final: nothing scores hidden rows before it; then it is a rescore whose public scores say what counts."""

import json
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

import httpx
import pytest

from aggregate import rescore
from aggregate.versions.phases import publish_phases
from cli.commands import benchmarks
from notify.templates import WRITERS, MailTopic
from scoring_core.benchmarks.loading import Benchmark
from scoring_core.outcome import Outcome
from storage.access.tokens import Scope
from storage.audit import Action
from storage.aws.bucket import Bucket
from storage.aws.schema import Schema
from storage.benchmarks.corrections import Correction, CorrectionStore
from storage.benchmarks.store import PublishConflict
from storage.mail.models import DigestKind, PendingMail, pending_mail_from_item
from storage.submissions.models import SubmissionRecord
from tests.harness.clock import START, Clock
from tests.harness.command_line import connect_commands, laurel
from tests.harness.factories import make_player
from tests.harness.stack import TRUTH, Api, InProcess, StackHarness, failing, make_benchmark
from tests.integration.test_downloads import fetch

PUBLIC: Final = TRUTH
HIDDEN: Final = TRUTH.replace("4945,5010,5001,5020", "4934,4934,5001,5001")
STEADY: Final = {"question": "1", "text": "TR-V017-4945,5001"}
"""79.0 by the public truth, 94.5 by the hidden one."""
LUCKY: Final = {"question": "1", "text": "TR-V017-4934,5001"}
"""73.5, then 100.0."""
GOOD: Final = {"question": "1", "text": "TR-V017-4940,5001"}
"""76.5, then 97.0."""
SCHEDULE: Final = InProcess(rescore.lambda_handler, "RescoreFunction")
PAST, FUTURE = "2020-01-01T00:00:00Z", "2099-01-01T00:00:00Z"
VERA: Final = make_player("vera", "Vera")


def make_contest(*, hidden: str = HIDDEN, final: dict[str, Any] | None = None, **changes: Any) -> Benchmark:
    """Make a benchmark with a final."""
    spec = {"ground_truth": "hidden.csv", **(final or {})}
    return make_benchmark(files={"hidden.csv": hidden.encode()}, final=spec, **changes)


@pytest.fixture
def contest(api: Api, stack: StackHarness, owner: dict[str, str], work: Callable[[], None]) -> dict[str, str]:
    """The headers of the owner of a contest that has closed: Ada leads Bea, whose one result is better in the end."""
    stack.publish(make_contest())
    for player, result in (("Ada", STEADY), ("Ada", LUCKY), ("Bea", GOOD)):
        api.post(result, query={"player": player})
    work()
    stack.publish(make_contest(closes=PAST))
    return owner


def list_records(stack: StackHarness) -> list[SubmissionRecord]:
    """Return all records of the current version."""
    published = stack.aggregator.benchmarks.current("tiny", fresh=True)
    return list(stack.submissions.all_records("tiny", version=published.version))


def list_mails(stack: StackHarness) -> list[PendingMail]:
    """Return the mails about finals."""
    mails = (
        pending_mail_from_item(Schema.PENDING_MAIL.read(item)) for item in stack.items("MailTable") if "state" in item
    )
    return [mail for mail in mails if mail.digest.kind is DigestKind.FINALS]


def read_corrections(stack: StackHarness) -> Sequence[Correction]:
    """Return the list of corrections, the newest first."""
    stored = CorrectionStore(stack.aggregator.snapshots.bucket).find("tiny")
    return stored.corrections if stored else ()


def reveal(api: Api, headers: dict[str, str], **body: Any) -> Any:
    """Ask for the final."""
    return api.ask("/api/benchmarks/tiny/reveal", body or None, headers)


def read_board(stack: StackHarness) -> list[tuple[str, float | None]]:
    """Return names and scores, in order of rank."""
    rows = stack.rows("tiny")
    return list(zip(rows.name, rows.scores["score"], strict=True))


def test_the_public_scores_choose_and_the_hidden_ones_rank(
    api: Api, stack: StackHarness, contest: dict[str, str], work: Callable[[], None]
) -> None:
    """Nobody wins by luck: of Ada counts what led before, though another of her results is the best of the hidden."""
    before = read_board(stack)

    answer = reveal(api, contest)
    SCHEDULE.invoke({"benchmark": "tiny"})
    work()

    head = stack.head("tiny")
    assert answer.status == 202
    assert before == [("Ada", 39.5), ("Bea", 38.25)]
    assert read_board(stack) == [("Bea", 48.5), ("Ada", 47.25)]
    final = answer.body["next"]
    kept = [
        json.loads(each["scores"]["S"]) for each in stack.items("SubmissionsTable") if each["version"]["S"] == final
    ]
    assert sorted(each["#public/score"] for each in kept) == [73.5, 76.5, 79.0]
    (listed,) = read_corrections(stack)
    assert listed.final
    assert [
        (row.name, row.rank_before, row.rank_after, row.value_before, row.value_after) for row in listed.listed
    ] == [
        ("Bea", 2, 1, 38.25, 48.5),
        ("Ada", 1, 2, 39.5, 47.25),
    ]
    assert (head.final, head.keep, head.version) == (True, "best_public", answer.body["next"])
    assert "the submission with the best public scores" in head.rank_rule
    assert stack.check_boards("tiny") == []


def test_nothing_is_scored_by_hidden_rows_before(
    api: Api, stack: StackHarness, contest: dict[str, str], work: Callable[[], None]
) -> None:
    """However often the schedule runs, no record, entry or file has what two hidden truths would score differently."""
    work()
    published = stack.aggregator.benchmarks.current("tiny", fresh=True)

    assert published.next is None
    assert {item["version"]["S"] for item in stack.items("SubmissionsTable") if "version" in item} == {
        published.version
    }
    site = Bucket(stack.cloud.s3, stack.site_bucket)
    shown = "".join(
        site.get(key).body.decode(errors="replace") for key in stack.keys(stack.site_bucket, "data/b/tiny/")
    )
    assert str(published.final_version) not in shown
    assert not stack.head("tiny").final


@pytest.mark.parametrize(
    "case",
    [
        ({"keep": "best"}, "latest", [("Ada", 50.0), ("Bea", 48.5)]),
        ({"keep": "latest"}, "best", [("Bea", 48.5), ("Ada", 47.25)]),
        ({"keep": "latest"}, "latest", [("Ada", 50.0), ("Bea", 48.5)]),
        ({"keep": "mean"}, None, [("Ada", 48.625), ("Bea", 48.5)]),
    ],
)
def test_what_counts(
    api: Api,
    stack: StackHarness,
    contest: dict[str, str],
    work: Callable[[], None],
    case: tuple[dict[str, str], str | None, list[tuple[str, float]]],
) -> None:
    """`counts` says it where one submission counts; sums and means are of all."""
    ranking, counts, expected = case
    changes = {"ranking": {**ranking, "combine": "mean", "by": ["score"]}, "closes": PAST}
    stack.publish(make_contest(final={"counts": counts}, **changes))

    reveal(api, contest)
    work()

    assert read_board(stack) == expected
    assert stack.check_boards("tiny") == []


def test_two_organisers_at_once(
    api: Api, stack: StackHarness, contest: dict[str, str], work: Callable[[], None], invoked: list[Any]
) -> None:
    """Both get the same answer, it begins once, and a third request says that it is done."""
    answers = [reveal(api, contest) for _ in range(2)]
    work()
    again = reveal(api, contest)
    work()

    assert len({answer.text for answer in answers}) == 1
    assert invoked == [{"benchmark": "tiny"}]
    assert (again.status, again.body["next"], again.body["version"]) == (202, None, answers[0].body["next"])
    listed = read_corrections(stack)
    assert len(listed) == 1
    actions = [stack.read_json(key)["action"] for key in stack.keys(stack.results_bucket, "audit/")]
    assert actions.count(Action.REVEAL) == 1


def test_schedule_and_person_at_once(
    api: Api, stack: StackHarness, contest: dict[str, str], work: Callable[[], None]
) -> None:
    """The second one goes on with what the first began."""
    stack.publish(make_contest(closes=PAST, final={"at": PAST}))
    benchmarks = rescore.promoter().aggregator.benchmarks
    seen = benchmarks.current("tiny", fresh=True)
    reveal(api, contest)

    begun = benchmarks.reveal(seen)
    with pytest.raises(PublishConflict):
        benchmarks.reveal(seen)
    work()

    assert begun.next is not None
    assert stack.head("tiny").version == begun.next.version


def test_the_time_has_come(stack: StackHarness, contest: dict[str, str], work: Callable[[], None]) -> None:
    """The schedule begins it by itself; moved forward or taken away, it waits."""
    stack.publish(make_contest(closes=PAST, final={"at": FUTURE}))
    work()
    later = stack.head("tiny").final
    stack.publish(make_contest(closes=PAST))
    work()
    by_hand = stack.head("tiny").final
    stack.publish(make_contest(closes=PAST, final={"at": PAST}))
    work()

    assert (later, by_hand, stack.head("tiny").final) == (False, False, True)


@pytest.mark.parametrize("about", ["current.json", "data/b/tiny/head.json", "corrections.json"])
def test_death_at_every_write(
    api: Api, stack: StackHarness, contest: dict[str, str], work: Callable[[], None], about: str
) -> None:
    """The next run of the schedule goes on where one died."""
    reveal(api, contest)
    buckets = (rescore.promoter().aggregator.snapshots.bucket, rescore.promoter().aggregator.benchmarks.bucket)
    died = 0
    for bucket in {bucket.client for bucket in buckets}:
        with failing(bucket, "PutObject", about=about) as refused, suppress(ExceptionGroup):
            work()
        died += len(refused)

    work()

    assert died
    assert read_board(stack) == [("Bea", 48.5), ("Ada", 47.25)]
    listed = read_corrections(stack)
    assert [len(each.listed) for each in listed] == [2]
    assert stack.check_boards("tiny") == []


@pytest.mark.parametrize(
    ("benchmark", "why"),
    [
        (make_benchmark(closes=PAST), "expected `final` in benchmark.yaml"),
        (make_contest(closes=FUTURE), "expected a benchmark that has closed"),
        (make_contest(), "`closes` is not set"),
    ],
)
def test_too_early(api: Api, stack: StackHarness, contest: dict[str, str], benchmark: Benchmark, why: str) -> None:
    """Without hidden rows, or while results come in, there is none."""
    stack.publish(benchmark)

    answer = reveal(api, contest)

    assert answer.status == 409
    assert why in answer.body["detail"]
    assert stack.aggregator.benchmarks.current("tiny", fresh=True).next is None


def test_a_correction_before_and_after(
    api: Api, stack: StackHarness, contest: dict[str, str], work: Callable[[], None]
) -> None:
    """A correction that nobody asked for is in the final; one after it is a rescore of it, and a text keeps it."""
    stack.publish(make_contest(truth=HIDDEN, hidden=PUBLIC, closes=PAST))
    reveal(api, contest)
    work()
    turned = read_board(stack)
    stack.publish(make_contest(closes=PAST))
    between = read_board(stack)
    asked = api.ask("/api/benchmarks/tiny/rescore", None, contest)
    work()

    assert turned == between == [("Bea", 38.25), ("Ada", 36.75)]
    assert asked.status == 202
    assert read_board(stack) == [("Bea", 48.5), ("Ada", 47.25)]
    assert [each.final for each in read_corrections(stack)] == [False, True]
    after = stack.publish(make_contest(closes=PAST, title="Another title"))
    assert (after.version, after.next, stack.head("tiny").title) == (stack.head("tiny").version, None, "Another title")
    assert stack.head("tiny").final


def test_a_ban_and_a_withdrawal_after(
    api: Api, stack: StackHarness, contest: dict[str, str], work: Callable[[], None]
) -> None:
    """A banned player leaves the final and its list; without its best public result a row has the next one."""
    reveal(api, contest)
    work()
    rows = stack.rows("tiny")
    steady, ada = dict(zip(rows.name, rows.submission, strict=True))["Ada"], rows.player[rows.name.index("Ada")]
    bea = rows.player[rows.name.index("Bea")]

    withdrawn = api.ask(f"/api/benchmarks/tiny/submissions/{steady}/withdrawal", {"reason": "copied"}, contest)
    work()
    after = read_board(stack)
    api.ask("/api/benchmarks/tiny/ban", {"player": bea, "reason": "copied"}, contest)
    work()

    assert withdrawn.status == 200
    assert after == [("Ada", 50.0), ("Bea", 48.5)]
    assert read_board(stack) == [("Ada", 50.0)]
    listed = read_corrections(stack)
    assert [row.player for row in listed[0].listed] == [ada]
    assert stack.check_boards("tiny") == []


def test_what_is_in_review_is_decided_first(
    api: Api, stack: StackHarness, owner: dict[str, str], work: Callable[[], None]
) -> None:
    """The final names what waits, and goes on once that is accepted; no hidden score makes anything wait."""
    stack.publish(make_contest(review="score > 78"))
    waiting = api.post(STEADY, query={"player": "Ada"}).body["submission"]
    api.post(LUCKY, query={"player": "Bea"})
    work()
    stack.publish(make_contest(review="score > 78", closes=PAST))
    reveal(api, owner)
    work()
    held, asked = stack.head("tiny").final, reveal(api, owner).body

    api.ask(f"/api/benchmarks/tiny/submissions/{waiting}/acceptance", {"reason": None}, owner)
    work()

    assert not held
    assert waiting in asked["waits"]
    assert "`laurel accept`" in asked["waits"]
    assert read_board(stack) == [("Bea", 50.0), ("Ada", 47.25)]
    assert reveal(api, owner).body["waits"] is None
    waits, final = sorted(list_mails(stack), key=lambda mail: mail.text, reverse=True)
    assert (waits.text, final.text) == (asked["waits"], "")
    topic = MailTopic("tiny", "Tiny", "https://laurel.example")
    assert WRITERS[DigestKind.FINALS](topic, [waits]).summary == "the final waits for you"
    assert WRITERS[DigestKind.FINALS](topic, [final]).summary == "Final"


def test_a_failed_result_is_named_and_blocks(
    api: Api, stack: StackHarness, contest: dict[str, str], work: Callable[[], None]
) -> None:
    """An internal error keeps the final back, unless the owner goes on without the result."""
    final = reveal(api, contest).body["next"]
    (failed,) = (record for record in list_records(stack) if record.scores["score"] == 76.5)
    stack.submissions.put_record(
        replace(failed, version=final, outcome=Outcome.INTERNAL_ERROR, scores={}, evaluations=())
    )
    work()
    held, asked = stack.head("tiny").final, reveal(api, contest).body
    without = reveal(api, contest, without_failed=True)
    work()

    assert (held, without.status) == (False, 202)
    assert failed.submission.id in asked["waits"]
    assert "`laurel reveal tiny --without-failed`" in asked["waits"]
    assert read_board(stack) == [("Ada", 47.25)]


def test_the_final_waits_for_all_that_came_in_time(
    api: Api, stack: StackHarness, contest: dict[str, str], work: Callable[[], None]
) -> None:
    """A result that is scored after the final began is on the first board of it."""
    stack.publish(make_contest())
    api.post(GOOD, query={"player": "Cem"})
    stack.publish(make_contest(closes=PAST))
    reveal(api, contest)

    begun = [SCHEDULE.invoke({"benchmark": "tiny"}) for _ in range(2)]
    held = stack.head("tiny").final
    work()

    assert (begun, held) == ([[], []], False)
    assert read_board(stack) == [("Bea", 48.5), ("Cem", 48.5), ("Ada", 47.25)]
    listed = read_corrections(stack)
    assert {row.name for row in listed[0].listed} == {"Ada", "Bea", "Cem"}


def test_an_erasure_after(api: Api, stack: StackHarness, owner: dict[str, str], work: Callable[[], None]) -> None:
    """An erased player leaves the final and its list."""
    stack.publish(make_contest())
    headers = stack.issue_token(VERA, Scope.SUBMIT, benchmarks=("tiny",))
    api.post(STEADY, headers=headers)
    api.post(GOOD, query={"player": "Bea"})
    work()
    stack.publish(make_contest(closes=PAST))
    reveal(api, owner)
    work()

    erased = api.ask("/api/me/erasure", {"confirm": "vera"}, headers)
    work()

    assert erased.status == 200
    assert read_board(stack) == [("Bea", 48.5)]
    listed = read_corrections(stack)
    assert [row.name for row in listed[0].listed] == ["Bea"]


def test_the_schedule_waits_for_the_time(stack: StackHarness, clock: Clock, contest: dict[str, str]) -> None:
    """A final is begun at its moment, though the schedule runs every ten minutes."""
    at, begun = START + timedelta(minutes=5), list[tuple[str, datetime]]()
    stack.publish(make_contest(closes=PAST, final={"at": at.isoformat()}))

    publish_phases(
        stack.aggregator,
        ["tiny"],
        lambda benchmark: begun.append((benchmark, clock())),
        sleep=lambda seconds: clock.advance(seconds=seconds),
    )

    assert begun == [("tiny", at)]


@pytest.fixture
def typed(api: Api, stack: StackHarness, contest: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> str:
    """The token of the owner; commands speak to the API and the store of this test."""
    connect_commands(api, monkeypatch, stack)
    answer = httpx.HTTPTransport.handle_request

    def handle(transport: Any, request: httpx.Request) -> httpx.Response:
        path = request.url.path
        return httpx.Response(200, content=fetch(stack, path)) if "/storage/" in path else answer(transport, request)

    monkeypatch.setattr(httpx.HTTPTransport, "handle_request", handle)
    return contest["Authorization"].removeprefix("Bearer ")


def test_the_command_shows_the_final_before_it_is(
    stack: StackHarness, typed: str, work: Callable[[], None], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """With --check the owner's machine scores, and nothing changes; without it the board is what was shown."""
    (tmp_path / "tiny").mkdir()
    for name, content in make_contest(closes=PAST).files.items():
        (tmp_path / "tiny" / name).write_bytes(content)
    before = stack.items("SubmissionsTable")
    shown = laurel("reveal", "tiny", str(tmp_path / "tiny"), "--check", "--json", token=typed)
    unchanged = stack.items("SubmissionsTable") == before and not stack.head("tiny").final
    monkeypatch.setattr(benchmarks, "time", SimpleNamespace(monotonic=time.monotonic, sleep=lambda _: work()))

    revealed = laurel("reveal", "tiny", "--json", token=typed)
    again = laurel("reveal", "tiny", token=typed)

    assert unchanged
    assert (shown.exit_code, revealed.exit_code) == (0, 0), (shown.exception, revealed.exception)
    names = ("name", "rank_before", "rank_after", "value_before", "value_after")
    for listed in (json.loads(shown.stdout), json.loads(revealed.stdout)["listed"]):
        assert [tuple(each[name] for name in names) for each in listed] == [
            ("Bea", 2, 1, 38.25, 48.5),
            ("Ada", 1, 2, 39.5, 47.25),
        ]
    assert "shows its final already" in again.stdout
