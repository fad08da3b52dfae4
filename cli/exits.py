"""Exit codes: 0 ok, 1 failed, 2 usage; of `score` also 3 invalid and 4 evaluator_error."""

from scoring_core.errors import LaurelError
from scoring_core.outcome import Outcome

OK = 0
FAILED = 1
USAGE = 2
_OF_OUTCOME = {
    Outcome.SCORED: OK,
    Outcome.INTERNAL_ERROR: FAILED,
    Outcome.INVALID: 3,
    Outcome.EVALUATOR_ERROR: 4,
}


class UsageError(LaurelError):
    """A command was typed wrong: what it names is not there."""


def exit_code_of(outcome: Outcome) -> int:
    """Give the exit code by which `laurel score` tells an outcome."""
    return _OF_OUTCOME[outcome]
