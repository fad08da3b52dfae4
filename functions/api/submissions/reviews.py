"""Reviews: what is too good waits until the owner of the benchmark accepts it."""

from http import HTTPStatus

from api.dependencies import ApiServices
from api.reasons import OptionalReasonRequest
from api.submissions.service import find_submission
from handlers.http.auth import Caller
from handlers.http.problems import Problem
from storage.audit import Action
from storage.benchmarks.store import PublishedBenchmark


def accept(
    api: ApiServices, published: PublishedBenchmark, submission: str, caller: Caller, request: OptionalReasonRequest
) -> None:
    """Accept a submission in review; a repeat does nothing.

    Raises Problem 401 or 403 if the caller does not own the benchmark, 404 if there is no such submission, 409 if
    it is not in review, or withdrawn.
    """
    owner = caller.check_owner(published.id)
    find_submission(api.records, published, submission)
    records = api.records.list_records_of(published.id, submission=submission)
    if not any(record.in_review for record in records):
        waits_not = "this submission is not in review: no outcome of it waits for a decision"
        raise Problem(HTTPStatus.CONFLICT, "not-in-review", waits_not)
    if api.withdrawals.find(published.id, submission=submission) is not None:
        reason_not = "this submission is withdrawn, and stays off the boards whatever is decided about its scores"
        raise Problem(HTTPStatus.CONFLICT, "withdrawn", reason_not)
    if api.reviews.find_accepted(published.id, [submission]):
        return
    statement = request.model_dump(exclude_none=True)
    api.trail.add(owner, Action.ACCEPT, benchmark=published.id, subject=submission, detail=statement)
    api.reviews.accept(published.id, submission=submission, actor=owner, at=api.clock(), statement=statement)
