"""Results that are too large for a POST, where the owner's runner scores: what is not there yet of their parts."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from handlers.http.bodies import read_model
from handlers.http.problems import Answer, Problem, unauthorized, unprocessable
from handlers.http.quotas import quota_problem
from handlers.http.requests import check_headers
from handlers.http.uploads import LackingParts, LargeResult, PartForm
from scoring_core.benchmarks.terms import SubmissionTerms
from scoring_core.io.limits import MAX_POST_BYTES, PART_BYTES
from storage.batches.uploads import UPLOAD_SECONDS
from storage.keys import large_folder
from storage.players.quotas import QuotaExceeded, QuotaKey, QuotaKind
from storage.submissions.large import list_parts
from submit.dependencies import services
from submit.post import QUERY, answer_accepted, find_terms, read_kind, read_query, read_submission
from submit.submissions import check_label, check_open, check_part, identify_player, submit_result
from submit.uploads import MAX_TICKETS_PER_DAY

_MEDIA_TYPE = "application/octet-stream"
FORMS = 32
"""Of an answer. What is never submitted of a player's uploads is at most MAX_TICKETS_PER_DAY × FORMS parts a day."""


def post_large(benchmark: str, event: Mapping[str, Any]) -> Answer:
    """Answer with forms for parts of a result that lack; if none do, as to a result.

    Raises Problem 401 without a token, 403, 409, 422 as if the result were submitted now, 413 if it is larger than
    the benchmark takes, 429 if a quota is used up.
    """
    query = read_query(event, QUERY - {"taken_over"})
    submit, kind, terms = services(), read_kind(query), find_terms(benchmark)
    request = read_submission(event, query, kind)
    check_headers(request.headers)
    asked = read_model(request.body, LargeResult)
    if request.caller.account is None:
        raise unauthorized("token-needed", "Authorization: a result in parts needs a token")
    now = submit.clock()
    player = identify_player(submit, request, terms, now=now, is_new=False).player
    _check(terms, asked)
    check_part(request.part, terms)
    check_label(request.label, terms, player)
    folder = large_folder(terms.id, player=player.id, sha256=asked.sha256)
    there = list_parts(submit.results, folder, now)
    lacking = [part for part in dict.fromkeys(asked.parts) if part not in there]
    if not lacking:
        request.body, request.large = asked.model_dump_json().encode(), asked
        return answer_accepted(submit_result(submit, terms, request), terms, request.headers)
    check_open(terms, player, now)
    day = QuotaKey(terms.id, player.id, now.date())
    try:
        for left in submit.quotas.find_left(terms, player.id, None, now=now):
            if not left.left:
                raise QuotaExceeded(QuotaKind.USED, limit=left.limit, quota=left.quota)  # noqa: TRY301  # as the charge
        submit.quotas.charge_action(day, QuotaKind.TICKETS, per_day=MAX_TICKETS_PER_DAY)
    except QuotaExceeded as error:
        raise quota_problem(error, clock=submit.clock) from error
    sizes = dict.fromkeys(asked.parts, PART_BYTES) | {
        asked.parts[-1]: asked.bytes - PART_BYTES * (len(asked.parts) - 1)
    }
    forms = []
    for part in lacking[:FORMS]:
        form = submit.results.sign_upload(
            folder + part, size_bytes=sizes[part], content_type=_MEDIA_TYPE, seconds=UPLOAD_SECONDS, sha256=part
        )
        forms.append(PartForm(sha256=part, url=form.url, fields=form.fields))
    view = LackingParts(lacking=len(lacking), forms=forms)
    return Answer(HTTPStatus.OK, view.model_dump_json(), {})


def _check(terms: SubmissionTerms, asked: LargeResult) -> None:
    """Check a list of parts. Raises Problem 413, 422."""
    most = terms.max_bytes if terms.runs_own else min(terms.max_bytes, MAX_POST_BYTES)
    if asked.bytes > most or not terms.runs_own:
        place = "" if terms.runs_own else " where the platform scores; `laurel drop` takes up to 20 MB"
        detail = f"bytes: expected at most {most}{place}, found {asked.bytes}"
        raise Problem(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "too-large", detail)
    if (expected := -(-asked.bytes // PART_BYTES)) != len(asked.parts):
        fault = f"parts: expected the hashes of {expected} parts of {PART_BYTES} bytes, found {len(asked.parts)}"
        raise unprocessable("invalid-request", fault, pointer="/parts")
    if asked.file_format not in terms.takes:
        raise unprocessable("invalid-request", f"filename: expected {' or '.join(terms.takes)}", pointer="/filename")
