"""The doorway of API Gateway: parse, call one function, answer."""

import base64
import json
import os
import secrets
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from http import HTTPStatus
from typing import Annotated, Any, NamedTuple

from aws_lambda_powertools import Logger
from aws_lambda_powertools.event_handler import APIGatewayHttpResolver, Response
from aws_lambda_powertools.event_handler.openapi.exceptions import RequestValidationError
from aws_lambda_powertools.event_handler.openapi.params import Query
from aws_lambda_powertools.logging import correlation_paths
from aws_lambda_powertools.utilities.data_classes import APIGatewayProxyEventV2
from aws_lambda_powertools.utilities.typing import LambdaContext

from ledger.access_store import AccessStore
from ledger.aws import dynamodb_client, s3_client
from ledger.benchmark_store import BenchmarkStore
from ledger.errors import Busy
from ledger.settings import SubmitSettings
from ledger.snapshot_store import SnapshotStore
from ledger.submission_store import SubmissionStore
from ledger.submissions import PlayerKind
from scoring_core import __version__
from submit import paths
from submit.history import HistoryDesk
from submit.openapi import describe_api
from submit.problems import Problem, from_validation, method_not_allowed, not_found
from submit.reception import Handover, Reception
from submit.status import StatusDesk
from submit.views import (
    Accepted,
    BenchmarkList,
    BenchmarkView,
    Health,
    PlayerView,
    SubmissionView,
    view_benchmark,
    view_card,
)

logger = Logger()
# An answer of ours that does not fit its own model is our fault: unless told so, the resolver blames the caller (422).
app = APIGatewayHttpResolver(
    enable_validation=True, response_validation_error_http_code=HTTPStatus.INTERNAL_SERVER_ERROR
)


class Desks(NamedTuple):
    """What answers."""

    reception: Reception
    status: StatusDesk
    history: HistoryDesk


@cache
def desks() -> Desks:
    """Build, once, what answers: the environment is read here and nowhere else."""
    settings = SubmitSettings.read(os.environ)
    submissions = SubmissionStore(
        s3=s3_client(), dynamodb=dynamodb_client(), bucket=settings.results_bucket, table=settings.submissions_table
    )
    reception = Reception(
        benchmarks=BenchmarkStore(s3=s3_client(), bucket=settings.results_bucket, clock=now),
        submissions=submissions,
        access=AccessStore(dynamodb=dynamodb_client(), table=settings.access_table),
        clock=now,
        randomness=secrets.token_bytes,
    )
    snapshots = SnapshotStore(s3=s3_client(), bucket=settings.site_bucket)
    return Desks(reception, StatusDesk(submissions, snapshots), HistoryDesk(submissions, snapshots))


def now() -> datetime:
    """Give the time."""
    return datetime.now(UTC)


@app.get(paths.HEALTH, tags=["service"])
def get_health() -> Health:
    """Tell that the service answers."""
    return Health(version=__version__)


@app.get(paths.BENCHMARKS, tags=["benchmarks"])
def list_benchmarks() -> BenchmarkList:
    """List every benchmark."""
    return BenchmarkList(benchmarks=[view_card(one, now()) for one in desks().reception.list_benchmarks()])


@app.get(paths.BENCHMARK, tags=["benchmarks"])
def get_benchmark(benchmark: str) -> BenchmarkView:
    """Show a benchmark: its columns, its rules, how to hand in a result."""
    return view_benchmark(desks().reception.find_benchmark(benchmark), now())


