"""Withdrawals, lists of errors and rescores: what players and owners may do with submissions."""

from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from scoring_core.outcome import Outcome
from scoring_core.scorers.base import describe
from storage.access.flags import FlagStore
from storage.access.names import MAX_REASON_LENGTH, InvalidName, check_reason
from storage.access.players import PlayerStore
from storage.actors import Actor, Role
from storage.audit import Action, AuditTrail
from storage.aws.functions import AsyncFunction
from storage.benchmarks.corrections import NO_NOTE, CorrectionNote, CorrectionNoteStore
from storage.benchmarks.rescores import NothingToRescore, ask_rescore, find_following
from storage.benchmarks.store import PublishedBenchmark
from storage.ids import Clock
from storage.submissions.models import Submission, sort_key
from storage.submissions.store import SubmissionStore
from storage.submissions.withdrawals import Withdrawal, WithdrawalStore
from submit.auth import Caller
from submit.problems import Problem, forbidden, unauthorized, unprocessable
from submit.requests import make_cursor, parse_body, read_cursor
from submit.schemas.base import MAX_CONTENT_BYTES, take_fitting
from submit.schemas.benchmarks import RescoreView
from submit.schemas.submissions import ErrorList, view_error
from submit.services.batches import describe_body, read_model
from submit.services.status import find_submission

MAX_REASON_BODY_BYTES = 10_000
PAGE_LENGTH = 20
"""Errors of a page at most; a page with the long output of scripts ends earlier."""


class NoteRequest(BaseModel):
    """What the owner says of a correction."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    reason: Annotated[str, Field(min_length=1, max_length=MAX_REASON_LENGTH)] | None = Field(
        default=None, description="Why it is corrected: one line, shown to everybody."
    )

    def read_note(self) -> CorrectionNote:
        """Return the note as it will be shown. Raises Problem 422."""
        try:
            return CorrectionNote(check_reason(self.reason) if self.reason is not None else "")
        except InvalidName as error:
            raise unprocessable("invalid-reason", f"reason: {error}", pointer="/reason") from error


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


def check_not_archived(published: PublishedBenchmark) -> None:
    """Check that a benchmark may be changed. Raises Problem 409."""
    if published.archived is not None:
        detail = f"{published.archived.describe()}; undo that with `laurel archive {published.id} --undo`"
        raise Problem(HTTPStatus.CONFLICT, "archived", detail)


def read_reason(body: bytes) -> str:
    """Return the reason of a withdrawal, as it will be shown.

    Raises:
        Problem: 413 too large, 400 not strict JSON, 422 not an object with only a `reason` that can be shown.
    """
    value = parse_body(body, max_bytes=MAX_REASON_BODY_BYTES)
    if not isinstance(value, dict) or set(value) != {"reason"}:
        detail = f'body: expected {{"reason": "…"}}, found {describe_body(value)}'
        raise unprocessable("not-a-reason", detail, pointer="")
    return check_public_reason(value["reason"])


def check_public_reason(reason: object) -> str:
    """Return a reason as it will be shown. Raises Problem 422."""
    if not isinstance(reason, str):
        raise unprocessable("invalid-reason", f"reason: expected a text, found {describe(reason)}", pointer="/reason")
    try:
        return check_reason(reason)
    except InvalidName as error:
        raise unprocessable("invalid-reason", f"reason: {error}", pointer="/reason") from error


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
