"""Handing in a result, and what became of it."""

from http import HTTPStatus
from typing import Annotated

from aws_lambda_powertools import Logger
from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Query
from aws_lambda_powertools.event_handler.router import APIGatewayHttpRouter

from storage.metrics import Measure, measure
from storage.submissions.models import PlayerKind
from storage.urls import submission_url
from submit import paths
from submit.dependencies import now, services
from submit.preferences import read_wait
from submit.requests import identify, lower_case, read_body
from submit.schemas.submissions import Accepted, SubmissionView
from submit.services.submissions import SubmissionRequest

logger = Logger(child=True)
router = APIGatewayHttpRouter()  # type: ignore[no-untyped-call]  # Powertools leaves it untyped


@router.post(paths.SUBMISSIONS, tags=["submissions"], status_code=HTTPStatus.ACCEPTED)
def post_submission(
    benchmark: str,
    player: Annotated[str | None, Query(description="A guest's name; without it the guest has none.")] = None,
    kind: Annotated[PlayerKind, Query(description="Who plays, of a guest.")] = PlayerKind.HUMAN,
    part: Annotated[str | None, Query(description="The question, level or track, where the result names none.")] = None,
) -> Response[Accepted | SubmissionView]:
    """Hand in a result: the body, as JSON. It is safe once this answers 202, and scored soon after."""
    event, here = router.current_event, services()
    headers = lower_case(event.headers)
    published = here.catalogue.find(benchmark)
    received = here.reception.receive(
        published,
        SubmissionRequest(
            caller=identify(event),
            headers=headers,
            body=read_body(event),
            player=player,
            kind=kind,
            part=part,
        ),
    )
    submission = received.submission
    measured = measure({Measure.SUBMISSIONS: 1}, moment=now())
    logger.info("result received", extra={"submission": submission.id, "benchmark": submission.benchmark, **measured})
    url = submission_url(submission.benchmark, submission.id)
    preferred = read_wait(headers.get("prefer", ""))
    wait = received.bound(preferred)
    applied = {"Preference-Applied": f"wait={wait}"} if wait else {}
    view = here.status.wait(published, submission, seconds=wait) if preferred else None
    body: Accepted | SubmissionView
    if view is not None:
        body = view.model_copy(update={"receipt": received.receipt})
    else:
        body = Accepted(submission=submission.id, status_url=url, receipt=received.receipt)
    return Response(
        status_code=HTTPStatus.OK if view else HTTPStatus.ACCEPTED,
        content_type="application/json",
        body=body,
        headers={"Location": url, **applied},
    )


@router.get(paths.SUBMISSION, tags=["submissions"])
def get_submission(
    benchmark: str,
    submission: str,
    version: Annotated[str | None, Query(description="Of the benchmark; without it the present one.")] = None,
) -> SubmissionView:
    """Tell what became of a submission."""
    here = services()
    published = here.catalogue.find(benchmark)
    return here.status.find(published, submission, identify(router.current_event), version=version)
