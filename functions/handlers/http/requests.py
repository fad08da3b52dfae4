"""Reads requests: headers, body, preferences and cursors. Only the scorer looks into a result."""

import base64
import hashlib
import re
from collections.abc import Collection, Mapping, Sequence
from http import HTTPStatus
from typing import Any
from urllib.parse import unquote_to_bytes

from handlers.http.problems import Problem, unprocessable
from scoring_core.benchmarks.terms import find_value_fault
from scoring_core.errors import StrictJsonError
from scoring_core.io import strict_json
from scoring_core.io.formats import FORMATS, JSON, find_content_fault
from scoring_core.io.limits import MAX_POST_BYTES
from scoring_core.io.text import is_absent, list_some
from storage.keys import is_submission_id

MEDIA_TYPE = FORMATS[JSON].media_type
MAX_WAIT_SECONDS = 10
_PLAIN = FORMATS["txt"].media_type
_WAIT = re.compile(r'\s*wait\s*=\s*"?(\d{1,9})"?\s*(;.*)?', re.IGNORECASE)
_LARGE_ADVICE = "upload a larger one with a token, by `laurel drop` or on the benchmark's page"
_DIGEST_LENGTH = 16
_MAX_POSITION = 128
_MAX_NAME = 64
_NAMING = {"board", "cursor", "kind", "label", "part", "player", "sort", "submission"}
_REPLACED = "\ufffd"
_ZIP_START = b"PK\x03\x04"
_ZIP_ADVICE = (
    "expected JSON, found a ZIP: send it as application/zip where the benchmark takes that, or upload it as a batch "
    "with a token, by `laurel drop` or on the benchmark's page"
)


def read_headers(event: Mapping[str, Any]) -> dict[str, str]:
    """Return the headers of a request of API Gateway, their names in lower case."""
    return {name.lower(): value for name, value in (event.get("headers") or {}).items()}


def read_body(event: Mapping[str, Any]) -> bytes:
    """Return the bytes of a request's body, empty if it has none.

    Raises Problem 400 if what arrived is not what was sent: octets that are not UTF-8 were replaced on the way.
    """
    body = event.get("body") or ""
    if event.get("isBase64Encoded"):
        return base64.b64decode(body)
    # API Gateway may send half a character as a lone surrogate; the strict reader rejects the resulting bytes.
    content: bytes = body.encode("utf-8", "surrogatepass")
    if _REPLACED in body and read_headers(event).get("content-length", str(len(content))) != str(len(content)):
        detail = "body: expected UTF-8, found other octets, which were replaced on the way; save the file as UTF-8"
        raise Problem(HTTPStatus.BAD_REQUEST, "malformed-text", detail, [{"pointer": "", "detail": detail}])
    return content


def read_json(event: Mapping[str, Any]) -> bytes:
    """Return the body of a request that declares JSON. Raises Problem 400, 415."""
    check_headers(read_headers(event))
    return read_body(event)


def prepare(event: dict[str, Any]) -> dict[str, Any]:
    """Return an event of API Gateway without blank names, whose HEAD is a GET.

    Parameters that should name something may be blank: a form and many a client send each field of theirs.
    """
    request, query = event["requestContext"], event.get("queryStringParameters") or {}
    named = {name: value for name, value in query.items() if name not in _NAMING or not is_absent(value)}
    event = event if len(named) == len(query) else {**event, "queryStringParameters": named}
    if request["http"]["method"] != "HEAD":
        return event
    return event | {"requestContext": request | {"http": request["http"] | {"method": "GET"}}}


def check_query(event: Mapping[str, Any], names: Collection[str]) -> None:
    """Check that a query is readable and has only these parameters.

    Raises Problem 400 if raw or percent-encoded octets are not UTF-8, so that a name in it would become another, 422 if
    a parameter is unknown, and would have no effect.
    """
    raw = event.get("rawQueryString", "")
    try:
        unquote_to_bytes(raw.encode("ascii")).decode()
    except UnicodeError as error:
        detail = "query: expected UTF-8, each octet beyond ASCII percent-encoded, such as %C3%A9 for é"
        raise Problem(HTTPStatus.BAD_REQUEST, "malformed-query", detail) from error
    for name in (event.get("queryStringParameters") or {}).keys() - names:
        expected = f"one of {list_some(sorted(names))}" if names else "no parameter here"
        detail = f"query: expected {expected}, found {name[:_MAX_NAME]!r}"
        raise unprocessable("unknown-parameter", detail, parameter=name[:_MAX_NAME])


def check_headers(headers: Mapping[str, str]) -> None:
    """Check that the headers declare plain UTF-8 JSON. Raises Problem 415."""
    read_format(headers, (JSON,))


def read_format(headers: Mapping[str, str], takes: Sequence[str]) -> str:
    """Return the format that the headers declare, one of `takes`. Raises Problem 415.

    Text must be in UTF-8. The bytes may still be another format's: `check_result` looks at them.
    """
    media_type, *parameters = headers.get("content-type", "").lower().split(";")
    declared = next((name for name in takes if FORMATS[name].media_type == media_type.strip()), None)
    if declared is None or not all(map(_keeps_utf8, parameters)):
        given = headers.get("content-type", "none")[:100]
        expected = " or ".join(FORMATS[name].media_type for name in takes)
        encoding = " in UTF-8" if any(FORMATS[name].is_text for name in takes) else ""
        advice = "; pack the file into a ZIP" if tuple(takes) == ("zip",) else ""
        raise Problem(
            HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
            "unsupported-media-type",
            f"Content-Type: expected {expected}{encoding}, found {given}{advice}",
        )
    if headers.get("content-encoding", "identity").strip().lower() != "identity":
        raise Problem(
            HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
            "unsupported-content-encoding",
            "Content-Encoding: expected none; send the result uncompressed",
        )
    return declared


