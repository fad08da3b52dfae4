"""What callers may submit and read: tokens, receipts, guests, quotas, and the site's host."""

from collections.abc import Callable
from copy import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from scoring_core.outcome import Outcome
from scoring_core.output import Output
from storage.benchmarks.store import PublishedBenchmark
from storage.players.tokens import Scope
from storage.submissions.models import APOLOGY, Player, PlayerKind
from tests.harness.factories import make_guest_record, make_player, name_guest
from tests.harness.stack import (
    TRUTH,
    Answer,
    Api,
    StackHarness,
    make_benchmark,
)

type Issue = Callable[..., dict[str, str]]
HERON = make_player("heron", "Heron Large", PlayerKind.MODEL)


@pytest.fixture
def issue(stack: StackHarness) -> Issue:
    """Make tokens, Heron's if nothing else is said: give the headers of a request that shows one."""

    def make(player: Player = HERON, *scopes: Scope, **changes: Any) -> dict[str, str]:
        return stack.issue_token(player, *(scopes or (Scope.SUBMIT,)), **changes)

    return make


def name_of(answer: Answer) -> str:
    """Return the name of a problem's type."""
    return str(answer.body["type"]).rpartition(":")[2]


def status_of(api: Api, answer: Answer) -> dict[str, Any]:
    """Return the public status of a submission."""
    body: dict[str, Any] = api.get(answer.body["status_url"]).body
    return body


@pytest.mark.usefixtures("tiny")
@pytest.mark.parametrize(
    ("scope", "query", "problem"),
    [
        (Scope.SUBMIT, {"player": "Somebody"}, "player-beside-token"),
        (Scope.SUBMIT, {"kind": "model"}, "kind-beside-token"),
        (Scope.ADMIN, {"player": "Somebody"}, "player-beside-token"),
        (Scope.HOST, {}, "player-needed"),
        (Scope.HOST, {"kind": "model"}, "player-needed"),
    ],
)
def test_name_beside_token_is_rejected(  # noqa: PLR0917  # a table's columns are its arguments
    api: Api, issue: Issue, stack: StackHarness, scope: Scope, query: dict[str, str], problem: str
) -> None:
    """Only a host's token names players, and it must."""
    headers = issue(HERON, scope)
    before = stack.left_behind()

    answer = api.post(headers=headers, query=query)

    assert (answer.status, name_of(answer)) == (422, problem)
    assert answer.body["errors"][0]["parameter"] == problem.partition("-")[0]
    assert stack.left_behind() == before


def test_host_names_players(api: Api, issue: Issue, stack: StackHarness) -> None:
    """Each host's Ada is a player of its own with a quota of its own, where guests are not accepted, too."""
    stack.publish(make_benchmark(submissions={"anonymous": False, "per_day": 1}))
    host = issue(make_player("maze", "Maze Server"), Scope.HOST, benchmarks=("tiny",))
    other = issue(make_player("sudoku", "Sudoku Server"), Scope.HOST, Scope.SUBMIT)

    answers = [
        api.post(headers=host, query={"player": "Ada"}),
        api.post(headers=host, query={"player": "Bo", "kind": "model"}),
        api.post(headers=other, query={"player": "Ada"}),
        api.post(headers=other),
    ]
    over = api.post(headers=host, query={"player": "ADA"})
    taken = api.post(headers=host, query={"player": "Sudоku Servеr"})  # its o and e are Cyrillic

    shown = [status_of(api, answer) for answer in answers]
    assert [(each["name"], each["kind"], each["verified"]) for each in shown] == [
        ("Ada", "human", False),
        ("Bo", "model", False),
        ("Ada ·2", "human", False),
        ("Sudoku Server", "human", True),
    ]
    guest = name_guest("Ada", PlayerKind.HUMAN)
    assert len({guest.id, *(each["player"] for each in shown)}) == 5
    assert (over.status, "each player" in over.body["detail"]) == (429, True)
    assert (taken.status, name_of(taken)) == (409, "name-taken")
    again = issue(make_player("maze", "Maze Server"), Scope.HOST)
    assert api.post(headers=again, query={"player": "ada"}).status == 429


