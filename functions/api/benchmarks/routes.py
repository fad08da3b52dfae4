"""Routes of benchmarks and their players."""

from http import HTTPStatus
from typing import Annotated, Literal

from aws_lambda_powertools import Logger
from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Query
from aws_lambda_powertools.event_handler.router import APIGatewayHttpRouter

from api.benchmarks.views import (
    ArchiveView,
    BanList,
    BanView,
    BenchmarkList,
    BenchmarkView,
    DeletionView,
    Health,
    PublicationTicket,
    PublicationView,
    RescoreView,
    view_benchmark,
    view_card,
)
from handlers.http import paths
from handlers.http.auth import Caller
from handlers.http.benchmarks import find_benchmark, list_published
from handlers.http.dependencies import services
from handlers.http.quotas import count_left
from handlers.http.requests import check_headers, read_body, read_headers
from handlers.http.submitters import SubmitterRequest
from scoring_core import __version__
from storage.benchmarks.store import PublishedBenchmark
from storage.ids import utc_now
from storage.submissions.models import PlayerKind

logger = Logger(child=True)
router = APIGatewayHttpRouter()  # type: ignore[no-untyped-call]  # Powertools leaves it untyped


@router.get(paths.HEALTH, tags=["service"])
def get_health() -> Health:
    """Answer that the service is up."""
    return Health(version=__version__)


@router.get(paths.BENCHMARKS, tags=["benchmarks"])
def list_benchmarks(
    archived: Annotated[Literal["true", "false"], Query(description="`true`: archived ones, too.")] = "false",
    owned: Annotated[Literal["true", "false"], Query(description="`true`: only those that the token owns.")] = "false",
) -> BenchmarkList:
    """List the benchmarks that are listed and not archived, or those that one owns."""
    moment = utc_now()
    listed = list_published(services().benchmarks, archived=archived == "true", unlisted=owned == "true")
    if owned == "true":
        caller = services().authenticator.identify(read_headers(router.current_event.raw_event))
        own = caller.list_owned([each.id for each in listed])
        listed = [each for each in listed if each.id in own]
    return BenchmarkList(benchmarks=[view_card(published, moment) for published in listed])


@router.get(paths.BENCHMARK, tags=["benchmarks"])
def get_benchmark(
    benchmark: str,
    player: Annotated[
        str | None, Query(description="As with a result: what is left is that guest's, or whom a host names.")
    ] = None,
    kind: Annotated[PlayerKind | None, Query(description="As with a result.")] = None,
) -> BenchmarkView:
    """Show a benchmark: its metrics and rules, and how many tries are left.

    What is left is that of the player of a token, or of a guest who is named.
    """
    headers = read_headers(router.current_event.raw_event)
    published = find_benchmark(services().benchmarks, benchmark)
    caller = services().authenticator.identify(headers)
    request = SubmitterRequest(caller=caller, headers=headers, player=player, kind=kind)
    left = services().submissions.find_left(published.terms, request)
    return view_benchmark(published, utc_now(), count_left(left))


@router.post(paths.RESCORE, tags=["benchmarks"], status_code=HTTPStatus.ACCEPTED)
def post_rescore(benchmark: str) -> Response[RescoreView]:
    """Score all results with the latest version, then switch the board to it."""
    event = router.current_event.raw_event
    body = read_body(event)
    if body:
        check_headers(read_headers(event))
    published = find_benchmark(services().benchmarks, benchmark)
    rescore = services().owners.rescore(published, _identify(), body)
    logger.info("rescore requested", extra={"benchmark": published.id, "next": rescore.next})
    return Response(HTTPStatus.ACCEPTED, "application/json", rescore)


@router.get(paths.BANS, tags=["benchmarks"])
def list_bans(benchmark: str) -> BanList:
    """List the banned players and names, and the reasons."""
    published = find_benchmark(services().benchmarks, benchmark)
    return BanList(bans=services().bans.list_bans(published.id))


