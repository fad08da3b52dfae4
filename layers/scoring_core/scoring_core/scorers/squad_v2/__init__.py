"""`squad_v2`: exact match and F1 as the official SQuAD 2.0 evaluation computes them, to the last bit."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from scoring_core.io.strict_models import StrictModel
from scoring_core.scorers.base import ScorerSpec

SCORE_NAMES = (
    "exact",
    "f1",
    "total",
    "HasAns_exact",
    "HasAns_f1",
    "HasAns_total",
    "NoAns_exact",
    "NoAns_f1",
    "NoAns_total",
    "best_exact",
    "best_exact_thresh",
    "best_f1",
    "best_f1_thresh",
    "pr_exact_ap",
    "pr_f1_ap",
    "pr_oracle_ap",
)
"""Every score in the official order; a group without questions, and what needs `na_probs`, is absent."""


class MissingAnswers(StrEnum):
    """What a missing prediction does to a result."""

    ERROR = "error"
    ZERO = "zero"


class SquadParameters(StrictModel):
    """The `parameters:` of a benchmark with this scorer.

    Args:
        na_prob_thresh: A prediction whose no-answer probability is above this counts as "no answer" in all scores
            except best_* and pr_*.
        missing: A missing prediction makes the result invalid, or scores 0 everywhere.
    """

    na_prob_thresh: Annotated[float, Field(strict=True, allow_inf_nan=False)] = 1.0
    missing: MissingAnswers = MissingAnswers.ERROR


SPEC = ScorerSpec("squad_v2", SquadParameters, SCORE_NAMES)
