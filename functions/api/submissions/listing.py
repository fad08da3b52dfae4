"""The route of lists of submissions: of a player, of a batch, without a score, in review, or of a whole benchmark."""

import json
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Annotated, Final, Literal
from urllib.parse import urlencode

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Query

from api.batches.routes import check_player, find_report
from api.dependencies import ApiServices, find_published, identify, make_router, read_headers, services
from api.submissions.histories import list_records
from api.submissions.views import Line, ListedSubmission, SubmissionList, view_listed
from handlers.http import paths
from handlers.http.auth import Caller
from handlers.http.problems import not_found, unprocessable
from handlers.http.requests import make_cursor, read_cursor
from handlers.http.submission_views import Visibility
from handlers.http.views import MAX_CONTENT_BYTES, take_fitting
from scoring_core.benchmarks.definition import RowKind
from scoring_core.io.csv_text import write_table
from scoring_core.metrics.score_type import ScoreType
from scoring_core.outcome import Outcome
from storage.batches.reports import find_best, summarize
from storage.benchmarks.store import PublishedBenchmark
from storage.gateway.clients import run_at_once
from storage.gateway.table import Page
from storage.players.players import is_player_id
from storage.players.tokens import Scope
from storage.submissions.models import Player, PlayerKind, Submission, SubmissionRecord, sort_key

