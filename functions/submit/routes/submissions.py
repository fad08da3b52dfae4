"""Routes for submitting a result and reading its outcome."""

from http import HTTPStatus
from typing import Annotated

from aws_lambda_powertools import Logger
from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Query
from aws_lambda_powertools.event_handler.router import APIGatewayHttpRouter

from storage.ids import utc_now
from storage.metrics import Measure, measure
from storage.submissions.models import PlayerKind
from storage.urls import submission_url
from submit import paths
from submit.dependencies import services
from submit.requests import read_body, read_headers, read_wait
from submit.schemas.submissions import Accepted, SubmissionView
from submit.services.benchmarks import find_benchmark
from submit.services.submissions import SubmissionRequest

logger = Logger(child=True)
router = APIGatewayHttpRouter()  # type: ignore[no-untyped-call]  # Powertools leaves it untyped


@router.post(paths.SUBMISSIONS, tags=["submissions"], status_code=HTTPStatus.ACCEPTED)
def post_submission(
    benchmark: str,
    player: Annotated[str | None, Query(description="A guest's name; default: a guest without a name.")] = None,
    kind: Annotated[PlayerKind, Query(description="Whether a guest is a human or a model.")] = PlayerKind.HUMAN,
    part: Annotated[
        str | None, Query(description="The question, level or track, if the result does not name it.")
    ] = None,
) -> Response[Accepted | SubmissionView]:
    """Submit a result as JSON; after a 202 it is stored, and scored soon."""
    headers = read_headers(router.current_event)
    published = find_benchmark(services().benchmarks, benchmark)
    request = SubmissionRequest(
        caller=services().authenticator.identify(headers),
        headers=headers,
        body=read_body(router.current_event),
        player=player,
        kind=kind,
        part=part,
    )
    accepted = services().submissions.submit(published, request)
    submission = accepted.submission
    measured = measure({Measure.SUBMISSIONS: 1}, moment=utc_now())
    logger.info("result received", extra={"submission": submission.id, "benchmark": submission.benchmark, **measured})
    url = submission_url(submission.benchmark, submission.id)
    preferred = read_wait(headers.get("prefer", ""))
    wait = accepted.max_wait(preferred)
    view = services().status.wait(published, submission, seconds=wait) if preferred else None
    body: Accepted | SubmissionView
    if view is None:
        body = Accepted(submission=submission.id, status_url=url, receipt=accepted.receipt)
    else:
        body = view.model_copy(update={"receipt": accepted.receipt})
    return Response(
        status_code=HTTPStatus.OK if view else HTTPStatus.ACCEPTED,
        content_type="application/json",
        body=body,
        headers={"Location": url} | ({"Preference-Applied": f"wait={wait}"} if wait else {}),
    )


@router.get(paths.SUBMISSION, tags=["submissions"])
def get_submission(
    benchmark: str,
    submission: str,
    version: Annotated[str | None, Query(description="Of the benchmark; default: the current one.")] = None,
) -> SubmissionView:
    """Show the status of a submission."""
    published = find_benchmark(services().benchmarks, benchmark)
    caller = services().authenticator.identify(read_headers(router.current_event))
    return services().status.find(published, submission, caller, version=version)
