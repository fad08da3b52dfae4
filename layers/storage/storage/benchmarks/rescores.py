"""The steps of a rescore that need no board: ask for it, queue what lacks an outcome, see what still does.

A rescore belongs to one publishing, the revision of the pointer that names `next`: whoever publishes again asks again.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from scoring_core.errors import LaurelError
from scoring_core.outcome import Outcome
from storage.access.flags import FlagStore, queued_flag, rescore_flag
from storage.aws.errors import NewerSchema, UnknownObject
from storage.benchmarks.store import NextVersion, PublishedBenchmark
from storage.ids import Clock, time_of
from storage.keys import ResultKey
from storage.submissions.index import ResultIndex
from storage.submissions.queues import EvaluateQueue
from storage.submissions.store import SubmissionStore
from storage.submissions.withdrawals import WithdrawalStore

KEEP_ASKED = timedelta(days=30)
KEEP_QUEUED = timedelta(hours=6)
"""After so long, what still lacks an outcome is put on the queue once more."""


class PromotionBlocked(LaurelError):
    """The next version must not become current as it is: the board would lose what it need not."""


class NothingToRescore(LaurelError):
    """The current version is the only one: every result is scored under it already."""


def find_following(published: PublishedBenchmark) -> NextVersion:
    """Give the version that a rescore makes current. Raises NothingToRescore, there is none."""
    if published.next is None:
        raise NothingToRescore(
            f"{published.id}: version {published.version} is current and no other is published; "
            "publish the corrected benchmark first"
        )
    return published.next


def ask_rescore(published: PublishedBenchmark, flags: FlagStore, *, now: datetime) -> None:
    """Ask that all results be scored under `next`, and that it become current; the schedule does both.

    Args:
        published: The pointer, read afresh.
        flags: Where that is noted; asking again changes nothing.
        now: The time.

    Raises:
        NothingToRescore: There is no next version.
    """
    find_following(published)
    flags.set(rescore_flag(published.id, publish_number=published.revision), now=now, keep=KEEP_ASKED)


@dataclass(frozen=True, slots=True)
class Rescoring:
    """Scores all results of a benchmark under its next version, by way of the evaluate queue."""

    results: ResultIndex
    submissions: SubmissionStore
    notices: EvaluateQueue
    flags: FlagStore
    withdrawals: WithdrawalStore
    clock: Clock

    def is_asked(self, published: PublishedBenchmark) -> bool:
        """Tell whether somebody has asked for this rescore."""
        marker = rescore_flag(published.id, publish_number=published.revision)
        return published.next is not None and self.flags.is_set(marker, now=self.clock())

    def list_unscored(self, published: PublishedBenchmark) -> list[ResultKey]:
        """List the results that have no outcome under the next version, the oldest first.

        Every result that is not listed has one; every result that comes later gets one, because whoever evaluates it
        reads a pointer that names `next` already, or one in which it is current.
        """
        return self._skip_foreign(self.results.list_unscored(published.id, versions=_versions(published)))

    def find_unscored(self, published: PublishedBenchmark, keys: Sequence[ResultKey]) -> list[ResultKey]:
        """Give those of these results, the oldest first, that still have no outcome under the next version."""
        if not keys:
            return []
        versions = _versions(published)
        recorded = self.results.list_recorded(published.id, since=time_of(keys[0].submission))
        scored = {one.submission for one in recorded if one.version in versions}
        return self._skip_foreign([key for key in keys if key.submission not in scored])

    def queue(self, published: PublishedBenchmark, keys: Sequence[ResultKey]) -> Iterator[int]:
        """Put results on the queue, unless all of them were a short while ago; gives how many, batch by batch."""
        marker = queued_flag(published.id, publish_number=published.revision)
        if self.flags.is_set(marker, now=self.clock()):
            return
        yield from self.notices.send(keys)
        # At the end: whoever is interrupted before starts over, and what was queued twice is scored once.
        self.flags.set(marker, now=self.clock(), keep=KEEP_QUEUED)

    def check(self, published: PublishedBenchmark) -> None:
        """See that the next version may become current, once nothing lacks an outcome under it.

        Results that are invalid under it leave the board, as its owner wants; what we failed to score must not, and a
        version under which nothing has a score is no correction.

        Raises:
            Withheld: A result that has a score ended as `internal_error`, or none has one any more.
            NothingToRescore: There is no next version.
        """
        following = find_following(published).version
        outcomes: dict[str, dict[str, Outcome]] = {published.version: {}, following: {}}
        for one in self.results.list_recorded(published.id):
            if one.version in outcomes:
                outcomes[one.version][one.submission] = one.outcome
        scored = {one for one, outcome in outcomes[published.version].items() if outcome is Outcome.SCORED}
        failed = {one for one in scored if outcomes[following].get(one) is Outcome.INTERNAL_ERROR}
        is_empty = Outcome.SCORED not in outcomes[following].values()
        if failed or is_empty:  # what is withdrawn is on no board, and can be missing from none
            withdrawn = self.withdrawals.find_all(published.id, scored if is_empty else failed).keys()
            scored, failed = scored - withdrawn, failed - withdrawn
        if failed:
            raise PromotionBlocked(
                f"{published.id}: version {following} is withheld, for {len(failed)} of {len(scored)} results that "
                "have a score ended as internal_error under it; once the cause is mended, `laurel sweep --failed` "
                "scores them again"
            )
        if scored and is_empty:
            raise PromotionBlocked(
                f"{published.id}: version {following} is withheld, for no result has a score under it, and "
                f"{len(scored)} have one now; publish a corrected benchmark, or the present one to take it back"
            )

    def _skip_foreign(self, keys: list[ResultKey]) -> list[ResultKey]:
        """Leave out foreign objects before the first result: they will never have an outcome."""
        for index, key in enumerate(keys):
            if is_result(self.submissions, key):
                return keys[index:]
        return []


def is_result(submissions: SubmissionStore, key: ResultKey) -> bool:
    """Tell whether what lies there is a raw result, and not a foreign object or nothing any more."""
    try:
        return submissions.find_submission(key) is not None
    except NewerSchema:  # it will be scored by the code that wrote it
        return True
    except UnknownObject:
        return False


def _versions(published: PublishedBenchmark) -> tuple[str, ...]:
    return (published.next.version,) if published.next else ()