@pytest.mark.usefixtures("tiny")
@pytest.mark.parametrize(
    ("changes", "problem", "words"),
    [
        ({"revoked_at": datetime(2026, 2, 1, tzinfo=UTC)}, (401, "revoked-token"), "revoked at 2026-02-01T00:00:00Z"),
        ({"ends_at": datetime(2026, 2, 1, tzinfo=UTC)}, (401, "expired-token"), "expired at 2026-02-01T00:00:00Z"),
        ({"benchmarks": ("other",)}, (403, "not-covered"), "does not allow submissions to tiny"),
        ({"scopes": frozenset({Scope.OWN})}, (403, "not-covered"), "does not allow submissions to tiny"),
    ],
)
def test_a_token_that_does_not_hold(  # noqa: PLR0917  # a table's columns are its arguments
    api: Api, issue: Issue, stack: StackHarness, changes: dict[str, Any], problem: tuple[int, str], words: str
) -> None:
    """A token that is revoked, past its end, or for something else hands nothing in."""
    headers = issue(**changes)
    before = stack.left_behind()

    answer = api.post(headers=headers)

    assert (answer.status, name_of(answer)) == problem
    assert words in answer.body["detail"]
    assert stack.left_behind() == before


def test_only_with_a_token(api: Api, stack: StackHarness, issue: Issue) -> None:
    """Where guests are not taken, a token is needed."""
    stack.publish(make_benchmark(submissions={"anonymous": False}))
    headers = issue()

    refused = api.post(query={"player": "Ada"})

    assert (refused.status, name_of(refused), api.post(headers=headers).status) == (401, "token-needed", 202)


