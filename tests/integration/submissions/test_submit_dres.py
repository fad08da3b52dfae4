"""Clients of DRES v2: sessions, evaluations, verdicts, and every refusal in DRES's own shape."""

import json
from collections.abc import Callable, Mapping
from copy import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from scoring_core.outcome import Outcome
from scoring_core.scorers.base import Scores
from storage.players.tokens import Scope, Session, SessionStore, hash_secret
from storage.submissions.models import APOLOGY, Player, PlayerKind
from submit.dependencies import services
from tests.harness.factories import make_guest_record, make_player
from tests.harness.stack import COINS, Answer, Api, StackHarness, failing, make_benchmark

pytestmark = pytest.mark.usefixtures("tiny")

HERON = make_player("heron", "Heron Large", PlayerKind.MODEL)
PASSWORD = "laurel_of-the-heron"  # not one of anybody's
NAMELESS = {"mediaItemName": None, "mediaItemCollectionName": None, "start": None, "end": None}
ANSWERS = {
    "answerSets": [{"taskId": None, "taskName": "1", "answers": [{"text": "TR-V017-4945,5001", **NAMELESS}]}],
}
LONG_AGO = datetime(2026, 1, 1, tzinfo=UTC)
WITH_A_SESSION = [
    ("GET", "/api/v2/user"),
    ("GET", "/api/v2/client/evaluation/list"),
    ("GET", "/api/v2/client/evaluation/currentTask/tiny.1"),
    ("POST", "/api/v2/submit/tiny"),
    ("POST", "/api/v2/log/result/tiny"),
]

type Grant = Callable[..., None]


@pytest.fixture
def grant(stack: StackHarness) -> Grant:
    """Make a player's token: the heron's, or one with some things changed."""

    def make(player: Player = HERON, password: str = PASSWORD, **changes: Any) -> None:
        stack.issue_token(player, Scope.SUBMIT, secret=password, **changes)

    return make


@pytest.fixture
def session(api: Api, grant: Grant) -> str:
    """The heron's session."""
    grant()
    return str(log_in(api).body["sessionId"])


def log_in(api: Api, username: str = "heron", password: str = PASSWORD) -> Answer:
    """Log in."""
    return api("POST", "/api/v2/login", body=json.dumps({"username": username, "password": password}).encode())


def submit(  # what the tests vary
    api: Api,
    session: str,
    body: bytes | Mapping[str, Any] = ANSWERS,
    *,
    evaluation: str = "tiny",
    headers: Mapping[str, str] | None = None,
) -> Answer:
    """Submit without waiting for the outcome."""
    headers = {"Prefer": "wait=0", **(headers or {})}
    return api.ask(f"/api/v2/submit/{evaluation}", body, headers, query={"session": session})


def ask(api: Api, session: str, path: str) -> Answer:
    """Get something with a session."""
    return api("GET", f"/api/v2/{path}", query={"session": session})


def is_refusal(answer: Answer) -> bool:
    """Return whether an answer is DRES's ErrorStatus."""
    return (
        answer.headers["content-type"] == "application/json"
        and set(answer.body) == {"status", "description"}
        and answer.body["status"] is False
        and isinstance(answer.body["description"], str)
    )


def test_login_opens_a_session_of_eight_hours(api: Api, grant: Grant, stack: StackHarness) -> None:
    """A player logs in with its id and a token, and gets a session of which only the hash is kept, for 8 hours."""
    grant()
    before = datetime.now(UTC).replace(microsecond=0)

    answer = log_in(api)

    secret = answer.body["sessionId"]
    (item,) = [item for item in stack.items("AccessTable") if item["key"]["S"].startswith("session#")]
    ends_at = datetime.fromtimestamp(int(item["expires_at"]["N"]), UTC)
    assert (answer.status, answer.body) == (
        200,
        {"id": "heron", "username": "heron", "role": "PARTICIPANT", "sessionId": secret},
    )
    assert len(secret) == 64
    assert item["key"]["S"] == f"session#{hash_secret(secret)}"
    assert secret not in str(stack.items("AccessTable"))
    assert timedelta(hours=8) <= ends_at - before < timedelta(hours=8, minutes=1)


