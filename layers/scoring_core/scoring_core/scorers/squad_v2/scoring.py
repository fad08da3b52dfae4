"""Exact match, F1, thresholds and areas of `squad_v2`.

The built-in `sum` compensates rounding errors of floats, not of integers. Each score therefore has the type that it has
in the official script: 1 and 0 where the answer should be empty, a float where words are compared.

>>> from scoring_core.scorers.squad_v2 import SquadParameters
>>> truth = b'''{"data": [{"paragraphs": [{"qas": [
...     {"id": "q1", "answers": [{"text": "the river Main"}]}, {"id": "q2", "answers": []}]}]}]}'''
>>> score = prepare(ScorerInputs(SquadParameters(), truth))
>>> score(b'{"q1": "river", "q2": ""}')[0].scores["f1"]  # (2/3 + 1) / 2
83.33333333333333
"""

import math
from collections.abc import Iterable, Sequence
from itertools import chain, compress
from operator import itemgetter
from typing import NamedTuple, cast

from scoring_core.errors import InvalidResult, StrictJsonError
from scoring_core.io.strict_json import loads
from scoring_core.scorers.base import Evaluation, Json, ScorerInputs, Scores
from scoring_core.scorers.squad_v2 import MissingAnswers, SquadParameters
from scoring_core.scorers.squad_v2.ground_truth import (
    Bag,
    Questions,
    read_questions,
    strip_articles,
)
from scoring_core.scorers.squad_v2.submission import (
    Answers,
    Predictions,
    Probabilities,
    align_answers,
    align_probabilities,
    read_result,
)


class AnswerScores(NamedTuple):
    """Exact match and F1 of each question, in [0, 1], in the order of the questions."""

    exact: list[float]
    f1: list[float]


def prepare(inputs: ScorerInputs) -> "SquadScorer":
    """Build the scorer. Raises EvaluatorError if the ground truth is wrong."""
    return SquadScorer(read_questions(inputs.ground_truth or b""), cast("SquadParameters", inputs.parameters))


class SquadScorer:
    """Scores one set of predictions after another against the same questions."""

    def __init__(self, questions: Questions, parameters: SquadParameters) -> None:
        self._questions = questions
        self._threshold = parameters.na_prob_thresh
        self._missing_is_zero = parameters.missing is MissingAnswers.ZERO

    def __call__(self, result: bytes, /, *, part: str | None = None) -> Sequence[Evaluation]:
        """Score one result; SCORE_NAMES lists the percentages, totals and thresholds.

        Args:
            result: JSON: `{qid: text}`, or `{"predictions": {qid: text}, "na_probs": {qid: number}}`.
            part: None; there are no parts.

        Raises:
            InvalidResult: It is no such JSON, a prediction is no string, a prediction or a probability is missing.
        """
        if part is not None:
            raise InvalidResult("this benchmark has no parts: expected a result without one")
        try:
            value = loads(result, check_overflow=False)
        except StrictJsonError as error:
            raise InvalidResult(f"the result is no strict JSON: {error}") from error
        return (self.evaluate(read_result(value)),)

    def evaluate(self, result: Predictions) -> Evaluation:
        """Score predictions that were read already, as `__call__` does."""
        questions = self._questions
        answers = align_answers(result, questions, missing_is_zero=self._missing_is_zero)
        probabilities = align_probabilities(result, questions, answers)
        answer_scores = score_answers(answers, questions)
        counted = answer_scores
        if result.na_probs is not None or self._threshold < 0.0:
            counted = _apply_no_answer_threshold(
                answer_scores, probabilities.values, self._threshold, questions.answerable
            )
        scores = _average(counted, questions)
        detail: dict[str, Json] = {
            "unknown_ids": answers.unknown_count,
            "missing_predictions": len(answers.missing),
        }
        if result.na_probs is not None:
            traced = _trace(probabilities, answer_scores, questions, answers)
            scores |= traced
            # Most benchmarks have no metrics for these.
            detail["by_na_probs"] = {**traced}
            detail["unused_na_probs"] = len(result.na_probs) - len(probabilities.order)
        return Evaluation(scores, detail)


def score_answers(answers: Answers, questions: Questions) -> AnswerScores:
    """Score every answer; a missing one scores 0.

    Source: docs/sources.md, "SQuAD 2.0", `compute_exact` and `compute_f1`.
    """
    exact: list[float] = []
    f1: list[float] = []
    marked = zip(strip_articles(answers.texts), questions.gold_lines, questions.gold_bags, strict=True)
    for line, gold_lines, bags in marked:
        if not gold_lines:
            right = int(not line.strip())
            score: tuple[float, float] = right, right
        else:
            score = (1, 1.0) if line in gold_lines else _score_words(line.split(), bags)
        exact.append(score[0])
        f1.append(score[1])
    for index in answers.missing:
        exact[index] = f1[index] = 0
    return AnswerScores(exact, f1)


