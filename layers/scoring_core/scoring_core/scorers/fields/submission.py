"""A result of `fields` → the checked numbers of its fields."""

import re
from collections.abc import Sequence

from scoring_core.errors import EvaluatorError, InvalidResult
from scoring_core.metrics.spelling import TIME, read_time
from scoring_core.scorers.base import Json, describe
from scoring_core.scorers.fields import NumberField

_INDEX = re.compile(r"0|[1-9][0-9]{0,8}")

type Steps = tuple[str, ...]


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
