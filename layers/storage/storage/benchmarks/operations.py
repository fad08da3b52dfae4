"""Operations that an administrator starts and that may take minutes: the request, and the report of how it ended."""

from collections.abc import Callable
from typing import Annotated, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from scoring_core.benchmarks.bundle import MAX_BUNDLE_BYTES
from scoring_core.errors import Rejected
from storage.gateway.bucket import Bucket
from storage.gateway.errors import NotFound
from storage.gateway.models import FrozenModel, StoredModel
from storage.gateway.schema import Schema
from storage.keys import operation_key

MAX_HOURS = 24 * 365 * 10


class OperationRequest(BaseModel):
    """A rebuild of a board, a sweep of all benchmarks for results without an outcome, or a page of a move."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    operation: Literal["rebuild", "sweep", "move-out", "move-in"]
    benchmark: str | None = Field(default=None, description="Of all but a sweep.")
    check: bool = Field(default=False, description="Of a rebuild: only report where boards differ from the records.")
    after: str = Field(default="", max_length=1100, description="Of a rebuild or a move-out: `next` of the one before.")
    hours: Annotated[int, Field(ge=1, le=MAX_HOURS, description="Of a sweep: how far back to look.")] = 48
    failed: bool = Field(default=False, description="Of a sweep: queue what ended as internal_error instead.")
    bytes: Annotated[int, Field(ge=1, le=2 * MAX_BUNDLE_BYTES)] | None = Field(
        default=None, description="Of a move-in: the size of a page. The answer has a form to upload it with."
    )
    page: str | None = Field(default=None, description="Of a move-in: the operation with whose form it was uploaded.")


class OperationResult(FrozenModel):
    """What an operation did: a sweep has `queued`, a check `differences`, a move-out `url`, a rebuild the rest.

    `next` is the submission at which a rebuild ran out of time; of a move-out it is where the next page begins. Only
    who asked gets `url`, for 15 minutes.
    """

    queued: dict[str, int] = Field(default={}, description="Benchmark → how many results are queued again.")
    differences: tuple[str, ...] = ()
    version: str | None = None
    rows: int = 0
    next: str | None = None
    url: str | None = None


class Operation(StoredModel):
    """An operation, as it was asked for, and how it goes."""

    kind = Schema.OPERATION

    id: str
    request: OperationRequest
    caller: str = ""
    upload: dict[str, str | dict[str, str]] = Field(default={}, description="Form for a page: its `url`, and `fields`.")
    status: Literal["waiting", "running", "done", "failed"] = "running"
    detail: str = Field(default="", description="Why it failed.")
    result: OperationResult | None = None


class OperationStore(NamedTuple):
    """The operations of the last 30 days in the results bucket."""

    bucket: Bucket

    def put(self, operation: Operation) -> None:
        """Store a new operation."""
        self.bucket.put(operation_key(operation.id), operation.to_body(), replacing=None)

    def find(self, operation_id: str) -> Operation | None:
        """Read an operation; None if there is none. Raises NewerSchema."""
        stored = self.bucket.find_model(operation_key(operation_id), Operation)
        return stored and stored.value

    def run(self, operation_id: str, act: Callable[[OperationRequest], OperationResult]) -> None:
        """Do an operation, and store how it ended. One that is done is not done again.

        Raises what else goes wrong: then Lambda tries again, and the report says so meanwhile.
        """
        operation = self.find(operation_id)
        if operation is None or operation.status == "done":
            return
        try:
            result = act(operation.request)
        except (NotFound, Rejected) as error:
            self._end(operation, status="failed", detail=str(error))
        except Exception:
            self._end(operation, status="failed", detail="internal error; the log of the function has more")
            raise
        else:
            self._end(operation, status="done", detail="", result=result)

    def _end(self, operation: Operation, **how: object) -> None:
        ended = operation.model_copy(update=how)
        self.bucket.overwrite(operation_key(operation.id), ended.to_body())
