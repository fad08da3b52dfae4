"""Answers what became of submissions, and how players rank."""

import time
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime

from api.players.histories import HistoryLine, HistoryStore
from api.players.views import PlayerPart, PlayerView, view_entry, view_improvement
from api.submissions.sorting import sort_best_first
from handlers.http.auth import Caller
from handlers.http.problems import not_found
from handlers.http.progress import Earlier, ProgressService
from handlers.http.quotas import count_left
from handlers.http.ranks import PlayerRank, find_rank
from handlers.http.requests import make_cursor, read_cursor
from handlers.http.submission_views import Rank, SubmissionView, Visibility, view_queued, view_record, view_withdrawal
from handlers.http.views import MAX_CONTENT_BYTES, measure_bytes, player_members
from scoring_core.benchmarks.definition import RowKind
from scoring_core.metrics.score_type import Direction, ScoreType
from scoring_core.outcome import Outcome
from scoring_core.ranking.part_columns import count_done
from storage.access.players import PlayerStore, is_player_id
from storage.access.quotas import QuotaStore
from storage.access.tokens import Scope
from storage.aws.table import Page
from storage.benchmarks.store import BenchmarkStore, PublishedBenchmark
from storage.boards.reading import BoardReader, ShownBoard, find_percentile
from storage.boards.standings import StandingStore
from storage.ids import Clock, is_submission_id
from storage.keys import ResultKey
from storage.submissions.models import (
    NAMELESS,
    NO_VERSION,
    Player,
    Submission,
    SubmissionRecord,
    is_version,
)
from storage.submissions.reviews import ReviewStore
from storage.submissions.store import SubmissionStore
from storage.submissions.withdrawals import Withdrawal, WithdrawalStore

POLL_SECONDS = 0.1
RESULT_SECONDS = 15 * 60
PAGE_LENGTH = 50
MAX_SORTED = 1_000
"""Submissions of a history that are sorted: the newest."""
MAX_SKIPPED = 10
"""Pages that are read for the player of a history of which one page has only other versions, which are not shown."""
_NO_SUBMISSION = "there is no such submission"
_NOT_SCORED = "this submission was not scored under that version"


