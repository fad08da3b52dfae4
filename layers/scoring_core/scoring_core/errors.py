"""The errors of scoring, each named after who must act on it.

LaurelError
├── InvalidResult      the player: this result cannot be scored        → outcome `invalid`
├── EvaluatorError     the owner: this benchmark cannot score          → outcome `evaluator_error`
│   └── BenchmarkError the owner: this folder or bundle is no benchmark
├── StrictJsonError    these bytes are no strict JSON; their reader knows who must act
├── ZipError           this ZIP, or an entry of it, cannot be read safely; likewise
├── TableError         this CSV, TSV or JSON is no sound table; likewise
├── Rejected           the caller: what is stored does not allow it    → the problem that it names
└── SandboxFailure     us: an evaluation script could not be run       → retried, then `internal_error`

Any other error is ours: it is retried, and ends as outcome `internal_error`.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scoring_core.output import Output


class LaurelError(Exception):
    """The root of every error that Laurel raises on purpose."""


class Rejected(LaurelError):
    """What is stored does not allow what somebody asks; `problem` names that for programs, `pointer` the place."""

    problem: str
    pointer: str | None = None


class InvalidResult(LaurelError):
    """The result is wrong; its player must fix it.

    Args:
        message: What was expected and what was found, without the ground truth.
        pointer: The place in the result, as a JSON pointer (RFC 6901); "" is the whole result.
        output: What the evaluation script printed, if one rejected the result.
    """

    def __init__(self, message: str, pointer: str = "", output: "Output | None" = None) -> None:
        super().__init__(message)
        self.message = message
        self.pointer = pointer
        self.output = output


class EvaluatorError(LaurelError):
    """The benchmark is wrong (parameters, ground truth or script); its owner must fix it."""

    def __init__(self, message: str, output: "Output | None" = None) -> None:
        super().__init__(message)
        self.message = message
        self.output = output


class BenchmarkError(EvaluatorError):
    """A folder or a bundle is not a benchmark; the message names the file and the key."""


class StrictJsonError(LaurelError):
    """Bytes are not the strict JSON that Laurel reads.

    Args:
        message: The fault.
        position: Its place, as "line 3, column 7", or "" for the whole.
    """

    def __init__(self, message: str, position: str = "") -> None:
        super().__init__(f"{message} at {position}" if position else message)
        self.message = message
        self.position = position


class ZipError(LaurelError):
    """A ZIP, or one of its entries, cannot be read safely."""


class TableError(LaurelError):
    """A file is no table that can be read, or not the one that was expected.

    Args:
        faults: The first mistakes, a sentence each, with its row and its column; at least one.
        more: How many mistakes there are beside these.
    """

    def __init__(self, faults: Sequence[str], *, more: int = 0) -> None:
        self.faults = tuple(faults)
        self.more = more
        self.message = "\n".join([*self.faults, *([f"and {more} more"] if more else [])])
        super().__init__(self.message)


class SandboxFailure(LaurelError):
    """The sandbox could not run an evaluation script; neither the script nor the result is to blame."""
