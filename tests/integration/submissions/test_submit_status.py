"""The status of a submission: what everybody sees, what the receipt opens, and what nobody learns."""

import json
from collections.abc import Iterator
from copy import replace
from typing import Any

import pytest

from scoring_core.outcome import Outcome
from scoring_core.output import Output
from scoring_core.scorers.base import Evaluation
from storage.benchmarks.store import PublishedBenchmark
from storage.keys import head_key
from storage.players.tokens import Scope
from storage.submissions.models import PlayerKind, SubmissionRecord
from tests.harness.factories import make_guest_record, make_player, name_guest
from tests.harness.stack import COINS, Answer, Api, StackHarness, make_benchmark


def test_status_of_a_scored_submission_has_scores_and_rank(api: Api, stack: StackHarness) -> None:
    """A scored submission shows everybody its scores, parts, version, signature, and the present rank."""
    published = stack.publish(make_benchmark(COINS, parts=["a", "b"]))
    record = make_guest_record(published, "Ada", {"Coins": 5, "Time": 2.5}, number=1, part="a")
    _keep(stack, record, make_guest_record(published, "Bob", {"Coins": 7, "Time": 9.0}, number=2, part="b"))

    body = _status(api, record).body

    assert (body["status"], body["outcome"]) == ("done", "scored")
    assert body["scores"] == {"Coins": 5, "Time": 2.5}
    assert body["parts"] == [{"part": "a", "scores": {"Coins": 5, "Time": 2.5}, "detail": None}]
    assert (body["version"], body["signature"]) == (published.version, "made by a test")
    assert (body["rank"], body["players"]) == (2, 2)
    assert body["message"] is None


def test_the_detail_is_nowhere_public(api: Api, stack: StackHarness, published: PublishedBenchmark) -> None:
    """What explains a score repeats the player's answers: nothing that everybody may read has it."""
    secret = "the leader's answer"
    leader = _explained(make_guest_record(published, "Ada", {"Coins": 5, "Time": 2.5}, number=1), {"why": secret})
    several = make_guest_record(published, "Ada", {"Coins": 4, "Time": 2.5}, number=2)
    parts = tuple(replace(leader.evaluations[0], part=name) for name in ("a", "b"))
    _keep(stack, leader, replace(several, evaluations=parts))
    pages = [f"submissions/{leader.submission.id}", f"submissions/{several.submission.id}"]

    answers = [api.get(f"/api/benchmarks/coins/{page}") for page in [*pages, f"players/{leader.submission.player.id}"]]
    s3, site = stack.cloud.s3, stack.template.resources["SiteBucket"].name
    objects = [s3.get_object(Bucket=site, Key=key)["Body"].read() for key in stack.keys(site, "data/")]

    assert [(answer.status, secret in answer.text) for answer in answers] == [(200, False)] * 3
    assert answers[0].body["scores"] == {"Coins": 5, "Time": 2.5}
    assert [answer.body["detail"] for answer in answers[:2]] == [None, None]
    assert [answer["detail"] for answer in answers[1].body["parts"]] == [None, None]
    assert [content for content in objects if secret.encode() in content] == []
    assert len(objects) > 2


def test_each_part_shows_its_own_detail(api: Api, stack: StackHarness, published: PublishedBenchmark) -> None:
    """Each part of a submission shows its own detail; there is none for the whole."""
    record = make_guest_record(published, "Ada", {"Coins": 5, "Time": 2.5}, number=1)
    parts = tuple(Evaluation({"Coins": n, "Time": 1.0}, {"n": n}, name) for n, name in ((2, "a"), (3, "b")))
    _keep(stack, replace(record, evaluations=parts))

    body = _status(api, record, headers=_owner(stack)).body

    assert [(part["part"], part["detail"]) for part in body["parts"]] == [("a", {"n": 2}), ("b", {"n": 3})]
    assert body["detail"] == {}


def test_rank_of_before_is_not_shown(api: Api, stack: StackHarness, published: PublishedBenchmark) -> None:
    """A player who returns has no rank until the board shows this submission: the row's may be an older one."""
    earlier = make_guest_record(published, "Ada", {"Coins": 1, "Time": 1.0}, number=1)
    _keep(stack, earlier, make_guest_record(published, "Bob", {"Coins": 3, "Time": 1.0}, number=2))
    record = make_guest_record(published, "Ada", {"Coins": 5, "Time": 1.0}, number=3)
    head = stack.head()

    ranks = []
    stack.submissions.put_record(record)
    ranks.append(_rank(api, record))
    stack.follow([record])
    now = stack.head()
    stack.cloud.s3.put_object(Bucket=stack.site_bucket, Key=head_key("coins"), Body=head.to_body())
    ranks.append(_rank(api, record))
    stack.cloud.s3.put_object(Bucket=stack.site_bucket, Key=head_key("coins"), Body=now.to_body())
    ranks.append(_rank(api, record))

    assert ranks == [None, None, 1], "neither before the standing holds it, nor before the board is published"
    assert _rank(api, earlier) == 1


