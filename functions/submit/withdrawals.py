"""Takes submissions off the boards: by their player, by an owner of the benchmark, or by an administrator."""

from dataclasses import dataclass
from http import HTTPStatus

from ledger.audit_trail import Action, Actor, AuditTrail, Role
from ledger.benchmark_store import Published
from ledger.keys import ResultKey
from ledger.names import InvalidName, check_reason
from ledger.submission_id import Clock, is_submission_id
from ledger.submission_store import SubmissionStore
from ledger.submissions import Submission
from ledger.token_store import Scope
from ledger.withdrawals import Withdrawal, WithdrawalStore
from scoring_core import strict_json
from scoring_core.errors import StrictJsonError
from scoring_core.evaluation import describe
from submit.callers import Caller
from submit.problems import Problem, forbidden, not_found, unauthorized, unprocessable

MAX_BODY_BYTES = 10_000


@dataclass(frozen=True, slots=True)
class WithdrawalDesk:
    """Withdraws submissions; once `withdraw` returns, the withdrawal stands for good."""

    submissions: SubmissionStore
    withdrawals: WithdrawalStore
    trail: AuditTrail
    clock: Clock

    def withdraw(self, published: Published, submission: str, caller: Caller, body: bytes) -> Withdrawal:
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


def find_submission(submissions: SubmissionStore, published: Published, submission: str) -> Submission:
    """Give a submission of a benchmark, recorded or not. Raises Problem 404."""
    is_id = is_submission_id(submission)
    found = submissions.find_submission(ResultKey(published.id, submission)) if is_id else None
    if found is None:
        raise not_found("there is no such submission")
    return found


def find_role(caller: Caller, submission: Submission) -> Role | None:
    """Tell in which role a caller may act on a submission, the nearest first; None: in none."""
    if caller.made(submission):
        return Role.PLAYER
    if caller.may(Scope.OWN, submission.benchmark):
        return Role.ADMIN if caller.token and Scope.ADMIN in caller.token.scopes else Role.OWNER
    return None


def read_reason(body: bytes) -> str:
    """Read the reason of a withdrawal, in the form in which it is shown.

    Raises:
        Problem: 413 too large, 400 not strict JSON, 422 not an object with just a `reason` that can be shown.
    """
    if len(body) > MAX_BODY_BYTES:
        detail = f"body: expected at most {MAX_BODY_BYTES} bytes, found {len(body)}"
        raise Problem(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "too-large", detail)
    try:
        value = strict_json.loads(body)
    except StrictJsonError as error:
        detail = f"body: {error}"
        faults = [{"pointer": "", "detail": detail}]
        raise Problem(HTTPStatus.BAD_REQUEST, "malformed-json", detail, faults=faults) from error
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
    role = find_role(caller, submission)
    if role is not None:
        return Actor(id=caller.account.player.id if caller.account else submission.player.id, role=role)
    expected = "expected its receipt, or a token of its player, of an owner of this benchmark or of an administrator"
    if caller.token is None and caller.receipt_sha256 is None:
        raise unauthorized("withdrawal-needs-credentials", f"Authorization: {expected}")
    raise forbidden("not-yours", f"this submission is not yours to withdraw: {expected}")
