"""Makes tokens, reads the audit trail, and starts operations, for administrators."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from http import HTTPStatus

from api.operators.views import AuditList, TokenRequest
from api.players.invitations.views import TokenIssued, view_issued
from handlers.http.auth import Caller
from handlers.http.benchmarks import find_benchmark
from handlers.http.problems import Problem, not_found, unprocessable
from handlers.http.requests import make_cursor, read_cursor
from scoring_core.io.suggestions import suggest_nearest
from storage.access.joining.issuer import TokenIssuer
from storage.access.joining.lists import TooManyListed
from storage.access.names import InvalidName, check_name, is_numbered
from storage.access.players import Account, NameTaken, is_guest_id, is_player_id
from storage.access.tokens import Scope
from storage.audit import Action, AuditTrail
from storage.aws.functions import AsyncFunction
from storage.benchmarks.operations import Operation, OperationRequest, OperationStore
from storage.benchmarks.store import BenchmarkStore
from storage.ids import Clock, Randomness, is_submission_id, make_submission_id
from storage.submissions.models import Player, PlayerKind

PAGE_LENGTH = 200
"""Entries of the audit trail that are read for a page."""


@dataclass(frozen=True, slots=True)
class OperatorService:
    """Serves administrators; two functions do the operations."""

    issuer: TokenIssuer
    trail: AuditTrail
    benchmarks: BenchmarkStore
    operations: OperationStore
    rescoring: AsyncFunction
    sweeping: AsyncFunction
    clock: Clock
    randomness: Randomness

    def create_token(self, caller: Caller, request: TokenRequest) -> TokenIssued:
        """Make a token, and the account of its player if there is none.

        Raises Problem 401, 403, 404, 409, 422.
        """
        actor = caller.check_admin()
        account = self.issuer.players.find(request.player) if is_player_id(request.player) else None
        self._check(request, is_guest=account is None and is_guest_id(request.player))
        issued = _plan_account(request, account, self.clock())
        renamed = account is not None and account.player.name != issued.player.name
        try:
            secret, token = self.issuer.issue_new(
                issued,
                self.trail,
                actor,
                scopes=[Scope(each) for each in request.scopes],
                benchmarks=request.benchmarks,
                lasts=timedelta(hours=request.hours) if request.hours else None,
                detail={"renamed": "yes"} if renamed else None,
            )
        except NameTaken as error:
            raise Problem(HTTPStatus.CONFLICT, "name-taken", f"name: {error}") from error
        except TooManyListed as error:
            raise Problem(HTTPStatus.CONFLICT, "too-many-tokens", f"tokens: {error}") from error
        return view_issued(secret, token, issued)

    def list_audit(
        self, caller: Caller, *, benchmark: str | None, since: datetime | None, cursor: str | None
    ) -> AuditList:
        """Return a page of the audit trail, the oldest entries first.

        Raises Problem 400, 401, 403.
        """
        caller.check_admin()
        scope = ("audit", benchmark or "", since.isoformat() if since else "")
        after = None if cursor is None else read_cursor(cursor, scope=scope)
        page = self.trail.list_page(benchmark=benchmark, since=since, after=after, length=PAGE_LENGTH)
        return AuditList(entries=list(page.entries), next=page.position and make_cursor(page.position, scope=scope))

    def start(self, caller: Caller, request: OperationRequest) -> Operation:
        """Start an operation. Raises Problem 401, 403, 404, 422."""
        actor = caller.check_admin()
        is_sweep = request.operation == "sweep"
        if is_sweep == (request.benchmark is not None):
            expected = "none, for a sweep is of all benchmarks" if is_sweep else "the id of a benchmark"
            raise unprocessable("wrong-benchmark", f"benchmark: expected {expected}", pointer="/benchmark")
        if request.benchmark is not None:
            find_benchmark(self.benchmarks, request.benchmark)
        now = self.clock()
        operation = Operation(id=make_submission_id(now, self.randomness(10)), request=request, started_at=now)
        if not request.check:
            action = Action.SWEEP if is_sweep else Action.REBUILD
            self.trail.add(actor, action, benchmark=request.benchmark, subject=operation.id)
        self.operations.put(operation)
        (self.sweeping if is_sweep else self.rescoring).start({"operation": operation.id})
        return operation

    def find(self, caller: Caller, operation_id: str) -> Operation:
        """Return how an operation goes, or ended. Raises Problem 401, 403, 404."""
        caller.check_admin()
        operation = self.operations.find(operation_id) if is_submission_id(operation_id) else None
        if operation is None:
            raise not_found("there is no such operation; its report is kept for 30 days")
        return operation

    def _check(self, request: TokenRequest, *, is_guest: bool) -> None:
        """Check what the model cannot. Raises Problem 404, 422."""
        if not is_player_id(request.player) or is_guest:
            expected = "1 to 64 of a-z, 0-9 and -; `guest-…` only of a guest who has joined by a link"
            raise _wrong("player", f"expected {expected}, found {request.player!r}")
        ids = self.benchmarks.list_ids() if request.benchmarks else []
        for benchmark in request.benchmarks:
            if benchmark not in ids:
                raise _wrong("benchmarks", f"there is no benchmark {benchmark!r}; {suggest_nearest(benchmark, ids)}")
        if Scope.OWN in request.scopes and not request.benchmarks:
            raise _wrong("scopes", "expected the benchmarks that are owned beside `own`")


def _plan_account(request: TokenRequest, account: Account | None, now: datetime) -> Account:
    """Return the account of a token's player as it will be. Raises Problem 422."""
    try:
        name = check_name(request.name or (account.player.name if account else request.player))
    except InvalidName as error:
        raise _wrong("name", str(error)) from error
    if is_numbered(name):
        raise _wrong("name", "expected no `·` and a number at the end, as guests of one name have")
    if account is not None and account.player.name != name and not request.rename:
        called = f"the player {request.player} is called {account.player.name!r} on every board"
        raise _wrong("name", f"{called}; leave it out to keep that, or ask with `rename` to make it {name!r}")
    kind = request.kind or (account.player.kind if account else PlayerKind.HUMAN)
    email = request.email or (account.email if account else None)
    return Account(Player(request.player, name, kind, verified=True), email, account.created_at if account else now)


def _wrong(name: str, fault: str) -> Problem:
    return unprocessable("invalid-token-request", f"{name}: {fault}", pointer=f"/{name}")
