"""How well predicted qualities agree with mean opinion scores: SRCC, PLCC, KRCC, RMSE, also after a logistic fit."""

import math
import statistics
from collections.abc import Sequence
from typing import TYPE_CHECKING

from scoring_core.scorers.base import Scores

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MIN_CORRELATED = 3
MIN_FITTED = 5
"""The logistic has four parameters: through four points it always goes."""
MAX_EVALUATIONS = 5_000
"""Points on a straight line creep towards a logistic without end: some hundreds of steps, not thousands."""


def measure_agreement(
    *, quality: Sequence[float], mos: Sequence[float], max_evaluations: int = MAX_EVALUATIONS
) -> Scores:
    """Correlate predicted qualities with mean opinion scores.

    scipy, which takes a second to import, is imported here and in nothing that runs before.

    Args:
        quality: Predicted qualities, finite.
        mos: The opinion scores of the same items, finite, on any scale.
        max_evaluations: After how many evaluations of the curve a fit has not converged.

    Returns:
        `SRCC` (Spearman, ties get their average rank), `PLCC` (Pearson), `KRCC` (Kendall's tau-b), each in [-1, 1]
        and higher is better; from 5 items on also `PLCC_fitted` and `RMSE_fitted`, where the fit converged. Under 3
        items, or where one side is constant, there is no correlation: an empty dict.

    Source: docs/sources.md, "IQA fusion", the measures of agreement.

    >>> measure_agreement(quality=[1.0, 2.0, 3.0], mos=[10.0, 20.0, 30.0])
    {'SRCC': 1.0, 'PLCC': 1.0, 'KRCC': 1.0}
    """
    if len(quality) < MIN_CORRELATED or _is_constant(quality) or _is_constant(mos):
        return {}
    from scipy import stats  # noqa: PLC0415  # slow to import, and most results never need it

    scores: Scores = {
        "SRCC": _within_one(stats.spearmanr(quality, mos).statistic),
        "PLCC": _correlate_linearly(quality, mos),
        "KRCC": _within_one(stats.kendalltau(quality, mos).statistic),
    }
    return scores | _measure_after_fit(quality=quality, mos=mos, max_evaluations=max_evaluations)


def measure_rmse(*, quality: Sequence[float], mos: Sequence[float]) -> float:
    """Give the root of the mean squared error, at least 0; both sides on one scale, at least one item.

    >>> measure_rmse(quality=[1.0, 5.0], mos=[4.0, 1.0])
    3.5355339059327378
    """
    squares = [(predicted - opinion) ** 2 for predicted, opinion in zip(quality, mos, strict=True)]
    return math.sqrt(statistics.fmean(squares))


def fit_logistic(
    *, quality: Sequence[float], mos: Sequence[float], max_evaluations: int = MAX_EVALUATIONS
) -> list[float]:
    """Map qualities onto the scale of the opinion scores by a logistic of four parameters.

    `b2 + (b1 - b2) / (1 + exp(-(q - b3) / |b4|))`, by least squares (Levenberg-Marquardt) from (max MOS, min MOS,
    mean q, standard deviation of q / 4), the deviation being that of the population. The curve may also fall.

    Args:
        quality: Predicted qualities, not all equal, at least 4.
        mos: The opinion scores of the same items.
        max_evaluations: After how many evaluations of the curve the fit gives up.

    Returns:
        One fitted opinion score for each quality; an empty list where the fit did not converge.
    """
    import numpy as np  # noqa: PLC0415  # as scipy
    from scipy import optimize  # noqa: PLC0415  # as above

    abscissae, ordinates = np.asarray(quality, dtype=float), np.asarray(mos, dtype=float)
    start = (ordinates.max(), ordinates.min(), abscissae.mean(), abscissae.std() / 4)
    with np.errstate(all="ignore"):
        fit = optimize.least_squares(
            lambda parameters: _bend(abscissae, parameters) - ordinates,
            start,
            lambda parameters: _differentiate(abscissae, parameters),
            method="lm",
            x_scale="jac",
            max_nfev=max_evaluations,
        )
        fitted = _bend(abscissae, fit.x)
    return [float(value) for value in fitted] if fit.success and np.isfinite(fitted).all() else []


def _bend(quality: "NDArray[np.float64]", parameters: "NDArray[np.float64]") -> "NDArray[np.float64]":
    from scipy import special  # noqa: PLC0415  # as above

    top, bottom, middle, width = parameters
    # expit(z) is 1 / (1 + exp(-z)) that does not overflow.
    curve: NDArray[np.float64] = bottom + (top - bottom) * special.expit((quality - middle) / abs(width))
    return curve


def _differentiate(quality: "NDArray[np.float64]", parameters: "NDArray[np.float64]") -> "NDArray[np.float64]":
    """Give the derivatives of the curve, one row for each quality, one column for each parameter."""
    import numpy as np  # noqa: PLC0415  # as above
    from scipy import special  # noqa: PLC0415  # as above

    top, bottom, middle, width = parameters
    z = (quality - middle) / abs(width)
    share = special.expit(z)
    slope = (top - bottom) * share * special.expit(-z)
    return np.column_stack([share, 1 - share, -slope / abs(width), -slope * z / width])


def _measure_after_fit(*, quality: Sequence[float], mos: Sequence[float], max_evaluations: int) -> Scores:
    if len(quality) < MIN_FITTED:
        return {}
    fitted = fit_logistic(quality=quality, mos=mos, max_evaluations=max_evaluations)
    if not fitted:
        return {}
    scores: Scores = {} if _is_constant(fitted) else {"PLCC_fitted": _correlate_linearly(fitted, mos)}
    return scores | {"RMSE_fitted": measure_rmse(quality=fitted, mos=mos)}


def _correlate_linearly(one: Sequence[float], other: Sequence[float]) -> float:
    return _within_one(statistics.correlation(_stretch(one), _stretch(other)))


def _stretch(values: Sequence[float]) -> list[float]:
    """Map values onto [0, 1], so that no square of a tiny spread becomes 0."""
    low, high = min(values), max(values)
    return [(value - low) / (high - low) for value in values]


def _is_constant(values: Sequence[float]) -> bool:
    return min(values) == max(values)


def _within_one(correlation: float) -> float:
    """Undo the rounding that makes a perfect correlation 1.0000000000000002."""
    return float(min(1.0, max(-1.0, correlation)))
