"""Reviews: a result in review is nowhere in what others see, however boards are made, until its owner accepts it."""

import json
from collections.abc import Callable, Mapping
from copy import replace
from typing import Any, Final

import pytest

from aggregate.rebuilder import Rebuilder
from notify import stream as notices
from scoring_core.outcome import Outcome
from storage.actors import Actor, Role
from storage.audit import Action
from storage.batches.reports import BatchEntry, find_best, summarize
from storage.boards.standings import BoardKey
from storage.mail.models import DigestKey, DigestKind
from storage.submissions import decisions
from storage.submissions.decisions import ReviewStore
from storage.submissions.models import PlayerKind
from tests.harness.clock import START
from tests.harness.command_line import connect_commands, laurel
from tests.harness.factories import make_batch_report, make_guest_record, make_player, name_guest
from tests.harness.stack import COINS, GOOD, GOOD_SCORE, TRUTH, Answer, Api, StackHarness, make_benchmark
from tests.integration.mail.test_notify import Post

REVIEW: Final = {"review": "score > 70"}
FAIR: Final = {"question": "1", "text": "TR-V017-4945"}
CORRECTED: Final = TRUTH.replace("5020", "5021")
OWNER: Final = Actor(id="olga", role=Role.OWNER)
ADA: Final = name_guest("Ada", PlayerKind.HUMAN).id


@pytest.fixture
def strict(stack: StackHarness, owner: dict[str, str]) -> dict[str, str]:
    """The headers of the owner, whose benchmark reviews more than 70 points."""
    stack.publish(make_benchmark(**REVIEW))
    return owner


def play(api: Api, name: str, result: Any = GOOD, **headers: str) -> Answer:
    """Submit a result as a guest."""
    return api.post(result, query={"player": name}, headers=headers)


def accept(api: Api, submission: str, headers: Mapping[str, str], **body: str) -> Answer:
    """Accept a submission."""
    return api.ask(f"/api/benchmarks/tiny/submissions/{submission}/acceptance", body, headers)


def list_waiting(token: str) -> list[str]:
    """Return what is in review."""
    listed = laurel("submissions", "tiny", "--in-review", "--json", token=token)
    return [each["submission"] for each in json.loads(listed.stdout)]


def test_result_in_review_is_on_no_board(
    api: Api, stack: StackHarness, strict: dict[str, str], work: Callable[[], None]
) -> None:
    """Neither live nor rebuilt; others see that it is queued, its player the score, and its withdrawal is no notice."""
    play(api, "Bea", FAIR)
    reviewed = play(api, "Ada", **{"Idempotency-Key": "a"}).body
    work()
    for _ in Rebuilder(stack.aggregator).rebuild(BoardKey("tiny", stack.head("tiny").version)):
        pass
    stack.aggregator.render_all(BoardKey("tiny", stack.head("tiny").version))

    own = play(api, "Ada", Prefer="wait=1", **{"Idempotency-Key": "a"}).body
    assert (stack.rows("tiny").name, stack.check_boards("tiny")) == (("Bea",), [])
    assert api.get(reviewed["status_url"]).body["status"] == "queued"
    assert (own["in_review"], own["scores"], own["rank"]) == (True, {"score": GOOD_SCORE}, None)

    api.ask(f"{reviewed['status_url']}/withdrawal", {"reason": "not played"}, strict)
    work()
    assert stack.head("tiny").notices == ()


