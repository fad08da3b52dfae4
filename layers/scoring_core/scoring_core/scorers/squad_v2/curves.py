"""What SQuAD 2.0 makes of no-answer probabilities: the best thresholds, and the areas under precision over recall.

Everything is added plainly, number by number, as in the official script; the built-in `sum` would end in other digits.

Source: docs/sources.md, "SQuAD 2.0", `find_best_thresh` and `make_precision_recall_eval`.
"""

import math
from collections.abc import Iterable
from itertools import chain
from operator import itemgetter
from typing import NamedTuple

type Prediction = tuple[float, bool, float, float, str]
"""Its no-answer probability, whether the question has an answer, its exact match, its F1 (which is 0 only where exact
match is), and the raw text.
"""

_END: Prediction = (math.nan, False, 0, 0, "")


class Curves(NamedTuple):
    """The best scores over all thresholds, in questions, with their thresholds; the areas, each in [0, 1]."""

    best_exact: float
    best_exact_threshold: float
    best_f1: float
    best_f1_threshold: float
    exact_area: float
    f1_area: float
    oracle_area: float


def trace_curves(predictions: Iterable[Prediction], *, start: int, answerable_total: int) -> Curves:
    """Go through the predictions by rising no-answer probability, once for all curves.

    A best starts with no prediction counting and threshold 0.0; then each that counts adds its mark where there is an
    answer, and takes one off where there is none and anything is written, be it a full stop; the first strict maximum
    stands. The areas have one step for each distinct probability.

    Args:
        predictions: In the order of the result, which decides between equal probabilities.
        start: The scores where no prediction counts, in questions.
        answerable_total: How many questions have an answer, also without a prediction.
    """
    exact_score = f1_score = best_exact = best_f1 = float(start)
    best_exact_threshold = best_f1_threshold = 0.0
    exact_found = f1_found = oracle_found = 0.0
    exact_recall = f1_recall = oracle_recall = 0.0
    exact_area = f1_area = oracle_area = 0.0
    last = math.nan
    is_new = False
    ranked = sorted(predictions, key=itemgetter(0))
    for rank, (probability, is_answerable, exact, f1, text) in enumerate(chain(ranked, (_END,))):
        # Between different probabilities a threshold fits; a step in which nothing was found has no width.
        if is_new and probability != last:
            recall = oracle_found / answerable_total
            oracle_area += oracle_found / rank * (recall - oracle_recall)
            oracle_recall = recall
            recall = f1_found / answerable_total
            f1_area += f1_found / rank * (recall - f1_recall)
            f1_recall = recall
            recall = exact_found / answerable_total
            exact_area += exact_found / rank * (recall - exact_recall)
            exact_recall = recall
            is_new = False
        last = probability
        if is_answerable:
            oracle_found += 1.0
            is_new = True
            if f1:
                f1_found += f1
                exact_found += exact
                f1_score += f1
                exact_score += exact
                if f1_score > best_f1:
                    best_f1, best_f1_threshold = f1_score, probability
                if exact_score > best_exact:
                    best_exact, best_exact_threshold = exact_score, probability
        elif text:
            f1_score -= 1.0
            exact_score -= 1.0
    return Curves(best_exact, best_exact_threshold, best_f1, best_f1_threshold, exact_area, f1_area, oracle_area)
