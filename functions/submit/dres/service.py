"""Serves the clients of DRES v2, the server of video-retrieval contests: sessions, and submissions by their rules."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from http import HTTPStatus
from typing import Final, NamedTuple

from scoring_core.outcome import Outcome
from storage.access.players import Account
from storage.access.sessions import Session, SessionStore
from storage.access.tokens import Scope, Token, hash_secret
from storage.benchmarks.store import PublishedBenchmark
from storage.ids import Clock, Randomness
from storage.submissions.models import Submission
from submit.answer_size import MAX_BODY_BYTES, measure
from submit.auth import Authenticator, Caller
from submit.dres.schemas import (
    DresEvaluation,
    DresVerdict,
    SubmissionStatus,
    Task,
    User,
    show_evaluation,
    show_outcome,
    show_task,
)
from submit.envelope import read_body
from submit.preferences import read_wait
from submit.problems import Problem, not_found, unauthorized
from submit.services.catalogue import Catalogue
from submit.services.status import StatusService
from submit.services.submissions import SubmissionRequest, SubmissionService

SESSION_HOURS: Final = 8
WAIT_SECONDS: Final = 8
"""Clients of DRES give up after 10 seconds, if not later, and cannot ask again."""
_LOGIN_BYTES: Final = 4096
_SCORER: Final = "event_decay"
_COLUMN: Final = "score"  # what the scorer yields
# What the specification lets a submission be refused with; for any other reason it has 412, "rejected".
_KNOWN: Final = frozenset({HTTPStatus.BAD_REQUEST, HTTPStatus.UNAUTHORIZED, HTTPStatus.NOT_FOUND})


class _Visitor(NamedTuple):
    """Who comes with a session."""

    account: Account
    token: Token


class DresAnswer(NamedTuple):
    """A submission that is safe, and its verdict if it came in time."""

    submission: Submission
    status: SubmissionStatus


class _Named(NamedTuple):
    """What an evaluation id names: a benchmark, or one question of it."""

    published: PublishedBenchmark
    part: str | None


@dataclass(frozen=True, slots=True)
class DresService:
    """Answers the clients of DRES. An evaluation is a published `event_decay` benchmark, a task is its question."""

    gate: Authenticator
    sessions: SessionStore
    catalogue: Catalogue
    reception: SubmissionService
    status: StatusService
    clock: Clock
    randomness: Randomness

    def log_in(self, body: bytes) -> User:
        """Open a session for a player that shows its id and one of its tokens.

        Raises:
            Problem: 400, the body is no login; 401, the token does not hold or is another player's.
        """
        username, password = _read_login(body)
        sha256 = hash_secret(password)
        account, _ = self.gate.verify_hashed(sha256, shown_as="password")
        if account.player.id != username:
            raise unauthorized("another-player", "username: expected the id of the player whose token the password is")
        secret = self.randomness(32).hex()
        ends_at = self.clock().replace(microsecond=0) + timedelta(hours=SESSION_HOURS)
        self.sessions.put(secret, Session(token_sha256=sha256, ends_at=ends_at))
        return User(id=username, username=username, session_id=secret)

    def log_out(self, secret: str) -> None:
        """End a session; of one that has ended already nothing is left to do."""
        self.sessions.delete(secret)

    def find_user(self, secret: str) -> User:
        """Tell whose a session is. Raises Problem 401."""
        player = self._visit(secret).account.player
        return User(id=player.id, username=player.id, session_id=secret)

    def list_evaluations(self, secret: str) -> list[DresEvaluation]:
        """List the benchmarks that the session's token covers. Raises Problem 401."""
        visitor = self._visit(secret)
        left, listed = MAX_BODY_BYTES, []
        for published in self.catalogue.list_all():
            if not _is_evaluation(published, visitor.token):
                continue
            evaluation = show_evaluation(published, player=visitor.account.player.name, now=self.clock())
            left -= measure(evaluation)
            # A client that is told no tasks still submits by the names that it knows.
            listed.append(evaluation if left >= 0 else evaluation.model_copy(update={"task_templates": ()}))
        return listed

    def find_task(self, evaluation: str, secret: str) -> Task:
        """Give the one question that an evaluation id leaves to answer.

        Raises:
            Problem: 401; 404, no such evaluation, not open, or several questions are.
        """
        published, part = self._find(evaluation, self._visit(secret).token)
        if published.definition.phase_at(self.clock()) != "open":
            raise not_found("no task is running: this benchmark is not open")
        if part is None and len(published.parts) != 1:
            raise not_found(
                "every task of this benchmark is open: name the one you answer as taskName, "
                f"or make the evaluation id {published.id}.<task>"
            )
        return show_task(published, part or published.parts[0])

    def submit(self, evaluation: str, secret: str, *, headers: Mapping[str, str], body: bytes) -> DresAnswer:
        """Take a submission in, and wait a while for its verdict.

        Args:
            evaluation: A benchmark's id; or that, a dot and a question's, for clients that name no task.
            secret: Of the session.
            headers: Names in lower case; `Prefer: wait=N` changes how long is waited.
            body: ApiClientSubmission, kept as it came.

        Raises:
            Problem: 400, 401, 404; 412 with the reason, it was not accepted, or it was scored and found invalid.
            StoreError: Not kept.
        """
        visitor = self._visit(secret)
        published, part = self._find(evaluation, visitor.token)
        handover = SubmissionRequest(
            # The origin tells guests apart, and nobody here is one.
            caller=Caller(origin="", account=visitor.account, token=visitor.token),
            headers=headers,
            body=body,
            player=None,
            kind=visitor.account.player.kind,
            part=part,
        )
        try:
            received = self.reception.receive(published, handover)
        except Problem as problem:
            if problem.status in _KNOWN:
                raise
            raise replace(problem, status=HTTPStatus.PRECONDITION_FAILED) from problem
        submission = received.submission
        preferred = read_wait(headers["prefer"]) if "prefer" in headers else WAIT_SECONDS
        view = self.status.wait(published, submission, seconds=received.bound(preferred), ranked=False)
        if view is None:
            waiting = f"submission {submission.id} is queued"
            return DresAnswer(submission, SubmissionStatus(submission=DresVerdict.INDETERMINATE, description=waiting))
        if view.outcome is Outcome.INVALID:
            where = f" (at {view.pointer})" if view.pointer else ""
            raise Problem(HTTPStatus.PRECONDITION_FAILED, "invalid", f"{view.message}{where}")
        return DresAnswer(submission, show_outcome(view, column=_find_column(published)))

    def _visit(self, secret: str) -> _Visitor:
        """Tell who comes. Raises Problem 401: no session, or one that has ended, or whose token does not hold."""
        session = self.sessions.find(secret) if secret else None
        if session is None or not session.holds_at(self.clock()):
            raise unauthorized("no-session", "session: expected the sessionId of a login, found none that holds")
        account, token = self.gate.verify_hashed(session.token_sha256, shown_as="session")
        return _Visitor(account, token)

    def _find(self, evaluation: str, token: Token) -> _Named:
        benchmark, dot, part = evaluation.partition(".")
        published = self.catalogue.find(benchmark)
        if not _is_evaluation(published, token):
            raise not_found("there is no such evaluation in the list of this session")
        if dot and part not in published.parts:
            raise not_found("there is no such task in this evaluation")
        return _Named(published, part if dot else None)


def _is_evaluation(published: PublishedBenchmark, token: Token) -> bool:
    return published.definition.scorer == _SCORER and token.allows(Scope.SUBMIT, published.id)


def _find_column(published: PublishedBenchmark) -> str:
    """Give the column that tells right from wrong: the scorer's own score, else what the board ranks by first."""
    names = {header.name for header in published.definition.score_type.headers}
    return _COLUMN if _COLUMN in names else published.definition.ranking.by[0]


def _read_login(body: bytes) -> tuple[str, str]:
    """Give username and password. Raises Problem 400."""
    try:
        value = read_body(body, max_bytes=_LOGIN_BYTES)
    except Problem as problem:
        raise replace(problem, status=HTTPStatus.BAD_REQUEST) from problem
    match value:
        case {"username": str(username), "password": str(password)}:
            return username, password
        case _:
            raise Problem(
                HTTPStatus.BAD_REQUEST, "no-login", "body: expected an object with username and password, two strings"
            )