@pytest.mark.usefixtures("tiny")
@pytest.mark.parametrize("secret", [f"laurel_{'s3cret' * 7}x", f"receipt_{'0123456789abcdef' * 2}"])
def test_no_answer_repeats_a_secret(api: Api, stack: StackHarness, secret: str) -> None:
    """A token or a receipt in the wrong place is rejected, or finds nothing, and no answer and no name repeats it."""
    before = stack.left_behind()
    answers = [
        api.post(query={"player": secret}),
        api.post(query={"player": f"Ada {secret}"}),
        api.post(headers={"Authorization": secret}),
        api.post(headers={"Authorization": f"Basic {secret}"}),
        api.post(headers={"Authorization": f"Bearer x{secret}"}),
        api.post(headers={"Prefer": secret, "Content-Type": secret}),
        api.post(query={"part": secret}),
        api.post(query={"kind": secret}),
        api.post(query={"token": secret}),
        api.get(f"/api/benchmarks/tiny/submissions/{secret}"),
        api.get(f"/api/benchmarks/tiny/players/{secret}"),
        api.get(f"/api/benchmarks/{secret}"),
    ]

    assert [answer.status // 100 for answer in answers] == [4] * len(answers)
    assert [answer.body for answer in answers if secret in str(answer.body)] == []
    assert stack.left_behind() == before


LATER = APOLOGY
OUTCOMES = (Outcome.INVALID, Outcome.EVALUATOR_ERROR, Outcome.INTERNAL_ERROR)
FAULTS = {
    "stranger": (None, LATER, LATER),
    "other player": (None, LATER, LATER),
    "player": ("because", LATER, LATER),
    "owner": ("because", "because", LATER),
    "owner of another": (None, LATER, LATER),
    "admin": ("because", "because", "because"),
}
"""What each reader sees of an invalid result, an evaluator error and an internal error.

Source: docs/sources.md, "Score pipeline", error handling.
"""


@pytest.fixture
def headers_of(issue: Issue) -> Callable[[str], dict[str, str]]:
    """Gives the headers with which somebody asks."""
    bo = make_player("bo", "Bo")
    makers: dict[str, Callable[[], dict[str, str]]] = {
        "stranger": dict,
        "other player": lambda: issue(bo),
        "player": lambda: issue(HERON),
        "owner": lambda: issue(bo, Scope.OWN, benchmarks=("tiny",)),
        "owner of another": lambda: issue(bo, Scope.OWN, benchmarks=("other",)),
        "admin": lambda: issue(bo, Scope.ADMIN),
    }
    return lambda caller: makers[caller]()


@pytest.mark.parametrize("caller", FAULTS)
def test_who_is_told_what(
    api: Api,
    headers_of: Callable[[str], dict[str, str]],
    stack: StackHarness,
    tiny: PublishedBenchmark,
    caller: str,
) -> None:
    """Only those who must act on a fault may read its message; its player, too, reads the detail of a score."""
    headers = headers_of(caller)
    messages, detail = [], {"values": [4945]} if caller in {"player", "owner", "admin"} else None
    for number, outcome in enumerate(OUTCOMES):
        record = make_guest_record(tiny, "x", {}, number=number, outcome=outcome)
        submission = replace(record.submission, player=HERON)
        stack.submissions.put_record(
            replace(record, submission=submission, message="because", output=Output("out", "err", "exit code 1"))
        )
        shown = api.get(f"/api/benchmarks/tiny/submissions/{submission.id}", headers=headers).body
        assert (shown["output"] is not None) == (shown["message"] == "because")
        messages.append(shown["message"])

    record = make_guest_record(tiny, "x", {"score": 5}, number=9)
    explained = (replace(record.evaluations[0], part="1", detail={"values": [4945]}),)
    submission = replace(record.submission, player=HERON)
    stack.submissions.put_record(replace(record, submission=submission, evaluations=explained))
    shown = api.get(f"/api/benchmarks/tiny/submissions/{submission.id}", headers=headers).body

    assert tuple(messages) == FAULTS[caller]
    assert (shown["scores"], shown["detail"]) == ({"score": 5}, detail)
    assert [part["detail"] for part in shown["parts"]] == [detail]


def test_quota_of_a_player(api: Api, issue: Issue, stack: StackHarness) -> None:
    """A submission over the quota is rejected until the next day, and leaves nothing; others are accepted."""
    stack.publish(make_benchmark(submissions={"per_day": 2}))
    headers = issue()
    passed = [api.post(headers=headers).status for _ in range(2)]
    before = stack.left_behind()

    answer = api.post(headers=headers)
    keyed = api.post(headers={**headers, "Idempotency-Key": "run-3"})

    tomorrow = (datetime.now(UTC) + timedelta(days=1)).date()
    assert passed == [202, 202]
    assert (answer.status, name_of(answer), keyed.status) == (429, "quota-exhausted", 429)
    assert f"each player may submit 2 results a day here; the next day begins at {tomorrow}T00:00:00Z" in answer.text
    assert 0 < int(answer.headers["retry-after"]) <= 86_400
    assert stack.left_behind() == before
    assert api.post().status == 202


@pytest.mark.parametrize("anonymous", [False, True])
def test_tries_left_are_told_to_who_has_them(api: Api, issue: Issue, stack: StackHarness, *, anonymous: bool) -> None:
    """Benchmark, status and POST say what is left and when it is back, to the player alone; limits are everybody's."""
    rules = {"per_day": 5} if anonymous else {"per_day": 5, "in_all": 2, "anonymous": False}
    published = stack.publish(make_benchmark(submissions=rules))
    player = {"player": "Ada"} if anonymous else {}
    headers = {"Laurel-Player-Key": f"player_{'0' * 32}"} if anonymous else issue()
    names = ("quota_left", "left_in_all", "resets_at")

    def read(headers: dict[str, str], **query: str) -> tuple[Any, ...]:
        benchmark = api("GET", "/api/benchmarks/tiny", headers=headers, query=query).body
        return tuple(benchmark[name] for name in names)

    tomorrow = (datetime.now(UTC) + timedelta(days=1)).strftime("%Y-%m-%dT00:00:00Z")
    assert read({}) == (None, None, None)
    assert read(headers, **player) == ((5, None, tomorrow) if anonymous else (2, 2, tomorrow))
    posted = api.post(headers=headers, query=player)
    assert read(headers, **player) == ((4, None, tomorrow) if anonymous else (1, 1, tomorrow))
    assert read({}, **({"player": "Bea"} if anonymous else {})) == ((5, None, tomorrow) if anonymous else (None,) * 3)
    assert tuple(posted.body[name] for name in names) == read(headers, **player)
    receipt = {"Authorization": f"Bearer {posted.body['receipt']}"}
    own, others = (api.get(posted.body["status_url"], headers=each).body for each in (receipt, {}))
    assert tuple(own[name] for name in names) == read(headers, **player)
    assert tuple(others[name] for name in names) == (None, None, None)
    if anonymous:
        assert api("GET", "/api/benchmarks/tiny", query={"player": "verified"}).status == 422
        return

    last = api.post(headers=headers).body["submission"]
    refused = api.post(headers=headers)
    assert (refused.status, name_of(refused), "retry-after" in refused.headers) == (403, "tries-used-up", False)
    assert read(headers) == (0, 0, tomorrow)
    record = make_guest_record(published, "x", {}, number=1, outcome=Outcome.INVALID)
    stack.follow([replace(record, submission=replace(record.submission, id=last, player=HERON))])
    assert (read(headers), api.post(headers=headers).status) == ((1, 1, tomorrow), 202)
    assert read(stack.issue_token(HERON, Scope.OWN)) == (None, None, None), "it may not submit"
    assert api("GET", "/api/benchmarks/tiny", headers={"Authorization": "Bearer laurel_x"}).status == 401


@pytest.mark.parametrize(
    ("address", "other", "status"),
    [
        ("192.0.2.7", "192.0.2.7", 429),
        ("192.0.2.7", "192.0.2.8", 202),
        ("2001:db8:1:2::7", "2001:db8:1:2:ffff::9", 429),
        ("2001:db8:1:2::7", "2001:db8:1:3::7", 202),
        ("192.0.2.7", "::ffff:192.0.2.7", 429),
    ],
)
@pytest.mark.usefixtures("lone_guest")
def test_quota_of_guests(api: Api, stack: StackHarness, address: str, other: str, status: int) -> None:
    """Guests share a quota by address: of IPv6 by the network that one household has."""
    stack.publish(make_benchmark(submissions={"per_day": 1}))
    first, second = api.post(query={"player": "Ada"}, address=address), api.post(query={"player": "Bo"}, address=other)

    assert (first.status, second.status) == (202, status)
    if status == 429:
        assert "all guests at your network address together may submit 1 results a day" in second.body["detail"]


def test_quota_of_a_class_behind_an_address(api: Api, stack: StackHarness) -> None:
    """The guests at an address share the quotas of thirty players, and the benchmark's page says so."""
    stack.publish(make_benchmark(submissions={"per_day": 1, "invalid_per_day": 400}))

    statuses = [api.post(query={"player": f"Pupil {number}"}, address="192.0.2.7").status for number in range(31)]

    assert statuses == [202] * 30 + [429]
    assert api.get("/api/benchmarks/tiny").body["guest_limits"] == {"per_day": 30, "invalid_per_day": 10_000}


@pytest.mark.usefixtures("tiny", "lone_guest")
def test_an_address_that_the_client_claims(api: Api, stack: StackHarness) -> None:
    """What a client says of its own address is replaced by what the site's host says."""
    stack.publish(make_benchmark(submissions={"per_day": 1}))
    api.post(headers={"X-Viewer-Address": "198.51.100.1"})

    assert api.post(headers={"X-Viewer-Address": "198.51.100.2"}).status == 429


@pytest.mark.usefixtures("tiny")
@pytest.mark.parametrize("secret", [None, "", "wrong", "é"])
def test_the_bare_host(api: Api, stack: StackHarness, secret: str | None) -> None:
    """A caller who does not come through the site's host gets nothing."""
    headers = {"content-type": "application/json"} | ({} if secret is None else {"x-origin-secret": secret})
    bare = replace(api, origin_headers={})

    answer = bare.post(headers=headers)

    assert (answer.status, name_of(answer)) == (403, "not-this-host")
    assert [bare.get(path, headers=headers).status for path in ("/api/benchmarks", "/api/health")] == [403, 403]
    assert stack.left_behind() == 0


def test_waiting_while_another_version_becomes_current(
    api: Api, stack: StackHarness, tiny: PublishedBenchmark, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A POST that waits returns the outcome under the version that became current in between."""

    def score_by_another_version(_: float) -> None:
        submission = stack.submission()
        newer = stack.publish(make_benchmark(truth=TRUTH.replace("4945", "4946")))
        record = make_guest_record(newer, "Ada", {"coins": 1}, number=0)
        stack.submissions.put_record(replace(record, submission=submission))

    monkeypatch.setattr("handlers.http.outcomes.time.sleep", score_by_another_version)

    answer = api.post(headers={"Prefer": "wait=1"})

    assert (answer.status, answer.body["outcome"]) == (200, "scored")
