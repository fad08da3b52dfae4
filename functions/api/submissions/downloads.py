"""The route of ZIPs of submissions and their results, each as long as one request has time for."""

import io
import zipfile
from collections.abc import Iterable, Sequence
from datetime import timedelta
from http import HTTPStatus
from itertools import batched
from typing import Final

from aws_lambda_powertools.event_handler import Response

from api.dependencies import ApiServices, find_published, identify, logger, make_router, services
from api.submissions.listing import Wish, list_page, make_next, write_csv
from api.submissions.views import Download, DownloadRequest, ListedSubmission
from handlers.http import paths
from handlers.http.quotas import charge_owner
from scoring_core.io.limits import MAX_RESULT_BYTES
from storage.benchmarks.store import PublishedBenchmark
from storage.gateway.clients import MAX_THREADS, run_at_once
from storage.keys import ResultKey, make_submission_id
from storage.submissions.store import RESULT_SECONDS

MAX_PER_DAY: Final = 1_000
"""Files that an owner may have written."""
LENGTH: Final = 500
"""Submissions of a file at most: what is written well within the 20 seconds of a request."""
MAX_RAW_BYTES: Final = 16_000_000
"""Of the results in a ZIP; the one that passes it is the last."""
router = make_router()


@router.post(paths.DOWNLOADS, tags=["benchmarks"], status_code=HTTPStatus.CREATED)
def post_download(benchmark: str, request: DownloadRequest) -> Response[Download]:
    """Write a ZIP of submissions, with their raw results, for owners.

    A file has the first 500 submissions, and is there for a day; `next` says where the following one begins. Nothing in
    it is of players who are erased. Raises Problem 401 or 403 if the caller does not own the benchmark, 400 if the
    cursor is another list's, 429 if there were too many.
    """
    api, published, caller = services(), find_published(benchmark), identify()
    owner = caller.check_owner(published.id)
    limit = f"an owner may have {MAX_PER_DAY} files written a day"
    charge_owner(api.quotas, "@download", owner, per_day=MAX_PER_DAY, limit=limit, clock=api.clock)
    wish = Wish(cursor=request.cursor, length=LENGTH)
    page = list_page(api, published, caller, wish)
    results = _read_results(api, published, page.submissions)
    listed, following = page.submissions[: len(results)], page.next
    if len(listed) < len(page.submissions):
        following = make_next(published, wish, listed[-1])
    file = _pack(write_csv(listed, published.definition.score_type).encode(), listed, results)
    now = api.clock()
    name = f"{make_submission_id(now, api.randomness(10))}.zip"
    url = api.records.share_file(published.id, file, name=name, day=now.date())
    expires_at = now + timedelta(seconds=RESULT_SECONDS)
    logger.info("submissions downloaded", extra={"benchmark": published.id, "submissions": len(listed)})
    download = Download(url=url, expires_at=expires_at, submissions=len(listed), next=following)
    return Response(HTTPStatus.CREATED, "application/json", download, headers={"Location": url})


def _read_results(
    api: ApiServices, published: PublishedBenchmark, listed: Sequence[ListedSubmission]
) -> list[bytes | None]:
    """Return the raw results of the first submissions, as many as a file may have."""

    def read(each: ListedSubmission) -> bytes | None:
        key = ResultKey(published.id, str(each.submission))
        return api.records.get_short_result(key, max_bytes=MAX_RESULT_BYTES)

    at_once = min(MAX_THREADS, max(1, MAX_RAW_BYTES // published.definition.submissions.max_bytes))
    results: list[bytes | None] = []
    for group in batched(listed, at_once, strict=False):
        if sum(len(body or b"") for body in results) > MAX_RAW_BYTES:
            break
        results += run_at_once(read, group)
    return results


def _pack(table: bytes, listed: Iterable[ListedSubmission], results: Iterable[bytes | None]) -> bytes:
    """Return a ZIP of table and results; its paths have nothing that a player wrote."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("submissions.csv", table)
        for each, body in zip(listed, results, strict=True):
            if body is not None:
                archive.writestr(f"results/{each.submission}.{each.format}", body)
    return file.getvalue()
