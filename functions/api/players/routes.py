"""Routes of a player over all benchmarks, and of one's own data."""

from typing import Annotated

from aws_lambda_powertools import Logger
from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Query
from aws_lambda_powertools.event_handler.router import APIGatewayHttpRouter

from api.dependencies import find_published, read_submitter, services
from api.players import own_data
from api.players.service import find_player_view
from api.players.views import Erased, ErasureRequest, OwnData, PlayerBoards, PlayerView
from handlers.http import paths
from storage.boards.snapshots import HEAD_CACHE
from storage.submissions.models import PlayerKind

logger = Logger(child=True)
router = APIGatewayHttpRouter()  # type: ignore[no-untyped-call]  # Powertools leaves it untyped

Name = Annotated[str | None, Query(description="The name, with a player key or a host's token; no other token has it.")]
Kind = Annotated[PlayerKind | None, Query(description="Human or model; default: a human.")]


@router.get(paths.PLAYER_BOARDS, tags=["players"])
def get_player_boards(player: str) -> Response[PlayerBoards]:
    """Show a player's rank on every benchmark."""
    return Response(200, "application/json", own_data.show(services(), player), headers={"Cache-Control": HEAD_CACHE})


@router.get(paths.EXPORT, tags=["players"])
def get_export(
    player: Name = None,
    kind: Kind = None,
    after: Annotated[str | None, Query(description="`next` of the page before.")] = None,
) -> OwnData:
    """Export what is kept of you, with a token or a player key.

    Your submissions have their scores.
    """
    return own_data.export(services(), read_submitter(player, kind), after)


@router.post(paths.ERASURE, tags=["players"])
def post_erasure(request: ErasureRequest, player: Name = None, kind: Kind = None) -> Erased:
    """Erase yourself, with a token or a player key.

    Your rows leave all boards; nobody can undo it.
    """
    erased = own_data.erase(services(), read_submitter(player, kind), request.confirm)
    logger.info("player erased", extra={"player": erased.player})
    return erased


@router.get(paths.PLAYER, tags=["players"])
def get_player(benchmark: str, player: str) -> PlayerView:
    """Show a player's rank, and what it rests on."""
    return find_player_view(services(), find_published(benchmark), player)