@dataclass(frozen=True, slots=True)
class StatusService:
    """Reads submissions, records and boards."""

    submissions: SubmissionStore
    histories: HistoryStore
    boards: BoardReader
    standings: StandingStore
    withdrawals: WithdrawalStore
    reviews: ReviewStore
    benchmarks: BenchmarkStore
    progress: ProgressService
    quotas: QuotaStore
    players: PlayerStore
    clock: Clock

    def find(
        self, published: PublishedBenchmark, submission: str, caller: Caller, *, version: str | None = None
    ) -> SubmissionView:
        """Return the status of a submission, as much of it as the caller may see.

        Without a version it is the outcome under the current one. To all but its player and owners a submission that
        waits for the owner under that is as one that is not scored yet, under any version. To all but owners
        only those versions exist that are current, or were when they had its outcome.

        Raises:
            Problem: 404, the benchmark has no such submission, or it was not scored under that version.
        """
        if not is_submission_id(submission):
            raise not_found(_NO_SUBMISSION)
        if version and not is_version(version):
            raise not_found(_NOT_SCORED)
        current = self._find_current(published.id, submission, published.version)
        record = current
        if version and (current is None or current.version != version):
            record = self._find_record(published.id, submission, version)
        waits = bool(self.reviews.find_waiting(each for each in (current, record) if each))
        recorded = record or current
        stored = recorded.submission if recorded else find_submission(self.submissions, published, submission)
        visibility = find_visibility(caller, stored)
        withdrawal = self._find_withdrawal(stored, visibility)
        shared: dict[str, object] = {"withdrawn": withdrawal and view_withdrawal(withdrawal)}
        shared["name"] = self._name(stored.player).name
        if caller.made(stored):
            shared |= self._count_left(published, stored)
        if record is not None and _may_read(published, record, visibility, current=current, waits=waits):
            if waits and record.in_review:
                return self._view_in_review(record, visibility).model_copy(update=shared)
            rank = None if withdrawal else self._find_rank(record)
            view = self._view(record, visibility, rank).model_copy(update=shared)
            return self._add_progress(view, record) if visibility >= Visibility.PLAYER and not withdrawal else view
        if version and version != published.version:
            raise not_found(_NOT_SCORED)
        return view_queued(stored).model_copy(update=shared)

    def _count_left(self, published: PublishedBenchmark, submission: Submission) -> dict[str, object]:
        """Return what is left to the player of a submission."""
        player, day = submission.player.id, self.clock().date()
        left = self.quotas.find_left(published.terms, player, submission.origin, day=day)
        return count_left(left)._asdict()

    def find_result(self, published: PublishedBenchmark, submission: str, caller: Caller) -> str:
        """Return an address of the raw result, without metadata, for 15 minutes.

        Where the benchmark has public results, everybody gets that of a submission that a row of a board names.

        Raises:
            Problem: 404, the benchmark has no such submission, or the caller may not read its raw result.
        """
        key = ResultKey(published.id, submission)
        stored = self.submissions.find_submission(key) if is_submission_id(submission) else None
        is_own = stored is not None and find_visibility(caller, stored) is not Visibility.PUBLIC
        if stored is None or not (is_own or self._is_public(published, stored)):
            raise not_found("there is no such result, or it is not yours: expected its receipt or a token")
        return self.submissions.share_result(stored, day=self.clock().date(), seconds=RESULT_SECONDS)

    def _is_public(self, published: PublishedBenchmark, submission: Submission) -> bool:
        """Return whether everybody may read a raw result.

        A board is seconds behind a mark, a window minutes: so the marks are read too.
        """
        player = submission.player.id
        if not published.has_public_results or player in published.bans:
            return False
        if self.withdrawals.find_all(published.id, [submission.id, player]):
            return False
        record = self.submissions.find_record(published.id, submission=submission.id, version=published.version)
        return record is not None and self.progress.is_named(published, record)

    def find_player(
        self,
        published: PublishedBenchmark,
        player: str,
        cursor: str | None = None,
        *,
        sort: str | None = None,
        caller: Caller | None = None,
    ) -> PlayerView:
        """Return a player's rank and a page of current outcomes, newest first.

        With `sort` they are the best by that metric of the newest 1,000, and there is no other page. The names of files
        are for the player and owners alone.

        Raises:
            Problem: 404, the player has no record on this benchmark; 400, the cursor is not one of this list; 422,
                there is no such metric.
        """
        if not is_player_id(player):
            raise not_found("there is no such player")
        scope = (published.id, player)
        before = None if cursor is None else read_cursor(cursor, scope=scope)
        length = PAGE_LENGTH if sort is None else MAX_SORTED
        sees_names = caller is not None and _may_see_names(caller, published.id, player)
        page = self.histories.list_lines(published, player=player, before=before, length=length)
        withdrawn = self.withdrawals.find_all(published.id, [player, *(line.submission for line in page.entries)])
        if player in withdrawn:
            raise not_found("this player was erased")
        if sort is not None:
            ordered = sort_best_first(
                page.entries,
                sort,
                score_type=published.definition.score_type,
                read=lambda line: None if line.submission in withdrawn else line.scores,
            )
            page = Page(tuple(ordered[:PAGE_LENGTH]), None)
        if page.entries and sees_names:
            page = page._replace(entries=self.histories.name_lines(published, player, page.entries))
        counted = [line for line in page.entries if line.submission not in withdrawn]
        board = self.boards.find(published.id, version=published.version)
        rank = find_rank(board, player) if board else None
        main = published.boards[0]
        own = self.standings.find_own(main.key, rank.row_id, rules=main.board.rules) if rank else None
        kept = own.standing.parts if own else {}
        # Where labels have rows, what counts in another row is no part of this one.
        counting = own.counting if own and main.board.rules.ranking.rows is RowKind.PLAYER else None
        return PlayerView(
            **player_members(rank.player if rank else self._find_player(published, player, page.entries)),
            rank=rank.rank if rank else None,
            banned=published.bans.get(player),
            percentile=find_percentile(rank.rank, board.total) if board and rank else None,
            total=board.total if board else None,
            players=board.head.counts.players if board else None,
            submissions=_count(rank),
            scores=rank.scores if rank else {},
            parts=[PlayerPart(part=part, scores=kept.get(part)) for part in published.parts if kept],
            improvements=[view_improvement(*improvement) for improvement in own.improvements] if own else [],
            best=find_bests(counted, published.definition.score_type),
            history=[view_entry(line, withdrawn.get(line.submission), counting) for line in page.entries],
            next=page.position and make_cursor(page.position, scope=scope),
        )

    def wait(self, submission: Submission, *, version: str, seconds: int, ranked: bool = True) -> SubmissionView | None:
        """Return the outcome of a submission to its player, None after so many seconds.

        `version` is the current one when the submission was accepted; the outcome may be of a later one.
        If `ranked`, wait until the board shows a scored submission, too, unless its player has no name, or it waits for
        the owner. If the board does not show it in time, leave the rank out, because that is older than the submission.
        """
        deadline = time.monotonic() + seconds
        poller = RankPoller(self.boards, submission)
        # Read the board first. If the record does not exist yet, the board cannot have counted it.
        counted = _count(poller.poll(version)[0]) if ranked else 0
        earlier = self.progress.read_earlier(submission) if ranked else None
        record = self._find_current(submission.benchmark, submission.id, version)
        if record is not None:  # a repeated request: the board may have counted its submission already
            counted, earlier = 0, None
        while record is None and time.monotonic() + POLL_SECONDS <= deadline:
            time.sleep(POLL_SECONDS)
            record = self._find_record(submission.benchmark, submission.id, version)
        record = record or self._find_current(submission.benchmark, submission.id, version)
        if record is None:
            return None
        record = replace(record, submission=submission)  # which has the name
        if self.reviews.find_waiting([record]):
            return self._view_in_review(record, Visibility.PLAYER)
        if not ranked or record.outcome is not Outcome.SCORED:
            return self._view(record, Visibility.PLAYER, None)
        if submission.player.id in NAMELESS:
            return self._view(record, Visibility.PLAYER, self._find_rank(record))
        if record.version != version:
            counted = 0
        rank, players = poller.poll(record.version)
        while _count(rank) <= counted and time.monotonic() + POLL_SECONDS <= deadline:
            time.sleep(POLL_SECONDS)
            rank, players = poller.poll(record.version)
        shown = Rank(rank.rank, players) if rank and rank.submissions > counted else None
        return self._add_progress(self._view(record, Visibility.PLAYER, shown), record, earlier)

    def _add_progress(
        self, view: SubmissionView, record: SubmissionRecord, earlier: Earlier | None = None
    ) -> SubmissionView:
        """Return the view of a submission to its player, with what it brought."""
        if record.outcome is not Outcome.SCORED:
            return view
        progress = {
            "personal_best": self.progress.find_best(record, earlier),
            "part_rank": self.progress.find_part_rank(record),
            "window_ranks": self.progress.find_window_ranks(record) or None,
        }
        return view.model_copy(update=progress)

    def _view(self, record: SubmissionRecord, visibility: Visibility, rank: Rank | None) -> SubmissionView:
        """Return the view of a record; details too long for an answer become a link."""
        view = view_record(record, visibility=visibility, rank=rank)
        if record.outcome is not Outcome.SCORED or measure_bytes(view) <= MAX_CONTENT_BYTES:
            return view
        submission = record.submission
        url = self.submissions.sign_long_output(
            submission.benchmark, submission=submission.id, version=record.version, seconds=RESULT_SECONDS
        )
        parts = view.parts and [part.model_copy(update={"detail": None}) for part in view.parts]
        return view.model_copy(update={"detail": None, "parts": parts, "detail_url": url})

    def _view_in_review(self, record: SubmissionRecord, visibility: Visibility) -> SubmissionView:
        """Return the view of what waits for the owner: no rank, nothing that it brought."""
        return self._view(record, visibility, None).model_copy(update={"in_review": True})

    def _find_withdrawal(self, submission: Submission, visibility: Visibility) -> Withdrawal | None:
        """Return the withdrawal of a submission.

        Raises Problem 404 to all but owners if its player is erased.
        """
        player = submission.player.id
        names = [submission.id] if player in NAMELESS else [submission.id, player]
        withdrawals = self.withdrawals.find_all(submission.benchmark, names)
        if player in withdrawals and visibility < Visibility.OWNER:
            raise not_found("the player of this submission was erased")
        return withdrawals.get(submission.id)

    def _find_record(self, benchmark: str, submission: str, version: str) -> SubmissionRecord | None:
        return self.submissions.find_record(benchmark, submission=submission, version=version, detailed=True)

    def _find_current(self, benchmark: str, submission: str, version: str) -> SubmissionRecord | None:
        """Return the record under the current version, which may be a later one.

        Without one it is the `internal_error` from before the benchmark was published, if there is that.
        """
        record = self._find_record(benchmark, submission, version)
        if record is not None:
            return record
        versions = {each.version for each in self.submissions.list_records_of(benchmark, submission=submission)}
        if not versions:
            return None
        # What it has may be of a version that became current since the pointer was read; or of the next one, a secret.
        current = self.benchmarks.current(benchmark, fresh=True).version
        shown = next((each for each in (current, NO_VERSION) if each in versions), None)
        return None if shown is None else self._find_record(benchmark, submission, shown)

    def _find_rank(self, record: SubmissionRecord) -> Rank | None:
        if record.outcome is not Outcome.SCORED:
            return None
        submission = record.submission
        board = self.boards.find(submission.benchmark, version=record.version)
        if board is None:
            return None
        if submission.player.id in NAMELESS:
            alone = count_done(evaluation.part for evaluation in record.evaluations)
            return Rank(None, board.total, would_rank=board.rank_of({**record.scores, **alone}))
        rank = find_rank(board, submission.player.id, submission.label or "")
        is_shown = rank is not None and self.progress.is_ranked(record, rank.submissions)
        return Rank(rank.rank if rank and is_shown else None, board.total)

    def _find_player(self, published: PublishedBenchmark, player: str, lines: tuple[HistoryLine, ...]) -> Player:
        if lines:
            return self._name(lines[0].player)
        before = None
        for _ in range(MAX_SKIPPED):
            page = self.histories.list_lines(published, player=player, before=before, length=PAGE_LENGTH)
            if page.entries:
                return self._name(page.entries[0].player)
            before = page.position
            if before is None:
                break
        raise not_found("there is no such player")

    def _name(self, player: Player) -> Player:
        return self.players.name([player])[0]


