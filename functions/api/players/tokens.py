"""The route by which administrators make tokens."""

from datetime import datetime, timedelta
from http import HTTPStatus
from typing import Annotated, Literal

from pydantic import Field

from api.dependencies import ApiServices, identify, make_router, services
from api.players.invitations.views import TokenIssued, view_issued
from handlers.http import paths
from handlers.http.bodies import LenientBody
from handlers.http.problems import Problem, unprocessable
from scoring_core.benchmarks.definition import MAIL_ADDRESS
from scoring_core.io.text import suggest_nearest
from storage.benchmarks.operations import MAX_HOURS
from storage.players.names import InvalidName, check_name, is_numbered
from storage.players.players import PLAYER_ID, Account, is_guest_id, is_player_id
from storage.players.tokens import Scope
from storage.submissions.models import Player, PlayerKind

router = make_router()
_AnyScope = Literal["submit", "host", "own", "work", "organise", "admin"]


class TokenRequest(LenientBody):
    """What a token is to be.

    A new player is made; of one that exists, name, kind and email stay as they are unless they are given.
    """

    player: Annotated[
        str,
        Field(max_length=100, json_schema_extra={"pattern": f"^{PLAYER_ID.pattern}$"}, description="The player's id."),
    ]
    name: Annotated[str, Field(min_length=1, max_length=1000)] | None = Field(
        default=None, description="The name that is shown; default: the id."
    )
    rename: Annotated[bool, Field(strict=True, description="Whether a player who exists gets another `name`.")] = False
    kind: Literal[PlayerKind.HUMAN, PlayerKind.MODEL] | None = Field(default=None, description="Default: human.")
    email: Annotated[str, Field(pattern=MAIL_ADDRESS, max_length=254, description="Where mails go.")] | None = None
    benchmarks: Annotated[list[str], Field(max_length=100, description="What it covers; none: all benchmarks.")] = (
        Field(default=[])
    )
    scopes: list[_AnyScope] = Field(default=["submit"], min_length=1, max_length=6)
    hours: Annotated[int, Field(ge=1, le=MAX_HOURS)] | None = Field(default=None, description="How long it lasts.")


@router.post(paths.CREATE_TOKEN, tags=["operators"], status_code=HTTPStatus.CREATED)
def post_token(request: TokenRequest) -> TokenIssued:
    """Make a token, and its player if new, for administrators; it is shown once.

    Raises Problem 401, 403, 404, 422, NameTaken, TooManyListed.
    """
    api, actor = services(), identify().check_admin()
    account = api.issuer.players.find(request.player) if is_player_id(request.player) else None
    _check(api, request, is_guest=account is None and is_guest_id(request.player))
    issued = _plan_account(request, account, api.clock())
    renamed = account is not None and account.player.name != issued.player.name
    secret, token = api.issuer.issue_new(
        issued,
        api.trail,
        actor,
        scopes=[Scope(each) for each in request.scopes],
        benchmarks=request.benchmarks,
        lasts=timedelta(hours=request.hours) if request.hours else None,
        detail={"renamed": "yes"} if renamed else None,
    )
    return view_issued(secret, token, issued)


def _check(api: ApiServices, request: TokenRequest, *, is_guest: bool) -> None:
    """Check what the model cannot. Raises Problem 404, 422."""
    if not is_player_id(request.player) or is_guest:
        expected = "1 to 64 of a-z, 0-9 and -; `guest-…` only of a guest who has joined by a link"
        raise _wrong("player", f"expected {expected}, found {request.player!r}")
    ids = api.benchmarks.list_ids() if request.benchmarks else []
    for benchmark in request.benchmarks:
        if benchmark not in ids:
            raise _wrong("benchmarks", f"there is no benchmark {benchmark!r}; {suggest_nearest(benchmark, ids)}")
    if not {Scope.OWN, Scope.WORK}.isdisjoint(request.scopes) and not request.benchmarks:
        raise _wrong("scopes", "expected the benchmarks beside `own` or `work`")


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
        raise _wrong("name", f"{called}; leave it out to keep that; in JSON, `rename: true` makes it {name!r}")
    kind = request.kind or (account.player.kind if account else PlayerKind.HUMAN)
    email = request.email or (account.email if account else None)
    return Account(Player(request.player, name, kind, verified=True), email, account.created_at if account else now)


def _wrong(name: str, fault: str) -> Problem:
    return unprocessable("invalid-token-request", f"{name}: {fault}", pointer=f"/{name}")
