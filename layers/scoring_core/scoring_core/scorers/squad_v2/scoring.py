"""Scorer `squad_v2`: exact match and F1 as the official SQuAD 2.0 evaluation gives them, to the last bit.

>>> truth = b'''{"data": [{"paragraphs": [{"qas": [
...     {"id": "q1", "answers": [{"text": "the river Main"}]}, {"id": "q2", "answers": []}]}]}]}'''
>>> score = prepare(Materials(Parameters(), truth))
>>> score(b'{"q1": "river", "q2": ""}')[0].scores["f1"]  # (2/3 + 1) / 2
83.33333333333333
"""

from collections.abc import Iterable, Sequence
from enum import StrEnum
from itertools import compress
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from scoring_core.collector import pause_collector
from scoring_core.errors import EvaluatorError, InvalidResult, StrictJsonError
from scoring_core.io.strict_json import loads
from scoring_core.scorers.base import Evaluation, Json, ScorerInputs, ScorerSpec, Scores
from scoring_core.scorers.squad_v2.curves import Prediction, trace_curves
from scoring_core.scorers.squad_v2.ground_truth import Questions, read_questions
from scoring_core.scorers.squad_v2.marks import AnswerScores, apply_no_answer_threshold, score_answers
from scoring_core.scorers.squad_v2.submission import (
    Answers,
    Predictions,
    Probabilities,
    align_answers,
    align_probabilities,
    read_result,
)

SCORE_NAMES = (
    "exact",
    "f1",
    "total",
    "HasAns_exact",
    "HasAns_f1",
    "HasAns_total",
    "NoAns_exact",
    "NoAns_f1",
    "NoAns_total",
    "best_exact",
    "best_exact_thresh",
    "best_f1",
    "best_f1_thresh",
    "pr_exact_ap",
    "pr_f1_ap",
    "pr_oracle_ap",
)
"""Every score in the official order; a group without questions, and what needs `na_probs`, is absent."""


class MissingAnswers(StrEnum):
    """What a question without a prediction makes of a result."""

    ERROR = "error"
    ZERO = "zero"


