"""One result, from its key to its record: read, judge, write once."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from ledger.benchmark_store import BenchmarkStore, Published
from ledger.keys import ResultKey
from ledger.submission_id import Clock
from ledger.submission_store import SubmissionStore
from ledger.submissions import Record, Submission
from scoring_core.benchmark import Benchmark, Sandbox
from scoring_core.errors import EvaluatorError
from scoring_core.evaluation import Scorer
from scoring_core.judgement import Judgement, judge
from scoring_core.outcome import Outcome
from scoring_core.signature import make_signature

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

    def evaluate(self, key: ResultKey) -> Record | None:
        """Score a result and record what became of it; one that is recorded already is left alone.

        Returns:
            The record that was written; None where one stood already.

        Raises:
            Exception: Whatever is neither the player's fault nor the owner's; the message is to be retried.
        """
        # Afresh: scored by a version that was replaced a moment ago, a result would never reach the new board.
        published = self.benchmarks.current(key.benchmark, fresh=True)
        standing = self.submissions.find_record(key.benchmark, submission=key.submission, version=published.version)
        if standing is not None and standing.outcome is not Outcome.INTERNAL_ERROR:
            return None
        submission, body = self.submissions.get_result(key)
        record = self._score(published, submission, body)
        return record if self.submissions.put_record(record) else None

    def _score(self, published: Published, submission: Submission, body: bytes) -> Record:
        try:
            prepared = self._prepare(published)
        except EvaluatorError as error:
            judgement, signature = Judgement(Outcome.EVALUATOR_ERROR, message=error.message), ""
        else:
            judgement = self.judge(prepared.benchmark, prepared.scorer, body, part=submission.part)
            signature = make_signature(prepared.benchmark)
        return Record(
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
        )

    def _prepare(self, published: Published) -> _Prepared:
        key = (published.id, published.version, published.revision)
        if key not in self._prepared:
            benchmark = self.benchmarks.load(published)
            while len(self._prepared) >= MAX_PREPARED:
                del self._prepared[next(iter(self._prepared))]
            self._prepared[key] = _Prepared(benchmark, benchmark.prepare_scorer(self.sandbox))
        return self._prepared[key]
