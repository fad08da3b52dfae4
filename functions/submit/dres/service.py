"""Serves clients of DRES v2, the server of video-retrieval contests: sessions and submissions by its rules.

The session of a login is in the query, which is never logged. DRES publishes a specification of these routes, so the
OpenAPI document of this API leaves them out.
"""

from collections.abc import Mapping
from copy import replace
from datetime import timedelta
from http import HTTPStatus
from typing import Any, Final

from pydantic import TypeAdapter

from handlers.http.auth import Caller, verify
from handlers.http.benchmarks import find_benchmark, list_published
from handlers.http.outcomes import wait_for_outcome
from handlers.http.problems import Answer, Problem, not_found, unauthorized
from handlers.http.requests import MEDIA_TYPE, parse_body, read_body, read_headers, read_wait
from handlers.http.submitters import SubmitterRequest
from scoring_core.outcome import Outcome
from storage.benchmarks.store import PublishedBenchmark
from storage.keys import utc_now
from storage.players.players import Account
from storage.players.tokens import Scope, Session, Token, hash_secret
from submit.dependencies import SubmitServices, services
from submit.dres.schemas import (
    Done,
    DresEvaluation,
    ServerTime,
    SubmissionStatus,
    User,
    view_evaluation,
    view_open_questions,
    view_outcome,
    view_task,
)
from submit.post import log_received
from submit.submissions import SubmissionRequest, submit_result

type Event = Mapping[str, Any]

SESSION_HOURS: Final = 8
WAIT_SECONDS: Final = 8
"""Clients of DRES give up after 10 seconds, if not later, and cannot ask again."""
_LOGIN_BYTES: Final = 4096
_NO_SESSION: Final = "session: expected the sessionId of a login that has not expired"
_SCORER: Final = "event_decay"
_METRIC: Final = "score"
_EVALUATIONS: Final = TypeAdapter(list[DresEvaluation])
# The error statuses that the specification has for a submission; any other is answered with 412, "rejected".
_SPECIFIED: Final = frozenset({HTTPStatus.BAD_REQUEST, HTTPStatus.UNAUTHORIZED, HTTPStatus.NOT_FOUND})


def log_in(event: Event) -> Answer:
    """Open a session for a player who sends its id and one of its tokens.

    Raises Problem 400 if the body is no login, 401 if the token is invalid or of another player.
    """
    submit, (username, password) = services(), _read_login(read_body(event))
    sha256 = hash_secret(password)
    account, _ = verify(submit, sha256, source="password")
    if account.player.id != username:
        raise unauthorized("another-player", "username: expected the id of the player whose token is the password")
    secret = submit.randomness(32).hex()
    ends_at = submit.clock().replace(microsecond=0) + timedelta(hours=SESSION_HOURS)
    submit.sessions.put(secret, Session(token_sha256=sha256, ends_at=ends_at))
    return User(id=username, username=username, session_id=secret).to_answer()


def log_out(event: Event) -> Answer:
    """End a session. Raises Problem 400 if there is none."""
    submit, secret = services(), _read_session(event)
    if _find_session(submit, secret) is None:
        raise Problem(HTTPStatus.BAD_REQUEST, "not-logged-in", _NO_SESSION)
    submit.sessions.delete(secret)
    return Done(description="the session has ended").to_answer()


def get_user(event: Event) -> Answer:
    """Return the player of a session. Raises Problem 401."""
    player = _verify(services(), event)[0].player
    return User(id=player.id, username=player.id, session_id=_read_session(event)).to_answer()


def get_time(_: Event) -> Answer:
    """Return the server's time."""
    return ServerTime(time_stamp=int(utc_now().timestamp() * 1000)).to_answer()


def list_evaluations(event: Event) -> Answer:
    """List the benchmarks that the token covers, then their open questions.

    A client that names no task chooses a question; one that takes the first evaluation and names its task gets a
    benchmark. Raises Problem 401.
    """
    submit = services()
    (account, token), now = _verify(submit, event), submit.clock()
    covered = [
        benchmark
        for benchmark in list_published(submit.benchmarks, unlisted=True)
        if _is_evaluation(benchmark, token) and (benchmark.definition.listed or benchmark.id in token.benchmarks)
    ]
    player = account.player.name
    listed = [view_evaluation(published, player=player, now=now) for published in covered]
    listed += view_open_questions(covered, player=player, now=now)
    return Answer(HTTPStatus.OK, _EVALUATIONS.dump_json(listed, by_alias=True).decode(), {})


