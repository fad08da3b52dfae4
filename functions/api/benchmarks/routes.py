"""Routes of benchmarks and their players, and of operators."""

from http import HTTPStatus
from typing import Annotated, Literal

from aws_lambda_powertools import Logger
from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Query
from aws_lambda_powertools.event_handler.router import APIGatewayHttpRouter
from pydantic import AwareDatetime

from api.benchmarks import archives, bans, operations, publications, rescores, views
from api.benchmarks.bans import BanRequest, ExtensionRequest
from api.benchmarks.publications import BundleRequest, SolutionRequest, StartRequest
from api.benchmarks.rescores import FinalRequest
from api.dependencies import find_published, identify, read_submitter, services
from api.players.service import find_left
from api.reasons import OptionalReasonRequest, ReversibleRequest
from handlers.http import paths
from handlers.http.benchmarks import list_published
from handlers.http.requests import make_cursor, read_cursor
from handlers.http.submission_views import MoreTime
from scoring_core import __version__
from storage.benchmarks.operations import Operation, OperationRequest
from storage.keys import utc_now
from storage.submissions.models import PlayerKind

logger = Logger(child=True)
router = APIGatewayHttpRouter()  # type: ignore[no-untyped-call]  # Powertools leaves it untyped
AUDIT_LENGTH = 200
"""Entries of the audit trail that are read for a page."""
_NO_REASON = OptionalReasonRequest()
_WITH_ALL = FinalRequest()


@router.get(paths.HEALTH, tags=["service"])
def get_health() -> views.Health:
    """Answer that the service is up."""
    return views.Health(version=__version__)


@router.get(paths.BENCHMARKS, tags=["benchmarks"])
def list_benchmarks(
    archived: Annotated[Literal["true", "false"], Query(description="`true`: archived ones, too.")] = "false",
    owned: Annotated[Literal["true", "false"], Query(description="`true`: only those that the token owns.")] = "false",
) -> views.BenchmarkList:
    """List the benchmarks that are listed and not archived, or those that one owns."""
    moment = utc_now()
    listed = list_published(services().benchmarks, archived=archived == "true", unlisted=owned == "true")
    if owned == "true":
        caller = identify()
        own = caller.list_owned([each.id for each in listed])
        listed = [each for each in listed if each.id in own]
    return views.BenchmarkList(benchmarks=[views.view_card(published, moment) for published in listed])


@router.get(paths.BENCHMARK, tags=["benchmarks"])
def get_benchmark(
    benchmark: str,
    player: Annotated[
        str | None, Query(description="As with a result: what is left is that guest's, or whom a host names.")
    ] = None,
    kind: Annotated[PlayerKind | None, Query(description="As with a result.")] = None,
) -> views.BenchmarkView:
    """Show a benchmark: its metrics and rules, and how many tries are left.

    What is left is that of the player of a token, or of a guest who is named.
    """
    published, now = find_published(benchmark), utc_now()
    left = find_left(services(), published.terms, read_submitter(player, kind), now)
    return views.view_benchmark(published, now, left)


@router.post(paths.RESCORE, tags=["benchmarks"], status_code=HTTPStatus.ACCEPTED)
def post_rescore(benchmark: str, request: OptionalReasonRequest = _NO_REASON) -> Response[views.RescoreView]:
    """Score all results with the latest version, then switch the board to it."""
    published = find_published(benchmark)
    rescore = rescores.rescore(services(), published, identify(), request)
    logger.info("rescore requested", extra={"benchmark": published.id, "next": rescore.next})
    return Response(HTTPStatus.ACCEPTED, "application/json", rescore)


@router.post(paths.REVEAL, tags=["benchmarks"], status_code=HTTPStatus.ACCEPTED)
def post_reveal(benchmark: str, request: FinalRequest = _WITH_ALL) -> Response[views.FinalView]:
    """Score all results by the hidden rows, too, then rank by these, for owners."""
    view = rescores.reveal(services(), find_published(benchmark), identify(), request)
    logger.info("final requested", extra={"benchmark": view.benchmark, "next": view.next})
    return Response(HTTPStatus.ACCEPTED, "application/json", view)


@router.get(paths.BANS, tags=["benchmarks"])
def list_bans(benchmark: str) -> views.BanList:
    """List the banned players and names, and the reasons."""
    stored = services().bans.read(find_published(benchmark).id)
    return views.BanList(bans=bans.view_bans(services(), *stored.active))


@router.post(paths.BAN, tags=["benchmarks"])
def post_ban(benchmark: str, request: BanRequest) -> views.BanView:
    """Ban a player or a guest's name, or lift the ban, for owners; within seconds.

    New results are rejected with the reason, and a player's rows go off the boards until the ban is lifted.
    """
    published = find_published(benchmark)
    ban = bans.change(services(), published.id, identify(), request)
    logger.info("ban changed", extra={"benchmark": published.id, "player": ban.player, "lifted": request.undo})
    return ban