@pytest.mark.parametrize(
    ("username", "password", "changes", "words"),
    [
        ("heron", "laurel_guessed", {}, "password: this token is not known"),
        ("heron", "", {}, "password: this token is not known"),
        ("crane", PASSWORD, {}, "username: expected the id of the player"),
        ("Heron Large", PASSWORD, {}, "username: expected the id of the player"),
        ("heron", PASSWORD, {"revoked_at": LONG_AGO}, "password: this token was revoked at 2026-01-01T00:00:00Z"),
        ("heron", PASSWORD, {"ends_at": LONG_AGO}, "password: this token expired at 2026-01-01T00:00:00Z"),
    ],
)
def test_login_is_refused_without_a_valid_token(  # noqa: PLR0917  # a table's columns are its arguments
    api: Api, grant: Grant, stack: StackHarness, username: str, password: str, changes: dict[str, Any], words: str
) -> None:
    """A client that does not show a player's id and a token of that player that holds gets no session."""
    grant(**changes)
    before = stack.left_behind()

    answer = log_in(api, username, password)

    assert (answer.status, is_refusal(answer)) == (401, True)
    assert words in answer.body["description"]
    assert stack.left_behind() == before


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b'{"username": "heron"}',
        b'{"username": "heron", "password": 7}',
        b'{"username": "\xff", "password": "x"}',
        b'{"username": "heron", "password": "' + b"x" * 5000 + b'"}',
    ],
)
def test_what_is_no_login(api: Api, body: bytes) -> None:
    """A login is an object with two short strings; anything else is 400."""
    answer = api("POST", "/api/v2/login", body=body)

    assert (answer.status, is_refusal(answer)) == (400, True)


def test_evaluations_are_the_benchmarks_of_the_token(api: Api, session: str, stack: StackHarness) -> None:
    """The evaluations are the event_decay benchmarks, each question a task; nothing reveals the ground truth."""
    published = stack.publish(make_benchmark())
    stack.publish(make_benchmark(COINS))

    answer = ask(api, session, "client/evaluation/list")

    task = {"taskGroup": "tiny", "taskType": "event_decay", "duration": 2**31 - 1}
    shared = {
        "type": "ASYNCHRONOUS",
        "status": "ACTIVE",
        "templateId": published.version,
        "templateDescription": "Two questions.",
        "teams": ["Heron Large"],
    }
    assert answer.status == 200
    assert answer.body == [
        {**shared, "id": "tiny", "name": "Tiny", "taskTemplates": [{"name": "1", **task}, {"name": "2", **task}]},
        {**shared, "id": "tiny.1", "name": "Tiny: 1", "taskTemplates": [{"name": "1", **task}]},
        {**shared, "id": "tiny.2", "name": "Tiny: 2", "taskTemplates": [{"name": "2", **task}]},
    ]


@pytest.mark.parametrize(
    ("opens", "closes", "status", "duration"),
    [
        ("2099-01-01T00:00:00Z", "2099-01-02T00:00:00Z", "CREATED", 86_400),
        ("2020-01-01T00:00:00Z", "2099-01-01T00:00:00Z", "ACTIVE", 2**31 - 1),
        ("2020-01-01T00:00:00Z", "2020-01-01T01:00:00Z", "TERMINATED", 3600),
    ],
)
def test_phase_of_a_benchmark_decides_what_is_open(  # noqa: PLR0917  # a table's columns are its arguments
    api: Api, session: str, stack: StackHarness, opens: str, closes: str, status: str, duration: int
) -> None:
    """The window of a benchmark is the state of the evaluation."""
    stack.publish(make_benchmark(opens=opens, closes=closes))

    shown = ask(api, session, "client/evaluation/list").body[0]

    assert (shown["status"], shown["taskTemplates"][0]["duration"]) == (status, duration)


def test_a_token_for_some(api: Api, grant: Grant, stack: StackHarness) -> None:
    """A session sees and reaches only what its token covers."""
    stack.publish(make_benchmark(id="other"))
    grant(benchmarks=("other",))
    session = log_in(api).body["sessionId"]

    listed = [evaluation["id"] for evaluation in ask(api, session, "client/evaluation/list").body]

    assert listed == ["other", "other.1", "other.2"]
    assert submit(api, session, evaluation="other").status == 202
    assert submit(api, session, evaluation="tiny").status == 404


def test_the_current_task(api: Api, session: str, stack: StackHarness) -> None:
    """The task is the only question, or the one that the evaluation id names; of several open ones none is current."""
    stack.publish(make_benchmark(id="lone", truth="id,type,scene_id,video_id,points\nq,TR,,V1,10-20\n"))

    tasks = {
        evaluation: ask(api, session, f"client/evaluation/currentTask/{evaluation}")
        for evaluation in ("lone", "tiny.2", "tiny")
    }

    assert {evaluation: answer.status for evaluation, answer in tasks.items()} == {
        "lone": 200,
        "tiny.2": 200,
        "tiny": 404,
    }
    assert tasks["lone"].body["name"] == "q"
    assert tasks["tiny.2"].body == {
        "name": "2",
        "taskGroup": "tiny",
        "taskType": "event_decay",
        "duration": 2**31 - 1,
    }
    assert "tiny.<task>" in tasks["tiny"].body["description"]


