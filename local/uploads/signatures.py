"""Checks AWS Signature Version 4: the local cloud answers only requests that are signed with the stack's own key.

Otherwise any web page and any program could use it through its port. Source of the algorithm: AWS, "Create a signed AWS
API request" and "Authenticating Requests: Using Query Parameters".
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

from local.uploads.errors import UploadError

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

ALGORITHM: Final = "AWS4-HMAC-SHA256"
MAX_BODY_BYTES: Final = 20_000_000
"""Limit for a body that is hashed here, larger than any request without a hash of its own."""
MAX_SKEW: Final = timedelta(minutes=15)
_SECONDS: Final = re.compile(r"[1-9][0-9]{0,5}")
_CLOSED: Final = "/moto-api"
"""Moto's own interface, which could reset everything and needs no signature."""


class CredentialScope(NamedTuple):
    """The key, day, region and service of a signature."""

    access_key: str
    date: str
    region: str
    service: str


@dataclass(frozen=True)
class Credentials:
    """The key pair of the stack."""

    access_key: str
    secret_key: str = field(repr=False)

    def find_scope(self, credential: str) -> CredentialScope | None:
        """Read `key/date/region/service/aws4_request`; None for any other text or key."""
        *parts, end = credential.split("/")
        if len(parts) != len(CredentialScope._fields) or end != "aws4_request" or parts[0] != self.access_key:
            return None
        return CredentialScope(*parts)

    def sign(self, text: str, scope: CredentialScope) -> str:
        """Return the signature of a text, in hexadecimal."""
        key = f"AWS4{self.secret_key}".encode()
        for step in (scope.date, scope.region, scope.service, "aws4_request"):
            key = hmac.digest(key, step.encode(), "sha256")
        return hmac.new(key, text.encode(), "sha256").hexdigest()

    def has_signed(self, text: str, scope: CredentialScope, signature: str) -> bool:
        """Return whether a signature matches a text, in constant time."""
        return hmac.compare_digest(self.sign(text, scope).encode(), signature.encode())


def make_credentials() -> Credentials:
    """Return credentials with a random key."""
    return Credentials("local", secrets.token_urlsafe(32))


@dataclass(frozen=True)
class SignedOnly:
    """A WSGI application that passes on signed requests, and answers without CORS headers."""

    application: "WSGIApplication"
    credentials: Credentials
    now: Callable[[], datetime] = lambda: datetime.now(UTC)

    def __call__(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        """Answer a request."""
        try:
            self._check(environ)
        except UploadError as error:
            return error.to_response()(environ, start_response)
        return self.application(environ, _without_cors(start_response))

    def _check(self, environ: "WSGIEnvironment") -> None:
        """Raise UploadError for a request that is not signed, or that is forbidden."""
        if environ["PATH_INFO"].startswith(_CLOSED):
            raise UploadError("AccessDenied", "Access Denied")
        path, _, query = environ["REQUEST_URI"].partition("?")
        pairs = [tuple(pair.partition("=")[::2]) for pair in query.split("&") if pair]
        if "HTTP_AUTHORIZATION" in environ:
            signing = _read_header(environ)
        else:
            signing = _read_query(query)
            pairs = [pair for pair in pairs if pair[0] != "X-Amz-Signature"]
        scope = self.credentials.find_scope(signing.credential)
        if scope is None:
            raise UploadError("InvalidAccessKeyId")
        self._check_time(signing, scope)
        signed = {name.replace("_", "-") for name in signing.headers}
        if not _list_amz_headers(environ) | {"host"} <= signed:
            raise UploadError("AccessDenied", "There were headers present in the request which were not signed")
        lines = [
            environ["REQUEST_METHOD"],
            path if scope.service == "s3" else quote(path, safe="/~"),
            "&".join(f"{name}={value}" for name, value in sorted(pairs)),
            *(f"{name}:{_find_header(environ, name)}" for name in signing.headers),
            "",
            ";".join(signing.headers),
            "UNSIGNED-PAYLOAD" if signing.lifetime else _hash_body(environ),
        ]
        terms = "/".join((*scope[1:], "aws4_request"))
        text = "\n".join((ALGORITHM, signing.date, terms, _hash("\n".join(lines).encode())))
        if not self.credentials.has_signed(text, scope, signing.signature):
            raise UploadError("SignatureDoesNotMatch")

    def _check_time(self, signing: "_Signing", scope: CredentialScope) -> None:
        signed_at = read_date(signing.date)
        if signed_at is None or not signing.date.startswith(scope.date):
            raise UploadError("AccessDenied", "AWS authentication requires a valid Date or x-amz-date header")
        now = self.now()
        if signing.lifetime is None and abs(now - signed_at) > MAX_SKEW:
            raise UploadError("RequestTimeTooSkewed")
        if signing.lifetime is not None and not signed_at - MAX_SKEW <= now < signed_at + signing.lifetime:
            raise UploadError("AccessDenied", "Request has expired")


class _Signing(NamedTuple):
    """The signature of a request, and what it covers."""

    credential: str
    headers: list[str]
    signature: str
    date: str
    lifetime: timedelta | None
    """Of a presigned URL; None for signed headers."""


def read_date(text: str) -> datetime | None:
    """Read `20260301T120000Z`; None for any other text."""
    try:
        return datetime.strptime(text, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
    except ValueError:
        return None


def _read_header(environ: "WSGIEnvironment") -> _Signing:
    algorithm, _, rest = environ["HTTP_AUTHORIZATION"].partition(" ")
    parts = dict(part.strip().partition("=")[::2] for part in rest.split(","))
    if algorithm != ALGORITHM or parts.keys() != {"Credential", "SignedHeaders", "Signature"}:
        raise UploadError("AuthorizationHeaderMalformed")
    headers = parts["SignedHeaders"].split(";")
    return _Signing(parts["Credential"], headers, parts["Signature"], environ.get("HTTP_X_AMZ_DATE", ""), None)


def _read_query(query: str) -> _Signing:
    values = {name: repeated[0] for name, repeated in parse_qs(query).items() if len(repeated) == 1}
    seconds = values.get("X-Amz-Expires", "")
    if values.get("X-Amz-Algorithm") != ALGORITHM or not _SECONDS.fullmatch(seconds):
        raise UploadError("AccessDenied", "Access Denied")
    return _Signing(
        values.get("X-Amz-Credential", ""),
        values.get("X-Amz-SignedHeaders", "").split(";"),
        values.get("X-Amz-Signature", ""),
        values.get("X-Amz-Date", ""),
        timedelta(seconds=int(seconds)),
    )


def _hash_body(environ: "WSGIEnvironment") -> str:
    """Return the hash of the body, as the client sent it or computed here."""
    sent: str | None = environ.get("HTTP_X_AMZ_CONTENT_SHA256")
    if sent is not None:
        return sent
    length = environ.get("CONTENT_LENGTH") or "0"
    if not length.isdigit() or int(length) > MAX_BODY_BYTES:
        raise UploadError("EntityTooLarge", status=HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
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
