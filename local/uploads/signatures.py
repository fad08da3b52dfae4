"""AWS's Signature Version 4 on this machine: what is not signed with the stack's own key reaches nothing.

Any page that somebody opens, and any program, can send requests to a port of this machine. Source of the algorithm:
AWS, "Create a signed AWS API request" and "Authenticating Requests: Using Query Parameters".
"""

import hashlib
import hmac
import io
import re
import secrets
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from urllib.parse import parse_qs, quote

from local.uploads.refusals import Refused, denied, unknown_key, wrong_signature

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

ALGORITHM: Final = "AWS4-HMAC-SHA256"
MAX_BODY_BYTES: Final = 20_000_000
"""What is read to check a signature over it: more than any call that carries no hash of its body."""
MAX_SKEW: Final = timedelta(minutes=15)
_SECONDS: Final = re.compile(r"[1-9][0-9]{0,5}")
_CLOSED: Final = "/moto-api"
"""Moto's own interface: it shows, changes and resets everything, and needs no signature."""


class Scope(NamedTuple):
    """What a signature holds for."""

    access_key: str
    date: str
    region: str
    service: str


@dataclass(frozen=True)
class Credentials:
    """The key that the stack signs with."""

    access_key: str
    secret_key: str = field(repr=False)

    def find_scope(self, credential: str) -> Scope | None:
        """Read `key/date/region/service/aws4_request`; None where it is something else, or another key."""
        parts = credential.split("/")
        if len(parts) != len(Scope._fields) + 1 or parts.pop() != "aws4_request" or parts[0] != self.access_key:
            return None
        return Scope(*parts)

    def sign(self, text: str, scope: Scope) -> str:
        """Return the signature of a text, in hexadecimal."""
        key = f"AWS4{self.secret_key}".encode()
        for step in (scope.date, scope.region, scope.service, "aws4_request"):
            key = hmac.digest(key, step.encode(), "sha256")
        return hmac.new(key, text.encode(), "sha256").hexdigest()

    def has_signed(self, text: str, scope: Scope, signature: str) -> bool:
        """Tell whether a signature is that of a text; it takes as long for a nearly right one as for a wrong one."""
        return hmac.compare_digest(self.sign(text, scope).encode(), signature.encode())


def make_credentials() -> Credentials:
    """Make a key that nobody can guess."""
    return Credentials("local", secrets.token_urlsafe(32))


