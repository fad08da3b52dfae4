"""Reviews: what is too good waits until the owner of the benchmark accepts or withdraws it."""

from dataclasses import dataclass
from http import HTTPStatus
from typing import Literal, Self

from pydantic import Field, model_validator

from api.reasons import Reason
from api.submissions.service import find_submission
from api.submissions.views import ReviewDecision
from handlers.http.auth import Caller
from handlers.http.bodies import Body
from handlers.http.problems import Problem
from storage.actors import Actor
from storage.audit import Action, AuditTrail
from storage.benchmarks.store import PublishedBenchmark
from storage.ids import Clock
from storage.submissions.reviews import ReviewStore
from storage.submissions.store import SubmissionStore
from storage.submissions.withdrawals import Withdrawal, WithdrawalStore


class DecisionRequest(Body):
    """What becomes of a submission in review, and why."""

    decision: Literal["accept", "withdraw"]
    reason: Reason | None = Field(default=None, description="One line. A withdrawal needs it.")

    @model_validator(mode="after")
    def _check_reason(self) -> Self:
        if self.reason is None and self.decision == "withdraw":
            raise ValueError("a withdrawal needs a reason")
        return self


@dataclass(frozen=True, slots=True)
class ReviewService:
    """Serves the owners of benchmarks with `review`."""

    submissions: SubmissionStore
    withdrawals: WithdrawalStore
    reviews: ReviewStore
    trail: AuditTrail
    clock: Clock

    def decide(
        self, published: PublishedBenchmark, submission: str, caller: Caller, request: DecisionRequest
    ) -> ReviewDecision:
        """Accept or withdraw a submission in review; a repeat does nothing.

        Raises:
            Problem: 401 or 403, the caller does not own the benchmark; 404, there is no such submission; 409, it
                is not in review, or it cannot be accepted because it is withdrawn.
        """
        owner = caller.check_owner(published.id)
        reason = request.reason or ""
        find_submission(self.submissions, published, submission)
        records = self.submissions.list_records_of(published.id, submission=submission)
        if not any(record.in_review for record in records):
            detail = "this submission is not in review: no outcome of it waits for a decision"
            raise Problem(HTTPStatus.CONFLICT, "not-in-review", detail)
        decide = self._withdraw if request.decision == "withdraw" else self._accept
        decide(published.id, submission, owner, reason)
        return ReviewDecision(submission=submission, decision=request.decision)

    def _withdraw(self, benchmark: str, submission: str, owner: Actor, reason: str) -> None:
        withdrawal = self.withdrawals.find(benchmark, submission=submission)
        if withdrawal is not None and withdrawal.holds_against(owner.role):
            return
        detail = {"reason": reason}
        self.trail.add(owner, Action.WITHDRAW, benchmark=benchmark, subject=submission, detail=detail)
        self.withdrawals.put(Withdrawal(benchmark, submission, reason, self.clock(), owner))

    def _accept(self, benchmark: str, submission: str, owner: Actor, reason: str) -> None:
        if self.withdrawals.find(benchmark, submission=submission) is not None:
            reason_not = "this submission is withdrawn, and stays off the boards whatever is decided about its scores"
            raise Problem(HTTPStatus.CONFLICT, "withdrawn", reason_not)
        if self.reviews.find_accepted(benchmark, [submission]):
            return
        detail = {"reason": reason} if reason else {}
        self.trail.add(owner, Action.ACCEPT, benchmark=benchmark, subject=submission, detail=detail)
        self.reviews.accept(benchmark, submission=submission, actor=owner, at=self.clock(), reason=reason)
