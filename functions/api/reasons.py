"""Reasons that everybody reads, as requests give them."""

from handlers.http.bodies import describe_body
from handlers.http.problems import unprocessable
from handlers.http.requests import parse_body
from scoring_core.scorers.base import describe
from storage.access.names import InvalidName, check_reason

MAX_REASON_BODY_BYTES = 10_000


def read_reason(body: bytes) -> str:
    """Return the reason of a withdrawal, as it will be shown.

    Raises:
        Problem: 413 too large, 400 not strict JSON, 422 not an object with only a `reason` that can be shown.
    """
    value = parse_body(body, max_bytes=MAX_REASON_BODY_BYTES)
    if not isinstance(value, dict) or set(value) != {"reason"}:
        detail = f'body: expected {{"reason": "…"}}, found {describe_body(value)}'
        raise unprocessable("not-a-reason", detail, pointer="")
    return check_public_reason(value["reason"])


def check_public_reason(reason: object) -> str:
    """Return a reason as it will be shown. Raises Problem 422."""
    if not isinstance(reason, str):
        raise unprocessable("invalid-reason", f"reason: expected a text, found {describe(reason)}", pointer="/reason")
    try:
        return check_reason(reason)
    except InvalidName as error:
        raise unprocessable("invalid-reason", f"reason: {error}", pointer="/reason") from error
