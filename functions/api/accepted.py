"""The requests that `submit` answers, as the OpenAPI document describes them: API Gateway sends none of them here."""
# ruff: noqa: ARG001  # the parameters are what is described

from http import HTTPStatus
from typing import Annotated

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Query

from api.dependencies import make_router
from handlers.http import paths
from handlers.http.problems import Problem
from handlers.http.submission_views import Accepted, RunTicketView, SubmissionView
from handlers.http.uploads import LackingParts, LargeResult, UploadRequest, UploadTicket
from storage.submissions.models import PlayerKind

router = make_router()


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
    taken_over: Annotated[
        str | None,
        Query(
            description="A date, for owners: the body is a row of an earlier board, "
            '`{"scores": {"accuracy": 0.5}, "link": "https://…", "note": "…"}`, which counts and uses no quota.'
        ),
    ] = None,
) -> Response[Accepted | SubmissionView]:
    """Submit a result; after a 202 it is stored, and scored soon."""
    raise _elsewhere()


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
    raise _elsewhere()


@router.post(paths.LARGE, tags=["submissions"], status_code=HTTPStatus.ACCEPTED)
def post_large(
    benchmark: str,
    request: LargeResult,
    *,
    player: Annotated[str | None, Query(description="As with another result.")] = None,
    kind: Annotated[PlayerKind | None, Query(description="As with another result.")] = None,
    part: Annotated[str | None, Query(description="As with another result.")] = None,
    label: Annotated[str | None, Query(description="As with another result.")] = None,
) -> Response[Accepted | LackingParts | SubmissionView]:
    """Submit a result of up to 2 GB, in parts, where the owner's runner scores.

    While parts lack, 200 with forms to upload some of them; then ask again, with the same body. Parts that are there
    are kept for seven days. Once all are, 202 as with another result, which then is this body.
    """
    raise _elsewhere()


@router.post(paths.UPLOADS, tags=["uploads"], status_code=HTTPStatus.CREATED)
def post_upload(benchmark: str, request: UploadRequest) -> Response[UploadTicket]:
    """Get a form to upload a file with: JSON, JSONL or ZIP."""
    raise _elsewhere()


def _elsewhere() -> Problem:
    return Problem(HTTPStatus.MISDIRECTED_REQUEST, "misdirected", "expected API Gateway to send this to `submit`")
