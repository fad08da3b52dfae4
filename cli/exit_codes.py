"""The exit codes of all commands, for programs: whether to go on, to fix something, or to repeat the command later."""

from collections.abc import Mapping
from typing import ClassVar, Final

from scoring_core.errors import LaurelError

OK: Final = 0
FAILED: Final = 1
USAGE: Final = 2
INVALID: Final = 3
EVALUATOR_ERROR: Final = 4
NOT_FINISHED: Final = 5
TRY_LATER: Final = 6

MEANINGS: Final[Mapping[int, str]] = {
    OK: "Done.",
    FAILED: "Something must be fixed; the output says what. Of several reasons this one counts.",
    USAGE: "The command was typed wrong.",
    INVALID: "Of `laurel score`: the result is invalid, and its player must fix it.",
    EVALUATOR_ERROR: "Of `laurel score`: the benchmark is at fault, and its owner must fix it.",
    NOT_FINISHED: "Nothing is wrong so far, but results are still being scored; repeat the command.",
    TRY_LATER: "A quota is used up, or the site is busy or at fault; repeat the command later, unchanged.",
}
"""Exit code → what it means, as the help and docs/players.md say it."""


class CommandError(LaurelError):
    """An error that ends a command with an exit code of its own."""

    exit_code: ClassVar[int] = FAILED


class UsageError(CommandError):
    """A command was typed wrong: what it names does not exist."""

    exit_code = USAGE


def choose_exit_code(*, failed: bool, try_later: bool = False, unfinished: bool = False) -> int:
    """Return the exit code of a command that did several things.

    >>> choose_exit_code(failed=True, unfinished=True), choose_exit_code(failed=False, try_later=True)
    (1, 6)
    """
    if failed:
        return FAILED
    if try_later:
        return TRY_LATER
    return NOT_FINISHED if unfinished else OK