def test_submission_without_outcome_is_indeterminate(api: Api, session: str, stack: StackHarness) -> None:
    """What is safe and not yet scored is 202 INDETERMINATE; the body is kept as it came, as the session's player's."""
    body = json.dumps(ANSWERS, indent=3).encode()

    answer = submit(api, session, body)

    (key,) = stack.results()
    kept = stack.cloud.s3.get_object(Bucket=stack.results_bucket, Key=key)
    id_ = key.rpartition("/")[2]
    assert (answer.status, answer.body) == (
        202,
        {"status": True, "submission": "INDETERMINATE", "description": f"submission {id_} is queued"},
    )
    assert kept["Body"].read() == body
    shown = api.get(f"/api/benchmarks/tiny/submissions/{id_}").body
    assert (shown["player"], shown["verified"]) == ("heron", True)


@pytest.mark.parametrize(
    ("outcome", "scores", "status", "verdict", "words"),
    [
        (Outcome.SCORED, {"score": 79.0}, 200, "CORRECT", "score 79"),
        (Outcome.SCORED, {"score": 0.0}, 200, "WRONG", "score 0"),
        (Outcome.SCORED, {"score": 99.0}, 202, "INDETERMINATE", " is in review: it waits for the owner's look"),
        (Outcome.EVALUATOR_ERROR, {}, 200, "UNDECIDABLE", APOLOGY),
        (Outcome.INTERNAL_ERROR, {}, 200, "UNDECIDABLE", APOLOGY),
        (Outcome.INVALID, {}, 412, None, "because (at /answerSets/0)"),
    ],
)
def test_outcome_becomes_a_verdict(  # noqa: PLR0917  # a table's columns are its arguments
    api: Api,
    session: str,
    stack: StackHarness,
    outcome: Outcome,
    scores: Scores,
    status: int,
    verdict: str | None,
    words: str,
) -> None:
    """Each outcome is the verdict, or the refusal, that DRES has for it."""
    published = stack.publish(make_benchmark())
    headers = {"Idempotency-Key": "one"}
    submit(api, session, headers=headers)
    record = make_guest_record(published, "x", scores, number=1, outcome=outcome)
    submission = replace(record.submission, id=stack.results()[0].rpartition("/")[2], player=HERON)
    fault = {} if outcome is Outcome.SCORED else {"message": "because", "pointer": "/answerSets/0"}
    waits = verdict == "INDETERMINATE"
    stack.submissions.put_record(replace(record, submission=submission, in_review=waits, **fault))

    answer = submit(api, session, headers=headers)

    assert (answer.status, answer.body.get("submission")) == (status, verdict)
    assert answer.body["status"] is (verdict is not None)
    assert answer.body["description"] == (f"submission {submission.id}{words}" if waits else words)


def test_a_question_in_the_evaluation_id(api: Api, session: str, stack: StackHarness) -> None:
    """For clients that name no task, the evaluation id may: the question is then the submission's part."""
    answer = submit(api, session, {"answerSets": [{"answers": [{"text": "TR-V017-4945"}]}]}, evaluation="tiny.1")

    (key,) = stack.results()
    kept = stack.cloud.s3.head_object(Bucket=stack.results_bucket, Key=key)["Metadata"]
    assert answer.status == 202
    assert kept["part"] == "1"


@pytest.mark.parametrize(("method", "path"), WITH_A_SESSION)
@pytest.mark.parametrize("secret", [None, "", "made-up", PASSWORD, "ended"])
def test_without_a_session(api: Api, grant: Grant, method: str, path: str, secret: str | None) -> None:
    """Without a session, or with one that has ended though the table still has it, nothing is shown or accepted."""
    grant()
    ended = Session(token_sha256=hash_secret(PASSWORD), ends_at=datetime.now(UTC) - timedelta(seconds=1))
    services().sessions.put("ended", ended)

    answer = api(method, path, query={} if secret is None else {"session": secret})

    assert (answer.status, is_refusal(answer)) == (401, True)


def test_session_ends_with_logout(api: Api, session: str) -> None:
    """A session that was logged out of is none, and nobody can log out of it again."""
    first, again = (ask(api, session, "logout") for _ in range(2))

    assert (first.status, first.body["status"]) == (200, True)
    assert (again.status, is_refusal(again)) == (400, True)
    assert ask(api, session, "user").status == 401
    assert api.get("/api/v2/logout").status == 400


@pytest.mark.parametrize("kind", ["query", "result"])
def test_interaction_log_is_answered_and_not_stored(api: Api, session: str, stack: StackHarness, kind: str) -> None:
    """A client's log is answered as DRES does, for a benchmark and a question, whatever it holds; nothing is stored."""
    before = stack.left_behind()

    answers = [
        api("POST", f"/api/v2/log/{kind}/{evaluation}", query={"session": session}, headers=headers, body=body)
        for evaluation, headers, body in [
            ("tiny", {"Content-Type": "application/json"}, b'{"timestamp": 1, "results": [], "events": []}'),
            ("tiny.1", {}, b"{"),
        ]
    ]

    assert [(answer.status, answer.body["status"]) for answer in answers] == [(200, True)] * 2
    assert stack.left_behind() == before


