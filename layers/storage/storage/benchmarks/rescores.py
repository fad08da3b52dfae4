"""The steps of a rescore that need no board: request it, queue unscored results, check the result.

A rescore belongs to one publishing of the next version. After another one it must be requested again. Bans raise the
publish number too, and it goes on.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from scoring_core.errors import LaurelError, Rejected
from scoring_core.io.text import list_some
from scoring_core.outcome import Outcome
from storage.benchmarks.store import NextVersion, PublishedBenchmark
from storage.flags import FlagStore, queued_flag, rescore_flag
from storage.gateway.errors import NewerSchema, UnknownObject
from storage.keys import Clock, ResultKey, first_id, time_of
from storage.submissions.decisions import ReviewStore, WithdrawalStore
from storage.submissions.index import ResultIndex
from storage.submissions.queues import EvaluateQueue
from storage.submissions.store import SubmissionStore

KEEP_ASKED = timedelta(days=30)
KEEP_QUEUED = timedelta(hours=6)
"""After this time, results that are still unscored are queued again."""
_AT_ONCE = 200
"""Of so many results outcomes are looked for at once."""
_WITHOUT_FAILED = "final-without-failed"
type _Outcomes = tuple[dict[str, Outcome], dict[str, Outcome], set[str]]
"""Submission → outcome under the current and the next version, and those in review under that; no late ones."""


class PromotionBlocked(LaurelError):
    """The next version must not become current: the board would lose results without need."""


class NothingToReveal(Rejected):
    """There is no final, or it may not begin yet."""

    problem = "nothing-to-reveal"


class NothingToRescore(Rejected):
    """The current version is the only one: every result is scored under it already."""

    problem = "nothing-to-rescore"


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
    following = find_following(published)
    return flags.set(_find_flag(published.id, following, following.version), now=now, keep=KEEP_ASKED)


def ask_final(
    published: PublishedBenchmark, final: str, flags: FlagStore, *, now: datetime, without_failed: bool = False
) -> None:
    """Request the final of what was published last, as `ask_rescore` does.

    Args:
        published: The benchmark, read without the cache.
        final: The version that it makes current.
        flags: Keeps the request.
        now: The moment.
        without_failed: Whether it goes on without the results that failed, from now on.
    """
    latest = published.active_versions[-1]
    if without_failed:
        flags.set(_find_flag(published.id, latest, _WITHOUT_FAILED), now=now, keep=KEEP_ASKED)
    flags.set(_find_flag(published.id, latest, final), now=now, keep=KEEP_ASKED)


def is_asked_for(published: PublishedBenchmark, version: str, flags: FlagStore, *, now: datetime) -> bool:
    """Return whether a version of what was published last was requested."""
    return flags.is_set(_find_flag(published.id, published.active_versions[-1], version), now=now)


def list_request_keys(published: PublishedBenchmark) -> list[str]:
    """Return the keys of the flags that may be set of what was published last."""
    latest = published.active_versions[-1]
    versions = (latest.version, latest.final_version, _WITHOUT_FAILED)
    return [_find_flag(published.id, latest, version) for version in versions if version is not None]


def find_final(published: PublishedBenchmark, *, now: datetime) -> str | None:
    """Return the version of a final; None if it is current. Raises NothingToReveal."""
    latest = published.active_versions[-1]
    if published.is_final:
        return None
    if latest.is_final:
        return latest.version
    if latest.final_version is None:
        raise NothingToReveal(f"{published.id}: expected `final` in benchmark.yaml, and a truth with hidden rows")
    if latest.takes_until is None or now < latest.takes_until:
        closes, until = latest.definition.closes, latest.takes_until
        more = f" and a player has time until {until.isoformat()}" if until and until != closes else ""
        raise NothingToReveal(
            f"{published.id}: expected a benchmark that has closed, because the final ranks what came in time; "
            f"`closes` is {closes.isoformat() if closes else 'not set'}{more}: publish it with a time that has passed"
        )
    return latest.final_version


def begins_final(published: PublishedBenchmark) -> bool:
    """Return whether the next version is the final of one that is none."""
    return published.next is not None and published.next.is_final and not published.is_final


@dataclass(frozen=True, slots=True, kw_only=True)
class PromotionCheck:
    """Tells why the next version of a benchmark may not become current."""

    results: ResultIndex
    flags: FlagStore
    withdrawals: WithdrawalStore
    reviews: ReviewStore
    clock: Clock

    def check(self, published: PublishedBenchmark) -> None:
        """Raise PromotionBlocked or NothingToRescore if `next` may not become current.

        Results that are invalid under it leave the board, as its owner intends. Results with an internal error must not
        leave it, and a version under which nothing has a score is no correction; a final waits for more. Call it once
        all results are scored.
        """
        following, outcomes = find_following(published), self._read_outcomes(published)
        if reason := self.find_waiting(published, outcomes):
            raise PromotionBlocked(reason)
        before, after, _ = outcomes
        scored = {id_ for id_, outcome in before.items() if outcome is Outcome.SCORED}
        failed = {id_ for id_ in scored if after.get(id_) is Outcome.INTERNAL_ERROR and not begins_final(published)}
        is_empty = Outcome.SCORED not in after.values()
        if failed or is_empty:  # a withdrawn submission is on no board
            withdrawn = self.withdrawals.find_all(published.id, scored if is_empty else failed).keys()
            scored, failed = scored - withdrawn, failed - withdrawn
        if failed:
            raise PromotionBlocked(
                f"{published.id}: version {following.version} is withheld, for {len(failed)} of {len(scored)} results "
                "that have a score ended as internal_error under it; once the cause is fixed, `laurel sweep --failed` "
                "scores them again"
            )
        if scored and is_empty:
            raise PromotionBlocked(
                f"{published.id}: version {following.version} is withheld, for no result has a score under it, and "
                f"{len(scored)} have one now; publish a corrected benchmark, or the present one to take it back"
            )

    def find_waiting(self, published: PublishedBenchmark, outcomes: _Outcomes | None = None) -> str | None:
        """Return whom a final that has begun waits for, and why.

        That are results that failed, or that are in review; None if it waits for nobody.
        """
        if (following := published.next) is None or not begins_final(published):
            return None
        before, after, reviewed = outcomes or self._read_outcomes(published)
        failed = {id_ for id_, outcome in after.items() if outcome is Outcome.INTERNAL_ERROR}
        failed |= {id_ for id_ in after if (before.get(id_), after[id_]) == (Outcome.SCORED, Outcome.EVALUATOR_ERROR)}
        failed -= self.withdrawals.find_all(published.id, failed).keys()
        if failed and not self.flags.is_set(_find_flag(published.id, following, _WITHOUT_FAILED), now=self.clock()):
            return (
                f"{published.id}: the final waits for {len(failed)} results that failed by no fault of their players: "
                f"{list_some(sorted(failed))}; once the cause is fixed, `laurel sweep --failed` scores them again, and "
                f"`laurel reveal {published.id} --without-failed` goes on without them"
            )
        waiting = reviewed - self.withdrawals.find_all(published.id, reviewed).keys()
        waiting -= self.reviews.find_accepted(published.id, waiting)
        if not waiting:
            return None
        return (
            f"{published.id}: the final waits for {len(waiting)} results in review: {list_some(sorted(waiting))}; "
            "decide each of them with `laurel accept` or `laurel withdraw`"
        )

    def _read_outcomes(self, published: PublishedBenchmark) -> _Outcomes:
        versions = {version.version: version for version in published.active_versions}
        current, following = versions
        outcomes: dict[str, dict[str, Outcome]] = {current: {}, following: {}}
        reviewed = set[str]()
        for recorded in self.results.list_recorded(published.id):
            version = versions.get(recorded.version)
            if version and not version.is_late(recorded.submission, recorded.player, late=recorded.late):
                outcomes[recorded.version][recorded.submission] = recorded.outcome
                if recorded.in_review and recorded.version == following:
                    reviewed.add(recorded.submission)
        return outcomes[current], outcomes[following], reviewed


@dataclass(frozen=True, slots=True, kw_only=True)
class Rescoring(PromotionCheck):
    """Has all results of a benchmark scored under its next version, by the evaluate queue."""

    submissions: SubmissionStore
    evaluate_queue: EvaluateQueue

    def is_asked(self, published: PublishedBenchmark) -> bool:
        """Return whether this rescore was requested."""
        following, now = published.next, self.clock()
        return following is not None and is_asked_for(published, following.version, self.flags, now=now)

    def must_begin(self, published: PublishedBenchmark) -> bool:
        """Return whether a final is due, or was requested, and has not begun."""
        latest, now = published.active_versions[-1], self.clock()
        if latest.final_version is None or latest.is_final or published.archived is not None:
            return False
        if latest.takes_until is None or now < latest.takes_until:  # the final waits for players who got more time
            return False
        due = published.final_at
        if due is not None and due <= now:
            ask_final(published, latest.final_version, self.flags, now=now)
        return is_asked_for(published, latest.final_version, self.flags, now=now)

    def list_unscored(self, published: PublishedBenchmark) -> list[ResultKey]:
        """List the results that have no outcome under the next version, the oldest first.

        Every result that is not listed has one. Every later result gets one, because its evaluator reads a pointer
        in which that version is `next` or current.
        """
        following = find_following(published).version
        unscored = list(self.results.list_unscored(published.id, versions=[following]))
        lacking = [ResultKey(published.id, submission) for submission in self._find_lacking(published)]
        return self._skip_unknown(sorted([*unscored, *lacking], key=lambda key: key.submission))

    def find_unscored(self, published: PublishedBenchmark, keys: Sequence[ResultKey]) -> list[ResultKey]:
        """Return these results but those with an outcome under the next version.

        What comes after the first few that have none was queued after them, and is not read before they are scored.
        """
        following, lacking = find_following(published).version, self._find_lacking(published)
        for first in range(0, len(keys), _AT_ONCE):
            some = keys[first : first + _AT_ONCE]
            scored = set[str]()
            for outcome in self.results.list_recorded(published.id, since=time_of(some[0].submission)):
                if outcome.submission > some[-1].submission:
                    break
                if outcome.version == following and outcome.submission not in lacking:
                    scored.add(outcome.submission)
            if left := self._skip_unknown([key for key in some if key.submission not in scored]):
                return [*left, *keys[first + _AT_ONCE :]]
        return []

    def queue(self, published: PublishedBenchmark, keys: Sequence[ResultKey]) -> None:
        """Queue results, unless all were queued recently."""
        flag = queued_flag(published.id, publish_number=published.publish_number)
        if self.flags.is_set(flag, now=self.clock()):
            return
        list(self.evaluate_queue.send(keys))
        # Set the flag last: after an interruption all are queued again. A result that is queued twice is scored once.
        self.flags.set(flag, now=self.clock(), keep=KEEP_QUEUED)

    def _find_lacking(self, published: PublishedBenchmark) -> set[str]:
        """Find what was late when it was scored for a final, and is not late any more."""
        following = published.next_version
        if following is None or not following.is_final or not following.time_changes:
            return set()
        closed = following.moved.before if following.moved else following.definition.closes
        since = first_id(closed) if closed else ""  # nothing was late before
        records = self.submissions.all_records(published.id, version=following.version, since=since)
        return {record.submission.id for record in records if following.lacks_hidden(record)}

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


def _find_flag(benchmark: str, published: NextVersion | PublishedBenchmark, version: str) -> str:
    return rescore_flag(benchmark, version=version, published_at=published.published_at)
