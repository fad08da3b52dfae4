"""Routes of a player over all benchmarks, and of one's own data, which is exported and erased.

An erasure is a mark for each benchmark, which every fold reads, and then the end of what names the player: the
number of a guest's name, the account. The credentials end last, so who is interrupted, or doubts it, repeats. A guest's
item comes first: a player key works on, and nobody can join as a guest who is marked.
"""

from collections.abc import Sequence
from datetime import datetime
from http import HTTPStatus
from typing import Annotated, NamedTuple

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Query

from api.dependencies import ApiServices, find_published, make_router, read_submitter, services
from api.players.service import find_player_view
from api.players.views import Erased, ErasureRequest, OwnData, OwnView, PlayerBoard, PlayerBoards, PlayerView
from api.submissions.listing import PAGE_LENGTH, Wish, list_page
from handlers.http import paths
from handlers.http.benchmarks import list_published
from handlers.http.outcomes import find_player
from handlers.http.problems import Problem, forbidden, not_found, unprocessable
from handlers.http.submitters import SubmitterRequest, identify_member, name_taken
from handlers.http.views import MAX_CONTENT_BYTES, measure_bytes, player_members, take_fitting
from scoring_core.ranking.part_columns import without_parts
from storage.actors import Actor, Role
from storage.audit import Action
from storage.benchmarks.store import PublishedBenchmark
from storage.boards.snapshots import HEAD_CACHE
from storage.boards.views import RankedRow
from storage.gateway.clients import run_at_once
from storage.gateway.errors import Conflict
from storage.players.invitations import InvitationStore, holder_of_benchmark
from storage.players.issuer import TokenIssuer
from storage.players.players import GuestNameStore, PlayerStore, is_player_id
from storage.players.tokens import Scope
from storage.submissions.decisions import WithdrawalStore
from storage.submissions.models import Player, PlayerKind, find_owner

router = make_router()
Name = Annotated[str | None, Query(description="The name, with a player key or a host's token; no other token has it.")]
Kind = Annotated[PlayerKind | None, Query(description="Human or model; default: a human.")]
_ROOM = MAX_CONTENT_BYTES - 50_000
"""For benchmarks."""


class PlayerEraser(NamedTuple):
    """Erases players: of an API, and those who were erased after a backup when it is restored."""

    players: PlayerStore
    guest_names: GuestNameStore
    invitations: InvitationStore
    issuer: TokenIssuer
    withdrawals: WithdrawalStore

    def erase(self, player: Player, benchmarks: Sequence[PublishedBenchmark], *, now: datetime) -> None:
        """Erase a player on benchmarks, and what names it; a repeat does what is left.

        Raises Conflict if a guest has joined, Busy.
        """
        if not player.verified:
            self.players.erase_guest(player.id, now=now)
        run_at_once(lambda each: self.withdrawals.erase(each.id, player.id, at=now), benchmarks)
        if find_owner(player.id) is not None:
            self.guest_names.erase(player)
        if player.verified:
            holders = [holder_of_benchmark(each.id) for each in benchmarks]
            run_at_once(lambda holder: self.invitations.erase_addresses(holder, player.id), holders)
            self.issuer.erase(player, now=now)


@router.get(paths.PLAYER, tags=["players"])
def get_player(benchmark: str, player: str) -> PlayerView:
    """Show a player's rank, and what it rests on."""
    return find_player_view(services(), find_published(benchmark), player)


@router.get(paths.PLAYER_BOARDS, tags=["players"])
def get_player_boards(player: str) -> Response[PlayerBoards]:
    """Show a player's rank on every benchmark."""
    shown = show(services(), player)
    return Response(HTTPStatus.OK, "application/json", shown, headers={"Cache-Control": HEAD_CACHE})


def show(api: ApiServices, player: str) -> PlayerBoards:
    """Return a player and the boards that show one. Raises Problem 404."""

    def find(published: PublishedBenchmark) -> tuple[Player, PlayerBoard] | None:
        board = api.boards.find(published.id, version=published.version)
        rank = board.find_row(player) if board else None
        return None if board is None or rank is None else (find_player(rank), _view(published, rank, board.head.total))

    published = list_published(api.benchmarks) if is_player_id(player) else []
    shown = list(filter(None, run_at_once(find, published)))
    if not shown:
        raise not_found("no board shows such a player")
    boards = take_fitting((board for _, board in shown), max_bytes=_ROOM)
    return PlayerBoards(**player_members(shown[0][0]), benchmarks=list(boards))


@router.get(paths.EXPORT, tags=["players"])
def get_export(
    player: Name = None,
    kind: Kind = None,
    after: Annotated[str | None, Query(description="`next` of the page before.")] = None,
) -> OwnData:
    """Export what is kept of you, with a token or a player key.

    Your submissions have their scores. Raises Problem 401, 409, 422.
    """
    api, request = services(), read_submitter(player, kind)
    own = identify_member(api, request)
    account = api.players.find(own.id)
    published = [each for each in _list_all(api) if after is None or each.id > after]
    shown: dict[str, OwnView] = {}
    room, following = _ROOM, None
    for each, view in zip(published, _find_views(api, request, own, published), strict=True):
        room -= measure_bytes(view) if view else 0
        if room < 0 and shown:
            following = max(shown)
            break
        if view is not None:
            shown[each.id] = view
    return OwnData(
        **player_members(own),
        email=account and account.email,
        created_at=account and account.created_at,
        invited_at=_list_addresses(api, own) if after is None else [],
        benchmarks=shown,
        next=following,
    )