@router.post(paths.BAN, tags=["benchmarks"])
def post_ban(benchmark: str) -> BanView:
    """Ban a player or a guest's name, for owners; within seconds.

    New results are rejected with the reason, and a player's rows go off the boards until the ban is lifted.
    """
    published, body = _find_for_change(benchmark)
    ban = services().bans.ban(published.id, _identify(), body)
    logger.info("banned", extra={"benchmark": published.id, "player": ban.player})
    return ban


@router.post(paths.UNBAN, tags=["benchmarks"])
def post_unban(benchmark: str) -> BanView:
    """Lift a ban, for owners: within seconds the rows are back."""
    published, body = _find_for_change(benchmark)
    ban = services().bans.lift(published.id, _identify(), body)
    logger.info("ban lifted", extra={"benchmark": published.id, "player": ban.player})
    return ban


@router.post(paths.ARCHIVE, tags=["benchmarks"])
def post_archive(benchmark: str) -> ArchiveView:
    """Hide a benchmark and make it read-only, for owners; within seconds.

    A repeated request returns the first time and reason.
    """
    published, body = _find_for_change(benchmark)
    view = services().archives.archive(published.id, _identify(), body)
    logger.info("archived", extra={"benchmark": published.id})
    return view


@router.post(paths.ARCHIVE_UNDO, tags=["benchmarks"])
def undo_archive(benchmark: str) -> ArchiveView:
    """Bring an archived benchmark back, for owners; within seconds."""
    published = find_benchmark(services().benchmarks, benchmark)
    view = services().archives.undo(published.id, _identify())
    logger.info("archive undone", extra={"benchmark": published.id})
    return view


@router.post(paths.DELETION, tags=["benchmarks"], status_code=HTTPStatus.ACCEPTED)
def post_deletion(benchmark: str) -> Response[DeletionView]:
    """Delete an archived benchmark to which nobody has submitted, for owners.

    It can be asked for two minutes after the archive at the earliest, and follows within seconds.
    """
    published, body = _find_for_change(benchmark)
    view = services().archives.delete(published.id, _identify(), body)
    logger.info("deletion requested", extra={"benchmark": published.id})
    return Response(HTTPStatus.ACCEPTED, "application/json", view)


@router.post(paths.PUBLICATIONS, tags=["benchmarks"], status_code=HTTPStatus.CREATED)
def post_publication(benchmark: str) -> Response[PublicationTicket]:
    """Get a form to upload a benchmark's files with, as one ZIP, for owners."""
    event = router.current_event.raw_event
    check_headers(read_headers(event))
    ticket = services().publications.admit(benchmark, _identify(), read_body(event))
    return Response(HTTPStatus.CREATED, "application/json", ticket, headers={"Location": ticket.status_url})


@router.post(paths.START, tags=["benchmarks"], status_code=HTTPStatus.ACCEPTED)
def post_publication_start(benchmark: str, publication: str) -> Response[PublicationView]:
    """Check what was uploaded as `laurel check` does, and publish it if it passes."""
    event = router.current_event.raw_event
    check_headers(read_headers(event))
    view = services().publications.start(benchmark, publication, _identify(), read_body(event))
    logger.info("publication started", extra={"benchmark": benchmark, "publication": publication})
    return Response(HTTPStatus.ACCEPTED, "application/json", view)


@router.get(paths.PUBLICATION, tags=["benchmarks"])
def get_publication(benchmark: str, publication: str) -> PublicationView:
    """Show how publishing ended, with the outcome of every example."""
    return services().publications.find(benchmark, publication, _identify())


def _find_for_change(benchmark: str) -> tuple[PublishedBenchmark, bytes]:
    """Return a benchmark to change, and the request's body. Raises Problem 404, 415."""
    event = router.current_event.raw_event
    check_headers(read_headers(event))
    return find_benchmark(services().benchmarks, benchmark), read_body(event)


def _identify() -> Caller:
    return services().authenticator.identify(read_headers(router.current_event.raw_event))
