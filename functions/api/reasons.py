"""Texts of requests that everybody reads."""

from collections.abc import Callable
from typing import Annotated

from pydantic import AfterValidator, Field

from handlers.http.bodies import Body
from storage.access.names import MAX_REASON_LENGTH, InvalidName, check_name, check_reason


def _shown(check: Callable[[str], str]) -> AfterValidator:
    def validate(text: str) -> str:
        try:
            return check(text)
        except InvalidName as error:
            raise ValueError(str(error)) from error

    return AfterValidator(validate)


Reason = Annotated[
    str,
    _shown(check_reason),
    Field(
        description="One line, which everybody reads.",
        json_schema_extra={"minLength": 1, "maxLength": MAX_REASON_LENGTH},
    ),
]
Name = Annotated[str, _shown(check_name), Field(json_schema_extra={"minLength": 1, "maxLength": 64})]


class ReasonRequest(Body):
    """The public reason."""

    reason: Reason


class OptionalReasonRequest(Body):
    """The public reason, if there is one."""

    reason: Reason | None = None