@router.post(paths.ERASURE, tags=["players"])
def post_erasure(request: ErasureRequest, player: Name = None, kind: Kind = None) -> Erased:
    """Erase yourself, with a token or a player key.

    Your rows leave all boards; nobody can undo it. A repeat, and one after an interruption, does what is left. Raises
    Problem 422 if another player is confirmed, 401 or 409 if the request names nobody, 403 if the token does not cover
    all that the player submitted and created, and its other tokens.
    """
    api, sent = services(), read_submitter(player, kind)
    own = identify_member(api, sent)
    if request.confirm != own.id:
        detail = f"confirm: expected {own.id}, the id of the player whose token or key was sent"
        raise unprocessable("not-confirmed", detail, pointer="/confirm")
    benchmarks, now = _list_all(api), api.clock()
    _check_covered(api, sent, own, benchmarks)
    names = None if own.verified else api.guest_names.read(own)
    if names is not None and names.kept is None and not names.is_erased:  # a key and a name that nobody played with
        return Erased(player=own.id, benchmarks=[])
    if names is None or not names.is_erased:
        api.trail.add(Actor(id=own.id, role=Role.PLAYER), Action.ERASE, subject=own.id)
    try:
        eraser = PlayerEraser(api.players, api.guest_names, api.invitations, api.issuer, api.withdrawals)
        eraser.erase(own, benchmarks, now=now)
    except Conflict as error:
        raise name_taken() from error
    return Erased(player=own.id, benchmarks=[each.id for each in benchmarks if each.definition.listed])


def _list_addresses(api: ApiServices, player: Player) -> list[str]:
    """Return the addresses that invitations were mailed to by which a player came."""
    if not player.verified:
        return []
    holders = [holder_of_benchmark(each.id) for each in _list_all(api)]
    listed = [each for made in run_at_once(api.invitations.list_of, holders) for each in made]
    return sorted({each.address for each in listed if each.address and player.id in each.used})


def _check_covered(
    api: ApiServices, request: SubmitterRequest, player: Player, benchmarks: Sequence[PublishedBenchmark]
) -> None:
    """Check that a token is the player's own, and covers all that ends with it.

    That is what the player submitted and created, and its other tokens. Raises Problem 403.
    """
    caller = request.caller
    if not player.verified or caller.token is None:
        return
    if caller.token.member is not None:
        raise forbidden("not-the-player", "Authorization: this is a member's token; expected the player's own")
    ends = "end it first, with itself or one that covers it"
    for token in api.issuer.list_of(player.id).values():
        if token.holds_at(api.clock()) and not caller.token.covers(token):
            scopes = ", ".join(sorted(token.scopes))
            raise forbidden("not-covered", f"Authorization: this token does not cover {token.id} ({scopes}); {ends}")
    created = [] if caller.owners is None else caller.owners.find_all(each.id for each in benchmarks).items()
    for benchmark, creator in created:
        if creator == player.id and not caller.owns(benchmark):
            detail = f"Authorization: this token does not cover {benchmark}, which the player created"
            raise forbidden("not-covered", detail)
    others = [each for each in benchmarks if not caller.may(Scope.SUBMIT, each.id)]
    for each, view in zip(others, _find_views(api, request, player, others), strict=True):
        if view is not None:
            detail = f"Authorization: this token does not cover {each.id}, where the player has submissions"
            raise forbidden("not-covered", detail)


def _find_views(
    api: ApiServices, request: SubmitterRequest, player: Player, benchmarks: Sequence[PublishedBenchmark]
) -> list[OwnView | None]:
    """Return what benchmarks have of a player; None where there is nothing."""

    def find(published: PublishedBenchmark) -> OwnView | None:
        try:
            view = find_player_view(api, published, player.id)
            page = list_page(api, published, request.caller, Wish(player=player.id, length=PAGE_LENGTH))
            return OwnView(**view.model_dump(), history=page.submissions, next=page.next)
        except Problem as problem:
            if problem.status is HTTPStatus.NOT_FOUND:
                return None
            raise

    return run_at_once(find, benchmarks)


def _list_all(api: ApiServices) -> list[PublishedBenchmark]:
    return list_published(api.benchmarks, archived=True, unlisted=True)


def _view(published: PublishedBenchmark, rank: RankedRow, total: int) -> PlayerBoard:
    return PlayerBoard(
        benchmark=published.id,
        title=published.definition.title,
        rank=rank.rank,
        total=total,
        submissions=rank.row.submissions,
        scores=without_parts(rank.row.scores),
    )