@app.post(paths.SUBMISSIONS, tags=["submissions"], status_code=HTTPStatus.ACCEPTED)
def post_submission(
    benchmark: str,
    player: Annotated[str | None, Query(description="A guest's name; without it the guest has none.")] = None,
    kind: Annotated[PlayerKind, Query(description="Who plays.")] = PlayerKind.HUMAN,
    part: Annotated[str | None, Query(description="The question, level or track, where the result names none.")] = None,
) -> Response[Accepted]:
    """Hand in a result: the body, as JSON. It is safe once this answers 202, and scored soon after."""
    event = app.current_event
    received = desks().reception.receive(
        Handover(
            benchmark=benchmark,
            headers=lower_case(event.headers),
            body=read_body(event),
            player=player,
            kind=kind,
            part=part,
            address=event.request_context.http.source_ip,
        ),
    )
    submission = received.submission
    logger.info("result received", extra={"submission": submission.id, "benchmark": submission.benchmark})
    url = f"/api/benchmarks/{submission.benchmark}/submissions/{submission.id}"
    return Response(
        status_code=HTTPStatus.ACCEPTED,
        content_type="application/json",
        body=Accepted(submission=submission.id, status_url=url, receipt=received.receipt),
        headers={"Location": url},
    )


@app.get(paths.SUBMISSION, tags=["submissions"])
def get_submission(benchmark: str, submission: str) -> SubmissionView:
    """Tell what became of a submission."""
    here = desks()
    published = here.reception.find_benchmark(benchmark)
    return here.status.find(published, submission, lower_case(app.current_event.headers))


@app.get(paths.PLAYER, tags=["players"])
def get_player(
    benchmark: str,
    player: str,
    cursor: Annotated[str | None, Query(description="`next` of the page before; without it the newest.")] = None,
) -> PlayerView:
    """Show where a player stands, and what the player has handed in, newest first."""
    here = desks()
    return here.history.find(here.reception.find_benchmark(benchmark), player, cursor)


@app.get(paths.OPENAPI, include_in_schema=False)
def get_openapi() -> Response[str]:
    """Describe this API."""
    return Response(HTTPStatus.OK, "application/json", json.dumps(describe_api(app)))


def lower_case(headers: Mapping[str, str]) -> dict[str, str]:
    """Give the headers with their names in lower case."""
    return {name.lower(): value for name, value in headers.items()}


def read_body(event: APIGatewayProxyEventV2) -> bytes:
    """Give the bytes of the body, empty where there is none."""
    body = event.body or ""
    # API Gateway may hand over half a character as a lone surrogate; the strict reader refuses the bytes it leaves.
    return base64.b64decode(body) if event.is_base64_encoded else body.encode("utf-8", "surrogatepass")


@app.not_found
def refuse_path(_: Exception) -> Response[str]:
    """Answer for a path that is not here, or that does not take this method."""
    event = app.current_event
    method = paths.find_method(event.path)
    if method is None or method == event.http_method:
        return not_found("there is nothing here; GET /api/openapi.json tells what there is").to_response()
    return method_not_allowed(method).to_response()


@app.exception_handler(Problem)  # type: ignore[untyped-decorator]
def refuse(problem: Problem) -> Response[str]:
    """Answer a refusal."""
    return problem.to_response()


@app.exception_handler(RequestValidationError)  # type: ignore[untyped-decorator]
def refuse_parameters(error: RequestValidationError) -> Response[str]:
    """Answer for a path, query or header value of the wrong kind."""
    return from_validation(error).to_response()


@app.exception_handler(Busy)  # type: ignore[untyped-decorator]
def ask_to_retry(error: Busy) -> Response[str]:
    """Answer when a store is out of reach: nothing was accepted, the client may try again."""
    logger.error("store out of reach", exc_info=error)
    return Problem(
        HTTPStatus.SERVICE_UNAVAILABLE, "try-again", "busy; try again in a moment", headers={"Retry-After": "2"}
    ).to_response()


@app.exception_handler(Exception)  # type: ignore[untyped-decorator]
def apologise(error: Exception) -> Response[str]:
    """Answer for whatever is our fault: the log tells what it was, the caller learns only that it was not theirs."""
    logger.error("request failed", exc_info=error)
    return Problem(HTTPStatus.INTERNAL_SERVER_ERROR, "internal-error", "internal error, try again later").to_response()


@logger.inject_lambda_context(correlation_id_path=correlation_paths.API_GATEWAY_HTTP, clear_state=True)
def lambda_handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Answer one request of API Gateway (payload format 2.0); no answer is ever cached."""
    answer = app.resolve(event, context)
    answer["headers"]["Cache-Control"] = "no-store"
    return answer
