"""Routes for submitting a result and reading its outcome."""

import json
from http import HTTPStatus
from typing import Annotated

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Query
from aws_lambda_powertools.event_handler.router import APIGatewayHttpRouter

from storage.submissions.models import PlayerKind
from submit import paths
from submit.dependencies import services
from submit.post import PostParameters, submit_result
from submit.requests import MEDIA_TYPE, read_headers
from submit.schemas.submissions import Accepted, RunTicketView, SubmissionView
from submit.services.benchmarks import find_benchmark, find_terms
from submit.services.submitters import SubmitterRequest

router = APIGatewayHttpRouter()  # type: ignore[no-untyped-call]  # Powertools leaves it untyped


@router.post(paths.SUBMISSIONS, tags=["submissions"], status_code=HTTPStatus.ACCEPTED)
def post_submission(
    benchmark: str,
    *,
    player: Annotated[
        str | None,
        Query(description="A guest's name; default: a guest without one. Beside a token only with the scope `host`."),
    ] = None,
    kind: Annotated[
        PlayerKind | None, Query(description="Whether the guest is a human or a model; default: a human.")
    ] = None,
    part: Annotated[
        str | None, Query(description="The question, level or track, if the result does not name it.")
    ] = None,
    label: Annotated[
        str | None,
        Query(description="A name for this submission, 1-64 characters, where a board has a row for each label."),
    ] = None,
) -> Response[Accepted | SubmissionView]:
    """Submit a result; after a 202 it is stored, and scored soon.

    Almost every request is answered by `answer_post` alone, and does not get here.
    """
    event = router.current_event.raw_event
    answer = submit_result(event, PostParameters(benchmark, player=player, kind=kind, part=part, label=label))
    return Response(answer.status, answer.content_type, json.loads(answer.body), headers=dict(answer.headers))


@router.post(paths.RUNS, tags=["submissions"], status_code=HTTPStatus.CREATED)
def post_run(
    benchmark: str,
    player: Annotated[
        str | None, Query(description="Who plays, as with the result: the ticket is for that player alone.")
    ] = None,
    kind: Annotated[PlayerKind | None, Query(description="As with the result.")] = None,
    part: Annotated[str | None, Query(description="The level or track that is played.")] = None,
) -> Response[RunTicketView]:
    """Get a run ticket when a play begins, if the benchmark needs one."""
    headers = read_headers(router.current_event.raw_event)
    terms = find_terms(services().terms, benchmark)
    caller = services().authenticator.identify(headers)
    request = SubmitterRequest(caller=caller, headers=headers, player=player, kind=kind)
    text, ticket = services().submissions.issue_ticket(terms, request, part)
    view = RunTicketView(ticket=text, seed=ticket.seed, issued_at=ticket.issued_at, expires_at=ticket.expires_at)
    return Response(HTTPStatus.CREATED, MEDIA_TYPE, view)


@router.get(paths.SUBMISSION, tags=["submissions"])
def get_submission(
    benchmark: str,
    submission: str,
    version: Annotated[
        str | None,
        Query(
            description="Of the benchmark; default: the current one. For all but owners only one that is current, or "
            "was while it had this outcome; none while the submission waits for its owner under the current one."
        ),
    ] = None,
) -> SubmissionView:
    """Show the status of a submission."""
    published = find_benchmark(services().benchmarks, benchmark)
    caller = services().authenticator.identify(read_headers(router.current_event.raw_event))
    return services().status.find(published, submission, caller, version=version)
