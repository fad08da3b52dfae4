"""The scores of `iqa_fusion`: fusion, agreement with mean opinion scores, and accuracy of answers."""

import math
import re
import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, cast

from scoring_core.errors import InvalidResult
from scoring_core.io.text import list_some
from scoring_core.metrics.numbers import correlate, correlate_order, correlate_ranks, is_constant, rank
from scoring_core.scorers.base import Evaluation, Json, ScorerInputs, Scores
from scoring_core.scorers.iqa_fusion import SCORE_NAMES, IqaFusionParameters, MissingItems
from scoring_core.scorers.iqa_fusion.ground_truth import Truth, read_truth
from scoring_core.scorers.iqa_fusion.submission import Item, Level, QueryType, classify_query, read_items

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MIN_CORRELATED = 3
MIN_FITTED = 5
"""The logistic has four parameters: it goes through any four points."""
_MAX_EVALUATIONS = 5_000
"""Points on a straight line approach a logistic without end. Other fits take hundreds of evaluations."""
_TOLERANCE = 1e-8
_CONVERGED = range(1, 5)
"""MINPACK's `info` of a fit that ended by one of the tolerances."""
_LOG_PROB_OF_MISSING_LEVEL = -10.0
_SHOWN_UNKNOWN = 100
_NO_LETTER = "none"
# Possessive: `\s*\(?\s*` would try each way to share the white space, which is quadratic.
_LETTER = re.compile(r"\s*+(?:\(\s*+)?([A-Za-z])\s*+(?:$|[).:])")


def prepare(inputs: ScorerInputs) -> "IqaFusion":
    """Build the scorer. Raises EvaluatorError if the ground truth is wrong."""
    return IqaFusion(cast("IqaFusionParameters", inputs.parameters), read_truth(inputs.ground_truth or b""))


def fuse(tool_scores: Sequence[float], log_probs: Mapping[Level, float], *, eta: float = 1.0) -> float:
    """Fuse tool scores and a model's belief into one quality.

    The quality is the mean level under weights `alpha_c * p_c`, where p is the softmax of the log-probabilities and
    `alpha_c` is proportional to `exp(-eta * (mean(tool_scores) - c)**2)`: one softmax of the sum, so that nothing
    underflows.

    Args:
        tool_scores: Each in [1, 5]; without any, every level weighs the same.
        log_probs: Level → log-probability, finite, up to a common constant; a missing level counts as -10, so an empty
            mapping is a uniform belief.
        eta: How sharply the tools weigh, at least 0.

    Returns:
        The quality in [1, 5], higher is better; it never falls when the mean of the tools rises.

    Source: docs/sources.md, "IQA fusion"; dividing by the sum of the weights keeps it on the scale of the levels.

    >>> from scoring_core.scorers.iqa_fusion.submission import spread_level
    >>> fuse([2.5, 2.7], spread_level(Level.FAIR))
    2.9205253914281433
    """
    beliefs = [log_probs.get(level, _LOG_PROB_OF_MISSING_LEVEL) for level in Level]
    # Subtract the maximum first: beside a log-probability of 1e300 the tools would vanish.
    logits = [belief - max(beliefs) for belief in beliefs]
    if tool_scores:
        measured = statistics.fmean(tool_scores)
        logits = [logit - eta * (measured - level) ** 2 for logit, level in zip(logits, Level, strict=True)]
    weights = [math.exp(logit - max(logits)) for logit in logits]
    quality = math.fsum(level * weight for level, weight in zip(Level, weights, strict=True)) / math.fsum(weights)
    return min(5.0, max(1.0, quality))


class _Answer(NamedTuple):
    """The answer of an item: a quality for scoring, a letter for a multiple-choice question, else a text."""

    query_type: QueryType
    final_answer: str | float | None
    quality_score: float | None
    quality_reasoning: str | None


