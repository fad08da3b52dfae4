"""The steps of a rescore that need no board: request it, queue unscored results, check the result.

A rescore belongs to one publishing of the next version. After another one it must be requested again. Bans raise the
publish number too, and it goes on.
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
"""After this time, results that are still unscored are queued again."""


class PromotionBlocked(LaurelError):
    """The next version must not become current: the board would lose results without need."""


class NothingToRescore(LaurelError):
    """The current version is the only one: every result is scored under it already."""


def find_following(published: PublishedBenchmark) -> NextVersion:
    """Return the version that a rescore makes current. Raises NothingToRescore."""
    if published.next is None:
        raise NothingToRescore(
            f"{published.id}: nothing to rescore: version {published.version} is current, and none is published after "
            "it; correct its folder and publish it with `laurel publish FOLDER`, then rescore"
        )
    return published.next


def ask_rescore(published: PublishedBenchmark, flags: FlagStore, *, now: datetime) -> bool:
    """Request that the schedule scores all under `next` and makes it current.

    The pointer is read without the cache. A repeat changes nothing and returns False. Raises NothingToRescore.
    """
    return flags.set(_find_flag(published.id, find_following(published)), now=now, keep=KEEP_ASKED)


@dataclass(frozen=True, slots=True)
class Rescoring:
    """Has all results of a benchmark scored under its next version, by the evaluate queue."""

    results: ResultIndex
    submissions: SubmissionStore
    evaluate_queue: EvaluateQueue
    flags: FlagStore
    withdrawals: WithdrawalStore
    clock: Clock

    def is_asked(self, published: PublishedBenchmark) -> bool:
        """Return whether this rescore was requested."""
        following = published.next
        return following is not None and self.flags.is_set(_find_flag(published.id, following), now=self.clock())

    def list_unscored(self, published: PublishedBenchmark) -> list[ResultKey]:
        """List the results that have no outcome under the next version, the oldest first.

        Every result that is not listed has one. Every later result gets one, because its evaluator reads a pointer
        in which that version is `next` or current.
        """
        return self._skip_unknown(list(self.results.list_unscored(published.id, versions=_versions(published))))

    def find_unscored(self, published: PublishedBenchmark, keys: Sequence[ResultKey]) -> list[ResultKey]:
        """Return which of these results have no outcome under the next version, in order."""
        if not keys:
            return []
        versions = _versions(published)
        recorded = self.results.list_recorded(published.id, since=time_of(keys[0].submission))
        scored = {outcome.submission for outcome in recorded if outcome.version in versions}
        return self._skip_unknown([key for key in keys if key.submission not in scored])

    def queue(self, published: PublishedBenchmark, keys: Sequence[ResultKey]) -> Iterator[int]:
        """Queue results, unless all were queued recently; yield the batch sizes."""
        flag = queued_flag(published.id, publish_number=published.publish_number)
        if self.flags.is_set(flag, now=self.clock()):
            return
        yield from self.evaluate_queue.send(keys)
        # Set the flag last: after an interruption all are queued again. A result that is queued twice is scored once.
        self.flags.set(flag, now=self.clock(), keep=KEEP_QUEUED)

    def check(self, published: PublishedBenchmark) -> None:
        """Raise PromotionBlocked or NothingToRescore if `next` may not become current.

        Results that are invalid under it leave the board, as its owner intends. Results with an internal error must not
        leave it, and a version under which nothing has a score is no correction. Call it once all results are scored.
        """
        following = find_following(published).version
        outcomes: dict[str, dict[str, Outcome]] = {published.version: {}, following: {}}
        for recorded in self.results.list_recorded(published.id):
            if recorded.version in outcomes:
                outcomes[recorded.version][recorded.submission] = recorded.outcome
        scored = {id_ for id_, outcome in outcomes[published.version].items() if outcome is Outcome.SCORED}
        failed = {id_ for id_ in scored if outcomes[following].get(id_) is Outcome.INTERNAL_ERROR}
        is_empty = Outcome.SCORED not in outcomes[following].values()
        if failed or is_empty:  # a withdrawn submission is on no board
            withdrawn = self.withdrawals.find_all(published.id, scored if is_empty else failed).keys()
            scored, failed = scored - withdrawn, failed - withdrawn
        if failed:
            raise PromotionBlocked(
                f"{published.id}: version {following} is withheld, for {len(failed)} of {len(scored)} results that "
                "have a score ended as internal_error under it; once the cause is fixed, `laurel sweep --failed` "
                "scores them again"
            )
        if scored and is_empty:
            raise PromotionBlocked(
                f"{published.id}: version {following} is withheld, for no result has a score under it, and "
                f"{len(scored)} have one now; publish a corrected benchmark, or the present one to take it back"
            )

    def _skip_unknown(self, keys: list[ResultKey]) -> list[ResultKey]:
        """Skip unknown objects before the first result: they will never have an outcome."""
        for index, key in enumerate(keys):
            if is_result(self.submissions, key):
                return keys[index:]
        return []


def is_result(submissions: SubmissionStore, key: ResultKey) -> bool:
    """Return whether a raw result exists under the key, and no unknown object."""
    try:
        return submissions.find_submission(key) is not None
    except NewerSchema:  # it will be scored by the code that wrote it
        return True
    except UnknownObject:
        return False


def _find_flag(benchmark: str, following: NextVersion) -> str:
    return rescore_flag(benchmark, version=following.version, published_at=following.published_at)


def _versions(published: PublishedBenchmark) -> tuple[str, ...]:
    return (published.next.version,) if published.next else ()