def test_owner_lists_and_decides(
    api: Api, stack: StackHarness, strict: dict[str, str], work: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The list has what waits, newest first; what is accepted counts at once and stays so; repeats change nothing."""
    monkeypatch.setattr("api.submissions.listing.MAX_CONTENT_BYTES", 1)  # so a page has one
    connect_commands(api, monkeypatch)
    token = strict["Authorization"].removeprefix("Bearer ")
    first, second, third = (play(api, name).body["submission"] for name in ("Ada", "Bea", "Cleo"))
    fair = play(api, "Dora", FAIR).body["submission"]
    work()

    listed = json.loads(laurel("submissions", "tiny", "--in-review", "--json", token=token).stdout)
    printed = laurel("submissions", "tiny", "--in-review", token=token).stdout
    accepted = laurel("accept", "tiny", first, token=token)
    withdrawn = laurel("withdraw", "tiny", second, "--reason", "impossible", token=token)
    again = accept(api, first, strict, reason="seen")
    work()

    assert [review["submission"] for review in listed] == [third, second, first]
    assert (listed[2]["name"], listed[2]["scores"]) == ("Ada", {"score": GOOD_SCORE})
    assert {(each["status"], each["version"]) for each in listed} == {("in_review", stack.head("tiny").version)}
    assert third in printed
    assert "Cleo" in printed
    assert (accepted.exit_code, withdrawn.exit_code, again.status) == (0, 0, 200)
    assert set(stack.rows("tiny").name) == {"Ada", "Dora"}
    assert api.get(f"/api/benchmarks/tiny/submissions/{first}").body["rank"] == 1
    assert list_waiting(token) == [third]
    trail = [entry.action for entry in stack.trail.list_page(benchmark="tiny", length=1000).entries]
    assert trail == [Action.ACCEPT, Action.WITHDRAW]

    following = stack.publish(make_benchmark(truth=CORRECTED, review="score >= 0"))
    assert api("POST", "/api/benchmarks/tiny/rescore", headers=strict).status == 202
    work()
    work()
    assert stack.head("tiny").version == (following.next and following.next.version)
    assert stack.rows("tiny").name == ("Ada",), "what was accepted counts, and the new condition is for Dora"

    wrong = {
        (409, "not-in-review"): accept(api, play(api, "Eve").body["submission"], strict),
        (409, "withdrawn"): accept(api, second, strict),
        (404, "not-found"): accept(api, "0" * 36, strict),
        (422, "invalid-request"): accept(api, third, strict, reason="\n"),
        (403, "not-the-owner"): accept(api, third, stack.issue_token(make_player("heron", "Heron"))),
        (401, "token-needed"): api("GET", "/api/benchmarks/tiny/submissions", query={"in_review": "true"}),
        (400, "invalid-cursor"): api(
            "GET", "/api/benchmarks/tiny/submissions", query={"in_review": "true", "cursor": "x"}, headers=strict
        ),
    }
    for (status, kind), answer in wrong.items():
        assert (answer.status, answer.body["type"].rpartition(":")[2]) == (status, kind), answer
    assert list_waiting(token) == [fair, third]


def test_late_result_in_review_is_queued_to_others(
    api: Api, stack: StackHarness, strict: dict[str, str], work: Callable[[], None]
) -> None:
    """No list says that it waits, or what it scored."""
    late = {"closes": "2020-01-01T00:00:00Z", "submissions": {"late": "scored"}}
    stack.publish(make_benchmark(**REVIEW, **late))
    waiting, fair = (play(api, "Ada", result).body["submission"] for result in (GOOD, FAIR))
    work()

    listed = api("GET", "/api/benchmarks/tiny/submissions", query={"player": ADA}).body["submissions"]
    told = [(each["submission"], each["status"], each["scores"] is None) for each in listed]
    assert told == [(fair, "scored", False), (waiting, "queued", True)]


def test_owner_gets_one_mail_of_what_still_waits(
    api: Api, stack: StackHarness, strict: dict[str, str], work: Callable[[], None]
) -> None:
    """Two results in review make one mail with the one that nobody has decided; nobody else gets any."""
    decided, left = (play(api, name).body["submission"] for name in ("Ada", "Bea"))
    play(api, "Cleo", FAIR)
    work()
    accept(api, decided, strict)
    stack.read_stream(notices.lambda_handler, function="NotifyFunction")
    post = Post(stack)
    post.work()

    (mail,) = post.sent()
    text = mail.get_body(("plain",)).get_content()  # type: ignore[union-attr]
    assert (mail["To"], mail["Subject"]) == ("owner@example.com", "Tiny: a result waits for your look")
    assert left in text
    assert decided not in text
    for command in ("accept", "withdraw"):
        assert f"laurel {command} tiny {left}" in text
    assert {item["thread"]["S"] for item in stack.items("MailTable")} == {
        str(DigestKey(DigestKind.REVIEWS, "tiny", Outcome.SCORED))
    }


def test_report_of_a_batch_tells_no_score_in_review(stack: StackHarness) -> None:
    """The entry is in review, neither failed nor the best, until it is accepted; then it has its scores."""
    published = stack.publish(make_benchmark(COINS, review="Time < 2"))
    made = make_guest_record(published, "Heron", {"Coins": 1, "Time": 1.0}, number=1)
    batch = made.submission.id
    stack.submissions.put_record(replace(made, submission=replace(made.submission, batch=batch), in_review=True))
    report = make_batch_report(batch, "coins", entries=(BatchEntry(entry="a.json", submission=batch),))

    (waiting,) = summarize(report, stack.submissions.list_batch("coins", batch=batch, version=published.version))
    ReviewStore(stack.submissions.table).accept("coins", submission=batch, actor=OWNER, at=START)
    (accepted,) = summarize(report, stack.submissions.list_batch("coins", batch=batch, version=published.version))

    assert (waiting.status, waiting.scores, waiting.failed) == ("in_review", None, False)
    assert find_best([waiting], published.definition) == ()
    assert (accepted.status, accepted.scores) == (Outcome.SCORED, made.scores)


def test_pages_of_what_waits_skip_what_is_decided(stack: StackHarness, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reads of a page are bounded: it may end early, and says where to go on."""
    monkeypatch.setattr(decisions, "MAX_READS", 2)
    published = stack.publish(make_benchmark(COINS, review="Time < 2"))
    scores = {"Coins": 1, "Time": 1.0}
    made = [make_guest_record(published, "Ada", scores, number=number) for number in range(1, 9)]
    records = [replace(record, in_review=True) for record in made]
    store, ids = ReviewStore(stack.submissions.table), [record.submission.id for record in records]
    for record in records:
        stack.submissions.put_record(record)
    for submission in ids[2:7]:
        store.accept("coins", submission=submission, actor=OWNER, at=START)

    listed, position, pages = [], None, 0
    while pages < 9:
        page = store.list_waiting("coins", stack.withdrawals, version=published.version, before=position, length=2)
        listed += [record.submission.id for record in page.entries]
        position, pages = page.position, pages + 1
        if position is None:
            break

    assert listed == [ids[7], ids[1], ids[0]]
    assert pages > 1