@router.post(paths.EXTENSION, tags=["benchmarks"])
def post_extension(benchmark: str, request: ExtensionRequest) -> MoreTime:
    """Add time for a player, or take it back, for owners: until then nothing is late."""
    logger.info("extension", extra={"benchmark": benchmark, "player": request.player, "undone": request.undo})
    return bans.extend(services(), find_published(benchmark), identify(), request)


@router.post(paths.ARCHIVE, tags=["benchmarks"])
def post_archive(benchmark: str, request: ReversibleRequest) -> views.ArchiveView:
    """Hide a benchmark and make it read-only, or bring it back, for owners.

    Both hold within seconds. A repeated request returns the first time and reason.
    """
    published = find_published(benchmark)
    view = archives.change(services(), published.id, identify(), request)
    logger.info("archive changed", extra={"benchmark": published.id, "undone": request.undo})
    return view


@router.post(paths.DELETION, tags=["benchmarks"], status_code=HTTPStatus.ACCEPTED)
def post_deletion(benchmark: str, request: views.DeletionRequest) -> Response[views.DeletionView]:
    """Delete an archived benchmark to which nobody has submitted, for owners.

    It can be asked for two minutes after the archive at the earliest, and follows within seconds.
    """
    published = find_published(benchmark)
    view = archives.delete(services(), published.id, identify(), request)
    logger.info("deletion requested", extra={"benchmark": published.id})
    return Response(HTTPStatus.ACCEPTED, "application/json", view)


@router.post(paths.SOLUTION, tags=["benchmarks"])
def post_solution(benchmark: str, request: SolutionRequest) -> views.FolderView:
    """Make the files of a benchmark from a table with the right answers, for owners.

    Nothing is stored: change them, and publish them as any other.
    """
    return publications.draft(services(), benchmark, identify(), request)


@router.post(paths.PUBLICATIONS, tags=["benchmarks"], status_code=HTTPStatus.CREATED)
def post_publication(benchmark: str, request: BundleRequest) -> Response[views.PublicationTicket]:
    """Get a form to upload a benchmark's files with, as one ZIP, for owners."""
    ticket = publications.admit(services(), benchmark, identify(), request)
    return Response(HTTPStatus.CREATED, "application/json", ticket, headers={"Location": ticket.status_url})


@router.post(paths.START, tags=["benchmarks"], status_code=HTTPStatus.ACCEPTED)
def post_publication_start(benchmark: str, publication: str, request: StartRequest) -> Response[views.PublicationView]:
    """Check what was uploaded as `laurel check` does, and publish it if it passes."""
    view = publications.start(services(), benchmark, publication, identify(), request)
    logger.info("publication started", extra={"benchmark": benchmark, "publication": publication})
    return Response(HTTPStatus.ACCEPTED, "application/json", view)


@router.get(paths.PUBLICATION, tags=["benchmarks"])
def get_publication(benchmark: str, publication: str) -> views.PublicationView:
    """Show how publishing ended, with the outcome of every example."""
    return publications.find(services(), benchmark, publication, identify())


@router.post(paths.OPERATIONS, tags=["operators"], status_code=HTTPStatus.ACCEPTED)
def post_operation(request: OperationRequest) -> Response[Operation]:
    """Start a rebuild or a sweep, for administrators.

    It may take minutes: the address in `Location` says how it goes.
    """
    started = operations.start(services(), identify(), request)
    logger.info("operation started", extra={"operation": started.id, **dict(started.request)})
    headers = {"Location": f"{paths.OPERATIONS}/{started.id}"}
    return Response(HTTPStatus.ACCEPTED, "application/json", started, headers=headers)


@router.get(paths.OPERATION, tags=["operators"])
def get_operation(operation: str) -> Operation:
    """Show how an operation goes, or ended, for administrators."""
    return operations.find(services(), identify(), operation)


@router.get(paths.AUDIT, tags=["operators"])
def list_audit(
    benchmark: Annotated[str | None, Query(description="Only entries about this benchmark; default: all.")] = None,
    since: Annotated[AwareDatetime | None, Query(description="Only later entries; default: all.")] = None,
    cursor: Annotated[str | None, Query(description="`next` of the previous page; default: the oldest.")] = None,
) -> views.AuditList:
    """List who did what, the oldest first, for administrators.

    A page may be short, or empty, although there is a next one.
    """
    identify().check_admin()
    scope = ("audit", benchmark or "", since.isoformat() if since else "")
    after = None if cursor is None else read_cursor(cursor, scope=scope)
    page = services().trail.list_page(benchmark=benchmark, since=since, after=after, length=AUDIT_LENGTH)
    return views.AuditList(entries=list(page.entries), next=page.position and make_cursor(page.position, scope=scope))
