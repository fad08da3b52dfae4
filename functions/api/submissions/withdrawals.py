"""Withdraws submissions and batches, undoes that within an hour, and accepts what is in review.

A batch is withdrawn by the withdrawals of its submissions, one item each. So a request that dies in between, or is
repeated, leaves each of them withdrawn or not, and the next one goes on.
"""

from collections import Counter
from collections.abc import Sequence
from datetime import timedelta
from http import HTTPStatus

from api.batches.routes import PlayerQuery, check_player, find_report
from api.batches.views import BatchWithdrawalView
from api.dependencies import ApiServices, find_published, identify, make_router, services
from api.reasons import OptionalReasonRequest, ReasonRequest
from api.submissions.routes import find_status, find_submission
from handlers.http import paths
from handlers.http.auth import Caller
from handlers.http.problems import Problem, forbidden, not_found, unauthorized
from handlers.http.submission_views import SubmissionView
from handlers.http.submitters import made as is_made_by
from scoring_core.outcome import is_taken_over
from storage.actors import Actor, Role
from storage.audit import Action
from storage.batches.reports import BatchReport
from storage.gateway.clients import run_at_once
from storage.submissions.decisions import Withdrawal

MAX_AT_ONCE = 500
"""Submissions of a batch that one request withdraws or restores: the function may take 20 seconds."""
UNDO = timedelta(hours=1)
router = make_router()


@router.post(paths.WITHDRAWAL, tags=["submissions"])
def post_withdrawal(benchmark: str, submission: str, request: ReasonRequest) -> SubmissionView:
    """Withdraw a submission, or undo that: off the board; its record is kept.

    It can be undone for an hour. A repeated request does nothing more: the first withdrawal stays, but an owner's
    replaces a player's. Raises Problem 404 if there is no such submission; 401 or 403 if the caller may not withdraw
    it, or undo that; 409 if it was withdrawn more than an hour ago.
    """
    api, published, caller = services(), find_published(benchmark), identify()
    made = find_submission(api.records, published, submission)
    roles = list_roles(caller, published.id, made.player.id, is_own=is_made_by(api, caller, made))
    stored = api.withdrawals.find(published.id, submission=submission)
    # In the first role, that of the player: who made a submission can then undo it as the player.
    actor: Actor | None = None if stored and stored.holds_against(roles[0].role) else roles[0]
    if request.undo:
        actor = stored and _check_undo(api, stored, roles)
    reason = request.reason or ""
    if actor is not None:
        detail = {"undo": "yes"} if request.undo else {"reason": reason}
        api.trail.add(actor, Action.WITHDRAW, benchmark=published.id, subject=submission, detail=detail)
        if request.undo and stored is not None:
            api.withdrawals.restore(published.id, submission=submission, at=api.clock(), changes=stored.changes)
        else:
            api.withdrawals.put(Withdrawal(published.id, submission, reason, api.clock(), actor))
    return find_status(api, published, submission, caller)


@router.post(paths.UPLOAD_WITHDRAWAL, tags=["uploads"])
def post_upload_withdrawal(
    benchmark: str, upload: str, request: ReasonRequest, player: PlayerQuery = None
) -> BatchWithdrawalView:
    """Withdraw a batch, or undo that: 500 submissions a request, until none is left.

    What was withdrawn by itself, before or after, stays withdrawn. Raises Problem 401 or 404 if there is no such batch,
    or it is not the caller's to see, 403 if somebody else withdrew it, 409 if it has no report yet, or it was withdrawn
    more than an hour ago.
    """
    api, published, caller = services(), find_published(benchmark), identify()
    batch, report = find_report(api, published, check_player(caller, published, player), upload)
    if batch is None and report is None:
        raise not_found("there is no such upload")
    if report is None:
        raise Problem(HTTPStatus.CONFLICT, "not-read-yet", "this batch is still being read; try again in a minute")
    is_own = caller.is_player(report.player, report.benchmark)
    roles = list_roles(caller, report.benchmark, report.player, is_own=is_own)
    if request.undo:
        return _restore_batch(api, report, roles)
    return _withdraw_batch(api, report, roles[0], request.reason or "")


@router.post(paths.ACCEPTANCE, tags=["submissions"])
def post_acceptance(benchmark: str, submission: str, request: OptionalReasonRequest) -> SubmissionView:
    """Accept a submission in review, so that it counts, for owners.

    To reject it, withdraw it. A repeated request does nothing more. Raises Problem 401 or 403 if the caller does not
    own the benchmark, 404 if there is no such submission, 409 if it is not in review, or withdrawn.
    """
    api, published, caller = services(), find_published(benchmark), identify()
    owner = caller.check_owner(published.id)
    find_submission(api.records, published, submission)
    records = api.records.list_records_of(published.id, submission=submission)
    if not any(record.in_review for record in records):
        waits_not = "this submission is not in review: no outcome of it waits for a decision"
        raise Problem(HTTPStatus.CONFLICT, "not-in-review", waits_not)
    if api.withdrawals.find(published.id, submission=submission) is not None:
        reason_not = "this submission is withdrawn, and stays off the boards whatever is decided about its scores"
        raise Problem(HTTPStatus.CONFLICT, "withdrawn", reason_not)
    if not api.reviews.find_accepted(published.id, [submission]):
        statement = request.model_dump(exclude_none=True)
        api.trail.add(owner, Action.ACCEPT, benchmark=published.id, subject=submission, detail=statement)
        api.reviews.accept(published.id, submission=submission, actor=owner, at=api.clock(), statement=statement)
    return find_status(api, published, submission, caller)