router = make_router()
FAILED: Final = "failed"
"""Stands for every outcome without a score."""
PAGE_LENGTH: Final = 50
"""Submissions of a page, unless another number is asked for; a page with much text ends earlier."""
MAX_LENGTH: Final = 1_000
MAX_DETAILED: Final = 20
"""Of a page with what scripts printed."""
READ_SECONDS: Final = 5.0
"""After which a page of a benchmark has what was read by then; other versions of the submissions are skipped over."""
_NO_CELLS: Final = frozenset({"scores", "counts", "output"})
"""What a line of CSV does not have; the scores have columns of their own, behind all others."""
_LISTS: Final = (
    "expected `player`, `batch`, `outcome`, `in_review=true` or none of them; beside `batch` maybe `player`, whose "
    "batch it is, and `outcome`"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """Which submissions are asked for, and which page of them."""

    player: str | None = None
    batch: str | None = None
    outcome: str | None = None
    in_review: bool = False
    cursor: str | None = None
    length: int = PAGE_LENGTH

    @property
    def scope(self) -> tuple[str, ...]:
        """What its cursors are for."""
        return tuple(str(each or "") for each in (self.player, self.batch, self.outcome, self.in_review))

    def check(self) -> None:
        """Raise Problem 422 if there is no such list."""
        chosen = [bool(self.player or self.batch), bool(self.outcome and not self.batch), self.in_review]
        if sum(chosen) > 1:
            raise unprocessable("no-such-list", _LISTS, parameter="outcome")


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


def list_page(api: ApiServices, published: PublishedBenchmark, caller: Caller, wish: Wish) -> SubmissionList:
    """Return a page of submissions.

    They are newest first; a batch is in its order, a whole benchmark oldest first. Nothing in it is of players who
    are erased. Raises Problem 400 if the cursor is not one of this list, 401 or 403 if only owners may read it, 404
    if there is no such player or batch, or it is not the caller's to see, 422 if there is no such list.
    """
    wish.check()
    visibility = find_visibility(published, caller, wish)
    scope = (published.id, *wish.scope)
    position = None if wish.cursor is None else read_cursor(wish.cursor, scope=scope)
    page = _read(api, published, caller, wish, position)
    lines = list(page.entries)
    if wish.player and not wish.batch and visibility >= Visibility.PLAYER:
        lines = _name_entries(api, published, wish.player, lines)
    names = {line.submission.id for line in lines} | {line.submission.player.id for line in lines}
    withdrawals = api.withdrawals.find_all(published.id, names)
    waiting = api.reviews.find_waiting(line.record for line in lines if line.record)
    lines = [line for line in lines if line.submission.player.id not in withdrawals]
    counting = _find_counting(api, published, lines) if wish.player and not wish.batch else None
    players = api.players.name([line.submission.player for line in lines])
    views = (
        view_listed(
            line._replace(submission=published.judge_late(line.submission)._replace(player=player)),
            visibility=visibility,
            withdrawal=withdrawals.get(line.submission.id),
            waits=line.submission.id in waiting,
            counts=None if counting is None else line.submission.id in counting,
        )
        for line, player in zip(lines, players, strict=True)
    )
    listed = list(take_fitting(views, max_bytes=MAX_CONTENT_BYTES))
    following = page.position if len(listed) == len(lines) else lines[len(listed) - 1].position
    return SubmissionList(submissions=listed, next=following and make_cursor(following, scope=scope))


def _read(
    api: ApiServices, published: PublishedBenchmark, caller: Caller, wish: Wish, position: str | None
) -> Page[Line]:
    if wish.batch:
        return _read_batch(api, published, check_player(caller, published, wish.player), wish, position)
    if wish.player:
        return _read_player(api, published, wish, position)
    if wish.outcome:
        page = api.records.list_failures(
            published.id,
            outcome=None if wish.outcome == FAILED else Outcome(wish.outcome),
            before=position,
            length=min(wish.length, MAX_DETAILED),
            current=published.version,
            following=published.next.version if published.next else None,
        )
        return Page(tuple(map(_make_line, page.entries)), page.position)
    if wish.in_review:
        waiting = api.reviews.list_waiting(
            published.id, api.withdrawals, version=published.version, before=position, length=wish.length
        )
        return Page(tuple(map(_make_line, waiting.entries)), waiting.position)
    return _read_benchmark(api, published, wish, position)


def _read_benchmark(api: ApiServices, published: PublishedBenchmark, wish: Wish, position: str | None) -> Page[Line]:
    after, until = (position or "").partition("#")[0], time.monotonic() + READ_SECONDS
    lines: list[Line] = []
    for record in api.records.all_records(published.id, version=published.version, after=after):
        if len(lines) == wish.length or (lines and time.monotonic() > until):
            return Page(tuple(lines), lines[-1].position)
        lines.append(_make_line(record))
    return Page(tuple(lines), None)


def _read_player(api: ApiServices, published: PublishedBenchmark, wish: Wish, position: str | None) -> Page[Line]:
    player = wish.player or ""
    if not is_player_id(player) or api.withdrawals.find_all(published.id, [player]):
        raise not_found("there is no such player, or this player was erased")
    page = list_records(api, published, player=player, before=position, length=wish.length)
    return Page(tuple(map(_make_line, page.entries)), page.position)


def _read_batch(
    api: ApiServices, published: PublishedBenchmark, player: str, wish: Wish, position: str | None
) -> Page[Line]:
    _, report = find_report(api, published, player, wish.batch or "")
    if report is None:
        raise not_found("there is no such batch, or it is not read yet")
    outcomes = api.records.list_batch(published.id, batch=report.drop, version=published.version)
    results = summarize(report, outcomes)
    if wish.outcome:
        results = tuple(each for each in results if each.failed and wish.outcome in {FAILED, each.status})
    best = {result.submission for result in find_best(results, published.definition)}
    account = api.players.find(player)
    submitter = account.player if account else Player(player, player, PlayerKind.HUMAN, verified=True)
    start = int((position or "").partition("#")[2] or 0)
    lines = []
    for number, result in enumerate(results[start : start + wish.length], start + 1):
        record = outcomes.records.get(result.submission or "")
        submission = Submission(result.submission or report.drop, published.id, submitter, batch=report.drop)
        lines.append(
            Line(
                record.submission if record else submission,
                record,
                sort_key(report.drop, str(number)),
                entry=result.entry,
                best=result.scores is not None and result.submission in best,
                error=result.message if result.submission is None else None,
            )
        )
    return Page(tuple(lines), lines[-1].position if lines and start + len(lines) < len(results) else None)


def _name_entries(api: ApiServices, published: PublishedBenchmark, player: str, lines: Sequence[Line]) -> list[Line]:
    """Return a player's lines with their whole records, and their names in batches."""
    ids = [line.submission.id for line in lines]
    whole = api.records.find_records(published.id, ids, version=published.version)
    records = {record.submission.id: record for record in whole}
    batches = sorted({record.submission.batch for record in whole if record.submission.batch})
    reports = run_at_once(lambda batch: api.reports.find(published.id, player, batch), batches)
    names = {entry.submission: entry.entry for report in reports if report for entry in report.entries}
    return [
        line._replace(submission=record.submission, record=record, entry=names.get(record.submission.id))
        if (record := records.get(line.submission.id))
        else line
        for line in lines
    ]


def _find_counting(api: ApiServices, published: PublishedBenchmark, lines: Sequence[Line]) -> frozenset[str] | None:
    """Return what a player's row on the main board rests on, if that is known."""
    main = published.boards[0]
    # Where labels have rows, what counts in another row is no part of this one.
    player = lines[0].submission.player.id if lines else ""
    if not lines or main.board.rules.ranking.rows is not RowKind.PLAYER or player in published.bans:
        return None
    own = api.standings.find_own(main.key, player, rules=main.board.rules)
    return own.counting if own else None


def find_visibility(published: PublishedBenchmark, caller: Caller, wish: Wish) -> Visibility:
    """Return how much of a list a caller may see.

    Nothing else decides that. Raises Problem 401, 403, 404.
    """
    if caller.owns(published.id):
        return Visibility.ADMIN if caller.may(Scope.ADMIN, published.id) else Visibility.OWNER
    if wish.batch:
        check_player(caller, published, wish.player)
        return Visibility.PLAYER
    if wish.player is None:
        caller.check_owner(published.id)
    is_own = wish.player is not None and caller.is_player(wish.player, published.id)
    return Visibility.PLAYER if is_own else Visibility.PUBLIC


def make_next(published: PublishedBenchmark, wish: Wish, last: ListedSubmission) -> str:
    """Return the cursor of what follows after a submission of a whole benchmark."""
    return make_cursor(sort_key(str(last.submission), str(last.version)), scope=(published.id, *wish.scope))


def write_csv(submissions: Iterable[ListedSubmission], score_type: ScoreType) -> str:
    """Return a list as CSV: what is said of each submission, and then its scores.

    Parts are JSON: part → scores.
    """
    metrics = [metric.name for metric in score_type.headers]
    columns = [name for name in ListedSubmission.model_fields if name not in _NO_CELLS]
    lines: list[list[object]] = [[*columns, *metrics]]
    for each in submissions:
        parts = {part.part: part.scores for part in each.parts or ()}
        cells: dict[str, object] = {
            **each.model_dump(),
            "submitted_at": f"{each.submitted_at:%FT%T.%fZ}",
            "withdrawn": each.withdrawn is not None,
            "late": each.late,
            "parts": json.dumps(parts, ensure_ascii=False) if parts else None,
        }
        lines.append([*(cells[column] for column in columns), *map((each.scores or {}).get, metrics)])
    return write_table(lines)


def _make_line(record: SubmissionRecord) -> Line:
    return Line(record.submission, record, sort_key(record.submission.id, record.version))
