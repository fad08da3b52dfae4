"""Holds: what is too good waits until the owner of the benchmark has looked, and releases or withdraws it."""

from dataclasses import dataclass
from http import HTTPStatus
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from storage.access.names import MAX_REASON_LENGTH, InvalidName, check_reason
from storage.actors import Actor
from storage.audit import Action, AuditTrail
from storage.benchmarks.store import PublishedBenchmark
from storage.ids import Clock
from storage.submissions.holds import HoldStore
from storage.submissions.models import sort_key
from storage.submissions.store import SubmissionStore
from storage.submissions.withdrawals import Withdrawal, WithdrawalStore
from submit.auth import Caller
from submit.problems import Problem, unprocessable
from submit.requests import make_cursor, read_cursor
from submit.schemas.base import MAX_CONTENT_BYTES, measure_bytes
from submit.schemas.submissions import HoldDecision, HoldList, HoldView, view_hold
from submit.services.batches import read_model
from submit.services.status import find_submission

PAGE_LENGTH = 50
"""Submissions of a page at most; a page with the scores of very many parts ends earlier."""


class DecisionRequest(BaseModel):
    """What becomes of a held submission, and why."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    decision: Literal["release", "withdraw"]
    reason: Annotated[str, Field(min_length=1, max_length=MAX_REASON_LENGTH)] | None = Field(
        default=None, description="One line. A withdrawal needs it."
    )

    def read_reason(self) -> str:
        """Return the reason as it will be shown; maybe empty. Raises Problem 422."""
        if self.reason is None and self.decision == "release":
            return ""
        try:
            return check_reason(self.reason or "")
        except InvalidName as error:
            raise unprocessable("invalid-reason", f"reason: {error}", pointer="/reason") from error


@dataclass(frozen=True, slots=True)
class HoldService:
    """Serves the owners of benchmarks with `hold`."""

    submissions: SubmissionStore
    withdrawals: WithdrawalStore
    trail: AuditTrail
    clock: Clock

    @property
    def holds(self) -> HoldStore:
        """What waits, and what was released."""
        return HoldStore(self.withdrawals.table)

    def list_holds(self, published: PublishedBenchmark, caller: Caller, *, cursor: str | None) -> HoldList:
        """Return a page of what waits under the current version, newest first.

        Raises:
            Problem: 401 or 403, the caller does not own the benchmark; 400, the cursor is not one of this list.
        """
        caller.check_owner(published.id)
        scope = (published.id, "holds")
        before = None if cursor is None else read_cursor(cursor, scope=scope)
        page = self.holds.list_waiting(published.id, version=published.version, before=before, length=PAGE_LENGTH)
        shown: list[HoldView] = []
        position, left = page.position, MAX_CONTENT_BYTES
        for record in page.records:
            view = view_hold(record)
            left -= measure_bytes(view)
            if left < 0 and shown:
                position = sort_key(shown[-1].submission, published.version)
                break
            shown.append(view)
        return HoldList(holds=shown, next=position and make_cursor(position, scope=scope))

    def decide(self, published: PublishedBenchmark, submission: str, caller: Caller, body: bytes) -> HoldDecision:
        """Release or withdraw a held submission; a repeat does nothing.

        Raises:
            Problem: 401 or 403, the caller does not own the benchmark; 404, there is no such submission; 400, 413, 422,
                the body is wrong; 409, it is not held, or it cannot be released because it is withdrawn.
        """
        owner = caller.check_owner(published.id)
        request = read_model(body, DecisionRequest)
        reason = request.read_reason()
        find_submission(self.submissions, published, submission)
        records = self.submissions.list_records_of(published.id, submission=submission)
        if not any(record.held for record in records):
            detail = "this submission is not held: no outcome of it waits for a decision"
            raise Problem(HTTPStatus.CONFLICT, "not-held", detail)
        decide = self._withdraw if request.decision == "withdraw" else self._release
        decide(published.id, submission, owner, reason)
        return HoldDecision(submission=submission, decision=request.decision)

    def _withdraw(self, benchmark: str, submission: str, owner: Actor, reason: str) -> None:
        withdrawal = self.withdrawals.find(benchmark, submission=submission)
        if withdrawal is not None and withdrawal.holds_against(owner.role):
            return
        detail = {"reason": reason}
        self.trail.add(owner, Action.WITHDRAW, benchmark=benchmark, subject=submission, detail=detail)
        self.withdrawals.put(Withdrawal(benchmark, submission, reason, self.clock(), owner))

    def _release(self, benchmark: str, submission: str, owner: Actor, reason: str) -> None:
        if self.withdrawals.find(benchmark, submission=submission) is not None:
            reason_not = "this submission is withdrawn, and stays off the boards whatever is decided about its scores"
            raise Problem(HTTPStatus.CONFLICT, "withdrawn", reason_not)
        if self.holds.find_released(benchmark, [submission]):
            return
        detail = {"reason": reason} if reason else {}
        self.trail.add(owner, Action.RELEASE, benchmark=benchmark, subject=submission, detail=detail)
        self.holds.release(benchmark, submission=submission, actor=owner, at=self.clock(), reason=reason)
