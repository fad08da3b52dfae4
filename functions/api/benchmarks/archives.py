"""Routes by which owners archive a benchmark, bring it back, and delete one to which nobody has submitted."""

from datetime import timedelta
from http import HTTPStatus

from api.benchmarks.views import ArchiveView, DeletionRequest, DeletionView
from api.dependencies import ApiServices, find_published, identify, make_router, services
from api.reasons import ReversibleRequest
from handlers.http import paths
from handlers.http.benchmarks import find_benchmark
from handlers.http.problems import Problem, unprocessable
from scoring_core.benchmarks.owner_changes import ArchiveMark
from storage.actors import Actor
from storage.audit import Action
from storage.benchmarks.archives import Deletion
from storage.gateway.errors import Conflict
from storage.players.invitations import holder_of_benchmark

SETTLING = timedelta(seconds=120)
"""Longer than what accepts results may know the pointer of before, and take to store one."""

router = make_router()


@router.post(paths.ARCHIVE, tags=["benchmarks"])
def post_archive(benchmark: str, request: ReversibleRequest) -> ArchiveView:
    """Hide a benchmark and make it read-only, or bring it back, for owners.

    Both hold within seconds. A repeated request returns the first time and reason. Raises Problem 401, 403, 409.
    """
    api, published = services(), find_published(benchmark)
    owner = identify().check_owner(published.id)
    stored = api.archives.find(benchmark)
    if request.undo == (stored is not None):
        if stored is None:
            mark = ArchiveMark(api.clock(), request.reason)
            detail = {"reason": mark.reason} if mark.reason else {}
            api.trail.add(owner, Action.ARCHIVE, benchmark=benchmark, detail=detail)
            stored = mark if api.archives.put(benchmark, mark) else api.archives.find(benchmark)
        else:
            _undo(api, benchmark, owner, stored)
            stored = None
        api.rescoring.hasten({"benchmark": benchmark})
    return ArchiveView(benchmark=benchmark, archived=stored)


def _undo(api: ApiServices, benchmark: str, owner: Actor, mark: ArchiveMark) -> None:
    """Delete the mark of a benchmark that is not being deleted. Raises Problem 409."""
    api.trail.add(owner, Action.UNARCHIVE, benchmark=benchmark)
    deletion = api.archives.find_deletion(benchmark)
    published = find_benchmark(api.benchmarks, benchmark)
    try:
        if deletion is not None and deletion.publish_number != published.publish_number:
            api.archives.finish(benchmark, deletion)  # it was for another benchmark of the id
        else:
            api.archives.undo(benchmark, mark)
    except Conflict as error:
        raise Problem(HTTPStatus.CONFLICT, "being-deleted", f"{benchmark} is being deleted") from error


@router.post(paths.DELETION, tags=["benchmarks"], status_code=HTTPStatus.ACCEPTED)
def post_deletion(benchmark: str, request: DeletionRequest) -> DeletionView:
    """Delete an archived benchmark to which nobody has submitted, for owners.

    It can be asked for two minutes after the archive at the earliest, and follows within seconds. Raises Problem 401 or
    403 if the caller does not own the benchmark, 422 if the request confirms another one, 409 if it has submissions, or
    has not been archived for long enough.
    """
    api, benchmark = services(), find_published(benchmark).id
    owner = identify().check_owner(benchmark)
    if request.confirm != benchmark:
        raise unprocessable("not-confirmed", f"confirm: expected {benchmark}", pointer="/confirm")
    mark, published = api.archives.find(benchmark), find_benchmark(api.benchmarks, benchmark)
    written = api.benchmarks.find_written(benchmark)
    # Who accepts results knows of an archive half a minute after its pointer, and needs a request's time to store.
    if mark is None or published.archived != mark or written is None or api.clock() - written < SETTLING:
        detail = f"archive it first, and delete it {SETTLING.seconds} seconds later: {benchmark} may get results"
        raise Problem(HTTPStatus.CONFLICT, "not-archived", detail)
    if api.benchmarks.has_results(benchmark) or api.uploads.has_any(benchmark):
        detail = f"somebody has submitted to {benchmark}, so it can only be archived"
        raise Problem(HTTPStatus.CONFLICT, "has-submissions", detail)
    api.trail.add(owner, Action.DELETE, benchmark=benchmark)
    api.invitations.revoke_all(holder_of_benchmark(benchmark), now=api.clock())
    if not api.archives.put_deletion(benchmark, mark, Deletion(published.publish_number, owner.id)):
        raise Problem(HTTPStatus.CONFLICT, "not-archived", "the archive was undone at this moment")
    api.rescoring.hasten({"benchmark": benchmark})
    return DeletionView(benchmark=benchmark)
