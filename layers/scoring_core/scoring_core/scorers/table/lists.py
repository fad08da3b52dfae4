"""The metrics of lists of items, the best first; of each row, whose mean is the score."""

import math
from collections.abc import Mapping, Sequence


def measure_gain(relevant: Mapping[str, float], items: Sequence[str], k: int) -> float:
    """Return NDCG@k of a row: its sum of gain / log2(place + 1), over the best one.

    It is 0 if no item has a gain.

    >>> measure_gain({"a": 1.0, "b": 1.0}, ["a", "x", "b"], 3)
    0.9197207891481876
    """
    best = math.fsum(
        gain / math.log2(place) for place, gain in enumerate(sorted(relevant.values(), reverse=True)[:k], 2)
    )
    gained = math.fsum(relevant.get(item, 0.0) / math.log2(place) for place, item in enumerate(items[:k], 2))
    return gained / best if best else 0.0


def measure_precision(relevant: Mapping[str, float], items: Sequence[str], k: int) -> float:
    """Return AP@k of a row: the precisions at its relevant items, over min(k, all).

    >>> measure_precision({"a": 1.0, "b": 1.0}, ["a", "x", "b"], 3)
    0.8333333333333333
    """
    right, precisions = 0, []
    for place, item in enumerate(items[:k], 1):
        if item in relevant:
            right += 1
            precisions.append(right / place)
    return math.fsum(precisions) / min(len(relevant), k)


def measure_recall(relevant: Mapping[str, float], items: Sequence[str], k: int) -> float:
    """Return recall@k of a row: the share of relevant items among the first k.

    >>> measure_recall({"a": 1.0, "b": 1.0}, ["a", "x", "b"], 2)
    0.5
    """
    return sum(item in relevant for item in items[:k]) / len(relevant)