@dataclass(frozen=True, slots=True)
class IqaFusion:
    """The prepared scorer; all that it reveals of the ground truth are sums over many items."""

    parameters: IqaFusionParameters
    truth: Truth

    def __call__(self, result: bytes, /, *, part: str | None = None) -> tuple[Evaluation]:  # noqa: ARG002  # no parts
        """Score one result.

        Returns:
            One evaluation. Scores: see SCORE_NAMES; what cannot be computed is absent. Detail: `items`, id →
            `{query_type, final_answer, quality_score, quality_reasoning}`, with the first 100 of the unknown ids;
            `unknown` and `missing` (counts of ids); and, with questions, `confusion` (given letter → right letter →
            count) and `confusion_withheld` (how many answers the table omits, see the parameter `confusion_minimum`).

        Raises:
            InvalidResult: The result is malformed, or lacks ids and `missing` is error.
        """
        items = read_items(result)
        missing = self._check_missing(items)
        unknown = [id_ for id_ in items if id_ not in self.truth]
        omitted = set(unknown[_SHOWN_UNKNOWN:])
        answers = {item.id: self._answer(item) for item in items.values() if item.id not in omitted}
        detail: dict[str, Json] = {
            "items": {id_: answer._asdict() for id_, answer in answers.items()},
            "unknown": len(unknown),
            "missing": missing,
        }
        scores = self._score(answers)
        if scores["n_mcq"]:
            detail |= self._tabulate_confusion(answers)
        return (Evaluation({name: scores[name] for name in SCORE_NAMES if name in scores}, detail),)

    def _check_missing(self, items: Mapping[str, Item]) -> int:
        missing = [id_ for id_ in self.truth if id_ not in items]
        if missing and self.parameters.missing is MissingItems.ERROR:
            raise InvalidResult(
                f"expected an item for each of the {len(self.truth)} ids, {len(missing)} are missing: "
                f"{list_some(map(repr, missing))}",
                "/items",
            )
        return len(missing)

    def _answer(self, item: Item) -> _Answer:
        match self.truth.get(item.id):
            case float():
                query_type = QueryType.SCORING
            case str():
                query_type = QueryType.MCQ
            case None:
                query_type = classify_query(item.query)
        match query_type:
            case QueryType.SCORING:
                quality = fuse(item.tool_scores, item.log_probs, eta=self.parameters.eta)
                return _Answer(query_type, quality, quality, item.quality_reasoning)
            case QueryType.MCQ:
                return _Answer(query_type, _find_letter(item.final_answer), None, item.quality_reasoning)
            case QueryType.EXPLANATION:
                return _Answer(query_type, item.final_answer, None, item.quality_reasoning)

    def _score(self, answers: Mapping[str, _Answer]) -> Scores:
        all_mos = {id_: mos for id_, mos in self.truth.items() if isinstance(mos, float)}
        mos = [mos for id_, mos in all_mos.items() if id_ in answers]
        quality = [quality for id_ in all_mos if id_ in answers and (quality := answers[id_].quality_score) is not None]
        letters = {id_: letter for id_, letter in self.truth.items() if isinstance(letter, str) and id_ in answers}
        scores: Scores = {"n_scored": len(mos), "n_mcq": len(letters)} | measure_agreement(quality=quality, mos=mos)
        if mos and all(Level.BAD <= each <= Level.EXCELLENT for each in all_mos.values()):
            scores["RMSE"] = measure_rmse(quality=quality, mos=mos)
        if letters:
            right = sum(answers[id_].final_answer == letter for id_, letter in letters.items())
            scores["MCQ_accuracy"] = 100 * right / len(letters)
        return scores

    def _tabulate_confusion(self, answers: Mapping[str, _Answer]) -> dict[str, Json]:
        # A letter that is right nowhere gets no row: each row reveals something of the truth.
        letters = {id_: letter for id_, letter in self.truth.items() if isinstance(letter, str)}
        options = set(letters.values())
        rows: dict[str, Counter[str]] = {}
        for id_, right in letters.items():
            if id_ in answers:
                given = answers[id_].final_answer
                rows.setdefault(str(given) if given in options else _NO_LETTER, Counter())[right] += 1
        shown = {given: row for given, row in rows.items() if row.total() >= self.parameters.confusion_minimum}
        return {
            "confusion": {given: {**dict(sorted(shown[given].items()))} for given in sorted(shown)},
            "confusion_withheld": sum(row.total() for row in rows.values()) - sum(r.total() for r in shown.values()),
        }


def _find_letter(answer: str | float | None) -> str | None:
    """Return the letter of "C", "c)", "(C)" or "C. Fair", if there is one."""
    match = _LETTER.match(answer) if isinstance(answer, str) else None
    return match[1].upper() if match else None


def measure_agreement(*, quality: Sequence[float], mos: Sequence[float]) -> Scores:
    """Correlate predicted qualities with mean opinion scores.

    Args:
        quality: Predicted qualities, finite.
        mos: The opinion scores of the same items, finite, on any scale.

    Returns:
        `SRCC` (Spearman, ties get their average rank), `PLCC` (Pearson), `KRCC` (Kendall's tau-b), each in [-1, 1],
        higher is better; from 5 items on also `PLCC_fitted` and `RMSE_fitted`, if the fit converged. Nothing with fewer
        than 3 items, or if one side is constant.

    Source: docs/sources.md, "IQA fusion", the measures of agreement.

    >>> measure_agreement(quality=[1.0, 2.0, 3.0], mos=[10.0, 20.0, 30.0])
    {'SRCC': 1.0, 'PLCC': 1.0, 'KRCC': 1.0}
    """
    if len(quality) < MIN_CORRELATED or is_constant(quality) or is_constant(mos):
        return {}
    correlations = {
        "SRCC": correlate_ranks(rank(quality), rank(mos)),
        "PLCC": correlate(quality, mos, None),
        "KRCC": correlate_order(quality, mos),
    }
    scores: Scores = {name: _within_one(value) for name, value in correlations.items() if value is not None}
    return scores | _measure_after_fit(quality=quality, mos=mos)


