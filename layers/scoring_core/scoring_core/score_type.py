"""The columns of a benchmark: what each header may hold, and which scores become columns."""

from collections import Counter
from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StrictInt, model_validator

from scoring_core.errors import EvaluatorError
from scoring_core.evaluation import Scores, describe

MAX_SAFE_INTEGER = 2**53

type Number = StrictInt | Annotated[float, Field(allow_inf_nan=False, strict=True)]


class Direction(StrEnum):
    """Which end of a column leads."""

    HIGHER = "higher"
    LOWER = "lower"


class Header(BaseModel):
    """One column.

    `name`, `type`, `min` and `max` (both inclusive) are the score type of seed 3; the other keys are ours.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(min_length=1, max_length=64, pattern=r"^[^\x00-\x1f\x7f]+$")
    type: Literal["int", "float"]
    min: Number | None = None
    max: Number | None = None
    direction: Direction = Direction.HIGHER
    unit: str | None = Field(default=None, max_length=16)
    decimals: int | None = Field(default=None, ge=0, le=15)
    label: str | None = Field(default=None, max_length=64)
    help: str | None = Field(default=None, max_length=300)

    @model_validator(mode="after")
    def _bounds_in_order(self) -> Self:
        if self.min is not None and self.max is not None and self.min > self.max:
            raise ValueError(f"min {self.min} is above max {self.max}")
        return self

    def check(self, value: object) -> int | float:
        """Check one score against this header.

        Args:
            value: What a scorer yielded; a bool is no number, an int column takes 50 and 50.0 but not 50.5.

        Returns:
            The score as it is kept: an int in an int column, and 0 for -0.0.

        Raises:
            EvaluatorError: The value does not fit; the message names the column.

        >>> Header(name="Coins", type="int", min=0, max=100).check(50.0)
        50
        """
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise EvaluatorError(f"score {self.name!r}: expected a number, found {describe(value)}")
        if value != value or value in (float("inf"), float("-inf")):  # noqa: PLR0124  # NaN alone differs from itself
            raise EvaluatorError(f"score {self.name!r}: expected a finite number, found {value}")
        if self.type == "int":
            if value != int(value):
                raise EvaluatorError(f"score {self.name!r}: expected a whole number, found {value}")
            value = int(value)
            if abs(value) > MAX_SAFE_INTEGER:
                raise EvaluatorError(f"score {self.name!r}: expected an integer within ±2^53, found {describe(value)}")
        else:
            value = float(value)
        if self.min is not None and value < self.min:
            raise EvaluatorError(f"score {self.name!r}: {value} is below the minimum {self.min}")
        if self.max is not None and value > self.max:
            raise EvaluatorError(f"score {self.name!r}: {value} is above the maximum {self.max}")
        return value + 0  # -0.0 + 0 is 0.0


class ScoreType(BaseModel):
    """The headers of a benchmark, in the order of the table."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    headers: tuple[Header, ...] = Field(min_length=1, max_length=40)

    @model_validator(mode="after")
    def _names_unique(self) -> Self:
        repeated = [name for name, count in Counter(self.names).items() if count > 1]
        if repeated:
            raise ValueError(f"header {repeated[0]!r} is there twice")
        return self

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all headers, in order."""
        return tuple(header.name for header in self.headers)

    def header(self, name: str) -> Header:
        """Give the header of this name; KeyError where there is none."""
        return next(header for header in self.headers if header.name == name)

    def select(self, scores: Mapping[str, int | float], *, exact: bool) -> Scores:
        """Turn the scores of a scorer into columns, each checked.

        Args:
            scores: Score name → number.
            exact: Whether the scores must be the headers, no more and no fewer (a script), or may hold
                others and omit some (a built-in scorer; what it omits is absent).

        Returns:
            The columns that there are, in the order of the headers.

        Raises:
            EvaluatorError: A score does not fit its header, or the names differ where they must not.
        """
        if exact:
            missing = [name for name in self.names if name not in scores]
            unknown = [name for name in scores if name not in self.names]
            if missing or unknown:
                raise EvaluatorError(_name_mismatch(missing, unknown))
        return {header.name: header.check(scores[header.name]) for header in self.headers if header.name in scores}


def _name_mismatch(missing: list[str], unknown: list[str]) -> str:
    parts = []
    if missing:
        parts.append("missing " + ", ".join(map(repr, missing)))
    if unknown:
        parts.append("unknown " + ", ".join(name[:64].__repr__() for name in unknown[:10]))
    return "scores do not match the headers: " + "; ".join(parts)
