"""Owners archive a benchmark, bring it back, and delete one to which nobody has submitted."""

from dataclasses import dataclass
from datetime import timedelta
from http import HTTPStatus

from api.benchmarks.views import ArchiveView, DeletionRequest, DeletionView
from api.reasons import ReversibleRequest
from handlers.http.auth import Caller
from handlers.http.benchmarks import find_benchmark
from handlers.http.problems import Problem, unprocessable
from scoring_core.benchmarks.terms import ArchiveMark
from storage.actors import Actor
from storage.audit import Action, AuditTrail
from storage.batches.uploads import BatchUploadStore
from storage.benchmarks.archives import ArchiveStore, Deletion
from storage.benchmarks.store import BenchmarkStore
from storage.gateway.errors import Conflict
from storage.gateway.functions import AsyncFunction
from storage.keys import Clock
from storage.players.invitations import InvitationStore, holder_of_benchmark

SETTLING = timedelta(seconds=120)
"""Longer than what accepts results may know the pointer of before, and take to store one."""


@dataclass(frozen=True, slots=True)
class ArchiveService:
    """Serves the owners of benchmarks.

    `rescoring` brings archiving to submissions, lists and boards; each change begins it.
    """

    archives: ArchiveStore
    benchmarks: BenchmarkStore
    batches: BatchUploadStore
    invitations: InvitationStore
    rescoring: AsyncFunction
    trail: AuditTrail
    clock: Clock

    def change(self, benchmark: str, caller: Caller, request: ReversibleRequest) -> ArchiveView:
        """Archive a benchmark, or bring it back.

        A repeat returns the first time and reason. Raises Problem 401, 403, 409.
        """
        owner = caller.check_owner(benchmark)
        stored = self.archives.find(benchmark)
        if request.undo == (stored is None):
            return ArchiveView(benchmark=benchmark, archived=stored)
        if stored is None:
            stored = self._archive(benchmark, owner, ArchiveMark(self.clock(), request.reason))
        else:
            self._undo(benchmark, owner, stored)
            stored = None
        self.rescoring.hasten({"benchmark": benchmark})
        return ArchiveView(benchmark=benchmark, archived=stored)

    def _archive(self, benchmark: str, owner: Actor, mark: ArchiveMark) -> ArchiveMark | None:
        detail = {"reason": mark.reason} if mark.reason else {}
        self.trail.add(owner, Action.ARCHIVE, benchmark=benchmark, detail=detail)
        return mark if self.archives.put(benchmark, mark) else self.archives.find(benchmark)

    def _undo(self, benchmark: str, owner: Actor, mark: ArchiveMark) -> None:
        """Delete the mark of a benchmark that is not being deleted. Raises Problem 409."""
        self.trail.add(owner, Action.UNARCHIVE, benchmark=benchmark)
        deletion = self.archives.find_deletion(benchmark)
        published = find_benchmark(self.benchmarks, benchmark)
        try:
            if deletion is not None and deletion.publish_number != published.publish_number:
                self.archives.finish(benchmark, deletion)  # it was for another benchmark of the id
            else:
                self.archives.undo(benchmark, mark)
        except Conflict as error:
            raise Problem(HTTPStatus.CONFLICT, "being-deleted", f"{benchmark} is being deleted") from error

    def delete(self, benchmark: str, caller: Caller, request: DeletionRequest) -> DeletionView:
        """Have an archived benchmark deleted to which nobody has submitted.

        Raises Problem 401 or 403 if the caller does not own the benchmark, 422 if the request confirms another one, 409
        if it has submissions, or has not been archived for long enough.
        """
        owner = caller.check_owner(benchmark)
        if request.confirm != benchmark:
            raise unprocessable("not-confirmed", f"confirm: expected {benchmark}", pointer="/confirm")
        mark, published = self.archives.find(benchmark), find_benchmark(self.benchmarks, benchmark)
        written = self.benchmarks.find_written(benchmark)
        # Who accepts results knows of an archive half a minute after its pointer, and needs a request's time to store.
        if mark is None or published.archived != mark or written is None or self.clock() - written < SETTLING:
            detail = f"archive it first, and delete it {SETTLING.seconds} seconds later: {benchmark} may get results"
            raise Problem(HTTPStatus.CONFLICT, "not-archived", detail)
        if self.benchmarks.has_results(benchmark) or self.batches.has_any(benchmark):
            detail = f"somebody has submitted to {benchmark}, so it can only be archived"
            raise Problem(HTTPStatus.CONFLICT, "has-submissions", detail)
        self.trail.add(owner, Action.DELETE, benchmark=benchmark)
        self.invitations.revoke_all(holder_of_benchmark(benchmark), now=self.clock())
        if not self.archives.put_deletion(benchmark, mark, Deletion(published.publish_number, owner.id)):
            raise Problem(HTTPStatus.CONFLICT, "not-archived", "the archive was undone at this moment")
        self.rescoring.hasten({"benchmark": benchmark})
        return DeletionView(benchmark=benchmark)
