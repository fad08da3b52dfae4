"""Starts operations, for administrators."""

from api.dependencies import ApiServices
from handlers.http.auth import Caller
from handlers.http.benchmarks import find_benchmark
from handlers.http.problems import not_found, unprocessable
from storage.audit import Action
from storage.benchmarks.operations import Operation, OperationRequest
from storage.keys import is_submission_id, make_submission_id


def start(api: ApiServices, caller: Caller, request: OperationRequest) -> Operation:
    """Start an operation. Raises Problem 401, 403, 404, 422."""
    actor = caller.check_admin()
    is_sweep = request.operation == "sweep"
    if is_sweep == (request.benchmark is not None):
        expected = "none, for a sweep is of all benchmarks" if is_sweep else "the id of a benchmark"
        raise unprocessable("wrong-benchmark", f"benchmark: expected {expected}", pointer="/benchmark")
    if request.benchmark is not None:
        find_benchmark(api.benchmarks, request.benchmark)
    operation = Operation(id=make_submission_id(api.clock(), api.randomness(10)), request=request)
    if not request.check:
        action = Action.SWEEP if is_sweep else Action.REBUILD
        api.trail.add(actor, action, benchmark=request.benchmark, subject=operation.id)
    api.operations.put(operation)
    (api.sweeping if is_sweep else api.rescoring).start({"operation": operation.id})
    return operation


def find(api: ApiServices, caller: Caller, operation_id: str) -> Operation:
    """Return how an operation goes, or ended. Raises Problem 401, 403, 404."""
    caller.check_admin()
    operation = api.operations.find(operation_id) if is_submission_id(operation_id) else None
    if operation is None:
        raise not_found("there is no such operation; its report is kept for 30 days")
    return operation
