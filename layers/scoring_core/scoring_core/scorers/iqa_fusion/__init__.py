"""`iqa_fusion`: tool scores and a model's belief fused into one quality, compared with mean opinion scores.

Answers to multiple-choice questions are scored beside it. Source: docs/sources.md, "IQA fusion".
"""

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from scoring_core.io.strict_models import StrictModel
from scoring_core.scorers.base import ScorerSpec

SCORE_NAMES = (
    "SRCC",
    "PLCC",
    "KRCC",
    "RMSE",
    "PLCC_fitted",
    "RMSE_fitted",
    "MCQ_accuracy",
    "n_scored",
    "n_mcq",
)


class MissingItems(StrEnum):
    """How a result is scored that lacks ids of the ground truth."""

    ERROR = "error"
    """The result is invalid."""
    IGNORE = "ignore"
    """They do not count. A player then chooses what counts, and a single item reveals its opinion score."""


class IqaFusionParameters(StrictModel):
    """The `parameters:` of a benchmark with this scorer.

    Args:
        eta: How sharply the mean of the tools weighs the levels, 0 (not at all) to 1,000,000.
        missing: How a result is scored that lacks ids of the ground truth.
        confusion_minimum: How often a letter must be given for its row of the confusion table to be shown. A row of a
            letter given once would reveal its right letter; with 1, or a small set, the table reveals the truth.
    """

    eta: Annotated[float, Field(strict=True, ge=0, le=1e6, allow_inf_nan=False)] = 1.0
    missing: MissingItems = MissingItems.ERROR
    confusion_minimum: Annotated[int, Field(strict=True, ge=1)] = 5


SPEC = ScorerSpec("iqa_fusion", IqaFusionParameters, SCORE_NAMES, revision=2)
