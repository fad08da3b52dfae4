"""The scores of `fields`: the numbers of a result and the expressions over them, if all checks hold."""

from collections.abc import Mapping, Sequence
from typing import cast

from scoring_core.errors import InvalidResult
from scoring_core.io.strict_json import read_result
from scoring_core.metrics.expressions import Expression, parse, parse_condition
from scoring_core.scorers.base import Evaluation, Json, ScorerInputs, Scores, TicketedRun
from scoring_core.scorers.fields import RUN_SECONDS, FieldsParameters
from scoring_core.scorers.fields.submission import check_seed, read_fields, split_pointer


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
        self._seed_at, self._reads_run_seconds = parameters.seed_at, parameters.reads_run_seconds

    def __call__(
        self, result: bytes, /, *, part: str | None = None, run: TicketedRun | None = None
    ) -> Sequence[Evaluation]:
        """Score one result.

        Raises:
            InvalidResult: A field or the seed is missing or wrong, a check does not hold, an expression has no value.
        """
        value = read_result(result)
        fields = read_fields(value, self._fields)
        numbers = {**fields, **self._read_run(value, run)}
        for index, (check, condition) in enumerate(self._checks):
            if not _compute(f"checks[{index}]", condition, numbers):
                reason = check.message or f"expected {check.require}"
                raise InvalidResult(f"{reason}; found {_show(condition, numbers)}")
        scores: Scores = {
            **fields,
            **{name: _compute(name, expression, numbers) for name, expression in self._metrics.items()},
        }
        return [Evaluation(scores, {"fields": dict(numbers)}, part)]

    def _read_run(self, value: Json, run: TicketedRun | None) -> dict[str, float]:
        """Check the seed; return the seconds since the ticket if an expression needs them."""
        if self._seed_at is None and not self._reads_run_seconds:
            return {}
        if run is None or (self._seed_at is not None and run.seed is None):
            missing = "run ticket" if run is None else "seed in its run ticket"
            raise InvalidResult(f"this result came without a {missing}, with which this benchmark compares it")
        if self._seed_at is not None and run.seed is not None:
            check_seed(value, self._seed_at, run.seed)
        return {RUN_SECONDS: run.seconds} if self._reads_run_seconds else {}


def _compute(key: str, expression: Expression, numbers: Mapping[str, int | float]) -> float:
    try:
        return expression.compute(numbers)
    except ValueError as error:
        message = f"{key}: {expression.text} has no value: {error}; found {_show(expression, numbers)}"
        raise InvalidResult(message) from error


def _show(expression: Expression, numbers: Mapping[str, int | float]) -> str:
    """Return the numbers that an expression reads, as "coins 50, time 2.5"."""
    return ", ".join(f"{name} {number}" for name, number in numbers.items() if name in expression.names)