def test_rank_while_the_board_is_another(api: Api, stack: StackHarness, published: PublishedBenchmark) -> None:
    """A score under a former version has no rank on the present board."""
    record = make_guest_record(published, "Ada", {"Coins": 5, "Time": 2.5}, number=1)
    _keep(stack, record)
    stack.publish(make_benchmark(COINS, parameters={"timeout_seconds": 3}))

    path = f"/api/benchmarks/coins/submissions/{record.submission.id}"
    body = api("GET", path, query={"version": published.version}, headers=_owner(stack)).body

    assert body["scores"] == {"Coins": 5, "Time": 2.5}
    assert (body["version"], body["rank"], body["players"]) == (published.version, None, None)


def test_message_of_an_invalid_result_needs_receipt_or_token(
    api: Api, stack: StackHarness, published: PublishedBenchmark
) -> None:
    """The receipt opens the message of an invalid result, and the script's output."""
    accepted = api.post({}, benchmark="coins").body
    record = _of(stack, published, accepted["submission"], Outcome.INVALID)
    record = replace(record, message="expected x", pointer="/a", output=Output("out", "err", "exit 2"))
    _keep(stack, record)

    stranger = api.get(accepted["status_url"])
    owner = api.get(accepted["status_url"], headers={"Authorization": f"Bearer {accepted['receipt']}"})

    assert stranger.body["outcome"] == "invalid"
    assert "expected x" not in stranger.text
    assert "err" not in json.dumps(stranger.body["output"])
    assert (owner.body["message"], owner.body["pointer"]) == ("expected x", "/a")
    assert owner.body["output"] == {"stdout": "out", "stderr": "err", "ended": "exit 2"}


@pytest.mark.parametrize(
    "credential", ["", "Bearer", "Basic {receipt}", "{receipt}", "Bearer \u00e9", "Bearer laurel_x"]
)
def test_what_is_no_credential(api: Api, stack: StackHarness, published: PublishedBenchmark, credential: str) -> None:
    """Credentials that are none, or name nobody, are rejected, whatever is asked for."""
    accepted = api.post({}, benchmark="coins").body
    _keep(stack, _of(stack, published, accepted["submission"], Outcome.INVALID))

    answer = api.get(accepted["status_url"], headers={"Authorization": credential.format(receipt=accepted["receipt"])})

    assert answer.status == 401
    assert answer.headers["www-authenticate"] == "Bearer"


def test_a_submission_of_another_benchmark(api: Api, stack: StackHarness, published: PublishedBenchmark) -> None:
    """Under another benchmark a submission is as unknown as one that never was: the answers are the same."""
    stack.publish(make_benchmark())
    submission = api.post({}, benchmark="coins").body["submission"]

    elsewhere = api.get(f"/api/benchmarks/tiny/submissions/{submission}")
    nowhere = api.get("/api/benchmarks/tiny/submissions/019bc119-0100-70ac-a1d8-b724381a8cbe")

    assert elsewhere.status == 404
    assert elsewhere.body == nowhere.body


@pytest.mark.parametrize("earlier", [False, True], ids=["a first play", "a later play"])
def test_waiting_for_the_rank(
    api: Api, stack: StackHarness, published: PublishedBenchmark, monkeypatch: pytest.MonkeyPatch, *, earlier: bool
) -> None:
    """A POST that waits returns the rank on the board that shows the submission."""
    _keep(stack, make_guest_record(published, "Bob", {"Coins": 5, "Time": 1.0}, number=1))
    if earlier:
        mine = make_guest_record(published, "Ada", {"Coins": 1, "Time": 1.0}, number=2)
        _keep(stack, replace(mine, submission=replace(mine.submission, player=name_guest("Ada", PlayerKind.HUMAN))))
    steps = _score_then_show(stack, published, {"Coins": 9, "Time": 1.0})
    monkeypatch.setattr("handlers.http.outcomes.time.sleep", lambda _: next(steps, None))

    answer = api.post({}, benchmark="coins", query={"player": "Ada"}, headers={"Prefer": "wait=10"})

    assert (answer.status, answer.body["outcome"]) == (200, "scored")
    assert (answer.body["rank"], answer.body["players"]) == (1, 2)