def read_result_format(headers: Mapping[str, str], takes: Sequence[str]) -> str:
    """Return the format that the headers of a result declare. Raises Problem 415.

    A page that is closed sends its last result by `navigator.sendBeacon`, which can declare plain text alone to another
    origin. A guest's is JSON where that is what the benchmark takes, and text is not: without credentials it does
    nothing that every page may not do anyway.
    """
    media_type, separator, parameters = headers.get("content-type", "").partition(";")
    is_plain = media_type.strip().lower() == _PLAIN and "authorization" not in headers
    if is_plain and JSON in takes and _PLAIN not in {FORMATS[name].media_type for name in takes}:
        headers = {**headers, "content-type": f"{MEDIA_TYPE}{separator}{parameters}"}
    return read_format(headers, takes)


def _keeps_utf8(parameter: str) -> bool:
    name, _, value = parameter.partition("=")
    return name.strip() != "charset" or value.strip(' \t"') in {"utf-8", "utf8"}


def check_result(body: bytes, file_format: str, *, max_bytes: int) -> None:
    """Check that a body is a result of its format within the size limit.

    Raises Problem 413 if it is too large, 400 if it is not strict JSON, 422 if it is not what its format must be.
    """
    hint = _LARGE_ADVICE if len(body) <= max_bytes else ""
    _check_size(body, min(max_bytes, MAX_POST_BYTES), hint)
    if file_format == JSON:
        fault = find_value_fault(parse_body(body, max_bytes=max_bytes))
    else:
        fault = find_content_fault(body, file_format)
    if fault is not None:
        raise unprocessable("not-a-result", f"body: {fault}", pointer="")


def parse_body(body: bytes, *, max_bytes: int) -> Any:
    """Parse strict JSON. Raises Problem 413, 400."""
    _check_size(body, max_bytes)
    try:
        return strict_json.loads(body)
    except StrictJsonError as error:
        detail = f"body: {_ZIP_ADVICE if body.startswith(_ZIP_START) else error}"
        faults = [{"pointer": "", "detail": detail}]
        raise Problem(HTTPStatus.BAD_REQUEST, "malformed-json", detail, faults=faults) from error


def _check_size(body: bytes, max_bytes: int, hint: str = "") -> None:
    if len(body) > max_bytes:
        detail = f"body: expected at most {max_bytes} bytes, found {len(body)}{hint and f': {hint}'}"
        raise Problem(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "too-large", detail)


def read_wait(prefer: str) -> int:
    """Return the seconds of `wait` in a `Prefer` header (RFC 7240), 0 to 10.

    The first of several counts, as the RFC demands. A preference is optional, so an unreadable one is ignored.

    >>> read_wait("respond-async, wait=5"), read_wait("wait=600"), read_wait("wait=soon")
    (5, 10, 0)
    """
    for preference in prefer.split(","):
        match = _WAIT.fullmatch(preference)
        if match is not None:
            return min(int(match[1]), MAX_WAIT_SECONDS)
    return 0


def wants_scores_only(prefer: str) -> bool:
    """Return whether a `Prefer` header (RFC 7240) asks for `return=minimal`.

    >>> wants_scores_only("wait=5, return=minimal"), wants_scores_only("return=representation")
    (True, False)
    """
    return any(preference.strip().lower() == "return=minimal" for preference in prefer.split(","))


def make_cursor(position: str, *, scope: Sequence[str]) -> str:
    """Return an opaque cursor that only the same list accepts.

    A digest binds the position, a sort key of the submissions table, to the list that `scope` names. No secret is
    needed: the right to read the list is checked on every request, so a forged cursor reveals nothing.
    """
    digest = hashlib.sha256("\n".join([position, *scope]).encode()).hexdigest()[:_DIGEST_LENGTH]
    return base64.urlsafe_b64encode(f"{position}.{digest}".encode()).decode().rstrip("=")


def read_cursor(cursor: str, *, scope: Sequence[str]) -> str:
    """Return the position in a cursor. Raises Problem 400 if it is another list's."""
    try:
        text = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True).decode()
    except ValueError as error:
        raise _invalid_cursor() from error
    position = text.rpartition(".")[0]
    is_position = is_submission_id(position.partition("#")[0]) and len(position) <= _MAX_POSITION
    # Base64 has several spellings of the same bytes: accept only the one that make_cursor returns.
    if not is_position or make_cursor(position, scope=scope) != cursor:
        raise _invalid_cursor()
    return position


def _invalid_cursor() -> Problem:
    detail = "cursor: expected `next` of the previous page of the same list"
    return Problem(HTTPStatus.BAD_REQUEST, "invalid-cursor", detail, [{"parameter": "cursor", "detail": detail}])
