"""Outcomes of submissions as answers show them: one that is waited for, and its rank."""

import time

from handlers.http import progress
from handlers.http.dependencies import HttpServices
from handlers.http.submission_views import Rank, SubmissionView, Visibility, view_record
from handlers.http.views import MAX_CONTENT_BYTES, measure_bytes
from scoring_core.outcome import Outcome
from scoring_core.ranking.part_columns import count_done
from storage.boards.views import RankedRow
from storage.submissions.models import (
    NAMELESS,
    NO_VERSION,
    Player,
    PlayerKind,
    Submission,
    SubmissionRecord,
)

POLL_SECONDS = 0.1
_SCORED = ("scores", "detail", "parts", "detail_url")
"""What a view has of scores."""


def wait_for_outcome(
    http: HttpServices, submission: Submission, *, version: str, seconds: int, ranked: bool = True
) -> SubmissionView | None:
    """Return the outcome of a submission to its player, None after so many seconds.

    `version` is the current one when the submission was accepted; the outcome may be of a later one.
    If `ranked`, wait until the board shows a scored submission, too, unless its player has no name, or it waits for
    the owner. If the board does not show it in time, leave the rank out, because that is older than the submission.
    """
    deadline = time.monotonic() + seconds
    # Read the board first. If the record does not exist yet, the board cannot have counted it.
    counted = _count(_poll(http, submission, version)[0]) if ranked else 0
    record = find_current(http, submission.benchmark, submission.id, version)
    if record is not None:  # a repeated request: the board may have counted its submission already
        counted = 0
    while record is None and time.monotonic() + POLL_SECONDS <= deadline:
        time.sleep(POLL_SECONDS)
        record = find_record(http, submission.benchmark, submission.id, version)
    record = record or find_current(http, submission.benchmark, submission.id, version)
    if record is None:
        return None
    record = record._replace(submission=submission)  # which has the name
    if http.reviews.find_waiting([record]):
        return show_in_review(http, record, Visibility.PLAYER)
    if not ranked or record.outcome is not Outcome.SCORED or submission.late:
        return show_record(http, record, Visibility.PLAYER, None)
    if submission.player.id in NAMELESS:
        return show_record(http, record, Visibility.PLAYER, find_rank(http, record))
    if record.version != version:
        counted = 0
    rank, players = _poll(http, submission, record.version)
    while _count(rank) <= counted and time.monotonic() + POLL_SECONDS <= deadline:
        time.sleep(POLL_SECONDS)
        rank, players = _poll(http, submission, record.version)
    shown = Rank(rank.rank, players) if rank and rank.row.submissions > counted else None
    return add_progress(http, show_record(http, record, Visibility.PLAYER, shown), record)


def add_progress(http: HttpServices, view: SubmissionView, record: SubmissionRecord) -> SubmissionView:
    """Return the view of a submission to its player, with what it brought."""
    if record.outcome is not Outcome.SCORED or record.submission.late:
        return view
    best, rank = progress.find_best(http, record), progress.find_part_rank(http, record)
    return view.model_copy(update={"personal_best": best, "part_rank": rank})


def show_record(
    http: HttpServices, record: SubmissionRecord, visibility: Visibility, rank: Rank | None
) -> SubmissionView:
    """Return the view of a record; details too long for an answer become a link."""
    view = view_record(record, visibility=visibility, rank=rank)
    if record.outcome is not Outcome.SCORED or measure_bytes(view) <= MAX_CONTENT_BYTES:
        return view
    submission = record.submission
    name = submission.id
    url = http.records.sign_long_output(submission.benchmark, submission=name, version=record.version)
    parts = view.parts and [part.model_copy(update={"detail": None}) for part in view.parts]
    return view.model_copy(update={"detail": None, "parts": parts, "detail_url": url})


def show_in_review(http: HttpServices, record: SubmissionRecord, visibility: Visibility) -> SubmissionView:
    """Return the view of what waits for the owner: no rank, nothing that it brought."""
    view = show_record(http, record, visibility, None).model_copy(update={"in_review": True, "frozen": record.frozen})
    is_hidden = record.blind and visibility < Visibility.OWNER
    return view.model_copy(update=dict.fromkeys(_SCORED)) if is_hidden else view


def find_record(http: HttpServices, benchmark: str, submission: str, version: str) -> SubmissionRecord | None:
    """Return the record of a submission under a version, with its long output."""
    return http.records.find_record(benchmark, submission=submission, version=version, detailed=True)


def find_current(http: HttpServices, benchmark: str, submission: str, version: str) -> SubmissionRecord | None:
    """Return the record under the current version, which may be a later one.

    Without one it is the `internal_error` from before the benchmark was published, if there is that.
    """
    record = find_record(http, benchmark, submission, version)
    if record is not None:
        return record
    versions = {each.version for each in http.records.list_records_of(benchmark, submission=submission)}
    if not versions:
        return None
    # What it has may be of a version that became current since the pointer was read; or of the next one, a secret.
    current = http.benchmarks.current(benchmark, fresh=True).version
    shown = next((each for each in (current, NO_VERSION) if each in versions), None)
    return None if shown is None else find_record(http, benchmark, submission, shown)


def find_rank(http: HttpServices, record: SubmissionRecord) -> Rank | None:
    """Return the rank of a submission's player now; None without a score or a board."""
    if record.outcome is not Outcome.SCORED or record.submission.late:
        return None
    submission = record.submission
    board = http.boards.find(submission.benchmark, version=record.version)
    if board is None:
        return None
    if submission.player.id in NAMELESS:
        alone = count_done(evaluation.part for evaluation in record.evaluations)
        return Rank(None, board.head.total, would_rank=board.rank_of({**record.scores, **alone}))
    rank = board.find_row(submission.player.id, submission.label or "")
    if rank is None or not progress.is_ranked(http, record, rank.row.submissions):
        return Rank(None, board.head.total)
    before = progress.find_row_before(http, record) if rank.row.submission == submission.id else None
    would_rank = board.rank_of(before) if before else None
    # The row itself is among those that are ahead of what it was.
    rank_before = would_rank and would_rank - (would_rank > rank.rank)
    return Rank(rank.rank, board.head.total, rank_before=rank_before)


def _poll(http: HttpServices, submission: Submission, version: str) -> tuple[RankedRow | None, int]:
    """Return the row of a submission and how many there are; None, 0 without a board."""
    board = http.boards.find(submission.benchmark, version=version)
    if board is None:
        return None, 0
    return board.find_row(submission.player.id, submission.label or ""), board.head.total


def find_player(ranked: RankedRow) -> Player:
    """Return the player of a row, as the board shows the player."""
    row = ranked.row
    return Player(row.player, row.name, PlayerKind(row.kind), verified=row.verified)


def _count(rank: RankedRow | None) -> int:
    return rank.row.submissions if rank else 0
