"""Tells what became of a submission, and where its player stands."""

import time
from dataclasses import dataclass

from scoring_core.outcome import Outcome
from storage.access.tokens import Scope
from storage.benchmarks.store import PublishedBenchmark
from storage.boards.snapshots import SnapshotStore
from storage.ids import Clock, is_submission_id
from storage.keys import ResultKey
from storage.submissions.models import Submission, SubmissionRecord, is_version
from storage.submissions.store import SubmissionStore
from storage.submissions.withdrawals import WithdrawalStore
from submit.answer_size import MAX_BODY_BYTES, measure
from submit.auth import Caller
from submit.problems import Problem, not_found
from submit.schemas.submissions import Rank, SubmissionView, Visibility, view_queued, view_record, view_withdrawal
from submit.services.ranks import PlayerRank, RankPoller, find_head, find_rank

POLL_SECONDS = 0.1
RESULT_SECONDS = 15 * 60


@dataclass(frozen=True, slots=True)
class StatusService:
    """Answers for one submission."""

    submissions: SubmissionStore
    snapshots: SnapshotStore
    withdrawals: WithdrawalStore
    clock: Clock

    def find(
        self, published: PublishedBenchmark, submission: str, caller: Caller, *, version: str | None = None
    ) -> SubmissionView:
        """Give the status of a submission.

        Args:
            published: The benchmark.
            submission: Its id, from the path.
            caller: Who asks, and so how much is told.
            version: Of the benchmark, as a record has it; None: the present one, else the latest that scored it.

        Raises:
            Problem: 404, there is no such submission of this benchmark, or it was not scored under that version.
        """
        if not is_submission_id(submission):
            raise not_found("there is no such submission")
        if version and not is_version(version):
            raise _not_scored_under_it()
        withdrawal = self.withdrawals.find(published.id, submission=submission)
        withdrawn = {"withdrawn": withdrawal and view_withdrawal(withdrawal)}
        record = self._find_record(published, submission, version)
        if record is not None:
            return self._view(record, find_visibility(caller, record.submission)).model_copy(update=withdrawn)
        waiting = self.submissions.find_submission(ResultKey(published.id, submission))
        if waiting is None:
            raise not_found("there is no such submission")
        if version and version != published.version:
            raise _not_scored_under_it()
        return view_queued(waiting).model_copy(update=withdrawn)

    def find_result(self, published: PublishedBenchmark, submission: str, caller: Caller) -> str:
        """Give an address of the raw result, without its metadata, that holds for 15 minutes.

        Raises:
            Problem: 404, there is no such submission of this benchmark, or the caller may not read its raw result.
        """
        key = ResultKey(published.id, submission)
        found = self.submissions.find_submission(key) if is_submission_id(submission) else None
        if found is None or find_visibility(caller, found) is Visibility.PUBLIC:
            raise not_found("there is no such result, or it is not yours: expected its receipt or a token")
        return self.submissions.share_result(key, day=self.clock().date(), seconds=RESULT_SECONDS)

    def wait(
        self, published: PublishedBenchmark, submission: Submission, *, seconds: int, ranked: bool = True
    ) -> SubmissionView | None:
        """Wait for the outcome of a submission, for whoever handed it in.

        Args:
            published: The benchmark.
            submission: What was handed in.
            seconds: How long; it is for both, the outcome and the rank.
            ranked: Whether to go on until the board shows a scored submission. The rank is left out where it does not
                in time, because the one that it shows is of before.

        Returns:
            The outcome; None where it does not come in time.
        """
        deadline = time.monotonic() + seconds
        spectator = RankPoller(self.snapshots, published.id, submission.player.id)
        # The board before the record: what is not on record then is not among what the board counted before.
        counted = _count(spectator.look(published.version)[0]) if ranked else 0
        record = self._find_record(published, submission.id, None)
        if record is not None:  # a repeat: it may be among what was counted
            counted = 0
        while record is None and time.monotonic() + POLL_SECONDS <= deadline:
            time.sleep(POLL_SECONDS)
            record = self._find_record(published, submission.id, published.version)
        # Once more under every version: another may have become current meanwhile.
        record = record or self._find_record(published, submission.id, None)
        if record is None:
            return None
        if not ranked or record.outcome is not Outcome.SCORED:
            return self._show(record, insight=Visibility.PLAYER, rank=None)
        if record.version != published.version:
            counted = 0
        place, players = spectator.look(record.version)
        while _count(place) <= counted and time.monotonic() + POLL_SECONDS <= deadline:
            time.sleep(POLL_SECONDS)
            place, players = spectator.look(record.version)
        rank = Rank(place.rank, players) if place and place.submissions > counted else None
        return self._show(record, insight=Visibility.PLAYER, rank=rank)

    def _view(self, record: SubmissionRecord, insight: Visibility) -> SubmissionView:
        rank = self._find_rank(record) if record.outcome is Outcome.SCORED else None
        return self._show(record, insight=insight, rank=rank)

    def _show(self, record: SubmissionRecord, *, insight: Visibility, rank: Rank | None) -> SubmissionView:
        """Show a record; where its details are too long for an answer, their address stands for them."""
        view = view_record(record, insight=insight, rank=rank)
        if record.outcome is not Outcome.SCORED or measure(view) <= MAX_BODY_BYTES:
            return view
        submission = record.submission
        url = self.submissions.sign_long_output(
            submission.benchmark, submission=submission.id, version=record.version, seconds=RESULT_SECONDS
        )
        parts = view.parts and [one.model_copy(update={"detail": None}) for one in view.parts]
        return view.model_copy(update={"detail": None, "parts": parts, "detail_url": url})

    def _find_record(
        self, published: PublishedBenchmark, submission: str, version: str | None
    ) -> SubmissionRecord | None:
        """Give the record under this version; without one that under the present version, else the latest; whole."""
        asked = version or published.version
        found = self.submissions.find_record(published.id, submission=submission, version=asked, detailed=True)
        if found is not None or version:
            return found
        latest = self.submissions.find_latest_record(published.id, submission=submission)
        if latest is None:
            return None
        return self.submissions.find_record(published.id, submission=submission, version=latest.version, detailed=True)

    def _find_rank(self, record: SubmissionRecord) -> Rank | None:
        head = find_head(self.snapshots, record.submission.benchmark, version=record.version)
        if head is None:
            return None
        place = find_rank(self.snapshots, head, record.submission.player.id)
        return Rank(place.rank if place else None, head.total)


def _not_scored_under_it() -> Problem:
    return not_found("this submission was not scored under that version")


def _count(place: PlayerRank | None) -> int:
    """Give how many scored submissions of a player a board counts."""
    return place.submissions if place else 0


def find_visibility(caller: Caller, submission: Submission) -> Visibility:
    """Tell how much of a submission's outcome a caller may read."""
    if caller.may(Scope.ADMIN, submission.benchmark):
        return Visibility.ADMIN
    if caller.may(Scope.OWN, submission.benchmark):
        return Visibility.OWNER
    return Visibility.PLAYER if caller.made(submission) else Visibility.PUBLIC