def _score_words(words: list[str], bags: Iterable[Bag]) -> tuple[int, float]:
    """Return exact match and F1 of an answer by its words, against the best gold one."""
    exact, best = 0, 0.0
    for gold_words, distinct_gold, repeats in bags:
        if distinct_gold.isdisjoint(words):
            continue
        shared = len(distinct_gold.intersection(words))
        for word, times in repeats:
            again = words.count(word)
            if again > 1:
                shared += min(times, again) - 1
        precision = shared / len(words)
        recall = shared / len(gold_words)
        best = max(best, (2 * precision * recall) / (precision + recall))
        exact |= gold_words == words  # different white space hid it before
    return exact, best


def _apply_no_answer_threshold(
    scores: AnswerScores, probabilities: Sequence[float], threshold: float, answerable: Sequence[bool]
) -> AnswerScores:
    """Count a prediction as "no answer" if its probability is above the threshold."""
    if max(probabilities) <= threshold:
        return scores
    return AnswerScores(
        *(
            [
                float(not has_answer) if probability > threshold else score
                for score, probability, has_answer in zip(column, probabilities, answerable, strict=True)
            ]
            for column in scores
        )
    )


def _average(answer_scores: AnswerScores, questions: Questions) -> Scores:
    total = len(questions.ids)
    answerable_total = sum(questions.answerable)
    exact, f1 = sum(answer_scores.exact), sum(answer_scores.f1)
    answerable_exact, answerable_f1 = (sum(compress(column, questions.answerable)) for column in answer_scores)
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


def _trace(probabilities: Probabilities, scores: AnswerScores, questions: Questions, answers: Answers) -> Scores:
    """Return the scores that need no-answer probabilities."""
    rows = [*zip(probabilities.values, questions.answerable, *scores, answers.texts, strict=True)]
    total, answerable_total = len(questions.ids), sum(questions.answerable)
    # A missing prediction does not count as a right "no answer" either.
    start = total - answerable_total - sum(not questions.answerable[index] for index in answers.missing)
    if probabilities.order != range(total):
        rows = [rows[index] for index in probabilities.order]
    return _walk_thresholds(rows, start=start, total=total, answerable_total=answerable_total)


type _Row = tuple[float, bool, float, float, str]
"""No-answer probability, whether the question has an answer, exact match, F1, and the raw text."""

_END: _Row = (math.nan, False, 0, 0, "")


def _walk_thresholds(rows: Iterable[_Row], *, start: int, total: int, answerable_total: int) -> Scores:
    """Walk through the predictions by rising no-answer probability, for all curves.

    A best score starts with no prediction counted and threshold 0.0. Each prediction then adds its score if there is
    an answer, and takes one off if there is none and the text is not empty; the first strict maximum wins. The areas
    have one step for each distinct probability. All sums are plain: the built-in `sum` would end in other digits.

    Args:
        rows: In the order of the result, which decides between equal probabilities.
        start: The scores if no prediction counts, in questions.
        total: The number of questions.
        answerable_total: The number of questions with an answer, also without a prediction.

    Source: docs/sources.md, "SQuAD 2.0", `find_best_thresh` and `make_precision_recall_eval`.
    """
    counted, best, thresholds = [float(start)] * 2, [float(start)] * 2, [0.0] * 2
    sums, recalls, areas = [0.0] * 3, [0.0] * 3, [0.0] * 3
    last, is_new = math.nan, False
    for rank, (probability, is_answerable, exact, f1, text) in enumerate(
        chain(sorted(rows, key=itemgetter(0)), (_END,))
    ):
        # A threshold fits only between different probabilities; a step without a new sum has no width.
        if is_new and probability != last:
            for curve, total_sum in enumerate(sums):
                recall = total_sum / answerable_total
                areas[curve] += total_sum / rank * (recall - recalls[curve])
                recalls[curve] = recall
            is_new = False
        last = probability
        if is_answerable:
            is_new = True
            for curve, score in enumerate((exact, f1, 1.0)):
                sums[curve] += score
        for curve, score in enumerate((exact, f1) if is_answerable else (-1.0, -1.0) if text else ()):
            counted[curve] += score
            if counted[curve] > best[curve]:
                best[curve], thresholds[curve] = counted[curve], probability
    scores: Scores = {}
    for curve, name in enumerate(("exact", "f1")):
        scores |= {f"best_{name}": 100.0 * best[curve] / total, f"best_{name}_thresh": thresholds[curve]}
    if answerable_total:
        scores |= {f"pr_{name}_ap": 100.0 * area for name, area in zip(("exact", "f1", "oracle"), areas, strict=True)}
    return scores
