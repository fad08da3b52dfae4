"""Uploads of batches, and of results that are too large for a POST: the forms to upload them with."""

from collections.abc import Mapping
from datetime import timedelta
from http import HTTPStatus
from typing import Any

from handlers.http.auth import identify
from handlers.http.benchmarks import find_benchmark
from handlers.http.bodies import read_model
from handlers.http.problems import Answer, unprocessable
from handlers.http.quotas import quota_problem
from handlers.http.requests import check_headers, read_body, read_headers
from handlers.http.submitters import check_ban
from handlers.http.uploads import UploadRequest, UploadTicket
from scoring_core.io.formats import FORMATS, JSON, format_of
from scoring_core.urls import upload_url
from storage.batches.uploads import UPLOAD_SECONDS
from storage.keys import BatchKey, make_submission_id
from storage.players.quotas import QuotaExceeded, QuotaKey, QuotaKind
from submit.batch_import.readers import check_batch, check_tickets
from submit.dependencies import services
from submit.post import read_query
from submit.submissions import check_open

MAX_TICKETS_PER_DAY = 100
_SAFE = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.-")
_FILE_LENGTH = 100


def post_upload(benchmark: str, event: Mapping[str, Any]) -> Answer:
    """Answer with a form to upload a file with: JSON, JSONL or ZIP.

    Raises:
        Problem: 401 no token, 403 not covered or not open, 404 there is no such benchmark, 400, 413, 415, 422 the
            request is wrong, 429 too many.
    """
    read_query(event, ())
    submit, headers = services(), read_headers(event)
    published = find_benchmark(submit.benchmarks, benchmark)
    caller = identify(submit, headers)
    check_headers(headers)
    player = caller.check_player(published.id, "an upload needs a token")
    check_ban(player, published.bans)
    check_open(published.terms, player, submit.clock())
    request = read_model(read_body(event), UploadRequest)
    fault = check_tickets(published)
    if fault is not None:
        raise unprocessable("ticket-needed", fault)
    fault = check_batch(request.filename, size_bytes=request.bytes, published=published)
    if fault is not None:
        pointer = "/bytes" if fault.startswith("expected 1 to") else "/filename"
        raise unprocessable("not-a-drop", f"{pointer[1:]}: {fault}", pointer=pointer)
    now = submit.clock()
    try:
        quota = QuotaKey(published.id, player.id, now.date())
        submit.quotas.charge_action(quota, QuotaKind.TICKETS, per_day=MAX_TICKETS_PER_DAY)
    except QuotaExceeded as error:
        raise quota_problem(error, clock=submit.clock) from error
    upload = make_submission_id(now, submit.randomness(10))
    key = BatchKey(published.id, player.id, f"{upload}/{make_safe(request.filename)}")
    media_type = FORMATS[format_of(request.filename) or JSON].media_type
    form = submit.results.sign_upload(
        str(key), size_bytes=request.bytes, content_type=media_type, seconds=UPLOAD_SECONDS
    )
    ticket = UploadTicket(
        upload=upload,
        url=form.url,
        fields=form.fields,
        expires_at=now + timedelta(seconds=UPLOAD_SECONDS),
        status_url=upload_url(published.id, upload),
    )
    return Answer(HTTPStatus.CREATED, ticket.model_dump_json(), {"Location": ticket.status_url})


def make_safe(filename: str) -> str:
    """Return a file's name in characters that are safe in keys, shells and mails."""
    suffix = "." + filename.rpartition(".")[2].lower()
    stem = "".join(character if character in _SAFE else "_" for character in filename[: -len(suffix)])
    return (stem.lstrip(".")[: _FILE_LENGTH - len(suffix)] or "drop") + suffix
