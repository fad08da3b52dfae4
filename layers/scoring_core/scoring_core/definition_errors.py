"""Turns what pydantic found into sentences for the owner of a benchmark: key, what was expected, what was found."""

from difflib import get_close_matches
from typing import Any, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

MAX_SHOWN = 10


def explain(error: ValidationError, model: type[BaseModel], *, below: tuple[str, ...] = ()) -> str:
    """Explain a failed validation.

    Args:
        error: What pydantic raised.
        model: The model that was asked for: an unknown key is answered with the nearest known one.
        below: Where in the file the model's value stands.

    Returns:
        One line for each fault, at most ten: `ranking.keep: expected 'best', …, found 'bets'`.
    """
    details = error.errors(include_url=False)
    lines = [_explain_one(detail, model, below) for detail in details[:MAX_SHOWN]]
    if len(details) > MAX_SHOWN:
        lines.append(f"and {len(details) - MAX_SHOWN} more")
    return "\n  ".join(lines)


def _explain_one(detail: ErrorDetails, model: type[BaseModel], below: tuple[str, ...]) -> str:
    location = detail["loc"]
    key = _dotted((*below, *location))
    match detail["type"]:
        case "extra_forbidden":
            known = _known_keys(model, location[:-1])
            near = get_close_matches(str(location[-1]), known, n=1, cutoff=0.5)
            hint = f"did you mean {near[0]!r}?" if near else f"known are {', '.join(known)}"
            return f"{key}: unknown key; {hint}"
        case "missing":
            return f"{key}: missing"
        case "value_error":
            text = str(detail["ctx"]["error"])
            return f"{key}: {text}" if key else text
        case _:
            message = detail["msg"].replace("Input should be", "expected").replace("should", "must")
            return f"{key}: {message[:1].lower()}{message[1:]}, found {_short(detail['input'])}"


def _dotted(location: tuple[int | str, ...]) -> str:
    text = ""
    for step in location:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text


def _known_keys(model: type[BaseModel], location: tuple[int | str, ...]) -> list[str]:
    """Walk down the models to the one that refused the key."""
    for step in location:
        if isinstance(step, int) or step not in model.model_fields:
            continue
        inner = _model_in(model.model_fields[step].annotation)
        if inner is None:
            return []
        model = inner
    return list(model.model_fields)


def _model_in(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((found for found in map(_model_in, get_args(annotation)) if found), None)


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "…"  # noqa: PLR2004
