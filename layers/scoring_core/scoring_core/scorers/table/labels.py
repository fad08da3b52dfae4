"""The metrics of labels: shares of right rows, and what follows from how often each class was taken for which."""

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import NamedTuple


class Confusion(NamedTuple):
    """How much weight fell on each class, and on each pair of classes.

    Args:
        classes: The codes of all classes that count, in their order: declared, or true or given somewhere.
        pairs: (true class, given class) → weight, above 0.
        true: Class → weight of the rows that are of it.
        given: Class → weight of the rows that were given it.
        total: Of all rows.
    """

    classes: Sequence[float]
    pairs: dict[tuple[float, float], float]
    true: dict[float, float]
    given: dict[float, float]
    total: float

    def right(self, code: float) -> float:
        """Return the weight of the rows of a class that were given it."""
        return self.pairs.get((code, code), 0)


def confuse(
    truth: Sequence[float], given: Sequence[float], weights: Sequence[float] | None, classes: Sequence[float]
) -> Confusion:
    """Count pairs of classes. Without weights all counts are whole.

    Args:
        truth: The code of each row's class.
        given: The code that a result has for it.
        weights: One for each row; None if each is 1.
        classes: The declared ones; empty if those count that occur.
    """
    if weights is None:
        pairs: dict[tuple[float, float], float] = dict(Counter(zip(truth, given, strict=True)))
    else:
        parted: dict[tuple[float, float], list[float]] = defaultdict(list)
        for right, guess, weight in zip(truth, given, weights, strict=True):
            if weight:  # a row that does not count names no class
                parted[right, guess].append(weight)
        pairs = {pair: math.fsum(parts) for pair, parts in parted.items()}
    true: dict[float, float] = defaultdict(int)
    guessed: dict[float, float] = defaultdict(int)
    for (right, guess), weight in pairs.items():
        true[right] += weight
        guessed[guess] += weight
    return Confusion(classes or sorted({*true, *guessed}), pairs, true, guessed, sum(true.values()))


def balance_accuracy(confusion: Confusion) -> float | None:
    """Return the mean over the true classes of the share that was given right."""
    shares = [confusion.right(code) / weight for code, weight in confusion.true.items() if weight]
    return math.fsum(shares) / len(shares)


class Rates(NamedTuple):
    """Precision, recall and F1; each 0 where it would divide by 0."""

    precision: float
    recall: float
    f1: float


def rate(confusion: Confusion, average: str, positive: float) -> Rates:
    """Return precision, recall and F1.

    Args:
        confusion: Of all rows.
        average: "" for those of the positive class; `micro` of all rows, `macro` the mean over classes, `weighted` the
            mean over classes by their weight in the truth.
        positive: The code of the positive class.
    """
    if average == "":
        return _rate(confusion, [positive])
    if average == "micro":
        return _rate(confusion, confusion.classes)
    rates = [_rate(confusion, [code]) for code in confusion.classes]
    shares = [1.0 if average == "macro" else confusion.true.get(code, 0.0) for code in confusion.classes]
    total = math.fsum(shares)
    if not total:
        return Rates(0.0, 0.0, 0.0)
    return Rates(
        *(
            math.fsum(share * value for share, value in zip(shares, each, strict=True)) / total
            for each in zip(*rates, strict=True)
        )
    )


def _rate(confusion: Confusion, codes: Sequence[float]) -> Rates:
    right = math.fsum(confusion.right(code) for code in codes)
    given = math.fsum(confusion.given.get(code, 0) for code in codes)
    true = math.fsum(confusion.true.get(code, 0) for code in codes)
    return Rates(
        right / given if given else 0.0,
        right / true if true else 0.0,
        2 * right / (given + true) if given + true else 0.0,
    )


def correlate_classes(confusion: Confusion) -> float:
    """Return Matthews' coefficient; 0 if all rows are of one class, or were given one."""
    right = sum(confusion.right(code) for code in confusion.true)
    total, true, given = confusion.total, confusion.true, confusion.given
    shared = right * total - sum(weight * given.get(code, 0) for code, weight in true.items())
    spread = (total * total - sum(weight * weight for weight in true.values())) * (
        total * total - sum(weight * weight for weight in given.values())
    )
    return shared / math.sqrt(spread) if spread > 0 else 0.0


def agree(confusion: Confusion) -> float | None:
    """Return Cohen's kappa; None if both sides have one class, the same."""
    true, given = confusion.true, confusion.given
    wrong = confusion.total - sum(confusion.right(code) for code in true)
    by_chance = confusion.total - sum(weight * given.get(code, 0) for code, weight in true.items()) / confusion.total
    return 1 - wrong / by_chance if by_chance else None


def agree_by_distance(confusion: Confusion) -> float | None:
    """Return Cohen's kappa, weighted by squared distances of places; None as `agree`."""
    place = {code: index for index, code in enumerate(confusion.classes)}
    wrong = sum(weight * (place[true] - place[given]) ** 2 for (true, given), weight in confusion.pairs.items())
    # The sum over all pairs of classes of true × given × distance², from the moments of both sides.
    true = [sum(weight * place[code] ** power for code, weight in confusion.true.items()) for power in range(3)]
    given = [sum(weight * place[code] ** power for code, weight in confusion.given.items()) for power in range(3)]
    by_chance = true[2] * given[0] - 2 * true[1] * given[1] + true[0] * given[2]
    return 1 - wrong * confusion.total / by_chance if by_chance else None
