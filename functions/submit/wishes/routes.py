"""Routes of the mail that players ask for. A GET changes nothing: programs that look at mail open its links."""

from http import HTTPStatus

from aws_lambda_powertools import Logger
from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.router import APIGatewayHttpRouter

from submit import paths
from submit.auth import Caller
from submit.dependencies import services
from submit.requests import read_body, read_headers, read_json
from submit.services.benchmarks import find_benchmark
from submit.wishes.schemas import Announced, WishList, WishView

logger = Logger(child=True)
router = APIGatewayHttpRouter()  # type: ignore[no-untyped-call]  # Powertools leaves it untyped
_HTML = "text/html; charset=utf-8"


@router.get(paths.WISHES, tags=["players"])
def list_wishes() -> WishList:
    """List what you are mailed about benchmarks, with your own token."""
    return services().wishes.list_of(_identify())


@router.post(paths.WISH, tags=["players"])
def post_wish(benchmark: str) -> WishView:
    """Ask for mail about a benchmark, or end it, with your own token.

    An address gets one mail with a link, and nothing else until it is confirmed there.
    """
    published = find_benchmark(services().benchmarks, benchmark)
    view = services().wishes.ask(published, _identify(), read_json(router.current_event.raw_event))
    logger.info("mail asked for", extra={"benchmark": published.id, "topics": view.topics})
    return view


@router.post(paths.ANNOUNCEMENTS, tags=["benchmarks"], status_code=HTTPStatus.ACCEPTED)
def post_announcement(benchmark: str) -> Response[Announced]:
    """Write to the players of a benchmark who asked for that, for owners."""
    published = find_benchmark(services().benchmarks, benchmark)
    announced = services().wishes.announce(published, _identify(), read_json(router.current_event.raw_event))
    logger.info("announced", extra={"benchmark": published.id, **announced.model_dump()})
    return Response(HTTPStatus.ACCEPTED, "application/json", announced)


@router.get(paths.MAIL_PAGE, include_in_schema=False)
def get_mail_page(benchmark: str, player: str, code: str) -> Response[str]:
    """Show what a link in a mail is for."""
    return Response(HTTPStatus.OK, _HTML, services().wishes.open(benchmark, player, code))


@router.post(paths.MAIL_ACT, include_in_schema=False)
def post_mail_page(benchmark: str, player: str, token: str) -> Response[str]:
    """Confirm mail, or end it by one click (RFC 8058)."""
    body = read_body(router.current_event.raw_event)
    return Response(HTTPStatus.OK, _HTML, services().wishes.follow(benchmark, player, token, body))


def _identify() -> Caller:
    return services().authenticator.identify(read_headers(router.current_event.raw_event))
