"""Withdrawals, lists of errors and rescores: what players and owners may do with submissions."""

from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus

from api.benchmarks.notes import NoteRequest, check_not_archived
from api.benchmarks.views import RescoreView
from api.reasons import read_reason
from api.submissions.views import ErrorList, view_error
from handlers.http.auth import Caller
from handlers.http.bodies import read_model
from handlers.http.outcomes import find_submission
from handlers.http.problems import Problem, forbidden, unauthorized
from handlers.http.requests import make_cursor, read_cursor
from handlers.http.views import MAX_CONTENT_BYTES, take_fitting
from scoring_core.outcome import Outcome
from storage.access.flags import FlagStore
from storage.access.players import PlayerStore
from storage.actors import Actor, Role
from storage.audit import Action, AuditTrail
from storage.aws.functions import AsyncFunction
from storage.benchmarks.corrections import NO_NOTE, CorrectionNoteStore
from storage.benchmarks.rescores import NothingToRescore, ask_rescore, find_following
from storage.benchmarks.store import PublishedBenchmark
from storage.ids import Clock
from storage.submissions.models import Submission, sort_key
from storage.submissions.store import SubmissionStore
from storage.submissions.withdrawals import Withdrawal, WithdrawalStore

PAGE_LENGTH = 20
"""Errors of a page at most; a page with the long output of scripts ends earlier."""


@dataclass(frozen=True, slots=True)
class OwnerService:
    """Serves the players of submissions, owners of benchmarks and administrators."""

    submissions: SubmissionStore
    withdrawals: WithdrawalStore
    flags: FlagStore
    notes: CorrectionNoteStore
    rescoring: Callable[[], AsyncFunction]
    players: PlayerStore
    trail: AuditTrail
    clock: Clock

    def withdraw(self, published: PublishedBenchmark, submission: str, caller: Caller, body: bytes) -> Withdrawal:
        """Withdraw a submission; return this or an earlier withdrawal.

        An owner's replaces a player's, as `WithdrawalStore.put` says.

        Raises:
            Problem: 404, there is no such submission; 401 or 403, the caller may not withdraw it; 400, 413, 422, the
                reason cannot be read or shown.
        """
        # In the first role, that of the player: who made a submission can then undo it as the player.
        actor = list_roles(caller, find_submission(self.submissions, published, submission))[0]
        reason = read_reason(body)
        stored = self.withdrawals.find(published.id, submission=submission)
        if stored is not None and stored.holds_against(actor.role):
            return stored
        self.trail.add(actor, Action.WITHDRAW, benchmark=published.id, subject=submission, detail={"reason": reason})
        return self.withdrawals.put(Withdrawal(published.id, submission, reason, self.clock(), actor))

    def list_errors(
        self, published: PublishedBenchmark, caller: Caller, *, outcome: Outcome | None, cursor: str | None
    ) -> ErrorList:
        """Return a page of submissions without a score, or of one outcome, newest first.

        Raises:
            Problem: 401 or 403, the caller does not own the benchmark; 400, the cursor is not one of this list.
        """
        caller.check_owner(published.id)
        scope = (published.id, "errors", outcome or "all")
        before = None if cursor is None else read_cursor(cursor, scope=scope)
        page = self.submissions.list_failures(
            published.id,
            outcome=outcome,
            before=before,
            length=PAGE_LENGTH,
            current=published.version,
            following=published.next.version if published.next else None,
        )
        records = self.players.name_records(page.entries)
        errors = list(take_fitting(map(view_error, records), max_bytes=MAX_CONTENT_BYTES))
        cut = len(errors) < len(page.entries)
        position = sort_key(errors[-1].submission, errors[-1].version) if cut else page.position
        return ErrorList(errors=errors, next=position and make_cursor(position, scope=scope))

    def rescore(self, published: PublishedBenchmark, caller: Caller, body: bytes) -> RescoreView:
        """Request a rescore under the latest published version; repeats do nothing.

        A body, which may be empty, says what everybody reads about it.

        Raises:
            Problem: 401 or 403, the caller does not own the benchmark; 400, 413, 422, the body is wrong; 409, no other
                version is published, or the benchmark is archived.
        """
        owner = caller.check_owner(published.id)
        check_not_archived(published)
        note = read_model(body, NoteRequest).read_note() if body else NO_NOTE
        try:
            following = find_following(published)
        except NothingToRescore as error:
            raise Problem(HTTPStatus.CONFLICT, "nothing-to-rescore", str(error)) from error
        detail = {"reason": note.reason} if note.reason else None
        self.trail.add(owner, Action.RESCORE, benchmark=published.id, subject=following.version, detail=detail)
        self.notes.put(published.id, version=following.version, note=note)
        if ask_rescore(published, self.flags, now=self.clock()):
            self.rescoring().hasten({"benchmark": published.id})
        return RescoreView(benchmark=published.id, version=published.version, next=following.version)


def list_roles(caller: Caller, submission: Submission) -> list[Actor]:
    """Return who may withdraw it: the caller in each role, as player before owner.

    Raises Problem 401, 403.
    """
    owner = caller.find_owner(submission.benchmark)
    roles = [Actor(id=submission.player.id, role=Role.PLAYER)] if caller.made(submission) else []
    roles += [owner] if owner is not None else []
    if roles:
        return roles
    expected = "expected its receipt, or a token of its player, of an owner of this benchmark or of an administrator"
    if caller.token is None and caller.receipt_sha256 is None and caller.holds_key is None:
        raise unauthorized("withdrawal-needs-credentials", f"Authorization: {expected}")
    raise forbidden("not-yours", f"this submission is not yours to withdraw: {expected}")
