"""Texts of requests that everybody reads, and requests that are undone by the same request."""

from collections.abc import Callable
from typing import Annotated, Self

from pydantic import AfterValidator, Field, model_validator

from handlers.http.bodies import Body
from storage.players.names import MAX_REASON_LENGTH, InvalidName, check_name, check_reason


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


class OptionalReasonRequest(Body):
    """The public reason, if there is one."""

    reason: Reason | None = None


class ReversibleRequest(OptionalReasonRequest):
    """The public reason, if there is one, or `undo`, which takes back what was done."""

    undo: bool = False

    @model_validator(mode="after")
    def _check_undo(self) -> Self:
        if self.undo and self.reason is not None:
            raise ValueError("expected reason or undo, found both")
        return self


class ReasonRequest(ReversibleRequest):
    """The public reason, or `undo`, which takes back what was done for it."""

    @model_validator(mode="after")
    def _check_reason(self) -> Self:
        if self.reason is None and not self.undo:
            raise ValueError("expected reason, or undo: true")
        return self
