"""The routes of what takes results, but for the POST of one: run tickets, uploads, and the client API of DRES."""

from collections.abc import Callable, Mapping
from functools import partial
from http import HTTPStatus
from typing import Any

from handlers.http import paths
from handlers.http.auth import identify
from handlers.http.problems import Answer, method_not_allowed, not_found
from handlers.http.requests import read_headers
from handlers.http.submission_views import RunTicketView
from handlers.http.submitters import SubmitterRequest
from submit.dependencies import services
from submit.dres import service as dres
from submit.large import post_large
from submit.post import find_terms, read_kind, read_query
from submit.submissions import issue_ticket
from submit.uploads import post_upload

type Event = Mapping[str, Any]


def post_run(benchmark: str, event: Event) -> Answer:
    """Issue a run ticket when a play begins, if the benchmark needs one."""
    query, headers = read_query(event, {"player", "kind", "part"}), read_headers(event)
    kind = read_kind(query)
    terms = find_terms(benchmark)
    caller = identify(services(), headers)
    request = SubmitterRequest(caller=caller, headers=headers, player=query.get("player"), kind=kind)
    text, ticket = issue_ticket(services(), terms, request, query.get("part"))
    view = RunTicketView(ticket=text, seed=ticket.seed, issued_at=ticket.issued_at, expires_at=ticket.expires_at)
    return Answer(HTTPStatus.CREATED, view.model_dump_json(), {})


ROUTES: Mapping[str, tuple[str, Callable[..., Answer]]] = {
    paths.RUNS: ("POST", post_run),
    paths.UPLOADS: ("POST", post_upload),
    paths.LARGE: ("POST", post_large),
    paths.DRES_LOGIN: ("POST", dres.log_in),
    paths.DRES_LOGOUT: ("GET", dres.log_out),
    paths.DRES_USER: ("GET", dres.get_user),
    paths.DRES_TIME: ("GET", dres.get_time),
    paths.DRES_EVALUATIONS: ("GET", dres.list_evaluations),
    paths.DRES_TASK: ("GET", dres.get_task),
    paths.DRES_SUBMIT: ("POST", dres.post_answers),
    paths.DRES_QUERY_LOG: ("POST", dres.post_log),
    paths.DRES_RESULT_LOG: ("POST", dres.post_log),
}
"""Path → its method, and what answers it."""


def find_route(method: str, path: str) -> Callable[[Event], Answer]:
    """Return what answers a request. Raises Problem 404, 405."""
    for template, (accepted, act) in ROUTES.items():
        if match := paths.compile_path(template).fullmatch(path):
            if method != accepted:
                raise method_not_allowed("GET, HEAD" if accepted == "GET" else accepted)
            return partial(act, *match.groups())
    raise not_found(f"no such endpoint; see GET {paths.OPENAPI}")
