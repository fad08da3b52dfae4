"""The doorway of API Gateway: parse, call one function, answer."""

import base64
import json
import os
import secrets
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from http import HTTPStatus
from typing import Annotated, Any

from aws_lambda_powertools import Logger
from aws_lambda_powertools.event_handler import APIGatewayHttpResolver, Response
from aws_lambda_powertools.event_handler.openapi.exceptions import RequestValidationError
from aws_lambda_powertools.event_handler.openapi.params import Query
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
from submit.openapi import describe_api
from submit.problems import Problem, from_validation, not_found
from submit.reception import Handover, Reception
from submit.status import StatusDesk
from submit.views import Accepted, BenchmarkList, BenchmarkView, Health, SubmissionView, view_benchmark, view_card

logger = Logger()
app = APIGatewayHttpResolver(enable_validation=True)

NO_STORE = {"Cache-Control": "no-store"}
SUBMISSIONS = "/api/benchmarks/<benchmark>/submissions"


@cache
def desks() -> tuple[Reception, StatusDesk]:
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
    return reception, StatusDesk(submissions, SnapshotStore(s3=s3_client(), bucket=settings.site_bucket))


def now() -> datetime:
    """Give the time."""
    return datetime.now(UTC)


@app.get("/api/health", tags=["service"])
def get_health() -> Health:
    """Tell that the service answers."""
    return Health(version=__version__)


@app.get("/api/benchmarks", tags=["benchmarks"])
def list_benchmarks() -> BenchmarkList:
    """List every benchmark."""
    store = desks()[0].benchmarks
    return BenchmarkList(benchmarks=[view_card(store.current(one), now()) for one in store.list_ids()])


@app.get("/api/benchmarks/<benchmark>", tags=["benchmarks"])
def get_benchmark(benchmark: str) -> BenchmarkView:
    """Show a benchmark: its columns, its rules, how to hand in a result."""
    return view_benchmark(desks()[0].find_benchmark(benchmark), now())


@app.post(SUBMISSIONS, tags=["submissions"], status_code=HTTPStatus.ACCEPTED)
def post_submission(
    benchmark: str,
    player: Annotated[str | None, Query(description="A guest's name; without it the guest has none.")] = None,
    kind: Annotated[PlayerKind, Query(description="Who plays.")] = PlayerKind.HUMAN,
    part: Annotated[str | None, Query(description="The question, level or track, where the result names none.")] = None,
) -> Response[Accepted]:
    """Hand in a result: the body, as JSON. It is safe once this answers 202, and scored soon after."""
    event = app.current_event
    received = desks()[0].receive(
        Handover(
            benchmark=benchmark,
            headers=lower_case(event.headers),
            body=base64.b64decode(event.body or "") if event.is_base64_encoded else (event.body or "").encode(),
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
        headers={"Location": url, **NO_STORE},
    )


@app.get(f"{SUBMISSIONS}/<submission>", tags=["submissions"])
def get_submission(benchmark: str, submission: str) -> SubmissionView:
    """Tell what became of a submission."""
    reception, status = desks()
    return status.find(reception.find_benchmark(benchmark), submission, lower_case(app.current_event.headers))


@app.get("/api/openapi.json", include_in_schema=False)
def get_openapi() -> Response[str]:
    """Describe this API."""
    return Response(HTTPStatus.OK, "application/json", json.dumps(describe_api(app)))


def lower_case(headers: Mapping[str, str]) -> dict[str, str]:
    """Give the headers with their names in lower case."""
    return {name.lower(): value for name, value in headers.items()}


@app.not_found
def refuse_path(_: Exception) -> Response[str]:
    """Answer for a path that is not here."""
    return not_found("there is nothing here; GET /api/openapi.json tells what there is").to_response()


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


@logger.inject_lambda_context(clear_state=True)
def lambda_handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Answer one request of API Gateway (payload format 2.0)."""
    return app.resolve(event, context)
