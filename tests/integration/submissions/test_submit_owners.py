"""Withdrawing, fetching raw results and reading errors: who may, who may not, and what is left behind."""

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import pytest

from scoring_core.outcome import Outcome
from scoring_core.output import Output
from storage.actors import Role
from storage.audit import Action
from storage.benchmarks.store import PublishedBenchmark
from storage.boards.standings import BoardKey
from storage.players.tokens import Scope
from storage.submissions.models import APOLOGY, SubmissionRecord
from tests.harness.engine import look_inside
from tests.harness.factories import make_guest_record, make_player
from tests.harness.stack import Answer, Api, StackHarness, failing

ANNA = make_player("anna", "Anna")
BEN = make_player("ben", "Ben")
LIST = "/api/benchmarks/coins/submissions"
type Who = dict[str, dict[str, str]]


@pytest.fixture
def callers(stack: StackHarness, published: PublishedBenchmark) -> Who:
    """Callers, by what they are to Anna's submissions of `coins`."""
    return {
        "nobody": {},
        "player": stack.issue_token(ANNA, Scope.SUBMIT),
        "other player": stack.issue_token(BEN, Scope.SUBMIT),
        "owner": stack.issue_token(BEN, Scope.OWN, benchmarks=("coins",)),
        "owner of another": stack.issue_token(BEN, Scope.OWN, benchmarks=("tiny",)),
        "admin": stack.issue_token(BEN, Scope.ADMIN),
        "other receipt": {"Authorization": "Bearer receipt_" + "0" * 32},
        "unknown": {"Authorization": "Bearer laurel_unknown"},
    }


@pytest.fixture
def url(api: Api, callers: Who) -> str:
    """Where a submission of Anna's is."""
    return str(api.post({"coins": 1}, benchmark="coins", headers=callers["player"]).body["status_url"])


def withdraw(api: Api, url: str, headers: Mapping[str, str], body: object = None) -> Answer:
    """Ask for a withdrawal."""
    return api.ask(f"{url}/withdrawal", {"reason": "played twice"} if body is None else body, headers)


@pytest.mark.parametrize(("caller", "role"), [("player", "player"), ("owner", "owner"), ("admin", "admin")])
def test_who_may_withdraw(api: Api, stack: StackHarness, callers: Who, url: str, *, caller: str, role: str) -> None:
    """Player, owner and administrator may withdraw; the status shows the reason and the role."""
    answer = withdraw(api, url, callers[caller])

    shown = api.get(url).body["withdrawn"]
    (line,) = stack.trail.list_page(length=1000).entries
    assert (answer.status, answer.body["withdrawn"]) == (200, shown)
    assert (shown["reason"], shown["by"]) == ("played twice", role)
    assert (line.action, line.benchmark, line.subject) == (Action.WITHDRAW, "coins", url.rpartition("/")[2])
    assert (line.actor.role, line.actor.id) == (Role(role), "anna" if caller == "player" else "ben")
    assert line.detail == {"reason": "played twice"}


def test_first_withdrawal_of_a_role_wins(api: Api, stack: StackHarness, callers: Who, url: str) -> None:
    """A second request returns the first withdrawal, and the audit trail has one entry."""
    first = withdraw(api, url, callers["player"], {"reason": "first"})

    again = withdraw(api, url, callers["player"], {"reason": "second"})

    assert (again.status, again.body["withdrawn"]) == (200, first.body["withdrawn"])
    assert len(list(stack.trail.list_page(length=1000).entries)) == 1


def test_nothing_is_withdrawn_unrecorded(api: Api, stack: StackHarness, callers: Who, url: str) -> None:
    """Where the audit trail cannot be written, the submission stays."""
    with failing(stack.cloud.s3, "PutObject", about="audit/"):
        answer = withdraw(api, url, callers["player"])

    assert answer.status == 503
    assert api.get(url).body["withdrawn"] is None


@pytest.mark.parametrize("submission", ["019b7ea9-9800-7123-8456-789abcdef012", "nonsense", "%00"])
def test_no_such_submission(api: Api, callers: Who, submission: str) -> None:
    """What is not there cannot be withdrawn or fetched."""
    url = f"/api/benchmarks/coins/submissions/{submission}"

    assert withdraw(api, url, callers["admin"]).status == 404
    assert api.get(f"{url}/result", headers=callers["admin"]).status == 404


