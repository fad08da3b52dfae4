"""Routes of health, of the list of benchmarks, and of one of them."""

from typing import Annotated, Literal

from aws_lambda_powertools.event_handler.openapi.params import Query

from api.benchmarks import views
from api.dependencies import find_published, identify, make_router, read_submitter, services
from api.players.service import find_left
from handlers.http import paths
from handlers.http.benchmarks import list_published
from scoring_core import __version__
from storage.keys import utc_now
from storage.submissions.models import PlayerKind

router = make_router()


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
