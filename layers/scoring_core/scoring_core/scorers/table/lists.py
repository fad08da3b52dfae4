"""The metrics of lists of items, the best first, and of texts; of each row, whose mean or sum is the score."""

import math
from collections.abc import Hashable, Mapping, Sequence


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


def measure_overlap(relevant: Mapping[str, float], items: Sequence[str]) -> float:
    """Return F1 of a row's set of items, in any order: 2 |both| / (|one| + |other|).

    >>> measure_overlap({"a": 1.0, "b": 1.0}, ["b", "x", "y"])
    0.4
    """
    return 2 * sum(item in relevant for item in items) / (len(relevant) + len(items))


def count_edits(truth: Sequence[Hashable], given: Sequence[Hashable]) -> int:
    """Return Levenshtein's distance: insertions, deletions and substitutions.

    The time is the product of both lengths, over the width of the machine's words.

    Source: docs/sources.md, "Edit distance".

    >>> count_edits("kitten", "sitting"), count_edits("the cat".split(), "a cat sat".split())
    (3, 2)
    """
    masks: dict[Hashable, int] = {}
    for place, item in enumerate(truth):
        masks[item] = masks.get(item, 0) | 1 << place
    every, distance = (1 << len(truth)) - 1, len(truth)
    # Bit i of `up` and `down`: the distance rises or falls from the first i items of the truth to one more.
    up, down = every, 0
    for item in given:
        equal = masks.get(item, 0)
        diagonal = (((equal & up) + up) ^ up) | equal | down
        right, left = down | (every & ~(diagonal | up)), up & diagonal
        distance += ((right >> len(truth) - 1) & 1) - ((left >> len(truth) - 1) & 1) if truth else 1
        right, left = right << 1 | 1, left << 1
        up, down = (left | ~(diagonal | right)) & every, right & diagonal & every
    return distance
