"""Published and hand-computed figures of `iqa_fusion` (docs/sources.md, "IQA fusion")."""

import json
import math

import pytest

from scoring_core.scorers.base import ScorerInputs
from scoring_core.scorers.iqa_fusion import IqaFusionParameters
from scoring_core.scorers.iqa_fusion.scoring import fuse, prepare
from scoring_core.scorers.iqa_fusion.submission import Level, QueryType, classify_query, spread_level


def test_result_scores_the_published_figure() -> None:
    """Within 2.5 to 3.0, as the source's acceptance case asks, with the level named in each of its three ways."""
    entry = {"query": "Rate the perceptual quality of this image", "tool_scores": [2.5, 2.7]}
    items = [{"id": str(level), "quality_level": level, **entry} for level in (3, "Fair", "C")]
    truth = json.dumps({str(item["id"]): {"mos": 3.0} for item in items}).encode()

    (evaluation,) = prepare(ScorerInputs(IqaFusionParameters(), truth))(json.dumps({"items": items}).encode())

    expected = {
        "query_type": "scoring",
        "final_answer": 2.9205253914281433,
        "quality_score": 2.9205253914281433,
        "quality_reasoning": None,
    }
    assert evaluation.detail["items"] == {"3": expected, "Fair": expected, "C": expected}


@pytest.mark.parametrize(
    ("tool_scores", "log_probs", "quality"),
    [
        ([], {}, 3.0),
        ([3.0], {}, 3.0),
        ([], spread_level(Level.EXCELLENT), 4.25),
        ([], spread_level(Level.BAD), 1.75),
        ([], {level: math.log(level / 15) for level in Level}, 55 / 15),
        ([], {Level.EXCELLENT: 0.0}, (5 + 10 * math.exp(-10)) / (1 + 4 * math.exp(-10))),
        (
            [1.0],
            {},
            sum(c * math.exp(-((1 - c) ** 2)) for c in range(1, 6))
            / sum(math.exp(-((1 - c) ** 2)) for c in range(1, 6)),
        ),
    ],
    ids=["nothing", "tool only", "level 5", "level 1", "no tools: mean of p", "missing levels: -10", "tool at the end"],
)
def test_hand_computed_fusion(tool_scores: list[float], log_probs: dict[Level, float], quality: float) -> None:
    """Fallbacks and small cases worked out by hand from the formulas of the source."""
    assert fuse(tool_scores, log_probs) == pytest.approx(quality, rel=1e-14)


def test_eta_zero_ignores_the_tools() -> None:
    """With eta 0 every level weighs the same, as without tools."""
    assert fuse([1.0], spread_level(Level.EXCELLENT), eta=0.0) == pytest.approx(4.25, rel=1e-14)


@pytest.mark.parametrize(
    ("query", "query_type"),
    [
        ("Rate the perceptual quality of this image", QueryType.SCORING),
        ("Is quality: A) Excellent B) Good C) Fair?", QueryType.MCQ),
        ("Is quality: A. Excellent B. Good C. Fair?", QueryType.MCQ),
        ("Rate it:\n(a) excellent\n(b) good", QueryType.MCQ),
        ("Score it. Choose from excellent, good and fair.", QueryType.MCQ),
        ("SCORE this picture", QueryType.SCORING),
        ("Assess the sharpness", QueryType.SCORING),
        ("Please evaluate.", QueryType.SCORING),
        ("What is the quality level?", QueryType.SCORING),
        ("What's the overall quality level of it?", QueryType.SCORING),
        ("Why is this image blurry?", QueryType.EXPLANATION),
        ("Describe the noise, e.g. banding, i.e. steps.", QueryType.EXPLANATION),
        ("Is option A) right?", QueryType.EXPLANATION),
        ("Which corporate logo is blurred?", QueryType.EXPLANATION),
        ("", QueryType.EXPLANATION),
    ],
)
def test_query_types_are_those_of_the_source(query: str, query_type: QueryType) -> None:
    """Query types of the source: options before words of rating, and whatever else is an explanation."""
    assert classify_query(query) is query_type
