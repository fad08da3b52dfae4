"""Routes of rescores and finals, which owners request, with what they say of a correction."""

from http import HTTPStatus

from pydantic import Field

from api.benchmarks.views import FinalView, RescoreView
from api.dependencies import find_published, identify, make_router, services
from api.reasons import OptionalReasonRequest
from handlers.http import paths
from handlers.http.bodies import Body
from handlers.http.problems import Problem
from storage.audit import Action
from storage.benchmarks.rescores import (
    ask_final,
    ask_rescore,
    find_final,
    find_following,
    is_asked_for,
)
from storage.benchmarks.store import PublishedBenchmark

router = make_router()


class FinalRequest(Body):
    """How a final goes on."""

    without_failed: bool = Field(
        default=False, description="Whether it leaves out the results that failed by no fault of their players."
    )


_NO_REASON = OptionalReasonRequest()
_WITH_ALL = FinalRequest()


@router.post(paths.RESCORE, tags=["benchmarks"], status_code=HTTPStatus.ACCEPTED)
def post_rescore(benchmark: str, request: OptionalReasonRequest = _NO_REASON) -> RescoreView:
    """Score all results with the latest version, then switch the board to it.

    Repeats do nothing. Raises Problem 401 or 403 if the caller does not own the benchmark, 409 if the benchmark is
    archived, NothingToRescore if no other version is published.
    """
    api, published = services(), find_published(benchmark)
    owner = identify().check_owner(published.id)
    check_not_archived(published)
    following = find_following(published)
    detail = {"reason": request.reason} if request.reason else None
    api.trail.add(owner, Action.RESCORE, benchmark=published.id, subject=following.version, detail=detail)
    api.notes.put(published.id, version=following.version, reason=request.reason or "")
    if ask_rescore(published, api.flags, now=api.clock()):
        api.rescoring.hasten({"benchmark": published.id})
    return RescoreView(benchmark=published.id, version=published.version, next=following.version)


@router.post(paths.REVEAL, tags=["benchmarks"], status_code=HTTPStatus.ACCEPTED)
def post_reveal(benchmark: str, request: FinalRequest = _WITH_ALL) -> FinalView:
    """Score all results by the hidden rows, too, then rank by these, for owners.

    A repeat says how it goes. Raises Problem 401 or 403 if the caller does not own the benchmark, 409 if it is
    archived, NothingToReveal if it has no hidden rows, or has not closed.
    """
    api, published = services(), find_published(benchmark)
    owner = identify().check_owner(published.id)
    check_not_archived(published)
    now = api.clock()
    final = find_final(published, now=now)
    if final is not None and (request.without_failed or not is_asked_for(published, final, api.flags, now=now)):
        detail = {"without_failed": "yes"} if request.without_failed else None
        api.trail.add(owner, Action.REVEAL, benchmark=published.id, subject=final, detail=detail)
        ask_final(published, final, api.flags, now=now, without_failed=request.without_failed)
        api.rescoring.hasten({"benchmark": published.id})
    waits = api.promotions.find_waiting(published)
    return FinalView(benchmark=published.id, version=published.version, next=final, waits=waits)


def check_not_archived(published: PublishedBenchmark) -> None:
    """Check that a benchmark may be changed. Raises Problem 409."""
    if published.archived is not None:
        detail = f"{published.archived.describe()}; undo that with `laurel archive {published.id} --undo`"
        raise Problem(HTTPStatus.CONFLICT, "archived", detail)
