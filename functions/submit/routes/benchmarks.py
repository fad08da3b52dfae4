"""What can be scored, and by whom it was."""

from typing import Annotated

from aws_lambda_powertools.event_handler.openapi.params import Query
from aws_lambda_powertools.event_handler.router import APIGatewayHttpRouter

from scoring_core import __version__
from submit import paths
from submit.dependencies import now, services
from submit.schemas.benchmarks import BenchmarkList, BenchmarkView, Health, view_benchmark, view_card
from submit.schemas.players import PlayerView

router = APIGatewayHttpRouter()  # type: ignore[no-untyped-call]  # Powertools leaves it untyped


@router.get(paths.HEALTH, tags=["service"])
def get_health() -> Health:
    """Tell that the service answers."""
    return Health(version=__version__)


@router.get(paths.BENCHMARKS, tags=["benchmarks"])
def list_benchmarks() -> BenchmarkList:
    """List every benchmark."""
    return BenchmarkList(benchmarks=[view_card(one, now()) for one in services().catalogue.list_all()])


@router.get(paths.BENCHMARK, tags=["benchmarks"])
def get_benchmark(benchmark: str) -> BenchmarkView:
    """Show a benchmark: its columns, its rules, how to hand in a result."""
    return view_benchmark(services().catalogue.find(benchmark), now())


@router.get(paths.PLAYER, tags=["players"])
def get_player(
    benchmark: str,
    player: str,
    cursor: Annotated[str | None, Query(description="`next` of the page before; without it the newest.")] = None,
) -> PlayerView:
    """Show where a player stands, and what the player has handed in, newest first."""
    return services().history.find(services().catalogue.find(benchmark), player, cursor)
