"""Routes of health, of the list of benchmarks, and of one of them."""

from typing import Annotated, Literal

from aws_lambda_powertools.event_handler.openapi.params import Query

from api.benchmarks import views
from api.dependencies import find_published, identify, make_router, read_submitter, services
from api.players.service import find_left
from handlers.http import paths
from handlers.http.benchmarks import list_published
from handlers.http.quotas import count_left
from handlers.http.submission_views import view_extension
from scoring_core import __version__
from storage.keys import head_key, utc_now
from storage.players.players import is_guest_id
from storage.submissions.models import PlayerKind, find_owner

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
    # A name that nobody owns is everybody's, so its more time is not shown.
    holders = (each.quota.holder for each in left)
    definition = published.definition
    return views.BenchmarkView(
        **dict(views.view_card(published, now)),
        description=published.description,
        scorer=definition.scorer,
        version=published.version,
        headers=definition.score_type.headers,
        parts=published.parts,
        ranking=definition.ranking,
        takes_labels=definition.takes_labels,
        submissions=definition.submissions,
        runs=None if published.terms.runs is None else views.RunsView(**published.terms.runs._asdict()),
        guest_limits=views.SharedLimits(**published.terms.limits_of_address._asdict()),
        **count_left(left),
        extension=next(
            (view_extension(published, each) for each in holders if find_owner(each) or not is_guest_id(each)), None
        ),
        board_url=f"/{head_key(published.id)}",
        sample=published.sample,
    )
