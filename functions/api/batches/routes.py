"""Routes of batches, for those who submitted them, and for owners: how far they are, and how they went."""

from collections import Counter
from datetime import timedelta
from typing import Annotated

from aws_lambda_powertools.event_handler.openapi.params import Query

from api.batches.views import BatchCard, BatchList, UploadView
from api.dependencies import ApiServices, find_published, identify, make_router, services
from handlers.http import paths
from handlers.http.auth import Caller
from handlers.http.problems import not_found
from handlers.http.requests import make_cursor, read_cursor
from storage.batches.reports import BatchReport, BatchState, summarize
from storage.batches.uploads import BatchUpload
from storage.benchmarks.store import PublishedBenchmark
from storage.gateway.clients import run_at_once
from storage.keys import is_submission_id, time_of
from storage.players.players import is_player_id

KEEP_UPLOADS = timedelta(days=30)
"""How long the bucket keeps a file: see its lifecycle rules in template.yaml."""
LIST_LENGTH = 20
"""Batches of a page of the list: the report of each is read."""

router = make_router()
PlayerQuery = Annotated[str | None, Query(description="The player, for owners; default: the token's player.")]


@router.get(paths.UPLOAD, tags=["uploads"])
def get_upload(benchmark: str, upload: str, player: PlayerQuery = None) -> UploadView:
    """Show the status of an upload, and how many of its entries have which outcome.

    It has the id of the upload, or that of its batch. An owner or administrator names the player whose upload it is; a
    player may leave that out. Raises Problem 401 without a token, 404 if it is expired or not the caller's to see.
    """
    api, published = services(), find_published(benchmark)
    player = check_player(identify(), published, player)
    batch, report = find_report(api, published, player, upload)
    if report is not None:
        outcomes = api.records.list_batch(published.id, batch=report.drop, version=published.version)
        results = summarize(report, outcomes)
        counts = Counter(result.status for result in results)
        return UploadView(
            upload=upload,
            benchmark=report.benchmark,
            drop=report.drop,
            file=report.file,
            received_at=report.received_at,
            repeated=report.drop != (batch.id if batch else upload),
            status="scoring" if counts["queued"] else "done",
            state=report.state,
            entries=0 if report.state is not BatchState.RECEIVED else len(results),
            withdrawn=sum(result.withdrawn for result in results),
            **counts,
        )
    if batch is None and time_of(upload) < api.clock() - KEEP_UPLOADS:
        raise not_found(f"there is no such upload: files are kept for {KEEP_UPLOADS.days} days")
    return UploadView(upload=upload, benchmark=published.id, status="processing" if batch else "waiting")


def find_report(
    api: ApiServices, published: PublishedBenchmark, player: str, upload: str
) -> tuple[BatchUpload | None, BatchReport | None]:
    """Return the batch of an upload and its report, by its id or the batch's.

    Raises Problem 404 if no upload can have this id.
    """
    if not is_submission_id(upload):
        raise not_found("there is no such upload")
    batch = api.uploads.find_upload(published.id, player=player, upload=upload)
    return batch, api.reports.find(published.id, player, batch.id if batch else upload)


@router.get(paths.BATCHES, tags=["uploads"])
def list_batches(
    benchmark: str,
    player: PlayerQuery = None,
    cursor: Annotated[str | None, Query(description="`next` of the previous page; default: the newest.")] = None,
) -> BatchList:
    """List the batches of the last 30 days, newest first, however they were uploaded.

    Raises Problem 401 without a token, 404 if it is not the caller's to see, 400 if the cursor is invalid.
    """
    api, published = services(), find_published(benchmark)
    player = check_player(identify(), published, player)
    scope = (published.id, player, "batches")
    before = None if cursor is None else read_cursor(cursor, scope=scope)
    since = api.clock() - KEEP_UPLOADS
    page = api.reports.list_latest(published.id, player, since=since, before=before, length=LIST_LENGTH)
    return BatchList(
        batches=run_at_once(lambda report: _view_card(api, report, published.version), page.entries),
        next=page.position and make_cursor(page.position, scope=scope),
    )


def _view_card(api: ApiServices, report: BatchReport, version: str) -> BatchCard:
    is_read = report.state is BatchState.RECEIVED
    submissions = [entry.submission for entry in report.entries if entry.submission is not None]
    return BatchCard(
        drop=report.drop,
        file=report.file,
        received_at=report.received_at,
        state=report.state,
        entries=len(report.entries) if is_read else 0,
        refused=len(report.refusals) if is_read else 0,
        **api.records.count_failures(report.benchmark, submissions=submissions, version=version),
        message=None if is_read else next((entry.error for entry in report.entries), None),
    )


def check_player(caller: Caller, published: PublishedBenchmark, player: str | None) -> str:
    """Return the id of the player whose upload is asked for. Raises Problem 401, 404."""
    account, _ = caller.check_token("only its player may see an upload; expected a token")
    player = account.player.id if player is None else player
    if not is_player_id(player) or not (caller.is_player(player, published.id) or caller.owns(published.id)):
        raise not_found("there is no such upload")
    return player