@pytest.mark.parametrize(
    ("body", "status", "message"),
    [
        (b"{", 400, "body"),
        (b'{"reason": "a", "reason": "b"}', 400, "body"),
        (b'{"reason": "\\ud800"}', 400, "body"),
        (b"[]", 422, "found an array"),
        (b"{}", 422, "expected reason, or undo: true"),
        (b'{"reason": "a", "why": 1}', 422, "/why: expected nothing of this name"),
        (b'{"reason": 1}', 422, "expected a text"),
        (b'{"reason": "a", "undo": true}', 422, "expected reason or undo, found both"),
        (b'{"reason": "..."}', 422, "letter or digit"),
        (b'{"reason": "a\\nb"}', 422, "U+000A"),
        (b'{"reason": "\\u202eevil"}', 422, "U+202E"),
        (json.dumps({"reason": "e" + "\u0301" * 9}).encode(), 422, "combining marks"),
        (json.dumps({"reason": "a" * 301}).encode(), 422, "at most 300 characters, found 301"),
        (json.dumps({"reason": "\ufdfa" * 300}).encode(), 422, "at most 300 characters"),
        (b'{"reason": "' + b"a" * 10_000 + b'"}', 413, "at most 10000 bytes"),
    ],
)
def test_unreadable_reason_is_refused(
    api: Api, callers: Who, url: str, *, body: bytes, status: int, message: str
) -> None:
    """A reason that cannot be read or shown is rejected with a message, and nothing is withdrawn."""
    answer = withdraw(api, url, callers["player"], body)

    assert answer.status == status
    assert message in answer.body["detail"]
    assert api.get(url).body["withdrawn"] is None


@pytest.mark.parametrize(
    ("reason", "shown"),
    [
        ("<script>alert(1)</script>", "<script>alert(1)</script>"),
        ("  two   spaces ", "two spaces"),
        ("ｆｕｌｌ width", "full width"),
        ("wrong µ — 電気 𝄞", "wrong μ — 電気 𝄞"),
        ("x" * 300, "x" * 300),
    ],
)
def test_reasons_as_they_are_shown(api: Api, callers: Who, url: str, reason: str, shown: str) -> None:
    """A reason is a text in its normal form; it is nobody's markup."""
    assert withdraw(api, url, callers["player"], {"reason": reason}).body["withdrawn"]["reason"] == shown


def test_withdrawn_but_in_the_record(
    api: Api, stack: StackHarness, callers: Who, published: PublishedBenchmark
) -> None:
    """Scores stay readable, the history shows the withdrawal, and what was withdrawn is nobody's best."""
    records = [make_guest_record(published, "Ada", {"Coins": coins, "Time": 1.0}, number=coins) for coins in (9, 4)]
    for record in records:
        stack.submissions.put_result(record.submission, b"{}")
        stack.submissions.put_record(record)
    stack.aggregator.update(BoardKey("coins", published.version), records)
    url = f"/api/benchmarks/coins/submissions/{records[0].submission.id}"

    withdrawn = withdraw(api, url, callers["owner"]).body["withdrawn"]

    history = api("GET", LIST, query={"player": "guest-ada"}).body["submissions"]
    assert api.get(url).body["scores"] == {"Coins": 9, "Time": 1.0}
    assert [entry["withdrawn"] for entry in history] == [withdrawn, None]


@pytest.mark.parametrize("caller", ["player", "owner", "admin"])
def test_raw_result_is_offered_as_a_download(
    api: Api, stack: StackHarness, callers: Who, url: str, caller: str
) -> None:
    """An authorised reader is redirected to an address of 15 minutes, for a file that no browser opens."""
    with look_inside().signing() as signed:
        answer = api.get(f"{url}/result", headers=callers[caller])

    submission = url.rpartition("/")[2]
    assert (answer.status, answer.body) == (303, {"url": answer.headers["location"]})
    (opened,) = signed
    assert opened["ExpiresIn"] == 900
    assert opened["Params"]["ResponseContentDisposition"] == f'attachment; filename="coins-{submission}.json"'
    assert opened["Params"]["ResponseContentType"] == "application/octet-stream"
    assert opened["Params"]["Key"].endswith(f"/{submission}")
    link = api("GET", f"{url}/result", query={"link": "true"}, headers=callers[caller])
    assert (link.status, list(link.body), "location" in link.headers) == (200, ["url"], False)


