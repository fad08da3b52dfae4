"""Scores one result against one benchmark, the same way for the queue and the command line."""

import hashlib
import json
import platform
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

from scoring_core import __version__
from scoring_core.benchmarks.definition import Definition
from scoring_core.benchmarks.loading import Benchmark
from scoring_core.errors import EvaluatorError, InvalidResult
from scoring_core.io.formats import FORMATS, JSON
from scoring_core.io.text import list_some
from scoring_core.metrics.score_type import ScoreType
from scoring_core.outcome import Outcome, is_taken_over
from scoring_core.output import Output
from scoring_core.ranking.standings import NO_PART, combine_parts, name_public, read_public
from scoring_core.runtimes import SCIENCE
from scoring_core.scorers.base import (
    MAX_SCORES_BYTES,
    MAX_SECONDS,
    Evaluation,
    OutOfTime,
    Scorer,
    Scores,
    TicketedRun,
    limit_processor_time,
    write_scores,
)

MAX_MESSAGE_LENGTH = 4000
MAX_POINTER_LENGTH = 1000

_TOO_SLOW = (
    "scoring this result took more than {:g} seconds of processor time and was stopped: "
    "expected a result that is smaller, or nested or repeated less"
)


@dataclass(frozen=True, slots=True)
class Judgement:
    """The outcome of one result.

    Args:
        outcome: `scored`, `invalid` or `evaluator_error`; `internal_error` is not decided here.
        evaluations: One for each scored part, with the scores of the benchmark's metrics; empty unless `scored`.
        scores: The scores of the submission: those of its one part, or of its parts combined over all declared parts,
            as a board combines them. Empty unless `scored`.
        message: What to fix, at most 4,000 characters; "" if scored.
        pointer: The place in an invalid result, as a JSON pointer of at most 1,000 characters.
        in_review: Whether the scores of a part, or of the whole, wait for the owner's look (`review`).
        output: What the evaluation script printed, if one ran and did not score.
    """

    outcome: Outcome
    evaluations: tuple[Evaluation, ...] = ()
    scores: Scores = field(default_factory=dict)
    message: str = ""
    pointer: str = ""
    output: Output | None = None
    in_review: bool = False


def judge(
    benchmark: Benchmark,
    scorer: Scorer,
    result: bytes | Path,
    *,
    part: str | None = None,
    run: TicketedRun | None = None,
    file_format: str = JSON,
    max_seconds: float = MAX_SECONDS,
    submission: str = "",
) -> Judgement:
    """Score one result and check its scores against the metrics of the benchmark.

    An error that is neither the player's nor the owner's is raised, not judged.

    Args:
        benchmark: Has the metrics, the parts and the ranking.
        scorer: What `benchmark.prepare_scorer()` built.
        result: The bytes as the player sent them, or a file of them, of which a script is given the path.
        part: The part that the submission named, if it named one.
        run: What its run ticket says, if it had one.
        file_format: The format of the result.
        max_seconds: Of processor time, for each truth that it is scored by. A result that takes longer is `invalid`:
            the benchmark's own examples and ground truth were within the same limit when it was published.
        submission: Its id, which says whether it is a row of an earlier board; "" of what is none.
    """
    # A script's scorer takes a file as it is; all else is read whole.
    if isinstance(result, Path) and (is_taken_over(submission) or not benchmark.definition.runs_script):
        result = result.read_bytes()
    content = cast("bytes", result)
    if is_taken_over(submission):
        return take_over(json.loads(content), benchmark.definition.score_type, is_final=benchmark.is_final)
    # A benchmark may have had another scorer when the result came.
    reads = benchmark.definition.spec.reads
    if file_format not in reads:
        nouns = [FORMATS[name].noun for name in (*reads, file_format)]
        return Judgement(Outcome.INVALID, message=f"expected {' or '.join(nouns[:-1])}, found {nouns[-1]}")
    given: dict[str, Any] = {"run": run} if run is not None and benchmark.definition.needs_part else {}
    if file_format != JSON and benchmark.definition.runs_script:
        given["file_format"] = file_format
    try:
        with limit_processor_time(max_seconds * (1 + benchmark.is_final)):
            evaluations = tuple(
                _select_metrics(benchmark, evaluation) for evaluation in scorer(content, part=part, **given)
            )
    except OutOfTime:
        return Judgement(Outcome.INVALID, message=_TOO_SLOW.format(max_seconds))
    except InvalidResult as error:
        pointer = error.pointer
        if len(pointer) > MAX_POINTER_LENGTH:  # then name the nearest value around that fits
            pointer = pointer[: MAX_POINTER_LENGTH + 1].rpartition("/")[0]
        return Judgement(Outcome.INVALID, message=cut_message(error.message), pointer=pointer, output=error.output)
    except EvaluatorError as error:
        return Judgement(Outcome.EVALUATOR_ERROR, message=cut_message(error.message), output=error.output)
    return conclude(benchmark.definition, benchmark.parts, evaluations, is_final=benchmark.is_final)


