"""Scores one result, writes a submission record for each active version, logs and measures it."""

import json
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple

from evaluate.sharing import Retries, waited_since
from handlers.loops import count_receives, logger
from scoring_core.benchmarks.loading import Benchmark
from scoring_core.errors import EvaluatorError
from scoring_core.io.limits import MAX_RESULT_BYTES
from scoring_core.judgement import Judgement, conclude, cut_message, judge, keep_public, make_signature, take_over
from scoring_core.outcome import Outcome, is_taken_over
from scoring_core.scorers.base import Evaluation, Scorer
from storage.benchmarks.store import BenchmarkStore, PublishedBenchmark
from storage.gateway.clients import try_at_once
from storage.gateway.errors import NotStarted, UnknownObject
from storage.gateway.queue import ReceivedMessage
from storage.gateway.s3_events import Notice, TryCounts
from storage.keys import Clock, ReportedKey, ResultKey
from storage.log_lines import Measure, measure
from storage.submissions.models import Submission, SubmissionRecord
from storage.submissions.queues import ShareQueue
from storage.submissions.store import RawResult, SubmissionStore
from storage.submissions.work import WorkStore

if TYPE_CHECKING:
    from scoring_core.scorers.script.run import ScriptSandbox

MAX_PREPARED_BYTES = 32_000_000
"""Of the files of all versions that stay prepared, which take several times as much; a larger one stays alone."""
LEAST_BYTES = 250_000
"""A version with small files counts as much: its definition and its scorer take it."""
_MILLISECOND = timedelta(milliseconds=1)


class _Prepared(NamedTuple):
    benchmark: Benchmark
    scorer: Scorer
    signature: str
    size_bytes: int


