"""Routes of benchmarks and their players."""

from typing import Annotated, Literal

from aws_lambda_powertools.event_handler.openapi.params import Query
from aws_lambda_powertools.event_handler.router import APIGatewayHttpRouter

from scoring_core import __version__
from storage.ids import utc_now
from storage.submissions.models import PlayerKind
from submit import paths
from submit.dependencies import services
from submit.quotas import count_left
from submit.requests import read_headers
from submit.schemas.benchmarks import BenchmarkList, BenchmarkView, Health, view_benchmark, view_card
from submit.schemas.players import PlayerView
from submit.services.benchmarks import find_benchmark, list_published
from submit.services.sorting import SortQuery
from submit.services.submitters import SubmitterRequest

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


@router.get(paths.PLAYER, tags=["players"])
def get_player(
    benchmark: str,
    player: str,
    cursor: Annotated[str | None, Query(description="`next` of the previous page; default: the newest.")] = None,
    sort: SortQuery = None,
) -> PlayerView:
    """Show a player's rank and submissions: the newest, or the best of 1,000.

    A token of the player or an owner also shows the names of files in batches.
    """
    caller = services().authenticator.identify(read_headers(router.current_event.raw_event))
    published = find_benchmark(services().benchmarks, benchmark)
    return services().status.find_player(published, player, cursor, sort=sort, caller=caller)