@pytest.mark.parametrize("kind", PlayerKind)
def test_guest_without_a_name_learns_the_rank_of_the_score(
    api: Api, stack: StackHarness, published: PublishedBenchmark, monkeypatch: pytest.MonkeyPatch, kind: PlayerKind
) -> None:
    """Without a name there is no row: the answer has the rank that the score would have, once it is scored."""
    _keep(stack, *(make_guest_record(published, f"P{n}", {"Coins": n, "Time": 1.0}, number=n) for n in range(8)))
    steps = _score_then_show(stack, published, {"Coins": 5, "Time": 0.5})
    naps = []
    monkeypatch.setattr("handlers.http.outcomes.time.sleep", lambda _: naps.append(next(steps, None)))

    answer = api.post({}, benchmark="coins", query={"kind": kind.value}, headers={"Prefer": "wait=10"})
    status = api.get(f"/api/benchmarks/coins/submissions/{answer.body['submission']}")

    assert (answer.status, len(naps)) == (200, 1)
    for body in (answer.body, status.body):
        assert (body["rank"], body["would_rank"], body["players"]) == (None, 3, 8)


def test_rank_is_left_out_after_the_wait(
    api: Api, stack: StackHarness, published: PublishedBenchmark, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the board does not show the submission in time, the scores come without the rank of before."""
    _keep(stack, _played_by_ada(published))
    steps = _score_then_show(stack, published, {"Coins": 9, "Time": 1.0})
    scored = iter([next])
    monkeypatch.setattr("handlers.http.outcomes.time.sleep", lambda _: [step(steps) for step in scored])

    answer = api.post({}, benchmark="coins", query={"player": "Ada"}, headers={"Prefer": "wait=1"})

    assert (answer.status, answer.body["scores"]) == (200, {"Coins": 9, "Time": 1.0})
    assert (answer.body["rank"], answer.body["players"]) == (None, None)


def _played_by_ada(published: PublishedBenchmark) -> SubmissionRecord:
    """Make the record of an earlier play by the guest who posts as Ada."""
    record = make_guest_record(published, "Ada", {"Coins": 1, "Time": 1.0}, number=2)
    return replace(record, submission=replace(record.submission, player=name_guest("Ada", PlayerKind.HUMAN)))


def _score_then_show(
    stack: StackHarness, published: PublishedBenchmark, scores: dict[str, int | float]
) -> Iterator[None]:
    """Score the only submission; at the next step publish the board."""
    submission = stack.submission()
    record = replace(make_guest_record(published, "Ada", scores, number=3), submission=submission)
    stack.submissions.put_record(record)
    yield
    stack.follow([record])
    yield


def _keep(stack: StackHarness, *records: SubmissionRecord) -> None:
    """Record outcomes, and let the board follow."""
    for record in records:
        assert stack.submissions.put_record(record)
    stack.follow(records)


def _of(stack: StackHarness, published: PublishedBenchmark, submission: str, outcome: Outcome) -> SubmissionRecord:
    """Make the record of a submission."""
    (key,) = stack.results()
    assert key.endswith(submission)
    metadata: Any = stack.cloud.s3.head_object(Bucket=stack.results_bucket, Key=key)["Metadata"]
    record = make_guest_record(published, "Ada", {}, number=1, outcome=outcome)
    return replace(record, submission=replace(record.submission, id=submission, receipt_sha256=metadata["receipt"]))


def _explained(record: SubmissionRecord, detail: dict[str, Any]) -> SubmissionRecord:
    return replace(record, evaluations=(replace(record.evaluations[0], detail=detail),))


def _owner(stack: StackHarness) -> dict[str, str]:
    """Return the headers of the benchmark's owner."""
    return stack.issue_token(make_player("olga", "Olga"), Scope.OWN, benchmarks=("coins",))


def _rank(api: Api, record: SubmissionRecord) -> int | None:
    rank: int | None = _status(api, record).body["rank"]
    return rank


def _status(api: Api, record: SubmissionRecord, **options: Any) -> Answer:
    return api.get(f"/api/benchmarks/coins/submissions/{record.submission.id}", **options)


def test_wait_for_a_board_that_is_not_there_yet(api: Api, stack: StackHarness) -> None:
    """A benchmark whose first head is still being written takes results, whose wait ends without an outcome."""
    stack.publish(make_benchmark(id="new"))
    stack.cloud.s3.delete_object(Bucket=stack.site_bucket, Key=head_key("new"))

    assert api.post(benchmark="new", headers={"Prefer": "wait=1"}).status == 202