def conclude(
    definition: Definition, parts: Sequence[str], evaluations: tuple[Evaluation, ...], *, is_final: bool
) -> Judgement:
    """Return what evaluations of a benchmark's metrics come to.

    Args:
        definition: Has the ranking and the metrics.
        parts: All parts of the benchmark.
        evaluations: One for each part that was scored, with the public scores too if it is a final.
        is_final: Whether the hidden rows rank.
    """
    size_bytes = len(write_scores(evaluations))
    if size_bytes > MAX_SCORES_BYTES:
        message = (
            f"the scores of {len(evaluations)} parts take {size_bytes} bytes as JSON, at most {MAX_SCORES_BYTES} are "
            "recorded; the benchmark needs fewer metrics, or metrics with shorter names"
        )
        return Judgement(Outcome.EVALUATOR_ERROR, message=message)
    # What waited before the final waits in it, and nothing else does: nobody may learn hidden scores by a review.
    reviewed = [read_public(each.scores) if is_final else each.scores for each in evaluations]
    in_review = any(map(definition.needs_review, reviewed))
    scores = _combine(definition, parts, evaluations)
    return Judgement(Outcome.SCORED, evaluations=evaluations, scores=scores, in_review=in_review)


def take_over(row: Any, score_type: ScoreType, *, is_final: bool) -> Judgement:
    """Return the judgement of a row of an earlier board, whose scores are believed.

    A score that is computed here keeps the value that the row has, if it has one. The scores are of all parts together.

    Args:
        row: `scores` by the names of metrics, at least one, and maybe more to show: `link`, `note`.
        score_type: The metrics, which the scores must fit.
        is_final: Whether hidden rows rank: then the scores count as both.
    """
    given = row["scores"]
    unknown = [repr(name[:64]) for name in given if name not in score_type.names]
    if unknown or not given:
        message = f"expected scores of {list_some(score_type.names)}, found {list_some(unknown) or 'none'}"
        return Judgement(Outcome.INVALID, message=message)
    try:
        kept = {name: score_type.metric(name).check(value) for name, value in given.items()}
        scores = score_type.select(kept, exact=False) | kept
    except EvaluatorError as error:
        return Judgement(Outcome.INVALID, message=cut_message(error.message))
    scores |= name_public(scores) if is_final else {}
    shown = {name: row[name] for name in ("link", "note") if row.get(name)}
    return Judgement(Outcome.SCORED, evaluations=(Evaluation(scores=scores, detail=shown),), scores=scores)


def keep_public(judgement: Judgement) -> Judgement:
    """Return a judgement of a final with the public scores alone, for late results."""
    evaluations = (each._replace(scores=read_public(each.scores), detail={}) for each in judgement.evaluations)
    return replace(judgement, evaluations=tuple(evaluations), scores=read_public(judgement.scores))


def make_signature(benchmark: Benchmark) -> str:
    """Return how this benchmark's scores are made under this Python, in one line.

    The idea is sacrebleu's: no score without its signature. The form is
    `benchmark:ID|version:HASH|scorer:NAME|PARAMETER:VALUE…|scoring_core:VERSION|python:VERSION`, with all parameters,
    sorted by name; of a list or a mapping, the beginning of its hash with the benchmark's salt, because players must
    not find out what a check allows.
    """
    parameters = benchmark.parameters.model_dump(mode="json")
    fields = {
        "benchmark": benchmark.definition.id,
        "version": benchmark.version,
        "scorer": benchmark.definition.scorer,
        **({} if benchmark.runtime == SCIENCE else {"runtime": "-".join(filter(None, benchmark.runtime))}),
        **{name: _show_parameter(parameters[name], salt=benchmark.salt or "") for name in sorted(parameters)},
        "scoring_core": __version__,
        "python": platform.python_version(),
    }
    return "|".join(f"{name}:{value}" for name, value in fields.items())


def _show_parameter(value: object, *, salt: str) -> str:
    text = json.dumps(value, sort_keys=True)
    if isinstance(value, list | dict):  # may be long, and hold | and :
        return hashlib.sha256(f"{salt}{text}".encode()).hexdigest()[:16]
    return text.strip('"')


def cut_message(message: str) -> str:
    """Return a message short enough for a record."""
    return message if len(message) <= MAX_MESSAGE_LENGTH else message[: MAX_MESSAGE_LENGTH - 1] + "…"


def _select_metrics(benchmark: Benchmark, evaluation: Evaluation) -> Evaluation:
    definition = benchmark.definition
    try:
        scores = definition.score_type.select(evaluation.scores, exact=definition.runs_script, absent=evaluation.absent)
    except EvaluatorError as error:
        if definition.spec.trusts_players:
            raise InvalidResult(error.message) from error
        raise EvaluatorError(error.message, output=evaluation.output) from error
    if evaluation.public is not None:
        scores |= name_public(_select_metrics(benchmark, evaluation.public).scores)
    return Evaluation(scores=scores, detail=evaluation.detail, part=evaluation.part)


def _combine(definition: Definition, parts: Sequence[str], evaluations: Sequence[Evaluation]) -> Scores:
    if len(evaluations) == 1:
        return evaluations[0].scores
    return combine_parts(
        {evaluation.part or NO_PART: evaluation.scores for evaluation in evaluations},
        ranking=definition.ranking,
        score_type=definition.score_type,
        parts=parts,
    )
