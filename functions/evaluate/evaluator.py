"""One result, from its key to its records: read, judge, write once for each version that counts."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from scoring_core.benchmarks.loading import Benchmark, Sandbox
from scoring_core.errors import EvaluatorError
from scoring_core.judgement import Judgement, cut_message, judge
from scoring_core.outcome import Outcome
from scoring_core.scorers.base import Scorer
from scoring_core.signature import make_signature
from storage.benchmarks.store import BenchmarkStore, PublishedBenchmark
from storage.ids import Clock
from storage.keys import ResultKey
from storage.submissions.models import SubmissionRecord
from storage.submissions.store import RawResult, SubmissionStore

MAX_PREPARED = 4


class _Prepared(NamedTuple):
    benchmark: Benchmark
    scorer: Scorer


@dataclass
class Evaluator:
    """Scores results; the ground truth of a benchmark is prepared once."""

    submissions: SubmissionStore
    benchmarks: BenchmarkStore
    sandbox: Sandbox
    clock: Clock
    judge: Callable[..., Judgement] = judge
    _prepared: dict[tuple[str, str, int], _Prepared] = field(default_factory=dict, init=False)

    def read_published(self, key: ResultKey) -> PublishedBenchmark:
        """Return the versions that a result is scored under, as they are published now. Raises NotFound."""
        # Fresh: scored by a version that was replaced a moment ago, a result would never reach the new board.
        return self.benchmarks.current(key.benchmark, fresh=True)

    def evaluate(self, key: ResultKey, published: PublishedBenchmark) -> list[SubmissionRecord]:
        """Score a result under the current version and the next one, and record what became of it.

        Each version has its own record, the current one's first; where one stands already it is left alone.

        Args:
            key: Of the result.
            published: What `read_published` has just given.

        Returns:
            The records that were written.

        Raises:
            Foreign: What lies there is no raw result.
            Exception: Whatever is neither the player's fault nor the owner's; the message is to be retried.
        """
        result: RawResult | None = None
        written = []
        for one in published.scored_under:
            standing = self.submissions.find_record(key.benchmark, submission=key.submission, version=one.version)
            if standing is not None and standing.outcome is not Outcome.INTERNAL_ERROR:
                continue
            result = result or self.submissions.get_result(key)
            # What was to be rescored still is, though that succeeds only after the version became current.
            rescored = one.version != published.version or (standing is not None and standing.rescored)
            record = self._score(one, result, rescored=rescored)
            if self.submissions.put_record(record):
                written.append(record)
        return written

    def _score(self, published: PublishedBenchmark, result: RawResult, *, rescored: bool) -> SubmissionRecord:
        try:
            prepared = self._prepare(published)
        except EvaluatorError as error:
            judgement, signature = Judgement(Outcome.EVALUATOR_ERROR, message=cut_message(error.message)), ""
        else:
            judgement = self.judge(prepared.benchmark, prepared.scorer, result.body, part=result.submission.part)
            signature = make_signature(prepared.benchmark)
        return SubmissionRecord(
            submission=result.submission,
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
        )

    def _prepare(self, published: PublishedBenchmark) -> _Prepared:
        key = (published.id, published.version, published.revision)
        if key not in self._prepared:
            benchmark = self.benchmarks.load(published)
            while len(self._prepared) >= MAX_PREPARED:
                del self._prepared[next(iter(self._prepared))]
            self._prepared[key] = _Prepared(benchmark, benchmark.prepare_scorer(self.sandbox))
        return self._prepared[key]