def test_a_revoked_token_ends_its_sessions(api: Api, session: str, stack: StackHarness) -> None:
    """What was opened with a token holds no longer than the token."""
    store = SessionStore(stack.access)
    tokens, sha256 = services().tokens, hash_secret(PASSWORD)
    tokens.revoke_hashed(sha256, tokens.find_hashed(sha256), now=datetime.now(UTC))
    before = stack.left_behind()

    answer = submit(api, session)

    assert store.find(session) is not None
    assert (answer.status, is_refusal(answer)) == (401, True)
    assert "session: this token was revoked" in answer.body["description"]
    assert stack.left_behind() == before


def test_a_session_is_no_token(api: Api, session: str) -> None:
    """On the other routes a session opens nothing, neither as a token nor in the query."""
    as_token = api.post(headers={"Authorization": f"Bearer {session}"})
    in_query = api.post(query={"session": session})

    assert (as_token.status, in_query.status) == (401, 422)


@pytest.mark.parametrize("evaluation", ["nothing", "coins", "tiny.3", "tiny.", "tiny.1.1", "TINY", "..", "%00"])
def test_unknown_evaluation_is_not_found(api: Api, session: str, stack: StackHarness, evaluation: str) -> None:
    """What is not in the list is not found: a benchmark of another scorer neither."""
    stack.publish(make_benchmark(COINS))

    answers = [
        submit(api, session, evaluation=evaluation),
        ask(api, session, f"client/evaluation/currentTask/{evaluation}"),
        api("POST", f"/api/v2/log/query/{evaluation}", query={"session": session}),
    ]

    assert [(answer.status, is_refusal(answer)) for answer in answers] == [(404, True)] * 3
    assert stack.results() == []


@pytest.mark.parametrize(
    ("changes", "body", "headers", "status", "words"),
    [
        ({"closes": "2020-01-01T00:00:00Z"}, ANSWERS, {}, 412, "closed at 2020-01-01"),
        ({"opens": "2099-01-01T00:00:00Z"}, ANSWERS, {}, 412, "opens at 2099-01-01"),
        ({"submissions": {"max_bytes": 20}}, ANSWERS, {}, 412, "expected at most 20 bytes"),
        ({}, b"7", {}, 412, "expected an object or an array"),
        ({}, ANSWERS, {"Content-Encoding": "gzip"}, 412, "send the result uncompressed"),
        ({}, b"{", {}, 400, "body: "),
        ({}, b"", {}, 400, "body: "),
        ({}, ANSWERS, {"Idempotency-Key": "é"}, 400, "Idempotency-Key"),
    ],
)
def test_submission_is_rejected_with_dres_status(  # noqa: PLR0917  # a table's columns are its arguments
    api: Api,
    session: str,
    stack: StackHarness,
    changes: dict[str, Any],
    body: bytes | Mapping[str, Any],
    headers: dict[str, str],
    status: int,
    words: str,
) -> None:
    """What is not accepted is 412 with the reason, or 400 where it is no JSON, and leaves nothing."""
    stack.publish(make_benchmark(**changes))
    before = stack.left_behind()

    answer = submit(api, session, body, headers=headers)

    assert (answer.status, is_refusal(answer)) == (status, True)
    assert words in answer.body["description"]
    assert stack.left_behind() == before


def test_a_store_out_of_reach(api: Api, session: str, stack: StackHarness) -> None:
    """What was not kept is not accepted, and said so in DRES's shape."""
    with failing(stack.cloud.s3, "PutObject", code="SlowDown", status=503):
        answer = submit(api, session)

    assert (answer.status, is_refusal(answer)) == (503, True)


def test_nothing_secret_is_logged(
    api: Api, session: str, stack: StackHarness, log: Callable[[], list[dict[str, Any]]]
) -> None:
    """Neither session nor password is logged, whether all goes well or not."""
    submit(api, session)
    submit(api, session, b"{")
    log_in(api, "crane")
    with failing(stack.cloud.s3, "PutObject", code="AccessDenied", status=403):
        submit(api, session)
    with failing(stack.cloud.dynamodb, "GetItem", code="AccessDenied", status=400):
        ask(api, session, "user")
        log_in(api)

    logged = json.dumps(log())

    assert logged.count("request failed") == 3
    assert "result received" in logged
    for secret in (session, PASSWORD, "heron", "V017"):
        assert secret not in logged
