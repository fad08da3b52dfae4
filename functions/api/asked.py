"""What a route is asked: the headers of its request, who sends it, and the benchmark that its path names."""

from aws_lambda_powertools.event_handler.api_gateway import BaseRouter

from api.dependencies import services
from handlers.http import auth, requests
from handlers.http.auth import Caller
from handlers.http.benchmarks import find_benchmark
from handlers.http.submitters import SubmitterRequest
from storage.benchmarks.store import PublishedBenchmark
from storage.submissions.models import PlayerKind


def read_headers() -> dict[str, str]:
    """Return the headers, their names in lower case."""
    return requests.read_headers(BaseRouter.current_event.raw_event)


def identify() -> Caller:
    """Return who sends the request. Raises Problem 401."""
    return auth.identify(services(), read_headers())


def read_submitter(player: str | None, kind: PlayerKind | None) -> SubmitterRequest:
    """Return who sends the request, and whom it names. Raises Problem 401."""
    headers = read_headers()
    caller = auth.identify(services(), headers)
    return SubmitterRequest(caller=caller, headers=headers, player=player, kind=kind)


def find_published(benchmark: str) -> PublishedBenchmark:
    """Return a benchmark as it is published now. Raises Problem 404."""
    return find_benchmark(services().benchmarks, benchmark)
