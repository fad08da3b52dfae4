"""The outcome of a submission. A module of its own: code that only stores or shows outcomes imports no scorer."""

from enum import StrEnum


class Outcome(StrEnum):
    """How a submission ended, and so who must act."""

    SCORED = "scored"
    INVALID = "invalid"
    EVALUATOR_ERROR = "evaluator_error"
    INTERNAL_ERROR = "internal_error"


VERSION_AT, TAKEN_OVER = 14, "8"
"""Where the id of a submission, a UUID, has its version, and which one a row of an earlier board has."""
LINK_LENGTH, NOTE_LENGTH = 1000, 300
"""How many characters the link and the note of such a row have at most."""


def is_taken_over(submission: str) -> bool:
    """Return whether a submission is a row of an earlier board."""
    return submission[VERSION_AT : VERSION_AT + 1] == TAKEN_OVER
