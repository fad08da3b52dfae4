"""Routes of submissions: outcomes, raw results, lists, withdrawals, reviews and downloads."""

from http import HTTPStatus
from typing import Annotated, Literal
from urllib.parse import urlencode

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Query

from api.dependencies import find_published, identify, make_router, read_headers, services
from api.submissions.listing import MAX_LENGTH, PAGE_LENGTH, Wish, list_page, write_csv
from api.submissions.service import find_result, find_status
from api.submissions.views import ResultLink, SubmissionList
from handlers.http import paths
from handlers.http.submission_views import SubmissionView

router = make_router()


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
    published = find_published(benchmark)
    caller = identify()
    return find_status(services(), published, submission, caller, version=version)


@router.get(paths.RESULT, tags=["submissions"], status_code=HTTPStatus.SEE_OTHER)
def get_result(
    benchmark: str,
    submission: str,
    link: Annotated[
        Literal["true", "false"], Query(description="`true`: 200 with the address, and no redirect.")
    ] = "false",
    sha256: Annotated[
        str | None,
        Query(pattern="^[0-9a-f]{64}$", description="The hash of a part, of a result in parts."),
    ] = None,
) -> Response[ResultLink]:
    """Redirect player, owner or administrator to the raw result, for 15 minutes.

    Where the benchmark says `results: public`, everybody is redirected if a row of a board names the submission.
    """
    published = find_published(benchmark)
    url = find_result(services(), published, submission, identify(), sha256)
    if link == "true":  # a page must not follow with its token, and may not read where it is redirected
        return Response(HTTPStatus.OK, "application/json", ResultLink(url=url))
    return Response(HTTPStatus.SEE_OTHER, "application/json", ResultLink(url=url), headers={"Location": url})


@router.get(paths.SUBMISSIONS, tags=["submissions"])
def list_submissions(  # the parameters of one query
    benchmark: str,
    *,
    player: Annotated[
        str | None, Query(description="The submissions of this player; beside `batch`: whose batch it is, for owners.")
    ] = None,
    batch: Annotated[
        str | None, Query(description="The entries of this batch or upload, for its player and owners.")
    ] = None,
    outcome: Annotated[
        Literal["failed", "invalid", "evaluator_error", "internal_error"] | None,
        Query(description="What has this outcome, and why, for owners; `failed`: any of the others."),
    ] = None,
    in_review: Annotated[
        Literal["true", "false"], Query(description="`true`: what waits for the owner's look, for owners.")
    ] = "false",
    cursor: Annotated[str | None, Query(description="`next` of the previous page; default: the first page.")] = None,
    limit: Annotated[int, Query(ge=1, le=MAX_LENGTH, description="How many of them to show at most.")] = PAGE_LENGTH,
) -> Response[SubmissionList | str]:
    """List the submissions of a player, batch or outcome, those in review, or all.

    The last three are for owners. Submissions are under the current version and newest first; those of a batch are in
    its order, all of them oldest first. A page may be short, or empty, although there is a next one. With
    `Accept: text/csv` it is CSV, and the header `Link` has the address of the next one.
    """
    published = find_published(benchmark)
    wish = Wish(
        player=player,
        batch=batch,
        outcome=outcome,
        in_review=in_review == "true",
        cursor=cursor,
        length=limit,
    )
    listed = list_page(services(), published, identify(), wish)
    if "text/csv" not in read_headers().get("accept", ""):
        return Response(HTTPStatus.OK, "application/json", listed, headers={"Vary": "Accept"})
    headers = {"Vary": "Accept"}
    if listed.next:
        query = {**router.current_event.query_string_parameters, "cursor": listed.next}
        headers["Link"] = f'<{router.current_event.path}?{urlencode(query)}>; rel="next"'
    text = write_csv(listed.submissions, published.definition.score_type)
    return Response(HTTPStatus.OK, "text/csv; charset=utf-8", text, headers=headers)
