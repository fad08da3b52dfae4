"""Answers the POST of a result, of which nothing is imported that only other routes need.

Neither the resolver nor pydantic is on its way: a cold start would wait twice as long for them. The route in
`routes/submissions.py` documents this POST and calls the same function.
"""

import re
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, NamedTuple

from aws_lambda_powertools import Logger

from handlers.http import paths
from handlers.http.answers import Answer, write_compact
from handlers.http.benchmarks import find_terms
from handlers.http.dependencies import services
from handlers.http.problems import Problem, to_problem
from handlers.http.quotas import count_left, write_limits
from handlers.http.requests import (
    MAX_WAIT_SECONDS,
    MEDIA_TYPE,
    check_query,
    read_body,
    read_headers,
    read_wait,
    wants_scores_only,
)
from scoring_core.benchmarks.terms import BENCHMARK_ID
from scoring_core.urls import submission_url
from storage.ids import utc_now
from storage.log_lines import Measure, measure
from storage.submissions.models import PlayerKind
from submit.submissions import SubmissionRequest

logger = Logger(child=True)
_PATH = re.compile(paths.SUBMISSIONS.replace("<benchmark>", f"({BENCHMARK_ID})"))


class PostParameters(NamedTuple):
    """The parameters of the POST of a result, from its path and its query."""

    benchmark: str
    player: str | None = None
    kind: PlayerKind | None = None
    part: str | None = None
    label: str | None = None


_QUERY = frozenset(PostParameters._fields) - {"benchmark"}
_AT_ONCE = f"wait={MAX_WAIT_SECONDS}"


def read_parameters(event: Mapping[str, Any]) -> PostParameters | None:
    """Return the parameters of the POST of a result.

    None if the request is another, or if the resolver has to read or reject its query: a comma may separate repeated
    values.
    """
    request = event["requestContext"]
    match = _PATH.fullmatch(event["rawPath"])
    if match is None or request["http"]["method"] != "POST" or request["stage"] != "$default":
        return None
    try:
        check_query(event, _QUERY)
    except Problem:
        return None
    query = event.get("queryStringParameters") or {}
    given = dict(query)
    kind = given.pop("kind", None)
    if kind not in {None, *PlayerKind} or any("," in value for value in given.values()):
        return None
    return PostParameters(match[1], kind=None if kind is None else PlayerKind(kind), **given)


def lengthen(event: dict[str, Any]) -> dict[str, Any]:
    """Return a POST to `/submit` as that of a result, other requests as they are.

    The site names benchmark and question. Its clients know neither parameters nor headers: the body is JSON whatever
    curl calls it, and the answer comes at once with scores alone.
    """
    if event["rawPath"] != paths.SHORT or event["requestContext"]["http"]["method"] != "POST":
        return event
    benchmark, _, part = services().submit_benchmark.partition(".")
    if not benchmark:
        return event
    headers = read_headers(event)
    headers |= {"content-type": MEDIA_TYPE, "prefer": f"{headers.get('prefer', _AT_ONCE)}, return=minimal"}
    query = {**({"part": part} if part else {}), **(event.get("queryStringParameters") or {})}
    path = paths.SUBMISSIONS.replace("<benchmark>", benchmark)
    return {**event, "rawPath": path, "headers": headers, "queryStringParameters": query}


def answer_post(event: Mapping[str, Any], parameters: PostParameters) -> Answer:
    """Answer the POST of a result, whatever happens."""
    try:
        services().authenticator.check_origin(read_headers(event))
        return submit_result(event, parameters)
    except Exception as error:  # noqa: BLE001  # as the resolver does for every other route
        return to_problem(error).to_answer()


def submit_result(event: Mapping[str, Any], parameters: PostParameters) -> Answer:
    """Store a result; after a 202 it is scored soon. Raises Problem, StoreError."""
    headers = read_headers(event)
    terms = find_terms(services().terms, parameters.benchmark)
    request = SubmissionRequest(
        caller=services().authenticator.identify(headers),
        headers=headers,
        body=read_body(event),
        player=parameters.player,
        kind=parameters.kind,
        part=parameters.part,
        label=parameters.label,
    )
    accepted = services().submissions.submit(terms, request)
    submission = accepted.submission
    measured = measure(Measure.SUBMISSIONS, 1, moment=utc_now())
    logger.info("result received", extra={"submission": submission.id, "benchmark": submission.benchmark, **measured})
    url = submission_url(submission.benchmark, submission.id)
    prefer = headers.get("prefer", "")
    preferred = read_wait(prefer)
    wait = accepted.max_wait(preferred)
    view = services().status.wait(submission, version=terms.version, seconds=wait) if preferred else None
    applied = {"Preference-Applied": f"wait={wait}"} if wait else {}
    fields = {"Location": url, **write_limits(accepted.quotas, now=utc_now())}
    if view and view.scores is not None and not view.in_review and wants_scores_only(prefer):
        bare = {**view.scores, **(view.detail or {}), **view.scores}
        applied = {"Preference-Applied": ", ".join([*applied.values(), "return=minimal"])}
        return Answer(HTTPStatus.OK, write_compact(bare), fields | applied)
    content: dict[str, Any] = {"submission": submission.id, "status": "queued", "status_url": url}
    if view is not None:
        content = view.model_copy(update=count_left(accepted.quotas)._asdict()).model_dump(mode="json")
    return Answer(
        HTTPStatus.OK if view else HTTPStatus.ACCEPTED,
        write_compact({**content, "receipt": accepted.receipt}),
        fields | applied,
    )
