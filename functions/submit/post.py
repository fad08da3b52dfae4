"""The POST of a result."""

from collections.abc import Collection, Mapping
from contextlib import suppress
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qs

from aws_lambda_powertools import Logger

from handlers.http import paths
from handlers.http.auth import identify
from handlers.http.problems import Answer, invalid_parameter, not_found, write_compact
from handlers.http.quotas import count_left
from handlers.http.requests import (
    MAX_WAIT_SECONDS,
    MEDIA_TYPE,
    check_query,
    read_body,
    read_headers,
    read_wait,
    wants_scores_only,
)
from handlers.http.submitters import SubmitterRequest
from scoring_core.benchmarks.terms import SubmissionTerms, is_benchmark_id
from scoring_core.scorers.base import describe
from scoring_core.urls import submission_url
from storage.gateway.errors import NotFound
from storage.keys import utc_now
from storage.log_lines import Measure, measure
from storage.submissions.models import PlayerKind, Submission
from submit.dependencies import services
from submit.submissions import AcceptedSubmission, SubmissionRequest, submit_result

PATH = paths.compile_path(paths.SUBMISSIONS)
logger = Logger(child=True)
QUERY = frozenset({"player", "kind", "part", "label", "taken_over"})
_AT_ONCE = f"wait={MAX_WAIT_SECONDS}"


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


def read_query(event: Mapping[str, Any], names: Collection[str]) -> dict[str, str]:
    """Return the parameters of a query. Raises Problem 400, 422."""
    check_query(event, names)
    for name, values in parse_qs(event.get("rawQueryString", ""), keep_blank_values=True).items():
        if len(values) > 1:
            raise invalid_parameter(name, f"expected one value, found {len(values)}")
    return dict(event.get("queryStringParameters") or {})


def read_kind(query: Mapping[str, str]) -> PlayerKind | None:
    """Return the kind of player that a query names. Raises Problem 422."""
    value = query.get("kind")
    if value not in {None, *PlayerKind}:
        expected = " or ".join(repr(str(kind)) for kind in PlayerKind)
        raise invalid_parameter("kind", f"expected {expected}, found {describe(value)}")
    return None if value is None else PlayerKind(value)


def find_terms(benchmark: str) -> SubmissionTerms:
    """Return a benchmark's terms, at most 30 seconds old. Raises Problem 404."""
    if is_benchmark_id(benchmark):
        # Only here does a missing object mean 404: the same error from another store is our fault.
        with suppress(NotFound):
            return services().terms.current(benchmark)
    raise not_found("there is no such benchmark")


def log_received(submission: Submission) -> None:
    """Log that a result was accepted, and count it."""
    measured = measure(Measure.SUBMISSIONS, 1, moment=utc_now())
    logger.info("result received", extra={"submission": submission.id, "benchmark": submission.benchmark, **measured})


def post_result(benchmark: str, event: Mapping[str, Any]) -> Answer:
    """Store a result; after a 202 it is scored soon. Raises Problem, StoreError."""
    query = read_query(event, QUERY)
    kind = read_kind(query)
    if "taken_over" in query:
        from submit.rows import post_row  # noqa: PLC0415  # who submits a result needs none of it

        return post_row(services(), benchmark, event, query, kind)
    terms = find_terms(benchmark)
    request = read_submission(event, query, kind)
    return answer_accepted(submit_result(services(), terms, request), terms, request.headers)


def read_submission(event: Mapping[str, Any], query: Mapping[str, str], kind: PlayerKind | None) -> SubmissionRequest:
    """Return who submits what. Raises Problem 400, 401."""
    headers = read_headers(event)
    caller = identify(services(), headers)
    sender = SubmitterRequest(caller=caller, headers=headers, player=query.get("player"), kind=kind)
    return SubmissionRequest(sender, read_body(event), part=query.get("part"), label=query.get("label"))


def answer_accepted(accepted: AcceptedSubmission, terms: SubmissionTerms, headers: Mapping[str, str]) -> Answer:
    """Answer that a result is stored, or with its scores if the player waits for them."""
    submission = accepted.submission
    log_received(submission)
    url = submission_url(submission.benchmark, submission.id)
    prefer = headers.get("prefer", "")
    preferred = read_wait(prefer)
    wait = accepted.max_wait(preferred)
    view = None
    if preferred:
        from handlers.http.outcomes import wait_for_outcome  # noqa: PLC0415  # who does not wait needs none of it

        view = wait_for_outcome(services(), submission, version=terms.version, seconds=wait)
    applied = {"Preference-Applied": f"wait={wait}"} if wait else {}
    fields, left = {"Location": url}, count_left(accepted.quotas)
    if view and view.scores is not None and not view.in_review and wants_scores_only(prefer):
        bare = {**view.scores, **(view.detail or {}), **view.scores}
        applied = {"Preference-Applied": ", ".join([*applied.values(), "return=minimal"])}
        return Answer(HTTPStatus.OK, write_compact(bare), fields | applied)
    content: dict[str, Any] = {"submission": submission.id, "status": "queued", "status_url": url}
    content |= left | {"resets_at": left["resets_at"] and f"{left['resets_at']:%FT%TZ}"}
    if submission.late:
        content["late"] = True
    if view is not None:
        content = view.model_copy(update=left).model_dump(mode="json")
    return Answer(
        HTTPStatus.OK if view else HTTPStatus.ACCEPTED,
        write_compact({**content, "receipt": accepted.receipt}),
        fields | applied,
    )
