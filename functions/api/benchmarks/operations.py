"""Routes of operations and of the audit trail, for administrators."""

from http import HTTPStatus
from typing import Annotated

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Query
from pydantic import AwareDatetime

from api.benchmarks.views import AuditList
from api.dependencies import identify, logger, make_router, services
from handlers.http import paths
from handlers.http.benchmarks import find_benchmark
from handlers.http.problems import not_found, unprocessable
from handlers.http.requests import make_cursor, read_cursor
from storage.audit import Action
from storage.benchmarks.operations import Operation, OperationRequest
from storage.keys import is_submission_id, make_submission_id

AUDIT_LENGTH = 200
"""Entries of the audit trail that are read for a page."""
router = make_router()


@router.post(paths.OPERATIONS, tags=["operators"], status_code=HTTPStatus.ACCEPTED)
def post_operation(request: OperationRequest) -> Response[Operation]:
    """Start a rebuild or a sweep, for administrators.

    It may take minutes: the address in `Location` says how it goes. Raises Problem 401, 403, 404, 422.
    """
    api, actor = services(), identify().check_admin()
    is_sweep = request.operation == "sweep"
    if is_sweep == (request.benchmark is not None):
        expected = "none, for a sweep is of all benchmarks" if is_sweep else "the id of a benchmark"
        raise unprocessable("wrong-benchmark", f"benchmark: expected {expected}", pointer="/benchmark")
    if request.benchmark is not None:
        find_benchmark(api.benchmarks, request.benchmark)
    started = Operation(id=make_submission_id(api.clock(), api.randomness(10)), request=request)
    if not request.check:
        action = Action.SWEEP if is_sweep else Action.REBUILD
        api.trail.add(actor, action, benchmark=request.benchmark, subject=started.id)
    api.operations.put(started)
    (api.sweeping if is_sweep else api.rescoring).start({"operation": started.id})
    logger.info("operation started", extra={"operation": started.id, **dict(request)})
    headers = {"Location": f"{paths.OPERATIONS}/{started.id}"}
    return Response(HTTPStatus.ACCEPTED, "application/json", started, headers=headers)


@router.get(paths.OPERATION, tags=["operators"])
def get_operation(operation: str) -> Operation:
    """Show how an operation goes, or ended, for administrators.

    Raises Problem 401, 403, 404.
    """
    identify().check_admin()
    stored = services().operations.find(operation) if is_submission_id(operation) else None
    if stored is None:
        raise not_found("there is no such operation; its report is kept for 30 days")
    return stored


@router.get(paths.AUDIT, tags=["operators"])
def list_audit(
    benchmark: Annotated[str | None, Query(description="Only entries about this benchmark; default: all.")] = None,
    since: Annotated[AwareDatetime | None, Query(description="Only later entries; default: all.")] = None,
    cursor: Annotated[str | None, Query(description="`next` of the previous page; default: the oldest.")] = None,
) -> AuditList:
    """List who did what, the oldest first, for administrators.

    A page may be short, or empty, although there is a next one.
    """
    identify().check_admin()
    scope = ("audit", benchmark or "", since.isoformat() if since else "")
    after = None if cursor is None else read_cursor(cursor, scope=scope)
    page = services().trail.list_page(benchmark=benchmark, since=since, after=after, length=AUDIT_LENGTH)
    return AuditList(entries=list(page.entries), next=page.position and make_cursor(page.position, scope=scope))