@pytest.mark.parametrize(
    ("caller", "status"),
    [("nobody", 404), ("unknown", 401), ("other receipt", 404), ("other player", 404), ("owner of another", 404)],
)
def test_raw_result_of_others(api: Api, callers: Who, url: str, caller: str, status: int) -> None:
    """To everybody else a raw result is not there."""
    assert api.get(f"{url}/result", headers=callers[caller]).status == status


def make_failure(published: PublishedBenchmark, number: int, outcome: Outcome) -> SubmissionRecord:
    """Make a record without a score."""
    record = make_guest_record(published, "Ada", {}, number=number, outcome=outcome)
    output = Output(stdout=f"out {number}", stderr="x" * 20_000 if number % 2 else "err", ended="exited with code 1")
    return record._replace(message=f"message {number}", pointer="/a", output=output)


OUTCOMES = (Outcome.INVALID, Outcome.EVALUATOR_ERROR, Outcome.INTERNAL_ERROR)


@pytest.fixture
def failures(stack: StackHarness, published: PublishedBenchmark) -> list[SubmissionRecord]:
    """45 records without a score, of all outcomes in turn, between scored ones, newest first."""
    made = [make_failure(published, number, OUTCOMES[number % 3]) for number in range(45)]
    for number, record in enumerate(made):
        stack.submissions.put_record(record)
        stack.submissions.put_record(
            make_guest_record(published, "Bob", {"Coins": 1, "Time": 1.0}, number=100 + number)
        )
    return made[::-1]


def read_all(api: Api, headers: Mapping[str, str], **query: str) -> list[list[dict[str, Any]]]:
    """Read the pages of the errors of `coins`."""
    pages = []
    cursor: dict[str, str] = {}
    while True:
        answer = api("GET", LIST, headers=headers, query={"outcome": "failed", **query, **cursor})
        assert answer.status == 200, answer.body
        pages.append(answer.body["submissions"])
        if answer.body["next"] is None:
            return pages
        cursor = {"cursor": answer.body["next"]}


@pytest.mark.parametrize("caller", ["owner", "admin"])
def test_errors_are_listed_for_owners_newest_first(
    api: Api, callers: Who, failures: list[SubmissionRecord], caller: str
) -> None:
    """Every submission without a score, newest first, by pages, and why, to those who must act."""
    pages = read_all(api, callers[caller])

    errors = [error for page in pages for error in page]
    assert [len(page) for page in pages] == [20, 20, 5]
    assert [error["submission"] for error in errors] == [record.submission.id for record in failures]
    for error, record in zip(errors, failures, strict=True):
        assert (error["player"], error["version"]) == ("guest-ada", record.version)
        hidden = caller == "owner" and record.outcome is Outcome.INTERNAL_ERROR
        told = (APOLOGY, None, None) if hidden else (record.message, "/a", record.output and asdict(record.output))
        assert (error["message"], error["pointer"], error["output"]) == told


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_errors_of_one_outcome(api: Api, callers: Who, failures: list[SubmissionRecord], outcome: Outcome) -> None:
    """Only those that are asked for."""
    errors = [error for page in read_all(api, callers["owner"], outcome=outcome.value) for error in page]

    expected = [record.submission.id for record in failures if record.outcome is outcome]
    assert [error["submission"] for error in errors] == expected


def test_scored_in_the_end(api: Api, stack: StackHarness, callers: Who, published: PublishedBenchmark) -> None:
    """An internal error that was followed by a score is no error any more."""
    stack.submissions.put_record(make_failure(published, 2, Outcome.INTERNAL_ERROR))
    stack.submissions.put_record(make_guest_record(published, "Ada", {"Coins": 1, "Time": 1.0}, number=2))

    assert read_all(api, callers["owner"]) == [[]]


@pytest.mark.parametrize(("query", "status"), [({"outcome": "scored"}, 422), ({"cursor": "nonsense"}, 400)])
def test_errors_asked_for_wrongly(api: Api, callers: Who, query: dict[str, str], status: int) -> None:
    """A scored submission is no error, and a cursor is one of this list."""
    assert api("GET", LIST, headers=callers["owner"], query={"outcome": "failed", **query}).status == status
