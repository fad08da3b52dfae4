"""Checks a benchmark's YAML against its models; each fault is a sentence: key, expected, found."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from types import MappingProxyType
from typing import Any, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from scoring_core.errors import BenchmarkError
from scoring_core.io.text import shorten, suggest_nearest

MAX_SHOWN = 10
_MAX_LENGTH = 60
PATTERNS: Mapping[str, str] = MappingProxyType(
    {
        r"^[a-z0-9-]{1,64}$": "1 to 64 of a to z, 0 to 9 and -",
        r"^[a-z0-9][a-z0-9-]{0,31}$": "1 to 32 of a to z, 0 to 9 and -, the first not -",
        r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$": "1 to 64 letters, digits, '.', '_' or '-', the first a letter or digit",
        r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$": "the name of a file in this folder: letters, digits, '.', '_' and '-'",
        r"^[^@\s<>,;\"]+@[^@\s<>,;\"]+$": "a mail address, such as ada@example.org",
        r"^[a-z][a-z0-9]{0,31}$": "1 to 32 of a to z and 0 to 9, the first a letter",
        r"^[a-z0-9][a-z0-9-]{0,63}(/[^\x00-\x1f\x7f]{1,64})?$": "a player's id, or PLAYER/LABEL",
        r"^[^\x00-\x1f\x7f]+$": "a name without line breaks and other control characters",
    }
)
"""Pattern of a model → what a person reads of it."""


def validate[Model: BaseModel](model: type[Model], value: object, *, file: str, below: Sequence[str] = ()) -> Model:
    """Check a value against its model.

    Args:
        model: An unknown key is answered with the nearest key of this model.
        value: Parsed YAML.
        file: Its name, for the message.
        below: The path to the value in the file.

    Raises:
        BenchmarkError: One line for each fault, ten at most:
            `benchmark.yaml: ranking.keep: expected 'best', …, found 'bets'`.
    """
    try:
        return model.model_validate(value)
    except ValidationError as error:
        details = [detail for detail in error.errors(include_url=False) if not _is_echo(detail)]
        lines = [f"{file}: {_explain(detail, model, below)}" for detail in details[:MAX_SHOWN]]
        if len(details) > MAX_SHOWN:
            lines.append(f"{file}: and {len(details) - MAX_SHOWN} more")
        raise BenchmarkError("\n".join(lines)) from error


def dotted(steps: Sequence[int | str]) -> str:
    """Return a path in a file as text.

    >>> dotted(["score_type", "headers", 0, "name"])
    'score_type.headers[0].name'
    """
    text = ""
    for step in steps:
        key = step if isinstance(step, int) else shorten(step, _MAX_LENGTH)
        text += f"[{key}]" if isinstance(key, int) else f".{key}" if text else key
    return text


def show_value(value: object) -> str:
    """Return a value as a message quotes it, cut if it is long."""
    return shorten(repr(value) if isinstance(value, str | list | dict) or value is None else str(value), _MAX_LENGTH)


def _is_echo(detail: ErrorDetails) -> bool:
    """Return whether a list is too short only because of a wrong item."""
    return detail["type"] == "too_short" and len(detail["input"]) >= detail["ctx"]["min_length"]


def _explain(detail: ErrorDetails, model: type[BaseModel], below: Sequence[str]) -> str:
    location = detail["loc"]
    match detail["type"]:
        case "extra_forbidden":
            text = f"unknown key; {suggest_nearest(str(location[-1]), _list_keys(model, location[:-1]))}"
        case "missing":
            text = "missing"
        case "value_error":
            text = str(detail["ctx"]["error"])
        case "string_pattern_mismatch":
            pattern = detail["ctx"]["pattern"]
            text = f"expected {PATTERNS.get(pattern, pattern)}, found {show_value(detail['input'])}"
        case "string_type":
            advice = "; put it into quotes" if isinstance(detail["input"], int | float | date) else ""
            text = f"expected text, found {show_value(detail['input'])}{advice}"
        case "tuple_type" | "list_type":
            text = f"expected a list, [one, another], found {show_value(detail['input'])}"
        case "model_type" | "dict_type":
            text = f"expected a mapping, key: value, found {show_value(detail['input'])}"
        case "too_short":
            text = f"expected at least {detail['ctx']['min_length']}, found {len(detail['input'])}"
        case "timezone_aware":
            text = f"expected a time with its zone, such as 2026-01-01T00:00:00Z, found {show_value(detail['input'])}"
        case _:
            message = detail["msg"].replace("Input should be", "expected").replace("should", "must")
            message = message.replace("'best_public', ", "")  # no owner writes it: the final has it
            text = f"{message[:1].lower()}{message[1:]}, found {show_value(detail['input'])}"
    key = dotted((*below, *location))
    return f"{key}: {text}" if key else text


def _list_keys(model: type[BaseModel], location: Sequence[int | str]) -> list[str]:
    """Return the keys of the nested model that rejected a key."""
    for step in location:
        if isinstance(step, str):
            model = next(_models_in(model.model_fields[step].annotation))
    return [field.alias or name for name, field in model.model_fields.items()]


def _models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for inner in get_args(annotation):
        yield from _models_in(inner)