def measure_rmse(*, quality: Sequence[float], mos: Sequence[float]) -> float:
    """Return the root of the mean squared error of at least one item.

    >>> measure_rmse(quality=[1.0, 5.0], mos=[4.0, 1.0])
    3.5355339059327378
    """
    squares = [(predicted - opinion) ** 2 for predicted, opinion in zip(quality, mos, strict=True)]
    return math.sqrt(statistics.fmean(squares))


def fit_logistic(*, quality: Sequence[float], mos: Sequence[float]) -> list[float]:
    """Map qualities onto the scale of the opinion scores by a logistic.

    `b2 + (b1 - b2) / (1 + exp(-(q - b3) / |b4|))`, by least squares (Levenberg-Marquardt) from (max MOS, min MOS,
    mean q, standard deviation of q / 4), the deviation being that of the population. The curve may also fall.

    Args:
        quality: Predicted qualities, not all equal, at least 4.
        mos: The opinion scores of the same items.

    Returns:
        One fitted opinion score for each quality; nothing if the fit did not converge.
    """
    import numpy as np  # noqa: PLC0415  # slow to import, and most results never need it
    from scipy import optimize, special  # noqa: PLC0415  # as above

    abscissae, ordinates = np.asarray(quality, dtype=float), np.asarray(mos, dtype=float)

    add, divide, multiply, subtract, expit = np.add, np.divide, np.multiply, np.subtract, special.expit
    z, scaled, slope, error = (np.empty_like(abscissae) for _ in range(4))
    derivatives = np.empty((4, len(abscissae)))
    share, rest, by_middle, by_width = derivatives  # the first two are those by top and by bottom

    def bend(parameters: "NDArray[np.float64]") -> "NDArray[np.float64]":
        top, bottom, middle, width = parameters.tolist()
        subtract(abscissae, middle, z)
        divide(z, abs(width), z)
        expit(z, share)  # 1 / (1 + exp(-z)) that does not overflow
        multiply(share, top - bottom, scaled)
        add(scaled, bottom, error)
        return error

    def differentiate(parameters: "NDArray[np.float64]") -> "NDArray[np.float64]":
        """Return one row for each parameter, one column for each quality.

        MINPACK has made the curve of the same parameters just before.
        """
        width = float(parameters[3])
        np.negative(z, slope)
        expit(slope, slope)
        multiply(slope, scaled, slope)
        subtract(1.0, share, rest)
        divide(slope, -abs(width), by_middle)
        multiply(slope, z, slope)
        divide(slope, -width, by_width)
        return derivatives

    start = np.array([ordinates.max(), ordinates.min(), abscissae.mean(), abscissae.std() / 4])
    with np.errstate(all="ignore"):
        # Not `least_squares(method="lm")`, which calls the same MINPACK by a wrapper that takes as long as the curve.
        parameters, *_, status = optimize.leastsq(
            lambda parameters: subtract(bend(parameters), ordinates, error),
            start,
            Dfun=differentiate,
            col_deriv=True,
            full_output=True,
            ftol=_TOLERANCE,
            xtol=_TOLERANCE,
            gtol=_TOLERANCE,
            maxfev=_MAX_EVALUATIONS,
        )
        fitted = bend(parameters)
    return [float(value) for value in fitted] if status in _CONVERGED and np.isfinite(fitted).all() else []


def _measure_after_fit(*, quality: Sequence[float], mos: Sequence[float]) -> Scores:
    if len(quality) < MIN_FITTED:
        return {}
    fitted = fit_logistic(quality=quality, mos=mos)
    if not fitted:
        return {}
    linear = correlate(fitted, mos, None)
    scores: Scores = {} if linear is None else {"PLCC_fitted": _within_one(linear)}
    return scores | {"RMSE_fitted": measure_rmse(quality=fitted, mos=mos)}


def _within_one(correlation: float) -> float:
    """Undo the rounding that makes a perfect correlation 1.0000000000000002."""
    return min(1.0, max(-1.0, correlation))