def get_task(evaluation: str, event: Event) -> Answer:
    """Return the only question of an evaluation id.

    Raises Problem 401, 404 if the evaluation does not exist, is not open, or has several questions.
    """
    submit = services()
    published, part = _find(submit, evaluation, _verify(submit, event)[1])
    if published.archived or published.definition.phase_at(submit.clock()) != "open":
        raise not_found("no task is running: this benchmark is not open")
    if part is None and len(published.parts) != 1:
        raise not_found(
            "every task of this benchmark is open: name the one you answer as taskName, "
            f"or choose the evaluation {published.id}.<task>"
        )
    return view_task(published, part or published.parts[0]).to_answer()


def post_answers(evaluation: str, event: Event) -> Answer:
    """Store a submission, and wait some seconds for its verdict.

    `evaluation` is a benchmark's id, or this, a dot and a question's id, for clients that name no task. The header
    `Prefer: wait=N` changes the wait. The body, an ApiClientSubmission, is stored as received; its declared type is
    ignored, because DRES ignores it and its clients send any.

    Raises Problem 400, 401, 404, 412 with the reason if it was rejected, or its outcome is invalid, StoreError if
    it is not stored.
    """
    submit, headers = services(), read_headers(event)
    account, token = _verify(submit, event)
    published, part = _find(submit, evaluation, token)
    sender = SubmitterRequest(
        caller=Caller(origin="", account=account, token=token),  # the origin is for guests alone
        headers={**headers, "content-type": MEDIA_TYPE},
        player=None,
        kind=None,
    )
    request = SubmissionRequest(sender, read_body(event), part=part)
    try:
        accepted = submit_result(submit, published.terms, request)
    except Problem as problem:
        if problem.status in _SPECIFIED:
            raise
        raise replace(problem, status=HTTPStatus.PRECONDITION_FAILED) from problem
    submission = accepted.submission
    log_received(submission)
    preferred = read_wait(headers["prefer"]) if "prefer" in headers else WAIT_SECONDS
    view = wait_for_outcome(
        submit, submission, version=published.version, seconds=accepted.max_wait(preferred), ranked=False
    )
    if view is None or view.in_review:
        state = "in review: it waits for the owner's look" if view else "queued"
        status = SubmissionStatus(submission="INDETERMINATE", description=f"submission {submission.id} is {state}")
        return status.to_answer(HTTPStatus.ACCEPTED)
    if view.outcome is Outcome.INVALID:
        place = f" (at {view.pointer})" if view.pointer else ""
        raise Problem(HTTPStatus.PRECONDITION_FAILED, "invalid", f"{view.message}{place}")
    return view_outcome(view, metric=_find_metric(published)).to_answer()


def post_log(evaluation: str, event: Event) -> Answer:
    """Accept an interaction log, of which nothing is read. Raises Problem 401, 404."""
    _find(services(), evaluation, _verify(services(), event)[1])
    return Done(description="log received; interaction logs are not stored").to_answer()


def _read_session(event: Event) -> str:
    session: str = (event.get("queryStringParameters") or {}).get("session", "")
    return session


def _verify(submit: SubmitServices, event: Event) -> tuple[Account, Token]:
    """Return the player of a session. Raises Problem 401."""
    session = _find_session(submit, _read_session(event))
    if session is None:
        raise unauthorized("no-session", _NO_SESSION)
    return verify(submit, session.token_sha256, source="session")


def _find_session(submit: SubmitServices, secret: str) -> Session | None:
    session = submit.sessions.find(secret) if secret else None
    return session if session is not None and session.holds_at(submit.clock()) else None


def _find(submit: SubmitServices, evaluation: str, token: Token) -> tuple[PublishedBenchmark, str | None]:
    """Return the benchmark of an evaluation id, and the question if it names one."""
    benchmark, dot, part = evaluation.partition(".")
    published = find_benchmark(submit.benchmarks, benchmark)
    if not _is_evaluation(published, token):
        raise not_found("there is no such evaluation in the list of this session")
    if dot and part not in published.parts:
        raise not_found("there is no such task in this evaluation")
    return published, part if dot else None


def _is_evaluation(published: PublishedBenchmark, token: Token) -> bool:
    return published.definition.scorer == _SCORER and token.allows(Scope.SUBMIT, published.id)


def _find_metric(published: PublishedBenchmark) -> str:
    """Return the metric of the verdict: `score`, else the first of the ranking."""
    definition = published.definition
    return _METRIC if _METRIC in definition.score_type.names else definition.ranking.by[0]


def _read_login(body: bytes) -> tuple[str, str]:
    """Return username and password. Raises Problem 400."""
    try:
        value = parse_body(body, max_bytes=_LOGIN_BYTES)
    except Problem as problem:
        raise replace(problem, status=HTTPStatus.BAD_REQUEST) from problem
    match value:
        case {"username": str(username), "password": str(password)}:
            return username.strip(), password.strip()  # of a file, a token often ends with a line break
        case _:
            raise Problem(
                HTTPStatus.BAD_REQUEST, "no-login", "body: expected an object with username and password, two strings"
            )
