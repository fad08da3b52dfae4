"""Routes of the client API of DRES v2. The session of a login is in the query, which is never logged.

DRES publishes a specification of these routes, so the OpenAPI document of this API leaves them out.
"""

from http import HTTPStatus

from aws_lambda_powertools import Logger
from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.router import APIGatewayHttpRouter
from pydantic import TypeAdapter

from handlers.http import paths
from handlers.http.dependencies import services
from handlers.http.requests import read_body, read_headers
from storage.ids import utc_now
from storage.log_lines import Measure, measure
from submit.dres.schemas import Done, DresEvaluation, DresVerdict, ServerTime

logger = Logger(child=True)
router = APIGatewayHttpRouter()  # type: ignore[no-untyped-call]  # Powertools leaves it untyped
_EVALUATIONS = TypeAdapter(list[DresEvaluation])


@router.post(paths.DRES_LOGIN, include_in_schema=False)
def log_in() -> Response[str]:
    """Open a session."""
    return services().dres.log_in(read_body(router.current_event.raw_event)).to_response()


@router.get(paths.DRES_LOGOUT, include_in_schema=False)
def log_out() -> Response[str]:
    """End a session."""
    services().dres.log_out(_read_session())
    return Done(description="the session has ended").to_response()


@router.get(paths.DRES_USER, include_in_schema=False)
def get_user() -> Response[str]:
    """Return the session's player."""
    return services().dres.find_user(_read_session()).to_response()


@router.get(paths.DRES_TIME, include_in_schema=False)
def get_time() -> Response[str]:
    """Return the server's time."""
    return ServerTime(time_stamp=int(utc_now().timestamp() * 1000)).to_response()


@router.get(paths.DRES_EVALUATIONS, include_in_schema=False)
def list_evaluations() -> Response[str]:
    """List the benchmarks that the session may submit to."""
    evaluations = services().dres.list_evaluations(_read_session())
    return Response(HTTPStatus.OK, "application/json", _EVALUATIONS.dump_json(evaluations, by_alias=True).decode())


@router.get(paths.DRES_TASK, include_in_schema=False)
def get_task(evaluation: str) -> Response[str]:
    """Return the question that is to be answered."""
    return services().dres.find_task(evaluation, _read_session()).to_response()


@router.post(paths.DRES_SUBMIT, include_in_schema=False)
def post_answers(evaluation: str) -> Response[str]:
    """Submit answers, and return the verdict if it comes in time."""
    event = router.current_event.raw_event
    answer = services().dres.submit(evaluation, _read_session(), headers=read_headers(event), body=read_body(event))
    submission = answer.submission
    measured = measure(Measure.SUBMISSIONS, 1, moment=utc_now())
    logger.info("result received", extra={"submission": submission.id, "benchmark": submission.benchmark, **measured})
    is_queued = answer.status.submission is DresVerdict.INDETERMINATE
    return answer.status.to_response(HTTPStatus.ACCEPTED if is_queued else HTTPStatus.OK)


@router.post(paths.DRES_QUERY_LOG, include_in_schema=False)
@router.post(paths.DRES_RESULT_LOG, include_in_schema=False)
def post_log(evaluation: str) -> Response[str]:
    """Accept an interaction log, of which nothing is stored."""
    services().dres.accept_log(evaluation, _read_session())
    return Done(description="log received; interaction logs are not stored").to_response()


def _read_session() -> str:
    return router.current_event.query_string_parameters.get("session", "")
