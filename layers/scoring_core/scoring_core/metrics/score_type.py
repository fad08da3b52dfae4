"""The metrics of a benchmark: what each accepts, which scores are kept, and which metrics are computed."""

import re
from collections import Counter
from collections.abc import Collection, Mapping
from enum import StrEnum
from graphlib import CycleError, TopologicalSorter
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, PlainValidator, PrivateAttr, model_validator
from pydantic_core import PydanticCustomError

from scoring_core.errors import EvaluatorError
from scoring_core.io.strict_models import Name, StrictModel
from scoring_core.io.text import list_some, suggest_nearest
from scoring_core.metrics.expressions import MAX_LENGTH, Expression, ExpressionError, NumberTooLarge, parse
from scoring_core.metrics.spelling import TIME
from scoring_core.scorers.base import MAX_DOUBLE, Scores, describe

MAX_SAFE_INTEGER = 2**53
_TIME_LIKE = re.compile(r"(?:h{1,2}:)?m{1,2}:s{1,2}(?:[.,][sSf0]{1,6})?", re.IGNORECASE)


def _read_number(value: object) -> int | float:
    """Return a finite number; a whole one as an int.

    0 and 0.0 then make the same benchmark version.
    """
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= MAX_DOUBLE:
        raise PydanticCustomError("number", "expected a finite number")
    whole = isinstance(value, float) and value.is_integer() and abs(value) <= MAX_SAFE_INTEGER
    return int(value) if whole else value


def _check_unit(unit: str) -> str:
    if unit != TIME and _TIME_LIKE.fullmatch(unit):
        raise ValueError(f"expected {TIME} for seconds that are shown as a time, found {unit!r}")
    return unit


type Unit = Annotated[str, Field(max_length=16), AfterValidator(_check_unit)]
type Number = Annotated[int | float, PlainValidator(_read_number, json_schema_input_type=float)]


class Direction(StrEnum):
    """Which end of a metric leads."""

    HIGHER = "higher"
    LOWER = "lower"


class NumberType(StrictModel):
    """A number with a name, its bounds (both inclusive) and its unit."""

    name: Name
    type: Literal["int", "float"]
    min: Number | None = None
    max: Number | None = None
    unit: Unit | None = None

    @model_validator(mode="after")
    def _bounds_in_order(self) -> Self:
        if self.min is not None and self.max is not None and self.min > self.max:
            raise ValueError(f"min {self.min} is above max {self.max}")
        return self

    def check(self, value: object) -> int | float:
        """Return a score as it is kept: an int for type int, and 0 for -0.0.

        A bool is no number; type int accepts 50 and 50.0, but not 50.5, and type float every integer that a double can
        hold, rounded to one. Raises EvaluatorError.

        >>> NumberType(name="Coins", type="int", min=0, max=100).check(50.0)
        50
        """
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise EvaluatorError(f"score {self.name!r}: expected a number, found {describe(value)}")
        if not abs(value) <= MAX_DOUBLE:  # nor for NaN
            shown = value if isinstance(value, float) else describe(value)
            raise EvaluatorError(f"score {self.name!r}: expected a finite number, found {shown}")
        if self.type == "int" and value != int(value):
            raise EvaluatorError(f"score {self.name!r}: expected a whole number, found {value}")
        if self.type == "int" and abs(value) > MAX_SAFE_INTEGER:
            raise EvaluatorError(f"score {self.name!r}: expected an integer within ±2^53, found {describe(value)}")
        value = int(value) if self.type == "int" else float(value)
        if self.min is not None and value < self.min:
            raise EvaluatorError(f"score {self.name!r}: {value} is below the minimum {self.min}")
        if self.max is not None and value > self.max:
            raise EvaluatorError(f"score {self.name!r}: {value} is above the maximum {self.max}")
        return value + 0  # -0.0 + 0 is 0.0


class MetricType(NumberType):
    """The type of one metric; with an `expression` it is computed, without one a scorer yields it.

    Source: docs/sources.md, "Score pipeline", for `name`, `type`, `min` and `max` (both inclusive); the others are
    Laurel's.
    """

    direction: Direction = Direction.HIGHER
    decimals: int | None = Field(default=None, ge=0, le=15)
    label: str | None = Field(default=None, max_length=64)
    help: str | None = Field(default=None, max_length=300)
    expression: str | None = Field(default=None, max_length=MAX_LENGTH)


