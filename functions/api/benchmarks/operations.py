"""Routes of operations and of the audit trail, for administrators."""

from http import HTTPStatus
from typing import Annotated

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Query
from pydantic import AwareDatetime

from api.benchmarks.views import AuditList
from api.dependencies import identify, make_router, services
from handlers.http import paths
from handlers.http.benchmarks import find_benchmark
from handlers.http.problems import not_found, unprocessable
from handlers.http.requests import make_cursor, read_cursor
from scoring_core.benchmarks.terms import is_benchmark_id
from storage.audit import Action
from storage.benchmarks.operations import Operation, OperationRequest
from storage.benchmarks.publications import PublicationId
from storage.keys import is_submission_id, make_submission_id

AUDIT_LENGTH = 200
"""Entries of the audit trail that are read for a page."""
router = make_router()


@router.post(paths.OPERATIONS, tags=["operators"], status_code=HTTPStatus.ACCEPTED)
def post_operation(request: OperationRequest) -> Response[Operation]:
    """Start a rebuild, a sweep or a page of a move, for administrators.

    It may take minutes: the address in `Location` says how it goes. Raises Problem 401, 403, 404, 422.
    """
    api, actor = services(), identify().check_admin()
    is_sweep = request.operation == "sweep"
    if is_sweep == (request.benchmark is not None):
        expected = "none, for a sweep is of all benchmarks" if is_sweep else "the id of a benchmark"
        raise unprocessable("wrong-benchmark", f"benchmark: expected {expected}", pointer="/benchmark")
    name, moves_in = request.benchmark, request.operation == "move-in"
    if moves_in and ((request.bytes is None) == (request.page is None) or not is_benchmark_id(str(name))):
        raise unprocessable("wrong-move", "expected the id of a benchmark, and `bytes` or `page`", pointer="/page")
    if name is not None and not moves_in:
        find_benchmark(api.benchmarks, name)
    started = Operation(id=make_submission_id(api.clock(), api.randomness(10)), request=request, caller=actor.id)
    if request.bytes is not None and name is not None:
        form = api.publications.sign_upload(PublicationId(name, actor.id, started.id), size_bytes=request.bytes)
        started = started.model_copy(update={"status": "waiting", "upload": form._asdict()})
    elif not request.check:
        api.trail.add(actor, Action(request.operation), benchmark=name, subject=started.id)
    api.operations.put(started)
    if started.status != "waiting":
        moves = api.publishing if moves_in or request.operation == "move-out" else api.rescoring
        (api.sweeping if is_sweep else moves).start({"operation": started.id})
    headers = {"Location": f"{paths.OPERATIONS}/{started.id}"}
    return Response(HTTPStatus.ACCEPTED, "application/json", started, headers=headers)


@router.get(paths.OPERATION, tags=["operators"])
def get_operation(operation: str) -> Operation:
    """Show how an operation goes, or ended, for administrators.

    Raises Problem 401, 403, 404.
    """
    actor = identify().check_admin()
    stored = services().operations.find(operation) if is_submission_id(operation) else None
    if stored is None:
        raise not_found("there is no such operation; its report is kept for 30 days")
    if stored.result is not None and stored.caller != actor.id:  # the page that it links to holds the truth
        return stored.model_copy(update={"result": stored.result.model_copy(update={"url": None})})
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