@dataclass(slots=True)
class RankPoller:
    """Reads a board repeatedly for the row of a submission, and each of its states only once."""

    boards: BoardReader
    submission: Submission
    _shown: ShownBoard | None = field(default=None, init=False)
    _rank: PlayerRank | None = field(default=None, init=False)

    def poll(self, version: str) -> tuple[PlayerRank | None, int]:
        """Return the row and how many there are; None, 0 without a board."""
        board = self.boards.find(self.submission.benchmark, version=version)
        if board is None:
            return None, 0
        if board is not self._shown:
            self._shown = board
            self._rank = find_rank(board, self.submission.player.id, self.submission.label or "")
        return self._rank, board.total


def find_submission(submissions: SubmissionStore, published: PublishedBenchmark, submission: str) -> Submission:
    """Return a submission of a benchmark, scored or not. Raises Problem 404."""
    is_id = is_submission_id(submission)
    stored = submissions.find_submission(ResultKey(published.id, submission)) if is_id else None
    if stored is None:
        raise not_found(_NO_SUBMISSION)
    return stored


def find_visibility(caller: Caller, submission: Submission) -> Visibility:
    """Return how much of a submission's outcome a caller may read."""
    if caller.may(Scope.ADMIN, submission.benchmark):
        return Visibility.ADMIN
    if caller.owns(submission.benchmark):
        return Visibility.OWNER
    return Visibility.PLAYER if caller.made(submission) else Visibility.PUBLIC


