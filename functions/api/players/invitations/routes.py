"""Routes of invitations and tokens. A GET changes nothing, so a messenger's preview of a link uses nothing up."""

from http import HTTPStatus
from typing import Annotated

from aws_lambda_powertools import Logger
from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Query
from aws_lambda_powertools.event_handler.router import APIGatewayHttpRouter

from api.benchmarks.rescores import check_not_archived
from api.dependencies import find_published, identify, read_headers, services
from api.players import tokens
from api.players.invitations import service, views
from handlers.http import paths

logger = Logger(child=True)
router = APIGatewayHttpRouter()  # type: ignore[no-untyped-call]  # Powertools leaves it untyped

Holder = Annotated[str | None, Query(description="Whose tokens, for administrators; default: your player's.")]


@router.post(paths.INVITE, tags=["invitations"], status_code=HTTPStatus.CREATED)
def post_invitation(benchmark: str, request: views.InvitationRequest) -> Response[views.InvitationMade]:
    """Make a link by which others join, for owners; its code is shown once."""
    published = find_published(benchmark)
    check_not_archived(published)
    made = service.invite(services(), published.id, identify(), request)
    logger.info("invitation made", extra={"benchmark": published.id, "invitation": made.invitation})
    return Response(HTTPStatus.CREATED, "application/json", made)


@router.post(paths.INVITE_BY_MAIL, tags=["invitations"], status_code=HTTPStatus.CREATED)
def post_invitations_by_mail(benchmark: str, request: views.MailRequest) -> Response[views.InvitationsMailed]:
    """Mail each address a link of its own, for owners; if one is wrong, none.

    An address that has an open link by mail gets no other one, so a repeat mails nobody twice.
    """
    published = find_published(benchmark)
    check_not_archived(published)
    mailed = service.invite_by_mail(services(), published.id, identify(), request)
    logger.info("invitations mailed", extra={"benchmark": published.id, "invitations": len(mailed.invitations)})
    return Response(HTTPStatus.CREATED, "application/json", mailed)


@router.get(paths.INVITATIONS, tags=["invitations"])
def list_invitations(benchmark: str) -> views.InvitationList:
    """List the invitations to a benchmark and who came by them, for owners."""
    published = find_published(benchmark)
    return service.list_of_benchmark(services(), published.id, identify())


@router.post(paths.REVOKE_INVITATION, tags=["invitations"])
def revoke_invitation(benchmark: str, invitation: str, request: views.RevokeRequest) -> views.InvitationView:
    """Take back a link, for owners; also the tokens that were issued for it, if asked."""
    published = find_published(benchmark)
    view = service.revoke(services(), published.id, invitation, identify(), request)
    logger.info("invitation revoked", extra={"benchmark": published.id, "invitation": view.invitation})
    return view


@router.post(paths.MEMBER_INVITATIONS, tags=["invitations"], status_code=HTTPStatus.CREATED)
def post_member_invitation(request: views.MemberRequest) -> Response[views.InvitationMade]:
    """Make a link by which others become members of your player.

    A player and its members are a team, with one quota and one row.
    """
    made = service.invite_member(services(), identify(), request)
    logger.info("member invited", extra={"invitation": made.invitation})
    return Response(HTTPStatus.CREATED, "application/json", made)


@router.post(paths.REVOKE_MEMBER_INVITATION, tags=["invitations"])
def revoke_member_invitation(invitation: str) -> views.InvitationView:
    """Take back a link of your player."""
    return service.revoke_member(services(), invitation, identify())


@router.post(paths.OPEN_INVITATION, tags=["invitations"])
def open_invitation(request: views.CodeRequest) -> views.OpenedInvitation:
    """Show what a link is for, and note that it was opened."""
    return service.open_invitation(services(), identify(), request)


@router.post(paths.JOIN, tags=["invitations"], status_code=HTTPStatus.CREATED)
def post_join(request: views.JoinRequest) -> Response[views.TokenIssued]:
    """Join by a link, and get a token, which is shown once.

    A repeat with the same Idempotency-Key gets the same token, and uses nothing up.
    """
    issued = service.join(services(), identify(), read_headers(), request)
    logger.info("token issued", extra={"player": issued.player, "token": issued.token.token})
    return Response(HTTPStatus.CREATED, "application/json", issued)


@router.get(paths.TOKENS, tags=["tokens"])
def list_tokens(player: Holder = None) -> views.TokenList:
    """List the tokens of your player, its members' among them."""
    return service.list_tokens(services(), identify(), player)


@router.post(paths.REVOKE_TOKEN, tags=["tokens"])
def revoke_token(token: str, player: Holder = None) -> views.TokenView:
    """Revoke your token for good, or as the player itself a member's.

    Submissions stay.
    """
    view = service.revoke_token(services(), token, identify(), player)
    logger.info("token revoked", extra={"token": view.token})
    return view


@router.post(paths.CREATE_TOKEN, tags=["operators"], status_code=HTTPStatus.CREATED)
def post_token(request: tokens.TokenRequest) -> Response[views.TokenIssued]:
    """Make a token, and its player if new, for administrators; it is shown once."""
    issued = tokens.create(services(), identify(), request)
    logger.info("token made", extra={"player": issued.player, "token": issued.token.token})
    return Response(HTTPStatus.CREATED, "application/json", issued)
