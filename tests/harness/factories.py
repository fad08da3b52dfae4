"""Players, submissions and submission records with plausible values; a test names only what it is about."""

from datetime import UTC, datetime, timedelta
from typing import Any

from handlers.http import submitters
from scoring_core.outcome import Outcome
from scoring_core.scorers.base import Evaluation, Scores
from storage.actors import Actor, Role
from storage.batches.reports import BatchReport, BatchState
from storage.benchmarks.store import PublishedBenchmark
from storage.keys import make_submission_id, time_of
from storage.submissions.decisions import Withdrawal
from storage.submissions.models import Player, PlayerKind, Submission, SubmissionRecord
from tests.harness.clock import START

NOON = datetime(2026, 1, 2, 12, tzinfo=UTC)
GUEST_SECRET = bytes(range(32))
"""What the ids of guests are derived with in the stacks of tests, which keep it before the first guest comes."""


def make_player(player_id: str = "ada", name: str = "Ada", kind: PlayerKind = PlayerKind.HUMAN) -> Player:
    """Make a verified player."""
    return Player(player_id, name, kind, verified=True)


def make_guest(name: str = "Ada", kind: PlayerKind = PlayerKind.HUMAN, *, player_id: str | None = None) -> Player:
    """Make a guest; the default id is derived from the name."""
    return Player(player_id or f"guest-{name.lower()}", name, kind)


def name_guest(name: str | None, kind: PlayerKind = PlayerKind.HUMAN, *, owner: str | None = None) -> Player:
    """Return the guest whom a stack of the tests makes of a name."""
    return submitters.name_guest(name, kind, secret=GUEST_SECRET, owner=owner)


def make_submission(**changes: Any) -> Submission:
    """Make a submission; the keywords are those of Submission."""
    defaults = {"id": make_submission_id(NOON, bytes(10)), "benchmark": "coin-run", "player": make_player()}
    return Submission(**{**defaults, **changes})


def make_record(**changes: Any) -> SubmissionRecord:
    """Make a submission record; the keywords are those of SubmissionRecord."""
    defaults = {
        "version": "0123456789abcdef",
        "outcome": Outcome.SCORED,
        "signature": "benchmark:coin-run",
        "recorded_at": "2026-01-02T12:00:01+00:00",
        "scores": {},
    }
    return SubmissionRecord(
        **{**defaults, "submission": changes.pop("submission", None) or make_submission(), **changes}
    )


def make_guest_record(  # what the tests vary
    published: PublishedBenchmark,
    player: str,
    scores: Scores,
    *,
    number: int,
    part: str | None = None,
    outcome: Outcome = Outcome.SCORED,
    kind: PlayerKind = PlayerKind.HUMAN,
    revision: int = 1,
) -> SubmissionRecord:
    """Make what `evaluate` records of a guest's submission; the numbers are a minute apart."""
    moment = START - timedelta(days=1) + timedelta(minutes=number)
    scored = outcome is Outcome.SCORED
    return make_record(
        submission=make_submission(
            id=make_submission_id(moment, number.to_bytes(10)),
            benchmark=published.id,
            player=make_guest(player, kind),
        ),
        version=published.version,
        outcome=outcome,
        signature="made by a test",
        recorded_at=moment.isoformat(),
        scores=scores if scored else {},
        evaluations=(Evaluation(scores, {}, part),) if scored else (),
        revision=revision,
    )


def make_batch_report(batch: str, benchmark: str = "coin-run", **changes: Any) -> BatchReport:
    """Make the report of a batch of Ada's, without entries."""
    report = BatchReport(
        drop=batch,
        benchmark=benchmark,
        player="ada",
        key=f"drops/{benchmark}/ada/x/runs.zip",
        version_id="v1",
        received_at=time_of(batch),
        state=BatchState.RECEIVED,
        entries=(),
    )
    return report.model_copy(update=changes)


def make_withdrawal(record: SubmissionRecord, *, reason: str = "played twice", minutes: int = 0) -> Withdrawal:
    """Make the withdrawal of a submission by its player, some minutes after START."""
    submission = record.submission
    actor = Actor(id=submission.player.id, role=Role.PLAYER)
    return Withdrawal(submission.benchmark, submission.id, reason, START + timedelta(minutes=minutes), actor)
