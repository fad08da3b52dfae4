"""Correlations and the logistic fit: by hand, against scipy itself, and where there is none."""

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from scoring_core.scorers.iqa_fusion.scoring import fit_logistic, measure_agreement, measure_rmse
from tests.harness.imported import Imported

optimize, stats = Imported("scipy.optimize"), Imported("scipy.stats")
CORRELATIONS = ("SRCC", "PLCC", "KRCC")
QUALITY = [1.2, 1.9, 2.4, 2.4, 3.1, 3.3, 3.9, 4.2, 4.6, 4.8]
MOS = [1.0, 1.4, 2.6, 1.9, 3.0, 3.7, 4.4, 4.3, 4.5, 4.4]

pairs = st.lists(st.tuples(st.floats(1, 5), st.floats(-1e9, 1e9)), min_size=3, max_size=12)


def test_correlations_match_those_computed_by_hand() -> None:
    """Four pairs with one tie: rank sums 4.5, 4.5 and 5, moments 4.5, 4.75 and 5, five concordant pairs of six."""
    quality, mos = [1.0, 2.0, 2.0, 4.0], [1.0, 3.0, 2.0, 4.0]

    scores = measure_agreement(quality=quality, mos=mos)

    assert scores == pytest.approx(
        {"SRCC": 4.5 / math.sqrt(4.5 * 5), "PLCC": 4.5 / math.sqrt(4.75 * 5), "KRCC": 5 / math.sqrt(5 * 6)}
    )
    assert measure_rmse(quality=quality, mos=mos) == 0.5


def test_fit_against_scipy() -> None:
    """The fit agrees with `curve_fit` from the same start, and so do the two scores after it."""
    q, opinions = np.asarray(QUALITY), np.asarray(MOS)

    def bend(x: np.ndarray, b1: float, b2: float, b3: float, b4: float) -> np.ndarray:
        return b2 + (b1 - b2) / (1 + np.exp(-(x - b3) / abs(b4)))

    start = [opinions.max(), opinions.min(), q.mean(), q.std() / 4]
    fitted = bend(q, *optimize.curve_fit(bend, q, opinions, p0=start, maxfev=10_000)[0])

    scores = measure_agreement(quality=QUALITY, mos=MOS)

    assert fit_logistic(quality=QUALITY, mos=MOS) == pytest.approx(list(fitted), rel=1e-6)
    assert scores["PLCC_fitted"] == pytest.approx(stats.pearsonr(fitted, opinions).statistic, rel=1e-6)
    assert scores["RMSE_fitted"] == pytest.approx(float(np.sqrt(np.mean((fitted - opinions) ** 2))), rel=1e-6)


@pytest.mark.parametrize(
    ("quality", "mos"),
    [([], []), ([1.0], [2.0]), ([1.0, 2.0], [1.0, 2.0]), ([3.0] * 6, MOS[:6]), (QUALITY[:6], [3.0] * 6)],
    ids=["none", "one", "two", "constant quality", "constant MOS"],
)
def test_no_correlation_of_few_or_constant_items(quality: list[float], mos: list[float]) -> None:
    """Under three items, or where one side is constant, there is no correlation at all."""
    assert measure_agreement(quality=quality, mos=mos) == {}


def test_no_fit_under_five_items() -> None:
    """Four items have correlations and no fit, five have both."""
    four = measure_agreement(quality=QUALITY[:4], mos=MOS[:4])
    five = measure_agreement(quality=QUALITY[:5], mos=MOS[:5])

    assert set(four) == {*CORRELATIONS}
    assert set(five) == {*CORRELATIONS, "PLCC_fitted", "RMSE_fitted"}


def test_no_fit_without_convergence() -> None:
    """An exponential approaches a logistic without end: its two scores are left out, and the others are not."""
    quality = [*map(float, range(8))]

    scores = measure_agreement(quality=quality, mos=[2.0**each for each in quality])

    assert set(scores) == {*CORRELATIONS}


def test_perfect_agreement_is_one() -> None:
    """Equal sides correlate with exactly 1, opposite ones with exactly -1, whatever the rounding."""
    reverse = [-mos for mos in MOS]

    assert [measure_agreement(quality=MOS, mos=MOS)[name] for name in CORRELATIONS] == [1.0, 1.0, 1.0]
    assert [measure_agreement(quality=MOS, mos=reverse)[name] for name in CORRELATIONS] == [-1.0, -1.0, -1.0]


@given(pairs)
@example([(3.0, 1.0), (3.0, 2.0), (3.0000000000000004, 3.0), (3.0, 1.0), (3.0, 5.0)])
@example([(1.0, 5e-324), (2.0, 0.0), (3.0, 1e-323), (4.0, 1e-322), (5.0, 0.0)])
@example([(1.0, -1e9), (1.0, 1e9), (5.0, 1e9), (5.0, -1e9), (3.0, 0.0), (2.0, 1.0)])
def test_scores_stay_within_their_bounds(pairs: list[tuple[float, float]]) -> None:
    """Whatever the pairs, each score is absent or finite, correlations within [-1, 1] and errors at least 0."""
    quality, mos = zip(*pairs, strict=True)

    scores = measure_agreement(quality=quality, mos=mos)

    assert all(math.isfinite(score) for score in scores.values())
    assert all(-1 <= scores[name] <= 1 for name in scores if name != "RMSE_fitted")
    assert scores.get("RMSE_fitted", 0) >= 0
