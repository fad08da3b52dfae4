"""Bodies of requests, read by their models, and what is wrong with them."""

from http import HTTPStatus
from typing import ClassVar

from pydantic import BaseModel, ConfigDict, ValidationError

from handlers.http.problems import Problem, explain_fault
from handlers.http.requests import parse_body
from scoring_core.scorers.base import describe

MAX_REQUEST_BYTES = 10_000
MAX_FAULTS = 10
MAX_POINTER_LENGTH = 100


class Body(BaseModel):
    """What the body of a request says, in so many bytes; it has no other members."""

    MAX_BYTES: ClassVar[int] = MAX_REQUEST_BYTES
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class LenientBody(Body):
    """A body whose values may be written otherwise, such as an enum as its text."""

    model_config = ConfigDict(strict=False)


def read_model[Model: BaseModel](body: bytes, model: type[Model]) -> Model:
    """Read a body by its model. Raises Problem 400, 413, 422."""
    max_bytes = model.MAX_BYTES if issubclass(model, Body) else MAX_REQUEST_BYTES
    return check_model(parse_body(body, max_bytes=max_bytes), model)


def check_model[Model: BaseModel](value: object, model: type[Model]) -> Model:
    """Return what a request says as its model. Raises Problem 422."""
    try:
        return model.model_validate(value)
    except ValidationError as error:
        faults = [
            {
                "pointer": "".join(f"/{step}" for step in fault["loc"])[:MAX_POINTER_LENGTH],
                "detail": explain_fault(fault),
            }
            for fault in error.errors()[:MAX_FAULTS]
        ]
        detail = "; ".join(f"{fault['pointer'] or 'body'}: {fault['detail']}" for fault in faults)
        raise Problem(HTTPStatus.UNPROCESSABLE_ENTITY, "invalid-request", detail, faults=faults) from error


def describe_body(value: object) -> str:
    """Return what a body is, for the answer that rejects it: its keys, or its kind.

    >>> describe_body({"b": 1, "a": 2}), describe_body({})
    ('the keys a, b', 'the keys none')
    """
    return (f"the keys {', '.join(sorted(value)) or 'none'}" if isinstance(value, dict) else describe(value))[:200]
