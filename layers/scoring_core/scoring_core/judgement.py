"""One result against one benchmark: outcome, columns, detail. The same for the queue and the command line."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from scoring_core.benchmarks.loading import Benchmark
from scoring_core.errors import EvaluatorError, InvalidResult, Output
from scoring_core.outcome import Outcome
from scoring_core.ranking.standings import NO_PART, combine_parts
from scoring_core.scorers.base import MAX_SCORES_BYTES, Evaluation, Scorer, Scores, write_scores
from scoring_core.time_limit import MAX_SECONDS, OutOfTime, limit_processor_time

MAX_MESSAGE_LENGTH = 4000
MAX_POINTER_LENGTH = 1000

_TOO_SLOW = (
    "scoring this result took more than {:g} seconds of processor time and was stopped: "
    "expected a result that is smaller, or nested or repeated less"
)


@dataclass(frozen=True, slots=True)
class Judgement:
    """What became of one result.

    Args:
        outcome: `scored`, `invalid` or `evaluator_error`; `internal_error` is never decided here.
        evaluations: One for each part that was scored, their scores being the columns; empty unless `scored`.
        scores: The columns of the submission: those of its one part, or of its several parts combined over all
            declared parts, as a board combines them. Empty unless `scored`.
        message: For whoever must act, at most 4,000 characters; "" where scored.
        pointer: Where in an invalid result, as a JSON pointer of at most 1,000 characters.
        output: What the evaluation script printed, where there was one and it did not score.
    """

    outcome: Outcome
    evaluations: tuple[Evaluation, ...] = ()
    scores: Scores = field(default_factory=dict)
    message: str = ""
    pointer: str = ""
    output: Output | None = None


def judge(
    benchmark: Benchmark,
    scorer: Scorer,
    result: bytes,
    *,
    part: str | None = None,
    max_seconds: float = MAX_SECONDS,
) -> Judgement:
    """Score one result and check its scores against the columns of the benchmark.

    Args:
        benchmark: Gives the columns, the parts and the ranking.
        scorer: What `benchmark.prepare_scorer()` built.
        result: The bytes as the player sent them.
        part: The part that the submission named; None where it named none.
        max_seconds: Of processor time. A result that takes longer is `invalid`: the benchmark's own examples, and
            everything that its ground truth needs, were within the same bound when it was published.

    Returns:
        The judgement. Whatever is neither the player's fault nor the owner's is raised, not judged.
    """
    try:
        with limit_processor_time(max_seconds):
            evaluations = tuple(_with_columns(benchmark, one) for one in scorer(result, part=part))
    except OutOfTime:
        return Judgement(Outcome.INVALID, message=_TOO_SLOW.format(max_seconds))
    except InvalidResult as error:
        return Judgement(
            Outcome.INVALID,
            message=cut_message(error.message),
            pointer=_cut_pointer(error.pointer),
            output=error.output,
        )
    except EvaluatorError as error:
        return Judgement(Outcome.EVALUATOR_ERROR, message=cut_message(error.message), output=error.output)
    size_bytes = len(write_scores(evaluations))
    if size_bytes > MAX_SCORES_BYTES:
        message = (
            f"the scores of {len(evaluations)} parts take {size_bytes} bytes as JSON, at most {MAX_SCORES_BYTES} are "
            "recorded; the benchmark needs fewer columns, or columns with shorter names"
        )
        return Judgement(Outcome.EVALUATOR_ERROR, message=message)
    return Judgement(Outcome.SCORED, evaluations=evaluations, scores=_combined(benchmark, evaluations))


def _with_columns(benchmark: Benchmark, evaluation: Evaluation) -> Evaluation:
    try:
        columns = benchmark.definition.score_type.select(evaluation.scores, exact=benchmark.kind.score_names is None)
    except EvaluatorError as error:
        raise EvaluatorError(error.message, output=evaluation.output) from error
    return Evaluation(scores=columns, detail=evaluation.detail, part=evaluation.part)


def _combined(benchmark: Benchmark, evaluations: Sequence[Evaluation]) -> Scores:
    if len(evaluations) == 1:
        return evaluations[0].scores
    return combine_parts(
        {one.part or NO_PART: one.scores for one in evaluations},
        ranking=benchmark.definition.ranking,
        score_type=benchmark.definition.score_type,
        parts=benchmark.parts,
    )


def cut_message(message: str) -> str:
    """Keep a message short enough for a record, whatever a result made a scorer quote."""
    return message if len(message) <= MAX_MESSAGE_LENGTH else message[: MAX_MESSAGE_LENGTH - 1] + "…"


def _cut_pointer(pointer: str) -> str:
    """Keep a pointer short: a longer one points at the nearest thing around that a short one can name."""
    return pointer if len(pointer) <= MAX_POINTER_LENGTH else pointer[: MAX_POINTER_LENGTH + 1].rpartition("/")[0]