def _withdraw_batch(api: ApiServices, report: BatchReport, actor: Actor, reason: str) -> BatchWithdrawalView:
    submissions = _list_submissions(report)
    withdrawn = api.withdrawals.find_all(report.benchmark, submissions)
    left = [
        submission
        for submission in submissions
        if submission not in withdrawn or not withdrawn[submission].holds_against(actor.role)
    ]
    chosen, now = left[:MAX_AT_ONCE], api.clock()
    if chosen:
        _record(api, actor, report, {"reason": reason, "submissions": str(len(chosen))})

    def withdraw(submission: str) -> None:
        api.withdrawals.put(Withdrawal(report.benchmark, submission, reason, now, actor, batch=report.drop))

    run_at_once(withdraw, chosen)
    return BatchWithdrawalView(drop=report.drop, changed=len(chosen), left=len(left) - len(chosen))


def _restore_batch(api: ApiServices, report: BatchReport, roles: Sequence[Actor]) -> BatchWithdrawalView:
    changed = api.withdrawals.find_changed(report.benchmark, _list_submissions(report)).values()
    together = [withdrawal for withdrawal in changed if withdrawal.batch == report.drop and withdrawal.is_active]
    # Several may have withdrawn a part of it each: what another role withdrew, this one may not undo.
    left = [withdrawal for withdrawal in together if _find_undoer(withdrawal, roles) is not None]
    if together:
        # A long batch is withdrawn by several requests: the last of them counts for all.
        _check_undo(api, max(left or together, key=lambda withdrawal: withdrawal.at), roles)
    chosen = left[:MAX_AT_ONCE]
    for actor, count in Counter(_find_undoer(withdrawal, roles) for withdrawal in chosen).items():
        if actor is not None:
            _record(api, actor, report, {"undo": "yes", "submissions": str(count)})
    now = api.clock()

    def restore(each: Withdrawal) -> None:
        api.withdrawals.restore(report.benchmark, submission=each.submission, at=now, changes=each.changes)

    run_at_once(restore, chosen)
    return BatchWithdrawalView(drop=report.drop, changed=len(chosen), left=len(left) - len(chosen))


def _check_undo(api: ApiServices, withdrawal: Withdrawal, roles: Sequence[Actor]) -> Actor:
    """Return who undoes a withdrawal. Raises Problem 403, 409."""
    actor = _find_undoer(withdrawal, roles)
    if actor is None:
        role = withdrawal.actor.role
        raise forbidden("not-yours-to-undo", f"it was withdrawn in the role `{role}`, which must undo it")
    if api.clock() - withdrawal.at > UNDO and not is_taken_over(withdrawal.submission):
        detail = f"it was withdrawn at {withdrawal.at:%FT%TZ}: that can be undone for an hour"
        raise Problem(HTTPStatus.CONFLICT, "too-late-to-undo", detail)
    return actor


def _record(api: ApiServices, actor: Actor, report: BatchReport, detail: dict[str, str]) -> None:
    api.trail.add(actor, Action.WITHDRAW, benchmark=report.benchmark, subject=report.drop, detail=detail)


def list_roles(caller: Caller, benchmark: str, player: str, *, is_own: bool) -> list[Actor]:
    """Return who may withdraw a player's: the caller in each role, player first.

    Raises Problem 401, 403.
    """
    owner = caller.find_owner(benchmark)
    roles = [Actor(id=player, role=Role.PLAYER)] if is_own else []
    roles += [owner] if owner is not None else []
    if roles:
        return roles
    expected = "expected its receipt, or a token of its player, of an owner of this benchmark or of an administrator"
    if caller.token is None and caller.receipt_sha256 is None and caller.player_key is None:
        raise unauthorized("withdrawal-needs-credentials", f"Authorization: {expected}")
    raise forbidden("not-yours", f"this submission is not yours to withdraw: {expected}")


def _find_undoer(withdrawal: Withdrawal, roles: Sequence[Actor]) -> Actor | None:
    """Return the caller in the role that may undo a withdrawal; None if in none."""
    role = withdrawal.actor.role
    for actor in roles:
        if actor.role is role or (actor.role is Role.ADMIN and role in {Role.OWNER, Role.OPERATOR}):
            return actor
    return None


def _list_submissions(report: BatchReport) -> Sequence[str]:
    return [entry.submission for entry in report.entries if entry.submission is not None]
