"""How a submission ends: whoever only keeps or tells outcomes needs this, and none of what decides them."""

from enum import StrEnum


class Outcome(StrEnum):
    """How a submission ended, and so who must act."""

    SCORED = "scored"
    INVALID = "invalid"
    EVALUATOR_ERROR = "evaluator_error"
    INTERNAL_ERROR = "internal_error"