@dataclass
class Evaluator:
    """Scores results. The ground truth of a benchmark version is prepared once.

    With a sandbox it scores the versions with a script and no others, without one the versions without a script. Of
    those that the owner's runner scores it has results wait for that, and records what it reported.
    """

    submissions: SubmissionStore
    benchmarks: BenchmarkStore
    sandbox: "ScriptSandbox | None"
    work: WorkStore
    clock: Clock
    judge: Callable[..., Judgement] = judge
    _published: dict[str, PublishedBenchmark] = field(default_factory=dict, init=False)
    _prepared: dict[tuple[str, str, int], _Prepared] = field(default_factory=dict, init=False)
    _unread: set[ResultKey] = field(default_factory=set, init=False)
    _read: dict[ResultKey, Future[RawResult]] = field(default_factory=dict, init=False)

    def begin_batch(self, keys: Iterable[ResultKey] = ()) -> None:
        """Forget which versions are published: every batch of messages looks once.

        A result that was stored before a publish is found by the rescore. One that was stored later is delivered later
        too, in a batch that begins after the publish.

        Args:
            keys: The results of the batch that may be read together, if they are of one benchmark.
        """
        self._published.clear()
        self._unread = set(keys)
        self._read.clear()

    def read_published(self, key: ResultKey) -> PublishedBenchmark:
        """Return the benchmark of a result as it was published when the batch began."""
        if key.benchmark not in self._published:
            # A result scored under a version that was just replaced would never reach the new board.
            self._published[key.benchmark] = self.benchmarks.latest(key.benchmark)
        return self._published[key.benchmark]

    def _get_result(self, key: ResultKey) -> RawResult:
        """Read a raw result, the first one of a batch with all others of its benchmark.

        They are read in threads: a function that waits for S3 is charged like one that scores.
        """
        due = {other for other in self._unread if other.benchmark == key.benchmark}
        if key in due and len(due) > 1:
            keys = sorted(due)
            self._read |= zip(keys, try_at_once(self.submissions.get_result, keys), strict=True)
            self._unread -= due
        return self._read.pop(key).result() if key in self._read else self.submissions.get_result(key)

    def evaluate(
        self, key: ResultKey, published: PublishedBenchmark, *, first_try: bool = False
    ) -> list[SubmissionRecord]:
        """Score a result under the active versions of its kind and write the records.

        An existing record is kept, unless it is an `internal_error`, or lacks the hidden scores of a final. On a first
        try there hardly ever is one: the result is then scored without looking, if that is cheap, and the condition of
        the write decides.

        Returns the records that were written. Raises UnknownObject if the object is no raw result.
        """
        result: RawResult | None = None
        is_own = published.definition.runs_own
        if first_try and published.next is None and self.sandbox is None and not is_own and self._scores(published):
            result = self._get_result(key)
            record = self._score(published, result, rescored=False)
            if self.submissions.put_record(record, replacing_failure=False):
                return [record]
        written = []
        for version in filter(self._scores, published.active_versions):
            existing = self._find_record(key, version)
            lacking = existing if existing is not None and version.lacks_hidden(existing) else None
            if _is_final(existing) and lacking is None:
                logger.info("already recorded", extra={"version": version.version})
                continue
            # Keep `rescored` from a failed earlier attempt, even if the version has become current since.
            rescored = version.version != published.version or (existing is not None and existing.rescored)
            if version.definition.runs_own and not is_taken_over(key.submission):
                made = self._find_reported(key, version, rescored=rescored)
            else:
                result = result or self._get_result(key)
                made = self._score(version, result, rescored=rescored)
            if made is not None and self.submissions.put_record(made, replacing=lacking):
                written.append(made)
        return written

    def _find_reported(
        self, key: ResultKey, published: PublishedBenchmark, *, rescored: bool
    ) -> SubmissionRecord | None:
        """Return what the owner's runner made of a result; None: it waits for one.

        Raises UnknownObject if the object is no raw result.
        """
        submission = self.submissions.find_submission(key)
        if submission is None:
            return None
        named = ReportedKey(*key, published.version)
        reported = self.work.find_outcome(named)
        if reported is None:
            self.work.wait(named, self.clock())
            logger.info("waits for the owner's runner", extra={"version": published.version})
            return None
        self.work.finish(named)
        judgement = Judgement(
            Outcome(reported.outcome), message=reported.message, pointer=reported.pointer, output=reported.output
        )
        if judgement.outcome is Outcome.SCORED:
            evaluations = tuple(Evaluation(**dict(each)) for each in reported.evaluations)
            judgement = conclude(published.definition, published.parts, evaluations, is_final=published.is_final)
        return self._record(published, submission, judgement, signature=reported.signature, rescored=rescored)

    def leaves_version(self, key: ResultKey, published: PublishedBenchmark) -> bool:
        """Return whether a version that this evaluator does not score has no outcome."""
        others = (version for version in published.active_versions if not self._scores(version))
        return not all(_is_final(self._find_record(key, version)) for version in others)

    def _scores(self, version: PublishedBenchmark) -> bool:
        return version.runs_script is (self.sandbox is not None)

    def _find_record(self, key: ResultKey, version: PublishedBenchmark) -> SubmissionRecord | None:
        return self.submissions.find_record(key.benchmark, submission=key.submission, version=version.version)

    def _score(self, published: PublishedBenchmark, result: RawResult, *, rescored: bool) -> SubmissionRecord:
        if is_taken_over(result.submission.id):
            row, score_type = json.loads(result.body), published.definition.score_type
            judgement = take_over(row, score_type, is_final=published.is_final)
            return self._record(published, result.submission, judgement, signature="taken over", rescored=rescored)
        if result.submission.large is not None:
            judgement = Judgement(Outcome.INVALID, message=f"expected at most {MAX_RESULT_BYTES} bytes, as one file")
            return self._record(published, result.submission, judgement, signature="", rescored=rescored)
        try:
            prepared = self._prepare(published)
        except EvaluatorError as error:
            judgement, signature = Judgement(Outcome.EVALUATOR_ERROR, message=cut_message(error.message)), ""
        else:
            submission = result.submission
            judgement = self.judge(
                prepared.benchmark,
                prepared.scorer,
                result.body,
                part=submission.part,
                run=submission.ticketed_run,
                file_format=submission.file_format,
            )
            signature = prepared.signature
        return self._record(published, result.submission, judgement, signature=signature, rescored=rescored)

    def _record(
        self,
        published: PublishedBenchmark,
        submission: Submission,
        judgement: Judgement,
        *,
        signature: str,
        rescored: bool,
    ) -> SubmissionRecord:
        """Return the record of a judgement."""
        rules, received = published.definition, submission.submitted_at
        late = rules.submissions.late
        if published.is_final and not (late and late.shows) and published.judge_late(submission).late:
            judgement = keep_public(judgement)
        since = rules.frozen_since(max(received, self.clock()))
        is_frozen = judgement.outcome is Outcome.SCORED and since is not None and since <= received
        in_review = judgement.in_review or is_frozen
        return SubmissionRecord(
            submission=submission,
            version=published.version,
            outcome=judgement.outcome,
            signature=signature,
            recorded_at=self.clock().isoformat(),
            scores=judgement.scores,
            evaluations=judgement.evaluations,
            message=judgement.message,
            pointer=judgement.pointer,
            output=judgement.output,
            rescored=rescored,
            in_review=in_review,
            frozen=in_review and not judgement.in_review,
            blind=in_review and rules.review is not None and rules.review.shows == "owner",
        )

    def _prepare(self, published: PublishedBenchmark) -> _Prepared:
        key = (published.id, published.version, published.publish_number)
        prepared = self._prepared.pop(key, None) or self._load(published)
        self._prepared[key] = prepared  # what was used last is forgotten last
        return prepared

    def _load(self, published: PublishedBenchmark) -> _Prepared:
        """Prepare a version, and forget others before that where both would be too large."""
        benchmark = self.benchmarks.load(published)
        size_bytes = max(LEAST_BYTES, sum(map(len, benchmark.files.values())))
        left = MAX_PREPARED_BYTES - size_bytes - sum(each.size_bytes for each in self._prepared.values())
        while left < 0 and self._prepared:
            left += self._prepared.pop(next(iter(self._prepared))).size_bytes
        return _Prepared(benchmark, benchmark.prepare_scorer(self.sandbox), make_signature(benchmark), size_bytes)


