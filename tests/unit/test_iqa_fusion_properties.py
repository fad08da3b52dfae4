"""`iqa_fusion` under any input: bounds, monotony, invariance, and nothing but its own errors for any JSON."""

import json
import re
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from scoring_core.errors import EvaluatorError
from scoring_core.scorers.iqa_fusion.ground_truth import read_truth
from scoring_core.scorers.iqa_fusion.scoring import _find_letter, fuse
from scoring_core.scorers.iqa_fusion.submission import Level

tools = st.lists(st.floats(1, 5), max_size=4)
extreme = st.sampled_from([-1.7e308, -1e308, -1e17, -745.0, 0.0, 1e300, 1.7e308])
beliefs = st.dictionaries(st.sampled_from(Level), st.floats(-8, 0))
any_beliefs = st.dictionaries(st.sampled_from(Level), extreme | st.floats(allow_nan=False, allow_infinity=False))
etas = st.sampled_from([0.0, 0.5, 1.0, 10.0, 1e6])

scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
values = scalars | st.sampled_from(["A", "fair", 3, 3.0, 10**400, [1, 5], {"1": -1e308}, {}, []])
json_values = st.recursive(
    values, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3)
)
PLAIN_LETTER = re.compile(r"\s*\(?\s*([A-Za-z])\s*(?:$|[).:])")
"""What the scorer's pattern means, written plainly; it takes quadratic time."""
truths = json_values | st.dictionaries(
    st.text(), st.fixed_dictionaries({}, optional={"mos": values, "answer": values}) | json_values, max_size=3
)


@given(tools, any_beliefs, etas)
@example([], {Level.BAD: 1.7e308, Level.GOOD: -1.7e308}, 1.0)
@example([5.0], dict.fromkeys(Level, -1e308), 1e6)
def test_quality_stays_between_1_and_5(tool_scores: list[float], log_probs: dict[Level, float], eta: float) -> None:
    """The quality is within [1, 5] for any log-probabilities."""
    assert 1 <= fuse(tool_scores, log_probs, eta=eta) <= 5


@given(st.floats(1, 5), st.floats(1, 5), any_beliefs, st.sampled_from([0.0, 0.5, 1.0, 10.0]))
def test_monotone_in_the_tool_mean(left: float, right: float, log_probs: dict[Level, float], eta: float) -> None:
    """A higher mean of the tools never lowers the quality."""
    low, high = sorted([left, right])

    assert fuse([low], log_probs, eta=eta) <= fuse([high], log_probs, eta=eta) + 1e-12


@given(st.floats(1, 4.9), beliefs)
def test_the_tools_count(measured: float, log_probs: dict[Level, float]) -> None:
    """With moderate beliefs a higher mean of the tools raises the quality."""
    assert fuse([measured], log_probs) < fuse([measured + 0.1], log_probs)


@given(st.permutations([1.1, 2.7, 3.3, 4.9]), beliefs)
def test_order_of_tools(tool_scores: list[float], log_probs: dict[Level, float]) -> None:
    """The order of the tools changes nothing, to the last bit."""
    assert fuse(tool_scores, log_probs) == fuse(sorted(tool_scores), log_probs)


@given(tools, st.lists(st.floats(-50, 0), min_size=5, max_size=5), st.floats(-1000, 1000))
def test_invariant_to_a_constant(tool_scores: list[float], log_probs: list[float], constant: float) -> None:
    """Adding one constant to all five log-probabilities changes nothing but rounding."""
    plain = dict(zip(Level, log_probs, strict=True))
    shifted = {level: log_prob + constant for level, log_prob in plain.items()}

    assert fuse(tool_scores, shifted) == pytest.approx(fuse(tool_scores, plain), abs=1e-10)


@pytest.mark.parametrize("log_prob", [-1e308, -1e17, 0.0, 1e300])
def test_tools_count_beside_any_constant(log_prob: float) -> None:
    """Five equal log-probabilities are a uniform belief, however large: the tools do not vanish beside them."""
    assert fuse([1.5], dict.fromkeys(Level, log_prob)) == fuse([1.5], {})


@given(truths)
def test_any_ground_truth_is_read_or_the_owners_fault(truth: Any) -> None:
    """Any JSON is read as a ground truth of at least one id, or is the owner's error; nothing else escapes."""
    count = 1

    try:
        count = len(read_truth(json.dumps(truth).encode()))
    except EvaluatorError as error:
        assert error.message.startswith("ground truth: expected")  # noqa: PT017  # both ends are right

    assert count >= 1


@given(st.text(" \t\n\x85()aZß.:1", max_size=9))
def test_letter_is_found_as_by_the_plain_pattern(answer: str) -> None:
    """The pattern that takes white space once finds the letters of the plain one, and no others."""
    match = PLAIN_LETTER.match(answer)

    assert _find_letter(answer) == (match[1].upper() if match else None)