class Parameters(BaseModel):
    """Parameters of `squad_v2`.

    Args:
        na_prob_thresh: A prediction whose no-answer probability is above this counts as "no answer" in all scores
            but best_* and pr_*.
        missing: A missing prediction makes the result invalid, or is worth 0 in every score.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    na_prob_thresh: Annotated[float, Field(strict=True, allow_inf_nan=False)] = 1.0
    missing: MissingAnswers = MissingAnswers.ERROR


class SquadScorer:
    """Scores one set of predictions after another against the same questions."""

    def __init__(self, questions: Questions, parameters: Parameters) -> None:
        self._questions = questions
        self._threshold = parameters.na_prob_thresh
        self._missing_is_zero = parameters.missing is MissingAnswers.ZERO

    def __call__(self, result: bytes, /, *, part: str | None = None) -> Sequence[Evaluation]:
        """Score one result.

        Args:
            result: JSON: `{qid: text}`, or `{"predictions": {qid: text}, "na_probs": {qid: number}}`.
            part: None; there are no parts.

        Returns:
            One Evaluation: percentages in [0, 100], totals, thresholds; see `SCORE_NAMES`.

        Raises:
            InvalidResult: It is no such JSON, a prediction is no string, a prediction or a probability is missing.
        """
        if part is not None:
            raise InvalidResult("this benchmark has no parts: expected a result without one")
        with pause_collector():
            try:
                value = loads(result, check_overflow=False)
            except StrictJsonError as error:
                raise InvalidResult(f"the result is no strict JSON: {error}") from error
            return (self.evaluate(read_result(value)),)

    def evaluate(self, result: Predictions) -> Evaluation:
        """Score a result that is read already, as `__call__` does.

        Args:
            result: Predictions `{qid: text}`, of which unknown ids are ignored; `na_probs`, if any,
                `{qid: finite number}` with at least every question that has a prediction.
        """
        questions = self._questions
        answers = align_answers(result, questions, missing_is_zero=self._missing_is_zero)
        probabilities = align_probabilities(result, questions, answers)
        marks = score_answers(answers, questions)
        counted = marks
        if result.na_probs is not None or self._threshold < 0.0:
            counted = apply_no_answer_threshold(marks, probabilities.values, self._threshold, questions.answerable)
        scores = _average(counted, questions)
        detail: dict[str, Json] = {
            "unknown_ids": answers.unknown_count,
            "missing_predictions": len(answers.missing),
        }
        if result.na_probs is not None:
            traced = _trace(probabilities, marks, questions, answers)
            scores |= traced
            # Here too, because most benchmarks show no columns for them.
            detail["by_na_probs"] = {**traced}
            detail["unused_na_probs"] = len(result.na_probs) - len(probabilities.order)
        return Evaluation(scores, detail)


def prepare(materials: ScorerInputs) -> SquadScorer:
    """Build the scorer from the parameters and a ground truth in SQuAD 2.0 format.

    Raises:
        EvaluatorError: The ground truth is missing or wrong, or has no questions.
    """
    if not isinstance(materials.parameters, Parameters):
        raise EvaluatorError("squad_v2: expected its own parameters")
    if materials.ground_truth is None:
        raise EvaluatorError("squad_v2: expected a ground truth in SQuAD 2.0 format, found none")
    with pause_collector():
        return SquadScorer(read_questions(materials.ground_truth), materials.parameters)


KIND = ScorerSpec(name="squad_v2", parameters=Parameters, score_names=SCORE_NAMES, prepare=prepare)


def _average(marks: AnswerScores, questions: Questions) -> Scores:
    total = len(questions.ids)
    answerable_total = sum(questions.answerable)
    exact, f1 = sum(marks.exact), sum(marks.f1)
    answerable_exact, answerable_f1 = (sum(compress(part, questions.answerable)) for part in marks)
    scores = _name_group("", exact, f1, total)
    if answerable_total:
        scores |= _name_group("HasAns_", answerable_exact, answerable_f1, answerable_total)
    if answerable_total < total:
        # Without an answer F1 is exact match, and both are whole numbers: no order of adding changes their sum.
        unanswerable = exact - answerable_exact
        scores |= _name_group("NoAns_", unanswerable, unanswerable, total - answerable_total)
    return scores


def _name_group(prefix: str, exact: float, f1: float, total: int) -> Scores:
    return {f"{prefix}exact": 100.0 * exact / total, f"{prefix}f1": 100.0 * f1 / total, f"{prefix}total": total}


def _trace(probabilities: Probabilities, marks: AnswerScores, questions: Questions, answers: Answers) -> Scores:
    """Give the scores that need no-answer probabilities."""
    predictions: Iterable[Prediction]
    predictions = [*zip(probabilities.values, questions.answerable, *marks, answers.texts, strict=True)]
    if probabilities.order != range(len(predictions)):
        predictions = map(predictions.__getitem__, probabilities.order)
    total, answerable_total = len(questions.ids), sum(questions.answerable)
    # A missing prediction is no right "no answer" either.
    start = total - answerable_total - sum(questions.unanswerable[index] for index in answers.missing)
    curves = trace_curves(predictions, start=start, answerable_total=answerable_total)
    scores: Scores = {
        "best_exact": 100.0 * curves.best_exact / total,
        "best_exact_thresh": curves.best_exact_threshold,
        "best_f1": 100.0 * curves.best_f1 / total,
        "best_f1_thresh": curves.best_f1_threshold,
    }
    if answerable_total:
        scores["pr_exact_ap"] = 100.0 * curves.exact_area
        scores["pr_f1_ap"] = 100.0 * curves.f1_area
        scores["pr_oracle_ap"] = 100.0 * curves.oracle_area
    return scores
