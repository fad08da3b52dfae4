"""Archives a benchmark: its owner hides it and makes it read-only, and undoes that."""

from collections.abc import Callable
from dataclasses import dataclass

from scoring_core.benchmarks.terms import ArchiveMark
from storage.access.archives import ArchiveStore
from storage.audit import Action, AuditTrail
from storage.aws.functions import AsyncFunction
from storage.ids import Clock
from submit.auth import Caller
from submit.problems import unprocessable
from submit.requests import parse_body
from submit.schemas.benchmarks import ArchiveView
from submit.services.batches import describe_body
from submit.services.owning.owners import MAX_REASON_BODY_BYTES, check_public_reason


@dataclass(frozen=True, slots=True)
class ArchiveService:
    """Serves the owners of benchmarks.

    `rescoring` returns the function that brings archiving to submissions, lists and boards; each change begins it.
    """

    archives: ArchiveStore
    rescoring: Callable[[], AsyncFunction]
    trail: AuditTrail
    clock: Clock

    def archive(self, benchmark: str, caller: Caller, body: bytes) -> ArchiveView:
        """Archive a benchmark; a repeat returns the first time and reason.

        Raises:
            Problem: 401 or 403, the caller does not own the benchmark; 400, 413, 422, the request is wrong.
        """
        owner = caller.check_owner(benchmark)
        mark = ArchiveMark(self.clock(), read_optional_reason(body))
        stored = self.archives.find(benchmark)
        if stored is None:
            detail = {"reason": mark.reason} if mark.reason else {}
            self.trail.add(owner, Action.ARCHIVE, benchmark=benchmark, detail=detail)
            stored = mark if self.archives.put(benchmark, mark) else self.archives.find(benchmark)
            self.rescoring().hasten({"benchmark": benchmark})
        return ArchiveView(benchmark=benchmark, archived=stored)

    def undo(self, benchmark: str, caller: Caller) -> ArchiveView:
        """Bring a benchmark back if it is archived. Raises Problem 401, 403."""
        owner = caller.check_owner(benchmark)
        if self.archives.find(benchmark) is not None:
            self.trail.add(owner, Action.UNARCHIVE, benchmark=benchmark)
            self.archives.delete(benchmark)
            self.rescoring().hasten({"benchmark": benchmark})
        return ArchiveView(benchmark=benchmark, archived=None)


def read_optional_reason(body: bytes) -> str | None:
    """Return the public reason, if there is one. Raises Problem 400, 413, 422."""
    value = parse_body(body, max_bytes=MAX_REASON_BODY_BYTES)
    if not isinstance(value, dict) or not set(value) <= {"reason"}:
        detail = f'body: expected {{"reason": "…"}}, or {{}} without a reason, found {describe_body(value)}'
        raise unprocessable("not-a-reason", detail, pointer="")
    return check_public_reason(value["reason"]) if "reason" in value else None
