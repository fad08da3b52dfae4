"""The scores of `fields`: the checked numbers of a result and the expressions over them, if all checks hold."""

import re
from collections.abc import Mapping, Sequence
from typing import cast

from scoring_core.errors import EvaluatorError, InvalidResult
from scoring_core.io.strict_json import read_result
from scoring_core.metrics.expressions import Expression, parse, parse_condition
from scoring_core.metrics.spelling import TIME, read_time
from scoring_core.scorers.base import Evaluation, Json, ScorerInputs, Scores, TicketedRun, describe
from scoring_core.scorers.fields import RUN_SECONDS, FieldsParameters, NumberField

_INDEX = re.compile(r"0|[1-9][0-9]{0,8}")

type Steps = tuple[str, ...]


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


def read_fields(value: Json, fields: Sequence[tuple[NumberField, Steps]]) -> dict[str, int | float]:
    """Return the numbers of a result, field → number.

    Args:
        value: The result.
        fields: Each with the steps of its pointer.

    Raises:
        InvalidResult: A field is missing, no number, or out of its range.
    """
    return {field.name: _read_number(_find_number(value, steps, field), field) for field, steps in fields}


def check_seed(value: Json, at: str, seed: str) -> None:
    """Check that a result holds the seed of its run ticket. Raises InvalidResult."""
    expected = f"seed: expected {seed!r} at {at}, the seed of this result's run ticket"
    try:
        given = find_value(value, split_pointer(at))
    except LookupError:
        raise InvalidResult(f"{expected}, found none", at) from None
    if given != seed:
        raise InvalidResult(f"{expected}, found {describe(given)}", at)


def split_pointer(text: str) -> Steps:
    """Return the steps of a JSON pointer (RFC 6901, section 4).

    >>> split_pointer("/runs/0/a~1b")
    ('runs', '0', 'a/b')
    """
    return tuple(step.replace("~1", "/").replace("~0", "~") for step in text.split("/")[1:])


def find_value(value: Json, steps: Steps) -> Json:
    """Return the value at a place. Raises LookupError if there is none."""
    for step in steps:
        match value:
            case dict() if step in value:
                value = value[step]
            case list() if _is_index(step, len(value)):
                value = value[int(step)]
            case _:
                raise LookupError(step)
    return value


def _is_index(step: str, length: int) -> bool:
    return _INDEX.fullmatch(step) is not None and int(step) < length


def _find_number(value: Json, steps: Steps, field: NumberField) -> Json:
    try:
        return find_value(value, steps)
    except LookupError:
        raise InvalidResult(f"{field.name}: expected {_expect(field)} at {field.at}, found none", field.at) from None


def _read_number(written: Json, field: NumberField) -> int | float:
    try:
        return field.check(read_time(written) if field.unit == TIME and isinstance(written, str) else written)
    except EvaluatorError as error:
        message = f"{field.name}: expected {_expect(field)} at {field.at}, found {describe(written)}"
        raise InvalidResult(message, field.at) from error


def _expect(field: NumberField) -> str:
    """Return what a field expects, as "a whole number from 0 to 100", with its unit."""
    is_time = field.unit == TIME
    unit = " seconds" if is_time else f" {field.unit}" if field.unit else ""
    kind = "a whole number" if field.type == "int" else "a number"
    kind = f"a time such as 1:23.450, or {kind}" if is_time else kind
    match field.min, field.max:
        case None, None:
            return kind + (f" in{unit}" if unit else "")
        case least, None:
            return f"{kind} of at least {least}{unit}"
        case None, most:
            return f"{kind} of at most {most}{unit}"
        case least, most:
            return f"{kind} from {least} to {most}{unit}"