def _may_read(
    published: PublishedBenchmark,
    record: SubmissionRecord,
    visibility: Visibility,
    *,
    current: SubmissionRecord | None,
    waits: bool,
) -> bool:
    """Return whether an outcome exists for readers who may see so much.

    `current` is the outcome under the current version, and `waits` says whether one of the two waits for the owner.
    """
    if visibility >= Visibility.OWNER:
        return True
    recorded_at = datetime.fromisoformat(record.recorded_at)
    if record is not current and not published.was_current(record.version, recorded_at):
        return False
    return visibility is Visibility.PLAYER or (current is not None and not waits)


def _may_see_names(caller: Caller, benchmark: str, player: str) -> bool:
    """Return whether a caller may see a player's names of files."""
    is_own = caller.account is not None and caller.account.player.id == player
    return (is_own and caller.may(Scope.SUBMIT, benchmark)) or caller.owns(benchmark)


def find_bests(lines: Iterable[HistoryLine], score_type: ScoreType) -> dict[str, int | float]:
    """Return the best value of each metric among these submissions."""
    scored = [line.scores for line in lines if line.outcome is Outcome.SCORED]
    bests = {}
    for metric in score_type.headers:
        values = [scores[metric.name] for scores in scored if metric.name in scores]
        if values:
            bests[metric.name] = max(values) if metric.direction is Direction.HIGHER else min(values)
    return bests


def _count(rank: PlayerRank | None) -> int:
    return rank.submissions if rank else 0
