"""The columns of a benchmark: what each header may hold, which scores become columns, and which are computed."""

import math
from collections import Counter
from collections.abc import Collection, Mapping
from enum import StrEnum
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, PlainValidator, PrivateAttr, model_validator
from pydantic_core import PydanticCustomError

from scoring_core.errors import EvaluatorError
from scoring_core.metrics.expressions import MAX_LENGTH, Expression, ExpressionError, order, parse
from scoring_core.scorers.base import Scores, describe

MAX_SAFE_INTEGER = 2**53

_MAX_NAMES_SHOWN = 10


def _read_number(value: object) -> int | float:
    """Take a finite number; a whole one becomes an int, so that 0 and 0.0 make the same benchmark version."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not _is_finite(value):
        raise PydanticCustomError("number", "expected a finite number")
    whole = isinstance(value, float) and value.is_integer() and abs(value) <= MAX_SAFE_INTEGER
    return int(value) if whole else value


def _is_finite(value: float) -> bool:
    """Return whether a double can hold a number: an int may have any number of digits."""
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


type Number = Annotated[int | float, PlainValidator(_read_number, json_schema_input_type=float)]


class Direction(StrEnum):
    """Which end of a column leads."""

    HIGHER = "higher"
    LOWER = "lower"


class MetricType(BaseModel):
    """One column.

    A metric with an `expression` is computed from other metrics; one without is plain, and a scorer yields it.

    Source: docs/sources.md, "Score pipeline", for `name`, `type`, `min` and `max` (both inclusive); the others are
    Laurel's.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    name: str = Field(min_length=1, max_length=64, pattern=r"^[^\x00-\x1f\x7f]+$")
    type: Literal["int", "float"]
    min: Number | None = None
    max: Number | None = None
    direction: Direction = Direction.HIGHER
    unit: str | None = Field(default=None, max_length=16)
    decimals: int | None = Field(default=None, ge=0, le=15)
    label: str | None = Field(default=None, max_length=64)
    help: str | None = Field(default=None, max_length=300)
    expression: str | None = Field(default=None, max_length=MAX_LENGTH)

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
        if isinstance(value, float) and not math.isfinite(value):
            raise EvaluatorError(f"score {self.name!r}: expected a finite number, found {value}")
        if self.type == "int" and value != int(value):
            raise EvaluatorError(f"score {self.name!r}: expected a whole number, found {value}")
        if (self.type == "int" or isinstance(value, int)) and abs(value) > MAX_SAFE_INTEGER:
            raise EvaluatorError(f"score {self.name!r}: expected an integer within ±2^53, found {describe(value)}")
        value = int(value) if self.type == "int" else float(value)
        if self.min is not None and value < self.min:
            raise EvaluatorError(f"score {self.name!r}: {value} is below the minimum {self.min}")
        if self.max is not None and value > self.max:
            raise EvaluatorError(f"score {self.name!r}: {value} is above the maximum {self.max}")
        return value + 0  # -0.0 + 0 is 0.0


class ScoreType(BaseModel):
    """The headers of a benchmark, in the order of the table."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    headers: tuple[MetricType, ...] = Field(min_length=1, max_length=40)
    _computed: tuple[tuple[MetricType, Expression], ...] = PrivateAttr(default=())

    @model_validator(mode="after")
    def _names_unique(self) -> Self:
        repeated = [name for name, count in Counter(self.names).items() if count > 1]
        if repeated:
            raise ValueError(f"header {repeated[0]!r} is there twice")
        return self

    @model_validator(mode="after")
    def _parse_expressions(self) -> Self:
        expressions = {}
        for header in self.headers:
            if header.expression is not None:
                try:
                    expressions[header.name] = parse(header.expression)
                except ExpressionError as error:
                    raise ValueError(f"header {header.name!r}: expression: {error}") from error
        in_order = order(expressions, self.plain_names)
        self._computed = tuple((self.header(name), expressions[name]) for name in in_order)
        return self

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all headers, in order."""
        return tuple(header.name for header in self.headers)

    @property
    def plain_names(self) -> tuple[str, ...]:
        """The names of the headers that a scorer yields, in order."""
        return tuple(header.name for header in self.headers if header.expression is None)

    def header(self, name: str) -> MetricType:
        """Give the header of this name; KeyError where there is none."""
        return next(header for header in self.headers if header.name == name)

    def select(self, scores: Mapping[str, int | float], *, exact: bool) -> Scores:
        """Turn the scores of a scorer into columns, each checked, and compute those that are computed.

        Args:
            scores: Score name → number.
            exact: Whether the scores must be the plain headers, no more and no fewer (a script), or may hold
                others and omit some (a built-in scorer; what it omits is absent).

        Returns:
            The columns that there are, in the order of the headers. A computed one is absent where what it reads is
            absent, or where it has no value.

        Raises:
            EvaluatorError: A score does not fit its header, or the names differ where they must not.

        >>> headers = [{"name": "hits", "type": "int"}, {"name": "rate", "type": "float", "expression": "hits / 8"}]
        >>> ScoreType.model_validate({"headers": headers}).select({"hits": 2}, exact=True)
        {'hits': 2, 'rate': 0.25}
        """
        plain = self.plain_names
        if exact:
            _check_names(scores, plain)
        columns = {name: self.header(name).check(scores[name]) for name in plain if name in scores}
        for header, expression in self._computed:
            value = expression.evaluate(columns)
            if value is not None:
                columns[header.name] = header.check(value)
        return {name: columns[name] for name in self.names if name in columns}


def _check_names(found: Collection[str], expected: Collection[str]) -> None:
    missing = [repr(name) for name in expected if name not in found]
    unknown = [repr(name[:64]) for name in found if name not in expected]
    faults = [
        f"{kind} {', '.join(names[:_MAX_NAMES_SHOWN])}"
        for kind, names in (("missing", missing), ("unknown", unknown))
        if names
    ]
    if faults:
        raise EvaluatorError(f"scores do not match the headers: {'; '.join(faults)}")
