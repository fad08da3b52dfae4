"""The outcome of a submission. A module of its own: code that only stores or shows outcomes imports no scorer."""

from enum import StrEnum


class Outcome(StrEnum):
    """How a submission ended, and so who must act."""

    SCORED = "scored"
    INVALID = "invalid"
    EVALUATOR_ERROR = "evaluator_error"
    INTERNAL_ERROR = "internal_error"
