"""The envelope of a POST: media type, encoding, size, well-formed JSON. The content is judged by the scorer alone."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from scoring_core.errors import StrictJsonError
from scoring_core.io import strict_json
from scoring_core.scorers.base import describe
from submit.problems import Problem, unprocessable

MAX_BODY_BYTES = 2_500_000
MEDIA_TYPE = "application/json"


def check_headers(headers: Mapping[str, str]) -> None:
    """Check what the headers say of the body.

    Args:
        headers: Names in lower case.

    Raises:
        Problem: 415, the body is declared to be something else than plain UTF-8 JSON.
    """
    media_type, *parameters = headers.get("content-type", "").lower().split(";")
    if media_type.strip() != MEDIA_TYPE or not all(map(_keeps_utf8, parameters)):
        found = headers.get("content-type", "none")[:100]
        raise Problem(
            HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
            "unsupported-media-type",
            f"Content-Type: expected {MEDIA_TYPE} in UTF-8, found {found}",
        )
    if headers.get("content-encoding", "identity").strip().lower() != "identity":
        raise Problem(
            HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
            "unsupported-content-encoding",
            "Content-Encoding: expected none; send the JSON as it is",
        )


def _keeps_utf8(parameter: str) -> bool:
    name, _, value = parameter.partition("=")
    return name.strip() != "charset" or value.strip(' \t"') in {"utf-8", "utf8"}


def check_body(body: bytes, *, max_bytes: int) -> None:
    """Check that a body is strict JSON of a size that is taken, an object or an array at the top.

    Args:
        body: As it came.
        max_bytes: What the benchmark takes; never more than an HTTP request may carry.

    Raises:
        Problem: 413 too large, 400 not strict JSON, 422 another value at the top.
    """
    value = read_body(body, max_bytes=min(max_bytes, MAX_BODY_BYTES))
    if not isinstance(value, dict | list):
        raise unprocessable(
            "not-a-result", f"body: expected an object or an array, found {describe(value)}", pointer=""
        )


def read_body(body: bytes, *, max_bytes: int, hint: str = "") -> Any:
    """Read a body of strict JSON.

    Args:
        body: As it came.
        max_bytes: How long it may be.
        hint: What helps whoever sends more.

    Raises:
        Problem: 413 too large, 400 not strict JSON.
    """
    if len(body) > max_bytes:
        detail = f"body: expected at most {max_bytes} bytes, found {len(body)}{hint and f': {hint}'}"
        raise Problem(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "too-large", detail)
    try:
        return strict_json.loads(body)
    except StrictJsonError as error:
        detail = f"body: {error}"
        faults = [{"pointer": "", "detail": detail}]
        raise Problem(HTTPStatus.BAD_REQUEST, "malformed-json", detail, faults=faults) from error
