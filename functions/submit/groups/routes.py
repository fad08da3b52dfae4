"""Routes of groups: who has a code may read; changes need a player key or a token."""

from http import HTTPStatus
from typing import Annotated

from aws_lambda_powertools import Logger
from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Query
from aws_lambda_powertools.event_handler.router import APIGatewayHttpRouter

from scoring_core.benchmarks.boards import MAIN
from storage.submissions.models import PlayerKind
from submit import paths
from submit.auth import Caller
from submit.dependencies import services
from submit.groups.schemas import GroupCard, GroupRowsView, GroupView, MembershipView, view_group
from submit.requests import check_headers, read_body, read_headers
from submit.services.benchmarks import find_benchmark
from submit.services.submitters import SubmitterRequest

logger = Logger(child=True)
router = APIGatewayHttpRouter()  # type: ignore[no-untyped-call]  # Powertools leaves it untyped
_HIDDEN = {"X-Robots-Tag": "noindex"}


@router.post(paths.GROUPS, tags=["groups"], status_code=HTTPStatus.CREATED)
def post_group() -> Response[GroupCard]:
    """Make a group, with a player key or a token; who gets its code may join."""
    event = router.current_event.raw_event
    headers = read_headers(event)
    check_headers(headers)
    card = services().groups.make(_identify(), headers, read_body(event))
    logger.info("group made")
    return Response(HTTPStatus.CREATED, "application/json", card, headers={"Location": f"{paths.GROUPS}/{card.code}"})


@router.get(paths.GROUP, tags=["groups"])
def get_group(code: str) -> Response[GroupView]:
    """Show a group and its members."""
    group = services().groups.find(code, _identify())
    return Response(HTTPStatus.OK, "application/json", view_group(group), headers=_HIDDEN)


@router.post(paths.DELETE_GROUP, tags=["groups"])
def delete_group(code: str) -> GroupCard:
    """Delete a group, for its maker; its members and their scores stay."""
    card = services().groups.delete(code, _identify(), _read_headers())
    logger.info("group deleted")
    return card


@router.post(paths.MEMBERS, tags=["groups"])
def post_member(
    code: str,
    player: Annotated[
        str | None, Query(description="The player's name, with a player key or a host's token; no other token has it.")
    ] = None,
    kind: Annotated[PlayerKind | None, Query(description="Human or model; default: a human.")] = None,
) -> MembershipView:
    """Join a group, as the player who submits with the same key and name, or token."""
    request = SubmitterRequest(caller=_identify(), headers=_read_headers(), player=player, kind=kind)
    return services().groups.join(code, request)


@router.post(paths.LEAVE, tags=["groups"])
def post_leave(code: str, player: str) -> MembershipView:
    """Leave a group, or take a member off one's own."""
    return services().groups.leave(code, player, _identify(), _read_headers())


@router.get(paths.GROUP_ROWS, tags=["groups"])
def list_group_rows(
    benchmark: str,
    code: str,
    *,
    board: Annotated[str, Query(description="The board; default: the main one.")] = MAIN,
    start: Annotated[int, Query(alias="from", ge=1, description="Number of the first row; the leader's is 1.")] = 1,
    limit: Annotated[int, Query(ge=1, le=100, description="Number of rows.")] = 50,
) -> Response[GroupRowsView]:
    """List the rows of a group on a board, ranked among themselves."""
    published = find_benchmark(services().benchmarks, benchmark)
    group = services().groups.find(code, _identify())
    view = services().group_boards.find_rows(published, board, group, start=start, limit=limit)
    return Response(HTTPStatus.OK, "application/json", view, headers=_HIDDEN)


def _identify() -> Caller:
    return services().authenticator.identify(_read_headers())


def _read_headers() -> dict[str, str]:
    return read_headers(router.current_event.raw_event)
