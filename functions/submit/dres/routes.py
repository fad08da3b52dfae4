"""Routes of the client API of DRES v2. The session of a login is in the query, which is never logged.

DRES publishes a specification of these routes, so the OpenAPI document of this API leaves them out.
"""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from pydantic import TypeAdapter

from handlers.http.problems import Answer
from handlers.http.requests import read_body, read_headers
from storage.keys import utc_now
from submit.dependencies import services
from submit.dres import service
from submit.dres.schemas import Done, DresEvaluation, DresVerdict, ServerTime
from submit.post import log_received

type Event = Mapping[str, Any]

_EVALUATIONS = TypeAdapter(list[DresEvaluation])


def log_in(event: Event) -> Answer:
    """Open a session."""
    return service.log_in(services(), read_body(event)).to_answer()


def log_out(event: Event) -> Answer:
    """End a session."""
    service.log_out(services(), _read_session(event))
    return Done(description="the session has ended").to_answer()


def get_user(event: Event) -> Answer:
    """Return the session's player."""
    return service.find_user(services(), _read_session(event)).to_answer()


def get_time(_: Event) -> Answer:
    """Return the server's time."""
    return ServerTime(time_stamp=int(utc_now().timestamp() * 1000)).to_answer()


def list_evaluations(event: Event) -> Answer:
    """List the benchmarks that the session may submit to."""
    evaluations = service.list_evaluations(services(), _read_session(event))
    return Answer(HTTPStatus.OK, _EVALUATIONS.dump_json(evaluations, by_alias=True).decode(), {})


def get_task(evaluation: str, event: Event) -> Answer:
    """Return the question that is to be answered."""
    return service.find_task(services(), evaluation, _read_session(event)).to_answer()


def post_answers(evaluation: str, event: Event) -> Answer:
    """Submit answers, and return the verdict if it comes in time."""
    headers, body = read_headers(event), read_body(event)
    submission, status = service.submit_answers(
        services(), evaluation, _read_session(event), headers=headers, body=body
    )
    log_received(submission)
    is_queued = status.submission is DresVerdict.INDETERMINATE
    return status.to_answer(HTTPStatus.ACCEPTED if is_queued else HTTPStatus.OK)


def post_log(evaluation: str, event: Event) -> Answer:
    """Accept an interaction log, of which nothing is stored."""
    service.accept_log(services(), evaluation, _read_session(event))
    return Done(description="log received; interaction logs are not stored").to_answer()


def _read_session(event: Event) -> str:
    session: str = (event.get("queryStringParameters") or {}).get("session", "")
    return session