def _is_final(record: SubmissionRecord | None) -> bool:
    return record is not None and record.outcome is not Outcome.INTERNAL_ERROR


def score_result(
    evaluator: Evaluator, key: ResultKey, published: PublishedBenchmark, *, sent_at: str, tries: int
) -> bool:
    """Score one result that failed `tries` times, record its outcomes and log them.

    The log has how long the message waited; `sent_at` is in milliseconds since the epoch. Returns whether the result
    still has to be scored under a version of the other kind, with a script or without one.
    """
    started = evaluator.clock()
    try:
        written = evaluator.evaluate(key, published, first_try=tries == 0)
    except UnknownObject as error:
        logger.warning("unknown object skipped", extra={"reason": str(error)})
        return False
    ended = evaluator.clock()
    durations = {
        "waiting_milliseconds": waited_since(sent_at, now=started) // _MILLISECOND,
        "scoring_milliseconds": (ended - started) // _MILLISECOND,
    }
    for record in written:
        measured = {} if record.rescored else durations | measure(Measure.OUTCOMES, 1, moment=ended)
        logger.info("evaluated", extra={"outcome": record.outcome, "version": record.version, **measured})
    return evaluator.leaves_version(key, published)


class ShareDependencies(NamedTuple):
    """What the handler of a FIFO queue works with; versions that `evaluator` does not score go to `other_queue`."""

    evaluator: Evaluator
    retries: Retries
    other_queue: ShareQueue


def handle_share(dependencies: ShareDependencies, key: ResultKey, notice: Notice, message: ReceivedMessage) -> None:
    """Score a result once; hand it back if that fails or had no answer."""
    evaluator, retries, other_queue = dependencies
    counts = notice.counts
    if count_receives(message) > 1:
        logger.warning("a receive had no answer, will be tried later", extra={"unanswered": counts.unanswered + 1})
        retries.postpone_unanswered(key, counts)
        return
    try:
        published = evaluator.read_published(key)
        if score_result(evaluator, key, published, sent_at=message.attributes["SentTimestamp"], tries=counts.tries):
            other_queue.send(key, TryCounts(counts.tries), cause=message.id)
    except NotStarted as error:
        logger.warning("no room for the script, will be tried later", extra={"reason": str(error)})
        retries.postpone(key, counts)
    except Exception:
        logger.exception("scoring failed, will be retried", extra={"receives": counts.tries + 1})
        retries.hand_back(key, tries=counts.tries)