@dataclass(frozen=True)
class SignedOnly:
    """A WSGI application that lets signed requests through to another one, and tells no page of another origin.

    Args:
        application: The other one.
        credentials: What must have signed a request, in its headers or in its address.
        now: The time.
    """

    application: "WSGIApplication"
    credentials: Credentials
    now: Callable[[], datetime] = lambda: datetime.now(UTC)

    def __call__(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        """Answer one request."""
        try:
            self._check(environ)
        except Refused as refused:
            return refused.to_response()(environ, start_response)
        return self.application(environ, _without_cors(start_response))

    def _check(self, environ: "WSGIEnvironment") -> None:
        """Raise Refused for a request that was not signed with the key, or that nobody may send."""
        if environ["PATH_INFO"].startswith(_CLOSED):
            raise denied()
        path, _, query = environ["REQUEST_URI"].partition("?")
        pairs = [tuple(pair.partition("=")[::2]) for pair in query.split("&") if pair]
        if "HTTP_AUTHORIZATION" in environ:
            claim = _read_header(environ)
        else:
            claim = _read_query(query)
            pairs = [pair for pair in pairs if pair[0] != "X-Amz-Signature"]
        scope = self.credentials.find_scope(claim.credential)
        if scope is None:
            raise unknown_key()
        self._check_time(claim, scope)
        signed = {name.replace("_", "-") for name in claim.headers}
        if not _list_amz_headers(environ) | {"host"} <= signed:
            raise denied("There were headers present in the request which were not signed")
        lines = [
            environ["REQUEST_METHOD"],
            path if scope.service == "s3" else quote(path, safe="/~"),
            "&".join(f"{name}={value}" for name, value in sorted(pairs)),
            *(f"{name}:{_find_header(environ, name)}" for name in claim.headers),
            "",
            ";".join(claim.headers),
            "UNSIGNED-PAYLOAD" if claim.holds else _hash_body(environ),
        ]
        terms = "/".join((*scope[1:], "aws4_request"))
        text = "\n".join((ALGORITHM, claim.date, terms, _hash("\n".join(lines).encode())))
        if not self.credentials.has_signed(text, scope, claim.signature):
            raise wrong_signature()

    def _check_time(self, claim: "_Claim", scope: Scope) -> None:
        signed_at = read_date(claim.date)
        if signed_at is None or not claim.date.startswith(scope.date):
            raise denied("AWS authentication requires a valid Date or x-amz-date header")
        now = self.now()
        if claim.holds is None and abs(now - signed_at) > MAX_SKEW:
            message = "The difference between the request time and the current time is too large."
            raise Refused(HTTPStatus.FORBIDDEN, "RequestTimeTooSkewed", message)
        if claim.holds is not None and not signed_at - MAX_SKEW <= now < signed_at + claim.holds:
            raise denied("Request has expired")


class _Claim(NamedTuple):
    """What a request says of its signature."""

    credential: str
    headers: list[str]
    signature: str
    date: str
    holds: timedelta | None
    """For how long; None in headers, which hold for the moment."""


def read_date(text: str) -> datetime | None:
    """Read `20260301T120000Z`; None where it is something else."""
    try:
        return datetime.strptime(text, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
    except ValueError:
        return None


def _read_header(environ: "WSGIEnvironment") -> _Claim:
    algorithm, _, rest = environ["HTTP_AUTHORIZATION"].partition(" ")
    found = dict(part.strip().partition("=")[::2] for part in rest.split(","))
    if algorithm != ALGORITHM or found.keys() != {"Credential", "SignedHeaders", "Signature"}:
        message = "The authorization header is malformed"
        raise Refused(HTTPStatus.BAD_REQUEST, "AuthorizationHeaderMalformed", message)
    headers = found["SignedHeaders"].split(";")
    return _Claim(found["Credential"], headers, found["Signature"], environ.get("HTTP_X_AMZ_DATE", ""), None)


def _read_query(query: str) -> _Claim:
    found = parse_qs(query)
    one = {name: values[0] for name, values in found.items() if len(values) == 1}
    seconds = one.get("X-Amz-Expires", "")
    if one.get("X-Amz-Algorithm") != ALGORITHM or not _SECONDS.fullmatch(seconds):
        raise denied()
    return _Claim(
        one.get("X-Amz-Credential", ""),
        one.get("X-Amz-SignedHeaders", "").split(";"),
        one.get("X-Amz-Signature", ""),
        one.get("X-Amz-Date", ""),
        timedelta(seconds=int(seconds)),
    )


def _hash_body(environ: "WSGIEnvironment") -> str:
    """Return what was signed of the body: the hash that S3's clients send, which is taken at its word, or its own."""
    told: str | None = environ.get("HTTP_X_AMZ_CONTENT_SHA256")
    if told is not None:
        return told
    length = environ.get("CONTENT_LENGTH") or "0"
    if not length.isdigit() or int(length) > MAX_BODY_BYTES:
        message = "Your proposed upload exceeds the maximum allowed size"
        raise Refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "EntityTooLarge", message)
    body = environ["wsgi.input"].read(int(length))
    environ["wsgi.input"] = io.BytesIO(body)
    return _hash(body)


def _list_amz_headers(environ: Mapping[str, Any]) -> set[str]:
    prefix = "HTTP_X_AMZ_"
    return {name.removeprefix("HTTP_").replace("_", "-").lower() for name in environ if name.startswith(prefix)}


def _find_header(environ: Mapping[str, Any], name: str) -> str:
    key = name.upper().replace("-", "_")
    value = environ.get(key if key in {"CONTENT_TYPE", "CONTENT_LENGTH"} else f"HTTP_{key}", "")
    return " ".join(str(value).split())


def _without_cors(start_response: "StartResponse") -> "StartResponse":
    def start(status: str, headers: list[tuple[str, str]], *more: Any) -> Any:
        kept = [(name, value) for name, value in headers if not name.lower().startswith("access-control-")]
        return start_response(status, kept, *more)

    return start


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
