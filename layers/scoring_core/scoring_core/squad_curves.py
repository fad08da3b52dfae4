"""What SQuAD 2.0 makes of no-answer probabilities: the best thresholds, and the areas under precision over recall.

All of it adds plainly, number by number, as the official script does; the built-in `sum` would end in other digits.
"""

from collections.abc import Sequence
from itertools import count
from typing import NamedTuple


class Best(NamedTuple):
    """The best score over all thresholds, in questions, and the threshold that gives it."""

    score: float
    threshold: float


class Areas(NamedTuple):
    """Areas under precision over recall, each in [0, 1]."""

    exact: float
    f1: float
    oracle: float


def rank_by_probability(probabilities: Sequence[float], indices: Sequence[int]) -> list[int]:
    """Order questions by rising no-answer probability; equal ones stay in the order of `indices`."""
    return sorted(indices, key=probabilities.__getitem__)


def find_best_threshold(
    ranking: Sequence[int], probabilities: Sequence[float], gains: Sequence[float], start: int
) -> Best:
    """Find the threshold on the no-answer probability that gives the best score.

    Args:
        ranking: Questions by rising probability.
        probabilities: The no-answer probability of each question, by index.
        gains: What the score gains where the prediction counts instead of "no answer", by index.
        start: The score where no prediction counts.

    Returns:
        The first strict maximum; `start` and threshold 0.0 where nothing gains.

    Source: the official SQuAD 2.0 evaluation script, `find_best_thresh`.
    """
    score: float = start
    best_score, best_index = score, None
    for index in ranking:
        gain = gains[index]
        if gain:
            score += gain
            if score > best_score:
                best_score, best_index = score, index
    return Best(best_score, 0.0 if best_index is None else probabilities[best_index])


def find_areas(
    ranking: Sequence[int],
    probabilities: Sequence[float],
    *,
    answerable: Sequence[bool],
    exact: Sequence[float],
    f1: Sequence[float],
    answerable_total: int,
) -> Areas:
    """Give the areas under precision over recall, one step for each distinct probability.

    Args:
        ranking: Questions by rising probability.
        probabilities: The no-answer probability of each question, by index.
        answerable: Whether the question has an answer, by index.
        exact: Exact match, by index; read only where the question has an answer.
        f1: The same, F1.
        answerable_total: How many questions have an answer, at least 1, also without a prediction.

    Source: the official SQuAD 2.0 evaluation script, `make_precision_recall_eval`, for all three in one go.
    """
    exact_found = f1_found = oracle_found = 0.0
    exact_recall = f1_recall = oracle_recall = 0.0
    exact_area = f1_area = oracle_area = 0.0
    rising = [*map(probabilities.__getitem__, ranking)]
    is_new = False
    for rank, index, here, after in zip(count(1), ranking, rising, [*rising[1:], None]):
        if answerable[index]:
            is_new = True
            oracle_found += 1.0
            mark = f1[index]
            if mark:
                f1_found += mark
                exact_found += exact[index]
        # A threshold fits only between different probabilities; without anything new a step has no width.
        if is_new and here != after:
            is_new = False
            recall = exact_found / answerable_total
            exact_area += exact_found / rank * (recall - exact_recall)
            exact_recall = recall
            recall = f1_found / answerable_total
            f1_area += f1_found / rank * (recall - f1_recall)
            f1_recall = recall
            recall = oracle_found / answerable_total
            oracle_area += oracle_found / rank * (recall - oracle_recall)
            oracle_recall = recall
    return Areas(exact_area, f1_area, oracle_area)
