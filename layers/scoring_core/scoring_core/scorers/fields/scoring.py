"""The scores of `fields`: the numbers of a result and the expressions over them, if all checks hold."""

from collections.abc import Mapping, Sequence
from typing import cast

from scoring_core.errors import InvalidResult
from scoring_core.metrics.expressions import Expression, parse, parse_condition
from scoring_core.scorers.base import Evaluation, ScorerInputs, Scores
from scoring_core.scorers.fields import FieldsParameters
from scoring_core.scorers.fields.submission import read_fields, split_pointer


def prepare(inputs: ScorerInputs) -> "FieldsScorer":
    """Return the scorer of these parameters."""
    return FieldsScorer(cast("FieldsParameters", inputs.parameters))


class FieldsScorer:
    """Scores one result after another.

    >>> check = {"require": "time >= 3", "message": "nobody is that fast"}
    >>> fields = [{"name": "coins", "at": "/coins", "type": "int"}, {"name": "time", "at": "/time"}]
    >>> scorer = FieldsScorer(FieldsParameters(fields=fields, metrics={"pace": "coins / time"}, checks=[check]))
    >>> scorer(b'{"coins": 50, "time": 12.5}')[0].scores
    {'coins': 50, 'time': 12.5, 'pace': 4.0}
    """

    def __init__(self, parameters: FieldsParameters) -> None:
        self._fields = [(field, split_pointer(field.at)) for field in parameters.fields]
        self._checks = [(check, parse_condition(check.require)) for check in parameters.checks]
        self._metrics = {name: parse(text) for name, text in parameters.metrics.items()}

    def __call__(self, result: bytes, /, *, part: str | None = None) -> Sequence[Evaluation]:
        """Score one result.

        Raises:
            InvalidResult: A field is missing or wrong, a check does not hold, or an expression has no value.
        """
        numbers = read_fields(result, self._fields)
        for index, (check, condition) in enumerate(self._checks):
            if not _compute(f"checks[{index}]", condition, numbers):
                reason = check.message or f"expected {check.require}"
                raise InvalidResult(f"{reason}; found {_show(condition, numbers)}")
        scores: Scores = {
            **numbers,
            **{name: _compute(name, expression, numbers) for name, expression in self._metrics.items()},
        }
        return [Evaluation(scores, {"fields": dict(numbers)}, part)]


def _compute(key: str, expression: Expression, numbers: Mapping[str, int | float]) -> float:
    try:
        return expression.compute(numbers)
    except ValueError as error:
        message = f"{key}: {expression.text} has no value: {error}; found {_show(expression, numbers)}"
        raise InvalidResult(message) from error


def _show(expression: Expression, numbers: Mapping[str, int | float]) -> str:
    """Return the numbers that an expression reads, as "coins 50, time 2.5"."""
    return ", ".join(f"{name} {number}" for name, number in numbers.items() if name in expression.names)