class ScoreType(StrictModel):
    """The metrics of a benchmark in the order of its board; `headers` is their key in the YAML."""

    headers: tuple[MetricType, ...] = Field(min_length=1, max_length=40)
    _computed: tuple[tuple[MetricType, Expression], ...] = PrivateAttr(default=())

    @model_validator(mode="after")
    def _names_unique(self) -> Self:
        repeated = [name for name, count in Counter(self.names).items() if count > 1]
        if repeated:
            raise ValueError(f"metric {repeated[0]!r} is there twice")
        return self

    @model_validator(mode="after")
    def _parse_expressions(self) -> Self:
        expressions = {}
        for metric in self.headers:
            if metric.expression is not None:
                try:
                    expressions[metric.name] = parse(metric.expression)
                except ExpressionError as error:
                    raise ValueError(f"metric {metric.name!r}: expression: {error}") from error
        in_order = order(expressions, self.plain_names)
        self._computed = tuple((self.metric(name), expressions[name]) for name in in_order)
        return self

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all metrics, in order."""
        return tuple(metric.name for metric in self.headers)

    @property
    def plain_names(self) -> tuple[str, ...]:
        """The names of the metrics that a scorer yields, in order."""
        return tuple(metric.name for metric in self.headers if metric.expression is None)

    def metric(self, name: str) -> MetricType:
        """Return the metric of this name; it must exist."""
        return next(metric for metric in self.headers if metric.name == name)

    def select(self, scores: Mapping[str, int | float], *, exact: bool, absent: Collection[str] = ()) -> Scores:
        """Return the checked scores of the metrics, with the computed ones, in order.

        Args:
            scores: What a scorer yielded.
            exact: The scores must be the plain metrics, no more and no fewer (a script); otherwise others are ignored
                and missing ones are absent (a built-in scorer). A computed metric is absent if its value is.
            absent: What a script names without a value: it is no missing score.

        Raises:
            EvaluatorError: A score does not fit its metric, or the names differ although `exact`.

        >>> headers = [{"name": "hits", "type": "int"}, {"name": "rate", "type": "float", "expression": "hits / 8"}]
        >>> ScoreType.model_validate({"headers": headers}).select({"hits": 2}, exact=True)
        {'hits': 2, 'rate': 0.25}
        """
        plain = self.plain_names
        if exact:
            _check_names((*scores, *absent), plain)
        kept = {name: self.metric(name).check(scores[name]) for name in plain if name in scores}
        for metric, expression in self._computed:
            try:
                kept[metric.name] = metric.check(expression.compute(kept))
            except NumberTooLarge as error:
                raise EvaluatorError(f"score {metric.name!r}: {error} in its expression: {expression.text}") from error
            except ValueError:  # no value: it is absent
                continue
        return {name: kept[name] for name in self.names if name in kept}


def order(expressions: Mapping[str, Expression], plain: Collection[str]) -> tuple[str, ...]:
    """Return the computed metrics so that each comes after those that it reads.

    Args:
        expressions: Computed metric → its expression.
        plain: The metrics that are not computed.

    Raises:
        ExpressionError: A metric reads an unknown name, or reads itself, directly or through others.

    >>> order({"c": parse("b + a"), "b": parse("2 * a")}, ["a"])
    ('b', 'c')
    """
    names = {*expressions, *plain}
    for metric, expression in expressions.items():
        for name in sorted(expression.names - names):
            hint = suggest_nearest(name, sorted(names))
            raise ExpressionError(f"metric {metric!r} reads {name!r}, which is no metric; {hint}")
    sorter = TopologicalSorter[str]()
    for metric, expression in expressions.items():
        sorter.add(metric, *sorted(expression.names & expressions.keys()))
    try:
        return tuple(sorter.static_order())
    except CycleError as error:
        circle = " reads ".join(repr(name) for name in reversed(error.args[1]))
        raise ExpressionError(f"computed metrics form a circle: {circle}") from error


def _check_names(names: Collection[str], expected: Collection[str]) -> None:
    missing = [repr(name) for name in expected if name not in names]
    unknown = [repr(name[:64]) for name in names if name not in expected]
    faults = [f"{kind} {list_some(some)}" for kind, some in (("missing", missing), ("unknown", unknown)) if some]
    if faults:
        raise EvaluatorError(f"scores do not match the metrics: {'; '.join(faults)}")
