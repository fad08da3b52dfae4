"""Takes submissions off the boards: by their player, by an owner of the benchmark, or by an administrator."""

from dataclasses import dataclass

from scoring_core.scorers.base import describe
from storage.access.names import InvalidName, check_reason
from storage.audit import Action, Actor, AuditTrail, Role
from storage.benchmarks.store import PublishedBenchmark
from storage.ids import Clock, is_submission_id
from storage.keys import ResultKey
from storage.submissions.models import Submission
from storage.submissions.store import SubmissionStore
from storage.submissions.withdrawals import Withdrawal, WithdrawalStore
from submit.auth import Caller
from submit.envelope import read_body
from submit.problems import forbidden, not_found, unauthorized, unprocessable

MAX_BODY_BYTES = 10_000


@dataclass(frozen=True, slots=True)
class WithdrawalService:
    """Withdraws submissions; once `withdraw` returns, the withdrawal stands for good."""

    submissions: SubmissionStore
    withdrawals: WithdrawalStore
    trail: AuditTrail
    clock: Clock

    def withdraw(self, published: PublishedBenchmark, submission: str, caller: Caller, body: bytes) -> Withdrawal:
        """Withdraw a submission.

        Args:
            published: The benchmark.
            submission: Its id, from the path.
            caller: Who asks for it.
            body: `{"reason": …}` as it came.

        Returns:
            The withdrawal that stands: this one, or the first one.

        Raises:
            Problem: 404, there is no such submission; 401 or 403, it is not the caller's to withdraw; 400, 413, 422,
                the reason cannot be read or shown.
        """
        found = find_submission(self.submissions, published, submission)
        actor = _authorize(caller, found)
        reason = read_reason(body)
        standing = self.withdrawals.find(published.id, submission=submission)
        if standing is not None:
            return standing
        self.trail.add(actor, Action.WITHDRAW, benchmark=published.id, subject=submission, detail={"reason": reason})
        return self.withdrawals.put(Withdrawal(published.id, submission, reason, self.clock(), actor))


def find_submission(submissions: SubmissionStore, published: PublishedBenchmark, submission: str) -> Submission:
    """Give a submission of a benchmark, recorded or not. Raises Problem 404."""
    is_id = is_submission_id(submission)
    found = submissions.find_submission(ResultKey(published.id, submission)) if is_id else None
    if found is None:
        raise not_found("there is no such submission")
    return found


def read_reason(body: bytes) -> str:
    """Read the reason of a withdrawal, in the form in which it is shown.

    Raises:
        Problem: 413 too large, 400 not strict JSON, 422 not an object with just a `reason` that can be shown.
    """
    value = read_body(body, max_bytes=MAX_BODY_BYTES)
    if not isinstance(value, dict) or set(value) != {"reason"}:
        found = f"the keys {', '.join(sorted(value)) or 'none'}" if isinstance(value, dict) else describe(value)
        raise unprocessable("not-a-reason", f'body: expected {{"reason": "…"}}, found {found[:200]}', pointer="")
    reason = value["reason"]
    if not isinstance(reason, str):
        raise unprocessable("invalid-reason", f"reason: expected a text, found {describe(reason)}", pointer="/reason")
    try:
        return check_reason(reason)
    except InvalidName as error:
        raise unprocessable("invalid-reason", f"reason: {error}", pointer="/reason") from error


def _authorize(caller: Caller, submission: Submission) -> Actor:
    """Tell as whom a caller withdraws a submission, its player before its owner. Raises Problem 401, 403."""
    if caller.made(submission):
        return Actor(id=submission.player.id, role=Role.PLAYER)
    owner = caller.find_owner(submission.benchmark)
    if owner is not None:
        return owner
    expected = "expected its receipt, or a token of its player, of an owner of this benchmark or of an administrator"
    if caller.token is None and caller.receipt_sha256 is None:
        raise unauthorized("withdrawal-needs-credentials", f"Authorization: {expected}")
    raise forbidden("not-yours", f"this submission is not yours to withdraw: {expected}")
